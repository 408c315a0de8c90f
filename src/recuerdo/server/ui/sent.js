// The keys of messages that were sent and have no reply yet, by the message's id, so that a reload can send one again.

const KEY = 'recuerdo.sent';
const MOST = 20;

const all = () => JSON.parse(localStorage.getItem(KEY) ?? '[]');

const keep = (pairs) => localStorage.setItem(KEY, JSON.stringify(pairs.slice(-MOST)));

export function remember(id, key) {
  if (id) keep([...all().filter(([one]) => one !== id), [id, key]]);
}

export const forget = (id) => keep(all().filter(([one]) => one !== id));

export const keyOf = (id) => all().find(([one]) => one === id)?.[1] ?? null;

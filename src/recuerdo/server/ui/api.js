// What the page asks of the server, always as the user of the moment.

import { currentLanguage, t } from './language.js';

export class ApiError extends Error {
  constructor(status, detail, code) {
    super(explain(status, detail, code));
    this.status = status;
  }
}

// The code of a text that is for people as it stands: it is in the page's language, or a graph's own words.
export const AS_IT_IS = 'as_it_is';

// The server speaks English; in other languages its codes and statuses say the same.
function explain(status, detail, code) {
  if (code === AS_IT_IS) return detail;
  const fields = Array.isArray(detail) ? detail.map((one) => one.loc.at(-1)).join(', ') : '';
  if (currentLanguage() === 'en') {
    return fields ? detail.map((one) => `${one.loc.at(-1)}: ${one.msg}`).join('; ') : String(detail ?? '');
  }
  const problems = t('problems');
  return (problems[code] ?? problems[status] ?? problems.other).replace('{fields}', fields).replace('{status}', status);
}

let user = '';
let tenant = '';

export function actAs(name, of = '') {
  user = name;
  tenant = of;
}

// A token that no cookie can keep: it is too long, or handlers of a langgraph.json read it. The others no script can read.
let credential = null;

// What proves who the user is, where the server asks for it. The server gives it back as a cookie for itself alone.
export async function present(value) {
  credential = value;
  try {
    await call('POST', 'auth/session');
    credential = null;
  } catch (error) {
    if (error.status === 422 || error.status === 403) return;
    credential = null;
    throw error;
  }
}

// Forgets who has signed in. Returns where the session at an identity provider is ended, or null.
export async function signOut() {
  credential = null;
  return (await json('POST', 'auth/logout')).location;
}

let renews = false;

// Whether there may be a session of an identity provider, which is renewed when it has expired.
export function renewSessions(yes) {
  renews = yes;
}

// One tab at a time: providers take a second use of what renews a session for a theft.
async function renewed() {
  const ask = async () => (await fetch('auth/renew', { method: 'POST', cache: 'no-store' })).ok;
  return renews && !credential && (navigator.locks ? navigator.locks.request('recuerdo.renew', ask) : ask());
}

// The server refuses what a page does whose cookie is another user's by now.
function headers() {
  if (credential) return { Authorization: `Bearer ${credential}` };
  const named = { 'X-Recuerdo-User': encodeURIComponent(user) };
  return tenant ? { ...named, 'X-Recuerdo-Tenant': encodeURIComponent(tenant) } : named;
}

async function call(...request) {
  let response = await sent(...request);
  if (response.status === 401 && (await renewed())) response = await sent(...request);
  if (!response.ok) {
    const { detail, code } = await problem(response);
    throw new ApiError(response.status, detail, code);
  }
  return response;
}

function sent(method, path, body, { more = {}, ...options } = {}) {
  return fetch(path, {
    method,
    headers: body === undefined ? headers() : { ...headers(), 'Content-Type': 'application/json', ...more },
    body: body === undefined ? undefined : JSON.stringify(body),
    cache: 'no-store',
    ...options,
  });
}

async function problem(response) {
  try {
    return await response.json();
  } catch {
    return { detail: response.statusText };
  }
}

// What is null or undefined is not asked for.
const queryOf = (query) =>
  new URLSearchParams(Object.entries(query).filter(([, value]) => value !== null && value !== undefined)).toString();

const json = async (...request) => (await call(...request)).json();
const thread = (id) => `v1/threads/${encodeURIComponent(id)}`;
const memory = (id) => `v1/memories/${encodeURIComponent(id)}`;

export const alive = async () => (await fetch('ok', { cache: 'no-store' })).ok;
export const info = () => json('GET', 'info');
export const claim = () => json('POST', 'v1/visitors/claim');
export const principal = () => json('GET', 'v1/principal');
export const threads = ({ limit, cursor = null }) =>
  json('GET', `v1/threads?limit=${limit}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`);
export const threadOf = (id) => json('GET', thread(id));
export const deleteThread = (id) => call('DELETE', thread(id));
export const renameThread = (id, title) => json('PATCH', thread(id), { title });
export const archiveThread = (id, archived) => call('POST', `${thread(id)}/archive`, { archived });
export const append = (id, messages) => json('POST', `${thread(id)}/messages`, { messages });
export const allMessages = (id, query) => json('GET', `${thread(id)}/messages?${queryOf({ ...query, include_archived: true })}`);
export const messages = (id, before) => json('GET', `${thread(id)}/messages?limit=30${before ? `&before=${before}` : ''}`);
export const messagesAfter = (id, after) => json('GET', `${thread(id)}/messages?limit=30&after=${after}`);
export const whyOf = (id, seq, agent) => json('GET', `${thread(id)}/messages/${seq}/why?${queryOf({ assistant_id: agent })}`);
export const fork = (id, seq) => json('POST', `${thread(id)}/fork`, { at_seq: seq });
export const searchMessages = (body) => json('POST', 'v1/search', body);
export const archive = (id, seq) => call('POST', `${thread(id)}/archive`, { first: seq, last: seq });
export const windowOf = (id, policy = {}) => json('GET', `${thread(id)}/window?${queryOf(policy)}`);
export const memories = (query) => json('GET', `v1/memories?${queryOf(query)}`);
export const memoryOf = (id) => json('GET', memory(id));
export const addMemory = (text) => json('POST', 'v1/memories', { text });
export const changeMemory = (id, changes) => json('PATCH', memory(id), changes);
export const entities = () => json('GET', 'v1/entities');
export const undoMemory = (id) => json('POST', `${memory(id)}/undo`, {});
export const memoryHistory = (id, limit) => json('GET', `${memory(id)}/history?limit=${limit}`);
export const reviewMemory = (id, isApproved) => json('POST', `${memory(id)}/${isApproved ? 'approve' : 'reject'}`, {});
export const exportMemories = async () => (await call('GET', 'v1/memories/export')).blob();

// Hits of a search, as a page that nothing follows.
export async function searchMemories({ query, limit, kind, attribute, as_of }) {
  const { hits } = await json('POST', 'v1/memories/search', { query, limit, kind, attribute, as_of });
  return { memories: hits.map((hit) => hit.memory), before: null };
}

const document_ = (id) => `v1/documents/${encodeURIComponent(id)}`;
export const documents = () => json('GET', 'v1/documents');
export const documentOf = (id) => json('GET', document_(id));
export const deleteDocument = (id) => call('DELETE', document_(id));
export const searchDocuments = (query, limit) => json('POST', 'v1/documents/search', { query, limit });

// Only this way a browser tells how far an upload has come.
export function addDocument(body, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', 'v1/documents');
    for (const [name, value] of Object.entries({ ...headers(), 'Content-Type': 'application/json' })) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', (event) => event.lengthComputable && onProgress(event.loaded / event.total));
    request.addEventListener('error', () => reject(new TypeError('the upload broke off')));
    request.addEventListener('load', () => {
      const answer = JSON.parse(request.responseText || '{}');
      if (request.status < 300) resolve(answer);
      else reject(new ApiError(request.status, answer.detail, answer.code));
    });
    request.send(JSON.stringify(body));
  });
}

const key = (id) => `v1/keys/${encodeURIComponent(id)}`;
export const keys = (limit) => json('GET', `v1/keys?limit=${limit}`);
export const makeKey = (body) => json('POST', 'v1/keys', body);
export const rotateKey = (id) => json('POST', `${key(id)}/rotate`, {});
export const revokeKey = (id) => call('DELETE', key(id));
export const audit = (query) => json('GET', `v1/audit?${queryOf(query)}`);
export const erasures = (limit) => json('GET', `v1/erasures?limit=${limit}`);
export const forecastRetention = (policy) => json('GET', `v1/retention?${queryOf({ policy })}`);
export const metrics = async () => (await call('GET', 'metrics')).text();
export const ready = async () => (await fetch('ready', { cache: 'no-store' })).json();

export const searchItems = (body) => json('POST', 'store/items/search', body);
export const putItem = (body) => call('PUT', 'store/items', body);
export const deleteItem = (body) => call('DELETE', 'store/items', body);

const shared = (id) => `v1/tenant/memories/${encodeURIComponent(id)}`;
export const sharedMemories = (query) => json('GET', `v1/tenant/memories?${queryOf(query)}`);
export const sharedHistory = (id, limit) => json('GET', `${shared(id)}/history?limit=${limit}`);
export const reviewShared = (id, isApproved) => json('POST', `${shared(id)}/${isApproved ? 'approve' : 'reject'}`, {});
export const deleteShared = (id) => call('DELETE', shared(id));
export const eraseEverything = () => json('POST', 'v1/erase', { everything: true });
export const deleteMemory = (id) => call('DELETE', memory(id));

// The events of one turn: {event, data}. Ends after `done` or `error`; throws when the connection breaks before.
// Whoever sends the turn again does it with the same key.
export async function* chat(body, key, signal) {
  const response = await call('POST', 'v1/chat/stream', body, { signal, more: { 'Idempotency-Key': key } });
  for await (const event of eventsOf(response)) {
    yield event;
    if (event.event === 'done' || event.event === 'error') return;
  }
  throw new TypeError('the stream ended early');
}

// The same of one run of a graph: its events are those of LangGraph's API, and it ends with its stream.
export async function* run(thread, body, signal) {
  yield* eventsOf(await call('POST', `threads/${encodeURIComponent(thread)}/runs/stream`, body, { signal }));
}

export const runOf = async (thread) => (await json('GET', `threads/${encodeURIComponent(thread)}/runs?limit=1`))[0];
const assistant = (id) => `assistants/${encodeURIComponent(id)}`;
export const schemasOf = (id) => json('GET', `${assistant(id)}/schemas`);
export const graphOf = (id) => json('GET', `${assistant(id)}/graph`);
export const assistants = (query) => json('POST', 'assistants/search', query);
export const assistantOf = (id) => json('GET', assistant(id));
export const assistantVersions = (id) => json('POST', `${assistant(id)}/versions`, {});
export const setLatest = (id, version) => json('POST', `${assistant(id)}/latest`, { version });
export const makeAssistant = (body) => json('POST', 'assistants', body);
export const removeAssistant = (id) => call('DELETE', assistant(id));
export const changeAssistant = (id, body) => json('PATCH', assistant(id), body);

// With its runs and checkpoints, when it has any: they don't know a thread that no graph ran on.
export async function deleteWholeThread(id) {
  const unlessGone = (error) => (error.status === 404 ? null : Promise.reject(error));
  if ((await graphThreads({ ids: [id] })).length) await call('DELETE', graphThread(id)).catch(unlessGone);
  await deleteThread(id).catch(unlessGone);
}

const graphThread = (id) => `threads/${encodeURIComponent(id)}`;
export const newGraphThread = () => json('POST', 'threads', {});
export const stateOf = (id) => json('GET', `${graphThread(id)}/state`);
export const writeState = (id, values) => json('POST', `${graphThread(id)}/state`, { values });

// None where the database keeps no graphs.
export const graphThreads = (query) =>
  json('POST', 'threads/search', query).catch((error) => (error instanceof ApiError ? [] : Promise.reject(error)));
export const statesOf = (id, limit) => json('POST', `${graphThread(id)}/history`, { limit });

// A new thread that goes on from the state at a checkpoint.
export async function forkState(id, checkpoint) {
  const copy = await json('POST', `${graphThread(id)}/copy`);
  await json('POST', `${graphThread(copy.thread_id)}/state`, { values: null, checkpoint: { checkpoint_id: checkpoint, checkpoint_ns: '' } });
  return copy.thread_id;
}

async function* eventsOf(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    waiting += value;
    const frames = waiting.split('\n\n');
    waiting = frames.pop();
    for (const frame of frames) {
      const event = parse(frame);
      if (event) yield event;
    }
  }
}

function parse(frame) {
  const fields = Object.fromEntries(
    frame.split('\n').filter((line) => !line.startsWith(':')).map((line) => line.split(/: (.*)/s, 2)),
  );
  return fields.event ? { event: fields.event, data: JSON.parse(fields.data) } : null;
}

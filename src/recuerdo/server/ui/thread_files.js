// Conversations as files: one line of JSON for each, with its messages as the API has them.

import * as api from './api.js';

const PAGE = 500;
const A_REQUEST = 200; // messages: a request's body has its limit

export async function exported(threads) {
  const lines = [];
  for (const { id, title } of threads) lines.push(`${JSON.stringify({ thread: id, title, messages: await allOf(id) })}\n`);
  return new Blob(lines, { type: 'application/jsonl' });
}

async function allOf(id) {
  const messages = [];
  for (let after = 0; after !== null; ) {
    const page = await api.allMessages(id, { limit: PAGE, after });
    messages.push(...page.messages);
    after = page.more ? page.after : null;
  }
  return messages;
}

// Each becomes a new conversation: what is there stays as it is. Returns how many there were.
export async function imported(text) {
  const threads = text.split('\n').filter((line) => line.trim()).map((line) => JSON.parse(line));
  for (const { title, messages } of threads) {
    const id = crypto.randomUUID();
    for (let at = 0; at < messages.length; at += A_REQUEST) await api.append(id, messages.slice(at, at + A_REQUEST).map(written));
    if (title) await api.renameThread(id, title);
  }
  return threads.length;
}

const written = ({ role, content, tool_calls, tool_call_id, name, metadata, created_at }) => ({ role, content, tool_calls, tool_call_id, name, metadata, created_at });

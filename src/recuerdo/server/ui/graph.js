// A turn with a graph of somebody's own: a run, told as the chat tells its turns.

import * as api from './api.js';
import { t } from './language.js';

const isSaid = (message) => ['ai', 'assistant', 'AIMessageChunk'].includes(message?.type);

const textOf = (content) =>
  typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('');

// What the graph takes; null where it takes messages. Of a graph that does not say it, it is tried.
export async function missing(graph) {
  const { input_schema: input, state_schema: state } = await api.schemasOf(graph);
  const fields = Object.keys((input ?? state)?.properties ?? {});
  return fields.length === 0 || fields.includes('messages') ? null : fields.join(', ');
}

// A message that is sent again has the id of the first try, so that the graph's messages hold it once.
export async function* chat(graph, { message, thread_id: thread = crypto.randomUUID() }, key, signal) {
  const said = { type: 'human', content: message, id: key };
  const body = {
    assistant_id: graph,
    input: { messages: [said] },
    stream_mode: ['messages-tuple', 'values'],
    if_not_exists: 'create',
    on_disconnect: 'cancel',
  };
  let values = {};
  for await (const { event, data } of api.run(thread, body, signal)) {
    if (event === 'metadata') yield { event, data: started(thread, message) };
    else if (event === 'messages' && isSaid(data[0])) yield { event: 'token', data: { text: textOf(data[0].content) } };
    else if (event === 'values') values = data;
    else if (event === 'error') return yield { event, data: { status: 500, detail: data.message ?? data.error, code: api.AS_IT_IS } };
  }
  const run = await api.runOf(thread);
  if (run?.status === 'pending' || run?.status === 'running') throw new TypeError('the stream ended early');
  yield { event: 'done', data: answered(values, key) };
}

const started = (thread, message) => ({
  thread_id: thread,
  memories_used: [],
  window: [],
  message: { role: 'user', content: message },
});

// Everything that the graph has said since; or that it waits, and for what.
function answered(values, key) {
  const messages = values.messages ?? [];
  const since = messages.slice(messages.findLastIndex((message) => message.id === key) + 1);
  const texts = since.filter(isSaid).map((message) => textOf(message.content)).filter(Boolean);
  const asked = (values.__interrupt__ ?? []).map((one) => t('interrupted', { what: JSON.stringify(one.value) }));
  const content = [...texts, ...asked].join('\n\n') || t('saidNothing');
  return { reply: { role: 'assistant', content }, memories_used: [], memories_saved: [], history: 'ok', version: null };
}

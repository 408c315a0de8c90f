// The client against a real server, which RECUERDO_URL names. Each test is a user of its own.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";

import * as recuerdo from "../dist/index.js";

const { Client, Conflict, EpochChanged, IdempotencyConflict, InvalidInput, NotFound, Unavailable } = recuerdo;

const url = process.env.RECUERDO_URL;
const newClient = (options = {}) => new Client(url, { user: `usuário ${randomUUID()}`, ...options });
const user = (content) => ({ role: "user", content });

async function collect(items) {
  const found = [];
  for await (const each of items) found.push(each);
  return found;
}

test("what is appended is read again, page by page", async () => {
  const client = newClient();
  const thread = client.thread("a/b #1");
  const receipt = await thread.append([user("Hola"), { role: "assistant", content: "¡Hola!", metadata: { mood: "good" } }]);
  assert.deepEqual(receipt.seqs, [1, 2]);
  const messages = await collect(thread.messages({ limit: 1 }));
  assert.deepEqual(messages.map(({ content }) => content), ["Hola", "¡Hola!"]);
  assert.deepEqual(messages[1].metadata, { mood: "good" });
  assert.deepEqual(await thread.window({ messages: 1 }), [messages[1]]);
  assert.deepEqual((await collect(client.threads())).map(({ id }) => id), ["a/b #1"]);
  await client.thread("copy").append(messages);
  assert.deepEqual((await collect(client.thread("copy").messages({ role: ["assistant"] }))).length, 1);
});

test("all messages of the caller come by time, and pages can be counted", async () => {
  const client = newClient();
  for (const [thread, minute] of [["a", 1], ["b", 3], ["a", 2], ["c", 0]]) {
    await client.thread(thread).append({ ...user(`${minute}`), created_at: `2026-01-01T09:0${minute}:00Z` });
  }
  const found = async (options) => (await collect(client.messages(options))).map(({ message }) => message.content);
  assert.deepEqual(await found({ limit: 1 }), ["3", "2", "1", "0"]);
  assert.deepEqual(await found({ limit: 1, skip: 2 }), ["1", "0"]);
  assert.deepEqual(await found({ since: "2026-01-01T09:02:00Z" }), ["3", "2"]);
  assert.deepEqual((await collect(client.messages({ limit: 1 }))).map((each) => each.thread_id), ["b", "a", "a", "c"]);
  assert.deepEqual((await collect(client.threads({ limit: 1, skip: 1 }))).map(({ id }) => id), ["a", "b"]);
  assert.deepEqual((await collect(client.thread("a").messages({ limit: 1, skip: 1 }))).map(({ seq }) => seq), [2]);
});

test("a key stores once, and another body is refused", async () => {
  const thread = newClient().thread("t");
  const first = await thread.append(user("Two coffees"), { idempotencyKey: "order-7" });
  const again = await thread.append(user("Two coffees"), { idempotencyKey: "order-7" });
  assert.deepEqual([again.replayed, again.ids], [true, first.ids]);
  await assert.rejects(thread.append(user("Three"), { idempotencyKey: "order-7" }), IdempotencyConflict);
});

test("errors are the library's own", async () => {
  const client = newClient();
  const thread = client.thread("t");
  await assert.rejects(thread.info(), { name: "NotFound", status: 404, message: /There is no thread 't'/ });
  await assert.rejects(thread.append({ role: "tool", content: "21" }), (error) => {
    assert.ok(error instanceof InvalidInput);
    assert.equal(error.field, "messages[0].tool_call_id");
    return true;
  });
  const { version } = await thread.append(user("hi"));
  await thread.clear();
  await assert.rejects(thread.append(user("late"), { expected_epoch: Number(version.split(".")[0]) }), EpochChanged);
  await thread.fork({ target: "u" });
  await assert.rejects(thread.fork({ target: "u" }), Conflict);
  await assert.rejects(async () => client.thread("..").delete(), InvalidInput);
});

test("a chat remembers, streams and tells why", async () => {
  const client = newClient();
  const answer = await client.chat("Hola, me llamo Emiliano");
  assert.deepEqual(answer.memories_saved.map(({ value }) => value), ["Emiliano"]);
  const thread = client.thread(answer.thread_id);
  const [start, ...parts] = await collect(thread.chatStream("¿Cómo me llamo?"));
  assert.equal(start.type, "start");
  const last = parts.pop();
  assert.equal(parts.map(({ text }) => text).join(""), last.reply.content);
  assert.match(JSON.stringify((await thread.why(last.reply.seq)).prompt), /Emiliano/);
  assert.equal((await thread.info()).message_count, 4);
  assert.equal((await thread.setContext({ "X-Recuerdo-Locale": "es" })).context.metadata.locale, "es");
});

test("a reader who leaves the stream stops it", async () => {
  const thread = newClient().thread("t");
  for await (const part of thread.chatStream("Hola")) if (part.type === "start") break;
});

test("threads are renamed, archived, forked, searched and deleted", async () => {
  const client = newClient();
  const thread = client.thread("t");
  await thread.append([user("My flight to Lima is on Monday"), { role: "assistant", content: "Noted." }]);
  assert.equal((await thread.rename("Flights")).title, "Flights");
  assert.equal((await thread.updateMetadata({ topic: "travel" })).metadata.topic, "travel");
  assert.equal((await collect(client.threads({ metadata: { topic: "travel" } }))).length, 1);
  assert.equal((await collect(client.threads({ metadata: { topic: "food" } }))).length, 0);
  assert.equal(await thread.archive({ last: 1 }), 1);
  assert.equal(await thread.archive({ archived: false }), 1);
  assert.equal((await thread.fork({ at_seq: 1 })).message_count, 1);
  assert.equal((await thread.search("Lima"))[0].seq, 1);
  assert.ok((await client.searchHistory("Lima", { limit: 1 })).length === 1);
  await thread.summarise();
  await thread.delete();
  await assert.rejects(thread.info(), NotFound);
});

test("memories are added, found, changed, undone and moved", async () => {
  const { memories } = newClient();
  const seat = await memories.add("Prefers the window seat", { attribute: "preference", value: "window seat" });
  assert.equal((await memories.search("window", { limit: 1 }))[0].memory.id, seat.id);
  await memories.update(seat.id, { text: "Prefers the aisle" });
  assert.ok((await memories.undo(seat.id)).undone);
  assert.equal((await memories.get(seat.id)).text, "Prefers the window seat");
  assert.ok((await memories.history(seat.id)).length >= 2);
  assert.equal((await collect(memories.list({ limit: 1, kind: "semantic" }))).length, 1);
  assert.equal(await memories.importLines(await memories.exportLines()), 0);
  assert.equal((await memories.audit()).memories, 1);
  assert.ok((await memories.entities()).entities);
  await memories.delete(seat.id);
  assert.deepEqual(await collect(memories.list()), []);
});

test("documents, assistants, runs and actions", async () => {
  const client = newClient();
  const source = `${randomUUID()}.md`;
  const { document } = await client.documents.add(source, { content: "A refund takes five days.", access: "public" });
  assert.ok((await client.documents.search("refund"))[0].chunk.text);
  assert.ok((await collect(client.documents.list())).some((each) => each.source === source));
  assert.ok((await client.documents.get(document.id)).chunks);
  await client.documents.delete(document.id);
  const assistant = await client.assistants.create({ name: "Brief" });
  assert.equal((await client.assistants.update(assistant.assistant_id, { name: "Short" })).version, 2);
  assert.ok((await client.assistants.search({ graph_id: "recuerdo" })).some(({ name }) => name === "Short"));
  assert.ok((await client.assistants.search()).some(({ name }) => name === "Short"));
  const input = { messages: [user("Hola")] };
  const events = await collect(client.runs.stream("t", { input, if_not_exists: "create", stream_mode: ["values"] }));
  assert.equal(events[0].event, "metadata");
  assert.equal(events.at(-1).data.messages.length, 2);
  const run = await client.runs.create("t", { input });
  assert.equal((await client.runs.join("t", run.run_id)).messages.length, 4);
  assert.equal((await client.runs.get("t", run.run_id)).status, "success");
  await client.assistants.delete(assistant.assistant_id);
  const action = await client.actions.handOver("embedding", "t", { fields: { texts: ["hi"] } });
  assert.equal((await client.actions.get(action.action_id)).type, "embedding");
});

test("a tenant's affairs, and who asks", async () => {
  const name = `emi ${randomUUID()}`;
  const client = newClient({ user: name });
  await client.thread("t").append(user("My flight to Lima"));
  assert.ok((await collect(client.tenant.users({ limit: 1000 }))).includes(name));
  assert.equal((await collect(client.tenant.threadsOf(name)))[0].id, "t");
  assert.equal((await client.tenant.searchHistoryOf(name, "Lima"))[0].thread_id, "t");
  await client.tenant.deleteThreadOf(name, "t");
  const proposed = await client.tenant.memories.propose(`The office ${randomUUID()} closes at six`);
  assert.equal(proposed.status, "proposed");
  assert.notEqual((await client.tenant.memories.approve(proposed.id, { reason: "true" })).status, "proposed");
  await client.tenant.memories.delete(proposed.id);
  assert.equal((await client.tenant.audit({ limit: 1 }).next()).value.tenant, "default");
  assert.equal((await client.principal()).user, name);
  assert.ok((await client.info()).offline);
  assert.ok((await client.ready()).ok && (await client.health()));
  assert.ok((await client.erase()).complete);
  const job = await client.eraseInBackground();
  assert.equal((await client.erasure(job.id)).id, job.id);
});

test("what is no address of a server is refused before anything is sent", () => {
  for (const address of ["", "nonsense", "localhost:8080", "ftp://127.0.0.1", "http://"]) {
    assert.throws(() => new Client(address), (error) => error instanceof InvalidInput && error.field === "url", address);
  }
});

test("a server that is not there is unavailable", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  const client = new Client(`http://127.0.0.1:${port}`, { retryFor: 300 });
  await assert.rejects(client.thread("t").append(user("hi")), (error) => {
    assert.ok(error instanceof Unavailable);
    assert.match(error.message, /No server answers at/);
    return true;
  });
});

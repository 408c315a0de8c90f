// LangGraph's JavaScript SDK, unchanged, against `recuerdo serve`.
import assert from "node:assert/strict";
import { test } from "node:test";

import { collect, newClient, until } from "./server.mjs";

const client = newClient();
const SAID = { messages: [{ role: "user", content: "hi you", id: "1" }] };

async function newThread() {
  return (await client.threads.create()).thread_id;
}

test("a chat streams its words, and its thread keeps them", async () => {
  const thread = await newThread();
  const parts = await collect(client.runs.stream(thread, "talking", { input: SAID, streamMode: "messages-tuple" }));
  const said = parts.filter((part) => part.event === "messages").map((part) => part.data[0].content);
  assert.equal(said.join(""), "you said hi you");
  const { values } = await client.threads.getState(thread);
  assert.deepEqual(values.messages.map((message) => message.content), ["hi you", "you said hi you"]);
});

for (const mode of ["values", "updates", "messages", "custom", "events", "tasks", "checkpoints", "debug"]) {
  test(`the stream mode ${mode} tells what it promises`, async () => {
    const parts = await collect(client.runs.stream(await newThread(), "talking", { input: SAID, streamMode: mode }));
    assert.equal(parts[0].event, "metadata");
    const events = new Set(parts.slice(1).map((part) => part.event.split("/")[0]));
    assert.deepEqual([...events], [mode]);
  });
}

test("several modes come in one stream, those of subgraphs with their names", async () => {
  const parts = await collect(
    client.runs.stream(await newThread(), "nesting", {
      input: { items: ["a"] },
      streamMode: ["values", "updates"],
      streamSubgraphs: true,
    }),
  );
  const kinds = new Set(parts.map((part) => part.event.split(":")[0]));
  assert.ok(kinds.has("updates|inner"));
  assert.ok(kinds.has("values"));
});

test("a run that asks goes on with the answer", async () => {
  const thread = await newThread();
  const asked = await client.runs.wait(thread, "asking", { input: { items: ["x"] } });
  assert.equal(asked.__interrupt__[0].value.question, "go on?");
  assert.equal((await client.threads.get(thread)).status, "interrupted");
  const answered = await client.runs.wait(thread, "asking", { command: { resume: "yes" } });
  assert.deepEqual(answered.items, ["x", "first", "heard yes"]);
});

test("a run is cancelled", async () => {
  const thread = await newThread();
  const run = await client.runs.create(thread, "slow", { input: { items: ["x"] } });
  await until(async () => (await client.threads.getState(thread)).values.items?.length === 2);
  await client.runs.cancel(thread, run.run_id, true);
  assert.equal((await client.runs.get(thread, run.run_id)).status, "interrupted");
});

test("a stream that was left in the middle goes on behind the last event", async () => {
  const thread = await newThread();
  const run = await client.runs.create(thread, "stepping", {
    input: { items: ["x"], wait: 0.3 },
    streamMode: ["values"],
    streamResumable: true,
  });
  const heard = [];
  for await (const part of client.runs.joinStream(thread, run.run_id, { lastEventId: "-1" })) {
    heard.push(part);
    if (heard.length === 2) break;
  }
  const rest = await collect(client.runs.joinStream(thread, run.run_id, { lastEventId: heard[1].id }));
  const items = [...heard, ...rest].filter((part) => part.event === "values").map((part) => part.data.items);
  assert.deepEqual(items, [["x"], ["x", "first"], ["x", "first", "second"]]);
});

test("threads work side by side and don't mix", async () => {
  const threads = await Promise.all(Array.from({ length: 10 }, newThread));
  const results = await Promise.all(
    threads.map((thread, number) => client.runs.wait(thread, "stepping", { input: { items: [`${number}`] } })),
  );
  results.forEach((values, number) => assert.deepEqual(values.items, [`${number}`, "first", "second"]));
});

test("a failed run says so", async () => {
  const thread = await newThread();
  const input = { items: [], answer: "fail" };
  const parts = await collect(client.runs.stream(thread, "stepping", { input, streamMode: "values" }));
  assert.equal(parts.at(-1).event, "error");
  await assert.rejects(client.runs.wait(thread, "stepping", { input }), /told to fail/);
});

test("history, state and copies of a thread", async () => {
  const thread = await newThread();
  await client.runs.wait(thread, "stepping", { input: { items: ["x"] } });
  const [latest, ...older] = await client.threads.getHistory(thread);
  assert.deepEqual(latest.values.items, ["x", "first", "second"]);
  assert.ok(older.length >= 2);
  const copy = await client.threads.copy(thread);
  await client.threads.updateState(copy.thread_id, { values: { items: ["more"] } });
  assert.deepEqual((await client.threads.getState(copy.thread_id)).values.items.at(-1), "more");
  assert.deepEqual((await client.threads.getState(thread)).values.items.at(-1), "second");
});

test("assistants are made, changed and searched", async () => {
  const made = await client.assistants.create({ graphId: "mannered", context: { tone: "kind" }, name: "polite" });
  const values = await client.runs.wait(await newThread(), made.assistant_id, { input: { items: [] } });
  assert.deepEqual(values.items, ["kind in mannered"]);
  await client.assistants.update(made.assistant_id, { context: { tone: "curt" } });
  assert.equal((await client.assistants.getVersions(made.assistant_id)).length, 2);
  const found = await client.assistants.search({ graphId: "mannered" });
  assert.ok(found.some((assistant) => assistant.assistant_id === made.assistant_id));
  await client.assistants.delete(made.assistant_id);
  await assert.rejects(client.assistants.get(made.assistant_id), /404/);
});

test("the store keeps, finds and forgets items", async () => {
  await client.store.putItem(["colours", "mine"], "last", { tone: "kind" });
  assert.deepEqual((await client.store.getItem(["colours", "mine"], "last")).value, { tone: "kind" });
  const { items } = await client.store.searchItems(["colours"], { filter: { tone: "kind" } });
  assert.equal(items.length, 1);
  const { namespaces } = await client.store.listNamespaces({ prefix: ["colours"] });
  assert.deepEqual(namespaces, [["colours", "mine"]]);
  await client.store.deleteItem(["colours", "mine"], "last");
  assert.equal(await client.store.getItem(["colours", "mine"], "last"), null);
});

test("schedules are made, found and deleted", async () => {
  const cron = await client.crons.create("stepping", { schedule: "0 5 * * *", input: { items: [] } });
  const found = await client.crons.search({});
  assert.deepEqual(found.map((each) => each.cron_id), [cron.cron_id]);
  await client.crons.delete(cron.cron_id);
  assert.deepEqual(await client.crons.search({}), []);
});

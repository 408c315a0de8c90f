// React's `useStream` of @langchain/react, which speaks the thread-centric protocol, in a DOM without a browser.
import assert from "node:assert/strict";
import { after, test } from "node:test";

import "./dom.mjs";

const { renderHook, cleanup } = await import("@testing-library/react");
const { useStream } = await import("@langchain/react");
const { apiUrl, headers, newClient, until } = await import("./server.mjs");

after(cleanup);

function mount(assistantId, options = {}) {
  return renderHook(() => useStream({ apiUrl, assistantId, defaultHeaders: headers, ...options })).result;
}

test("what is said and what is answered stand in the messages, turn after turn", async () => {
  const stream = mount("talking");
  for (const [count, said] of [[2, "hi you"], [4, "again"]]) {
    await stream.current.submit({ messages: [{ type: "human", content: said }] });
    await until(() => stream.current.messages.length === count && !stream.current.isLoading);
    assert.equal(stream.current.messages.at(-1).text, `you said ${said}`);
  }
});

test("a question of the graph is shown, and answered", async () => {
  const stream = mount("asking");
  await stream.current.submit({ items: ["x"] });
  const asked = await until(() => !stream.current.isLoading && stream.current.interrupt);
  assert.deepEqual(asked.value, { question: "go on?" });
  await stream.current.respond("yes");
  await until(() => stream.current.values.items?.at(-1) === "heard yes" && !stream.current.isLoading);
  assert.equal(stream.current.interrupt, undefined);
});

test("a thread is shown when it is opened, and the run that is under way on it", async () => {
  const client = newClient();
  const { thread_id: threadId } = await client.threads.create();
  await client.runs.create(threadId, "stepping", { input: { items: ["x"], wait: 0.5 } });
  await until(async () => (await client.threads.getState(threadId)).next.length); // or the hook sees nothing to wait for
  const stream = mount("stepping", { threadId });
  await until(() => stream.current.values.items?.at(-1) === "second");
});

test("a run that takes too long is stopped", async () => {
  const stream = mount("slow");
  void stream.current.submit({ items: ["x"] });
  await until(() => stream.current.values.items?.at(-1) === "first");
  await stream.current.stop();
  await until(() => !stream.current.isLoading);
  const client = newClient();
  await until(async () => (await client.threads.get(stream.current.threadId)).status !== "busy");
});

// React's `useStream` as chat front ends use it, in a DOM without a browser.
import assert from "node:assert/strict";
import { after, test } from "node:test";

import "./dom.mjs";

const { renderHook, cleanup } = await import("@testing-library/react");
const { useStream } = await import("@langchain/langgraph-sdk/react");
const { apiUrl, headers, newClient, until } = await import("./server.mjs");

after(cleanup);

function mount(assistantId, options = {}) {
  const threads = [];
  const { result } = renderHook(() => {
    const onThreadId = (id) => threads.push(id);
    const stream = useStream({ apiUrl, assistantId, defaultHeaders: headers, onThreadId, ...options });
    void stream.values; // what a page shows is what the hook asks the server to stream
    return stream;
  });
  return { result, threads };
}

test("what is said and what is answered stand in the messages, on a thread of their own", async () => {
  const { result, threads } = mount("talking", { messagesKey: "messages" });
  result.current.submit({ messages: [{ type: "human", content: "hi you" }] });
  await until(() => result.current.messages.length === 2 && !result.current.isLoading);
  assert.deepEqual(result.current.messages.map((message) => message.content), ["hi you", "you said hi you"]);
  assert.equal(threads.length, 1);
  result.current.submit({ messages: [{ type: "human", content: "again" }] });
  await until(() => result.current.messages.length === 4 && !result.current.isLoading);
  assert.equal(threads.length, 1);
});

test("a question of the graph is shown, and answered", async () => {
  const { result } = mount("asking");
  result.current.submit({ items: ["x"] });
  const asked = await until(() => !result.current.isLoading && result.current.interrupt);
  assert.deepEqual(asked.value, { question: "go on?" });
  result.current.submit(undefined, { command: { resume: "yes" } });
  await until(() => result.current.values.items?.at(-1) === "heard yes" && !result.current.isLoading);
  assert.equal(result.current.interrupt, undefined);
});

test("a thread that was there before is shown when it is opened", async () => {
  const client = newClient();
  const { thread_id: threadId } = await client.threads.create();
  await client.runs.wait(threadId, "talking", { input: { messages: [{ role: "user", content: "hi you" }] } });
  const { result } = mount("talking", { threadId });
  await until(() => result.current.messages.length === 2);
  assert.equal(result.current.messages[1].content, "you said hi you");
});

test("a run that was stopped is over", async () => {
  const { result, threads } = mount("slow");
  result.current.submit({ items: ["x"] });
  await until(() => result.current.values.items?.length === 2);
  await result.current.stop();
  await until(() => !result.current.isLoading);
  const client = newClient();
  await until(async () => (await client.threads.get(threads[0])).status !== "busy");
});

test("a stream that a page left is joined again by the next one", async () => {
  const client = newClient();
  const { thread_id: threadId } = await client.threads.create();
  const run = await client.runs.create(threadId, "stepping", {
    input: { items: ["x"], wait: 0.5 },
    streamMode: ["values"],
    streamResumable: true,
  });
  const { result } = mount("stepping", { threadId });
  await result.current.joinStream(run.run_id, "-1");
  await until(() => result.current.values.items?.at(-1) === "second");
});

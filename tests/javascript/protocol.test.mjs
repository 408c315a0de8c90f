// The thread-centric protocol as the SDK speaks it: `client.threads.stream`, over server-sent events and WebSockets.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Client } from "@langchain/langgraph-sdk";

import { apiUrl, newClient, until } from "./server.mjs";

// A WebSocket of Node sends no headers of ours: who comes by it is the anonymous user.
const clients = { sse: newClient(), websocket: new Client({ apiUrl }) };

async function open(transport, assistantId, threadId) {
  const client = clients[transport];
  return client.threads.stream(threadId ?? (await client.threads.create()).thread_id, { assistantId, transport });
}

async function wordsOf(thread) {
  for await (const message of thread.messages) {
    const words = [];
    for await (const word of message.text) words.push(word);
    return words.join("");
  }
}

for (const transport of Object.keys(clients)) {
  test(`a chat streams its words, and tells the state that it ends with (${transport})`, async () => {
    const thread = await open(transport, "talking");
    try {
      const words = wordsOf(thread);
      await thread.run.start({ input: { messages: [{ role: "user", content: "hi you" }] } });
      assert.equal(await words, "you said hi you");
      assert.deepEqual((await thread.output).messages.map((message) => message.text), ["hi you", "you said hi you"]);
    } finally {
      await thread.close();
    }
  });

  test(`a question pauses the run, and an answer goes on with it (${transport})`, async () => {
    const thread = await open(transport, "asking");
    try {
      await thread.run.start({ input: { items: ["x"] } });
      assert.deepEqual((await thread.output).items, ["x", "first"]);
      assert.equal(thread.interrupted, true);
      const [{ interruptId, namespace, payload }] = thread.interrupts;
      assert.deepEqual(payload, { question: "go on?" });
      await thread.input.respond({ interrupt_id: interruptId, namespace, response: "yes" });
      await until(async () => (await thread.state.get()).values.items.at(-1) === "heard yes");
    } finally {
      await thread.close();
    }
  });

  test(`who comes in the middle of a run hears the rest of it (${transport})`, async () => {
    const thread = await open(transport, "stepping");
    await thread.run.start({ input: { items: ["x"], wait: 0.5 } });
    await thread.close();
    const next = await open(transport, "stepping", thread.threadId);
    try {
      assert.deepEqual((await next.output).items, ["x", "first", "second"]);
    } finally {
      await next.close();
    }
  });
}

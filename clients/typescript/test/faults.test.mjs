// What the client does when answers break off and callers are told to wait, over sockets that do as they are told.
import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";

import { Client, ModelUnavailable, OutcomeUnknown, RateLimited, RecuerdoError } from "../dist/index.js";

const STREAM = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n";
const END = "0\r\n\r\n";
const chunk = (data) => `${Buffer.byteLength(data).toString(16)}\r\n${data}\r\n`;
const event = (name, data, id) => `${id ? `id: ${id}\n` : ""}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

function answer(status, body, ...headers) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return [`HTTP/1.1 ${status}`, `Content-Length: ${Buffer.byteLength(text)}`, "Connection: close", ...headers, "", text].join("\r\n");
}

/** A server that gives each connection the next response and closes it; `requests` are what came. */
async function scripted(t, ...responses) {
  const requests = [];
  const server = createServer((socket) => {
    let data = "";
    socket.on("error", () => {});
    socket.on("data", (piece) => {
      data += piece;
      const [head, body] = data.split("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (body === undefined || Buffer.byteLength(body) < length) return;
      requests.push(data);
      socket.end(responses.shift());
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${server.address().port}`, requests };
}

const said = { role: "user", content: "hi" };
const memories = { memories_used: [], memories_saved: [], memories_ended: [], memories_waiting: [] };
const start = event("metadata", { thread_id: "t", message: said, ...memories, window: [], model: "m" });
const done = (content) => event("done", { thread_id: "t", message: said, reply: { role: "assistant", content }, ...memories });
const token = (text) => event("token", { text });
const receipt = { ids: ["a"], seqs: [1], version: "1.1", replayed: false, durability: "sync" };

async function told(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part.type === "text" ? part.text : part.type);
  return parts;
}

test("a reply that breaks off is continued, and no piece comes twice", async (t) => {
  const server = await scripted(
    t,
    `${STREAM}\r\n${chunk(start + token("Te ") + token("llamas"))}`,
    `${STREAM}\r\n${chunk(start + token("Te llam") + token("as Emi") + done("Te llamas Emi"))}${END}`,
  );
  assert.deepEqual(await told(new Client(server.url).chatStream("hi")), ["start", "Te ", "llamas", " Emi", "answer"]);
  const keys = server.requests.map((request) => /idempotency-key: (\S+)/i.exec(request)[1]);
  assert.equal(keys[0], keys[1]);
});

test("a reply that says something else begins anew", async (t) => {
  const server = await scripted(
    t,
    `${STREAM}\r\n${chunk(start + token("Te llamas"))}`,
    `${STREAM}\r\n${chunk(start + done("Emi"))}${END}`,
  );
  assert.deepEqual(await told(new Client(server.url).chatStream("hi")), ["start", "Te llamas", "start", "Emi", "answer"]);
});

test("the error of a stream is the library's", async (t) => {
  const away = event("error", { detail: "away", status: 502, code: "model_unavailable" });
  const server = await scripted(t, ...Array(9).fill(`${STREAM}\r\n${chunk(start + away)}${END}`));
  await assert.rejects(told(new Client(server.url, { retryFor: 0 }).chatStream("hi")), ModelUnavailable);
});

test("a run's events continue behind the last one, however the network cuts them, until the run has ended", async (t) => {
  const whole = event("a", "ñ\u2028", "1");
  const server = await scripted(
    t,
    `${STREAM}Content-Location: /threads/t/runs/r-1\r\n\r\n${[...whole].map(chunk).join("")}${chunk("id: 2\neve")}`,
    `${STREAM}\r\n${chunk(event("b", 2, "2").replaceAll("\n", "\r\n"))}${END}`,
    `${STREAM}\r\n${END}`,
    answer("200 OK", { status: "running" }),
    `${STREAM}\r\n${chunk(event("c", 3, "3"))}${END}`,
    `${STREAM}\r\n${END}`,
    answer("200 OK", { status: "success" }),
  );
  const events = [];
  for await (const each of new Client(server.url).runs.stream("t", { input: {} })) events.push(each);
  assert.deepEqual(events, [
    { event: "a", data: "ñ\u2028", id: "1" },
    { event: "b", data: 2, id: "2" },
    { event: "c", data: 3, id: "3" },
  ]);
  assert.match(server.requests[1], /^GET \/threads\/t\/runs\/r-1\/stream /);
  assert.match(server.requests[1], /last-event-id: 1\r\n/i);
});

test("a limited caller waits as long as the server says, and sends the same again", async (t) => {
  const limited = answer("429 Too Many Requests", { detail: "wait", code: "rate_limited" }, "Retry-After: 1");
  const server = await scripted(t, limited, answer("201 Created", receipt));
  const begun = performance.now();
  assert.deepEqual((await new Client(server.url).thread("t").append(said)).ids, ["a"]);
  assert.ok(performance.now() - begun >= 990);
  const [first, second] = server.requests.map((request) => [/idempotency-key: (\S+)/i.exec(request)[1], request.split("\r\n\r\n")[1]]);
  assert.deepEqual(first, second);
});

test("a server that asks for more time than there is is not waited for", async (t) => {
  const limited = answer("429 Too Many Requests", { detail: "wait", code: "rate_limited" }, "Retry-After: 900");
  const server = await scripted(t, limited);
  await assert.rejects(new Client(server.url).health(), (error) => error instanceof RateLimited && error.retryAfter === 900);
});

test("what may have happened is repeated with a key only", async (t) => {
  const server = await scripted(t, "HTTP/1.1 2", "HTTP/1.1 2", answer("201 Created", receipt));
  const client = new Client(server.url);
  await assert.rejects(client.thread("t").fork({ target: "u" }), OutcomeUnknown);
  assert.deepEqual((await client.thread("t").append(said)).ids, ["a"]);
  assert.equal(server.requests.length, 3);
});

test("a server that never answers is given up", async (t) => {
  const server = createServer(() => {});
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const client = new Client(`http://127.0.0.1:${server.address().port}`, { timeout: 100, retryFor: 0 });
  await assert.rejects(client.health(), OutcomeUnknown);
});

test("an answer that is no answer is told as such", async (t) => {
  const server = await scripted(t, answer("200 OK", "<html>"), answer("500 Oops", "<html>"));
  const client = new Client(server.url);
  await assert.rejects(client.health(), (error) => error.constructor === RecuerdoError && /can't be read/.test(error.message));
  await assert.rejects(client.health(), (error) => error.constructor === RecuerdoError && error.status === 500);
});

test("a visitor stays the same, and a token may be made for each request", async (t) => {
  const server = await scripted(
    t,
    answer("201 Created", receipt, "X-Recuerdo-Visitor: v1"),
    answer("200 OK", { threads: [], cursor: null }),
    answer("200 OK", { threads: [{ thread_id: "t", claimed_as: "t" }] }),
  );
  const visitor = new Client(server.url);
  await visitor.thread("t").append(said);
  assert.equal(visitor.visitor, "v1");
  for await (const _ of visitor.threads());
  assert.match(server.requests[1], /x-recuerdo-visitor: v1\r\n/i);
  const emi = new Client(server.url, { token: async () => "secret" });
  assert.deepEqual(await emi.claim(visitor.visitor), [{ thread_id: "t", claimed_as: "t" }]);
  assert.match(server.requests[2], /authorization: Bearer secret\r\n/i);
});

// The server under test: RECUERDO_URL names it, and each test file acts as a user of its own.
import { randomUUID } from "node:crypto";

import { Client } from "@langchain/langgraph-sdk";

export const apiUrl = process.env.RECUERDO_URL;
export const headers = { "X-Recuerdo-User": `user-${randomUUID()}` };

export function newClient() {
  return new Client({ apiUrl, defaultHeaders: headers });
}

export async function collect(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

export async function until(condition, seconds = 60) {
  const end = Date.now() + seconds * 1000;
  while (Date.now() < end) {
    const found = await condition();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`waited ${seconds} seconds in vain for: ${condition}`);
}

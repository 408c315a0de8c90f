// Server-sent events, and the reply of a chat that may come in several attempts.
// The format is the one of https://html.spec.whatwg.org/multipage/server-sent-events.html.

import { errorOfEvent } from "./problems.js";
import type { ChatAnswer, ChatStart } from "./types.js";

/** One event: its name, its data, and the id from which a stream can be continued, or "". */
export interface ServerEvent {
  event: string;
  data: unknown;
  id: string;
}

/** A part of a reply: all that the model is shown first, then pieces of text, and the whole answer at the end. */
export type ChatPart =
  | ({ type: "start" } & ChatStart)
  | { type: "text"; text: string }
  | ({ type: "answer" } & ChatAnswer);

/** Makes events of the bytes of a stream. `runId` and `lastId` say where another stream can continue it. */
export class EventReader {
  runId = "";
  lastId = "";
  #decoder = new TextDecoder();
  #pieces: string[] = [];
  #afterReturn = false;
  #name = "";
  #data: string[] = [];
  #id = "";

  /** Keep the run that a response names, if it does. */
  note(headers: Headers): void {
    const place = headers.get("Content-Location");
    if (place) this.runId = place.slice(place.lastIndexOf("/") + 1);
  }

  /** Forget what has come of an event that was cut off. */
  reconnect(): void {
    this.#decoder = new TextDecoder();
    this.#pieces = [];
    this.#afterReturn = false;
    this.#name = "";
    this.#data = [];
    this.#id = this.lastId;
  }

  /** The events that are whole now. Comments are left out. */
  *feed(bytes: Uint8Array): Generator<ServerEvent> {
    let piece = this.#decoder.decode(bytes, { stream: true });
    if (this.#afterReturn && piece.startsWith("\n")) piece = piece.slice(1);
    if (!piece) return;
    this.#afterReturn = piece.endsWith("\r");
    const [first = "", ...rest] = piece.split(/\r\n|\n|\r/);
    this.#pieces.push(first);
    for (const following of rest) {
      const line = this.#pieces.join("");
      this.#pieces = [following];
      const event = line ? this.#take(line) : this.#whole();
      if (event) yield event;
    }
  }

  #take(line: string): undefined {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "event") this.#name = value;
    else if (name === "data") this.#data.push(value);
    else if (name === "id" && !value.includes("\0")) this.#id = value;
  }

  #whole(): ServerEvent | undefined {
    const [name, data] = [this.#name, this.#data.join("\n")];
    [this.#name, this.#data] = ["", []];
    this.lastId = this.#id;
    return data ? { event: name || "message", data: JSON.parse(data), id: this.lastId } : undefined;
  }
}

/**
 * Makes the parts of a reply of its events, over several attempts: nothing that was passed on is repeated.
 *
 * An attempt that says the same again continues where the last one broke off. One that says something else begins with
 * a second part of the type `start`: the text so far does not count.
 */
export class ReplyReader {
  isWhole = false;
  #said = "";
  #start: ChatStart | undefined;
  #isRepeating = false;
  #repeated = "";

  /** Another attempt begins. */
  begin(): void {
    this.#isRepeating = this.#start !== undefined;
    this.#repeated = "";
  }

  /** The parts that are new with this event. Throws the error that it tells. */
  *feed({ event, data }: ServerEvent): Generator<ChatPart> {
    if (event === "metadata") {
      this.#start = data as ChatStart;
      if (!this.#isRepeating) yield { type: "start", ...this.#start };
    } else if (event === "token") {
      yield* this.#text((data as { text: string }).text);
    } else if (event === "done") {
      const answer = data as ChatAnswer;
      if (this.#isRepeating) yield* this.#rest(textOf(answer.reply.content));
      this.isWhole = true;
      yield { type: "answer", ...answer };
    } else if (event === "error") {
      throw errorOfEvent(data as { status?: number });
    }
  }

  *#text(piece: string): Generator<ChatPart> {
    if (!this.#isRepeating) {
      this.#said += piece;
      yield { type: "text", text: piece };
      return;
    }
    this.#repeated += piece;
    if (this.#said.startsWith(this.#repeated)) return;
    this.#isRepeating = false;
    yield* this.#rest(this.#repeated);
  }

  /** The text behind what was said, or all of it anew. */
  *#rest(text: string): Generator<ChatPart> {
    const said = this.#said;
    this.#said = text;
    if (text === said) return;
    if (!text.startsWith(said) && this.#start) yield { type: "start", ...this.#start };
    yield { type: "text", text: text.startsWith(said) ? text.slice(said.length) : text };
  }
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return String(content);
  return content.map((part: { type?: string; text?: string }) => (part.type === "text" ? part.text : "")).join("\n");
}

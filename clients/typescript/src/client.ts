// The client of a server.

import { type ClientOptions, Connection, VISITOR } from "./connection.js";
import type { ChatPart } from "./events.js";
import { MemoriesClient } from "./memories.js";
import * as operations from "./operations.js";
import { TenantClient } from "./tenant.js";
import { chat, chatStream, type Keyed, ThreadClient } from "./threads.js";
import type * as types from "./types.js";
import { ActionsClient, AssistantsClient, DocumentsClient, RunsClient } from "./work.js";

/**
 * A client of a server, for one caller.
 *
 *     const client = new Client("http://127.0.0.1:8080", { user: "emi" });
 *     await client.thread("t-1").append({ role: "user", content: "Hola, me llamo Emiliano" });
 *     const answer = await client.chat("¿Cómo me llamo?", { thread_id: "t-1" });
 *
 * Errors are those of the Python library. Nothing is sent before a method is called.
 */
export class Client {
  readonly memories: MemoriesClient;
  readonly documents: DocumentsClient;
  readonly assistants: AssistantsClient;
  readonly runs: RunsClient;
  readonly actions: ActionsClient;
  readonly tenant: TenantClient;
  readonly #connection: Connection;

  constructor(url = "http://127.0.0.1:8080", options: ClientOptions = {}) {
    this.#connection = new Connection(url, options);
    this.memories = new MemoriesClient(this.#connection);
    this.documents = new DocumentsClient(this.#connection);
    this.assistants = new AssistantsClient(this.#connection);
    this.runs = new RunsClient(this.#connection);
    this.actions = new ActionsClient(this.#connection);
    this.tenant = new TenantClient(this.#connection);
  }

  /** The visitor's token, once a server has given one: keep it to come back as the same visitor. */
  get visitor(): string | undefined {
    return this.#connection.visitor;
  }

  /** One conversation of the caller. Nothing is sent before a method of it is called. */
  thread(threadId: string): ThreadClient {
    return new ThreadClient(this.#connection, threadId);
  }

  /** The caller's threads, the most recently changed first, page by page. */
  async *threads(options: types.ListThreadsOptions = {}): AsyncGenerator<types.ThreadEntry> {
    let [cursor, skip]: [string | null | undefined, number | undefined] = [options.cursor, options.skip];
    do {
      const page = await this.#connection.send(operations.listThreads([], { ...options, cursor, skip }));
      yield* page.threads;
      [cursor, skip] = [page.cursor, 0];
    } while (cursor !== null);
  }

  /**
   * The caller's messages in all threads by time, the latest made first, page by page.
   *
   * `role`, `since` and others select some, and `skip` leaves out the first; `limit` is the size of a page.
   */
  async *messages(options: types.ListAllMessagesOptions = {}): AsyncGenerator<types.SaidMessage> {
    let [cursor, skip]: [string | null | undefined, number | undefined] = [options.cursor, options.skip];
    do {
      const page = await this.#connection.send(operations.listAllMessages([], { ...options, cursor, skip }));
      yield* page.messages;
      [cursor, skip] = [page.cursor, 0];
    } while (cursor !== null);
  }

  /**
   * Say something and return the whole reply; in a new thread, unless `thread_id` names one.
   *
   * Without a key one is made: the message and its reply are stored once, however often the connection breaks.
   */
  async chat(message: string, options: types.ChatOptions & Keyed = {}): Promise<types.ChatAnswer> {
    return chat(this.#connection, message, options);
  }

  /**
   * Say something and yield the reply as it comes: a part of the type `start`, pieces of `text`, and the `answer`.
   *
   * A broken stream is continued: no piece comes twice. If the model had to be asked again and says something else, a
   * second `start` comes, and the text begins anew. Leave the loop to stop the model.
   */
  chatStream(message: string, options: types.ChatOptions & Keyed = {}): AsyncGenerator<ChatPart> {
    return chatStream(this.#connection, message, options);
  }

  /** The caller's messages that best match the query, over all threads, or in the one of `thread_id`. */
  async searchHistory(query: string, options: types.SearchHistoryOptions = {}): Promise<types.SaidHit[]> {
    return (await this.#connection.send(operations.searchHistory([], { ...options, query }))).hits;
  }

  /** Erase all data of the caller for good, and return the receipt. */
  async erase(): Promise<types.Erasure> {
    return this.#connection.send(operations.eraseEverything([], { everything: true }));
  }

  /** Begin to erase all data of the caller; `erasure` tells how far it has come, also after a restart. */
  async eraseInBackground(): Promise<types.ErasureProgress> {
    const request = operations.eraseEverything([], { everything: true, background: true });
    return (await this.#connection.send(request)) as unknown as types.ErasureProgress;
  }

  /** How far an erasure has come. Throws NotFound. */
  async erasure(erasureId: string): Promise<types.ErasureProgress> {
    return this.#connection.send(operations.getErasure([erasureId]));
  }

  /** Take over the threads of the visitor whose token this is, once; for users with a credential. */
  async claim(visitor: string): Promise<types.ClaimedThread[]> {
    const request = operations.claimConversations();
    return (await this.#connection.send({ ...request, headers: { [VISITOR]: visitor } })).threads;
  }

  /** The tenant, user and role that requests of this client act as. */
  async principal(): Promise<types.KnownPrincipal> {
    return this.#connection.send(operations.getPrincipal());
  }

  /** The server's version, model and options. */
  async info(): Promise<types.Info> {
    return this.#connection.send(operations.info());
  }

  /** Wait until the server takes requests, for `retryFor` milliseconds at most. Throws Unavailable. */
  async ready(): Promise<types.Readiness> {
    return this.#connection.send(operations.ready());
  }

  /** Whether the server is alive. Throws Unavailable. */
  async health(): Promise<boolean> {
    return (await this.#connection.send(operations.ok())).ok === true;
  }
}

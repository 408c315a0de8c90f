// One conversation.

import type { Connection } from "./connection.js";
import { OutcomeUnknown } from "./errors.js";
import { type ChatPart, EventReader, ReplyReader } from "./events.js";
import * as operations from "./operations.js";
import type * as types from "./types.js";

const PAGE = 1000;

/** A key of one's own makes a retry by another program safe as well; without one, one is made. */
export interface Keyed {
  idempotencyKey?: string;
}

/** A message to append, or one that was read. */
export type NewMessage = types.MessageBody | types.Message;

export type ChatSettings = Omit<types.ChatOptions, "thread_id"> & Keyed;

/** Say something and return the whole reply. */
export async function chat(
  connection: Connection,
  message: string,
  { idempotencyKey, ...options }: types.ChatOptions & Keyed,
): Promise<types.ChatAnswer> {
  return connection.send(operations.chat([], { ...options, message }, { key: idempotencyKey ?? crypto.randomUUID() }));
}

/** Say something and yield the reply as it comes, over as many attempts as it takes. */
export async function* chatStream(
  connection: Connection,
  message: string,
  { idempotencyKey, ...options }: types.ChatOptions & Keyed,
): AsyncGenerator<ChatPart> {
  const key = idempotencyKey ?? crypto.randomUUID();
  const request = operations.chatStream([], { ...options, message }, { key });
  const [attempts, reply] = [connection.attempts(), new ReplyReader()];
  for (;;) {
    reply.begin();
    try {
      for await (const event of connection.events(request, new EventReader())) {
        attempts.progressed();
        yield* reply.feed(event);
      }
      if (reply.isWhole) return;
      throw new OutcomeUnknown("The stream ended before the reply was whole.");
    } catch (error) {
      await attempts.pauseAfter(error, request.repeatable);
    }
  }
}

/** One conversation. Nothing is sent until a method is called; the thread is made by its first append. */
export class ThreadClient {
  constructor(
    private readonly connection: Connection,
    readonly id: string,
  ) {}

  /**
   * Append messages, all or none, and return when they are durable.
   *
   * With an `expected_epoch` a thread that was cleared since is refused with EpochChanged.
   */
  async append(
    messages: NewMessage | readonly NewMessage[],
    { idempotencyKey, ...options }: types.AppendMessagesOptions & Keyed = {},
  ): Promise<types.Receipt> {
    const bodies = [messages].flat().map((message) => ({ ...message, seq: undefined, archived: undefined }));
    const key = idempotencyKey ?? crypto.randomUUID();
    return this.connection.send(operations.appendMessages([this.id], { ...options, messages: bodies }, { key }));
  }

  /** Put these messages in the place of all that the thread has, in one transaction, in a new epoch. */
  async replace(
    messages: NewMessage | readonly NewMessage[],
    { idempotencyKey, ...options }: types.ReplaceMessagesOptions & Keyed = {},
  ): Promise<types.Receipt> {
    const bodies = [messages].flat().map((message) => ({ ...message, seq: undefined, archived: undefined }));
    const key = idempotencyKey ?? crypto.randomUUID();
    return this.connection.send(operations.replaceMessages([this.id], { ...options, messages: bodies }, { key }));
  }

  /** All messages, the oldest first, page by page; `after`, `role`, `since` and others select some. */
  async *messages(options: types.ListMessagesOptions = {}): AsyncGenerator<types.Message> {
    let [after, skip] = [options.after ?? 0, options.skip];
    for (;;) {
      const page = await this.page({ limit: PAGE, ...options, after, skip });
      yield* page.messages;
      if (!page.more || page.after === null) return;
      [after, skip] = [page.after, 0];
    }
  }

  /** One page: the last messages, or with `after` the next ones; its `before` and `after` lead to others. */
  async page(options: types.ListMessagesOptions = {}): Promise<types.MessagePage> {
    return this.connection.send(operations.listMessages([this.id], options));
  }

  /** The part of the thread that a model is shown: at most so many `messages` or `tokens`. */
  async window(options: types.ThreadWindowOptions = {}): Promise<types.Message[]> {
    return (await this.connection.send(operations.threadWindow([this.id], options))).messages;
  }

  /** Say something in this thread and return the whole reply; see Client.chat. */
  async chat(message: string, options: ChatSettings = {}): Promise<types.ChatAnswer> {
    return chat(this.connection, message, { ...options, thread_id: this.id });
  }

  /** Say something in this thread and yield the reply as it comes; see Client.chatStream. */
  chatStream(message: string, options: ChatSettings = {}): AsyncGenerator<ChatPart> {
    return chatStream(this.connection, message, { ...options, thread_id: this.id });
  }

  /** Why the reply with this seq says what it says: the prompt, and what became of memories. */
  async why(seq: number, options: types.ExplainReplyOptions = {}): Promise<types.Why> {
    return this.connection.send(operations.explainReply([this.id, seq], options));
  }

  /** The messages of this thread that best match the query, best first. */
  async search(query: string, options: Omit<types.SearchHistoryOptions, "thread_id"> = {}): Promise<types.SaidHit[]> {
    const request = operations.searchHistory([], { ...options, query, thread_id: this.id });
    return (await this.connection.send(request)).hits;
  }

  /** The thread's title, times, version and number of messages. Throws NotFound. */
  async info(): Promise<types.ThreadDetail> {
    return this.connection.send(operations.getThread([this.id]));
  }

  /** Give the thread another title, of 1 to 80 characters. Throws NotFound. */
  async rename(title: string): Promise<types.ThreadEntry> {
    return this.connection.send(operations.updateThread([this.id], { title }, { repeatable: true }));
  }

  /** Set these keys of the thread's metadata, and take those away that are null. Throws NotFound. */
  async updateMetadata(changes: Record<string, unknown>): Promise<types.ThreadEntry> {
    return this.connection.send(operations.updateThread([this.id], { metadata: changes }, { repeatable: true }));
  }

  /** Hide the messages `first` to `last` from windows and pages, or show them with `archived: false`. */
  async archive(options: types.ArchiveMessagesOptions = {}): Promise<number> {
    return (await this.connection.send(operations.archiveMessages([this.id], options))).changed;
  }

  /** Bring the thread's summary up to its end and return it; null where there is nothing to say. */
  async summarise(): Promise<types.KnownMemory | null> {
    return (await this.connection.send(operations.summariseThread([this.id]))).summary;
  }

  /** Copy the thread into a new one, `target`, up to and including `at_seq`. */
  async fork(options: types.ForkThreadOptions = {}): Promise<types.ThreadEntry> {
    return this.connection.send(operations.forkThread([this.id], options));
  }

  /** Erase the messages for good and keep the empty thread. Returns its version. */
  async clear(): Promise<string> {
    return (await this.connection.send(operations.clearThread([this.id]))).version;
  }

  /** Erase the thread and its messages for good. Throws NotFound. */
  async delete(): Promise<void> {
    await this.connection.send(operations.deleteThread([this.id]));
  }

  /** The execution context that the thread runs with. */
  async context(options: types.GetContextOptions = {}): Promise<types.KnownContext> {
    return this.connection.send(operations.getContext([this.id], options));
  }

  /** Change the context by the headers that may, for example `X-Recuerdo-Locale`. Throws NotFound. */
  async setContext(headers: Record<string, string>, options: types.UpdateContextOptions = {}): Promise<types.KnownContext> {
    const request = operations.updateContext([this.id], options, { repeatable: true });
    return this.connection.send({ ...request, headers: { ...request.headers, ...headers } });
  }

  /** Delete the context: the next message looks the configuration up again. */
  async forgetContext(options: types.InvalidateContextOptions = {}): Promise<void> {
    await this.connection.send(operations.invalidateContext([this.id], options));
  }
}

// Documents that agents search, assistants, runs of graphs, and work for workers.

import type { Connection } from "./connection.js";
import { NotFound } from "./errors.js";
import { EventReader, type ServerEvent } from "./events.js";
import * as operations from "./operations.js";
import type { Request } from "./requests.js";
import type * as types from "./types.js";

const EVERYTHING = "-1";

/** Documents that agents search. */
export class DocumentsClient {
  constructor(private readonly connection: Connection) {}

  /** Add a document by its `content`, or replace the one of the same source; a second try changes nothing. */
  async add(source: string, options: types.AddDocumentOptions = {}): Promise<types.KnownDocument> {
    return this.connection.send(operations.addDocument([], { ...options, source }, { repeatable: true }));
  }

  /** The chunks that most likely answer the query, best first. */
  async search(query: string, options: types.SearchDocumentsOptions = {}): Promise<types.ChunkHit[]> {
    return (await this.connection.send(operations.searchDocuments([], { ...options, query }))).hits;
  }

  /** The documents that the caller may see, the latest first, page by page. */
  async *list(options: types.ListDocumentsOptions = {}): AsyncGenerator<types.LibraryDocument> {
    let [after, skip]: [string | null | undefined, number | undefined] = [options.after, options.skip];
    do {
      const page = await this.connection.send(operations.listDocuments([], { ...options, after, skip }));
      yield* page.documents;
      [after, skip] = [page.after, 0];
    } while (after !== null);
  }

  /** A document and the chunks that it was split into. Throws NotFound. */
  async get(documentId: string): Promise<types.DocumentChunks> {
    return this.connection.send(operations.getDocument([documentId]));
  }

  /** Delete a document. Throws NotFound. */
  async delete(documentId: string): Promise<void> {
    await this.connection.send(operations.removeDocument([documentId]));
  }
}

/** Work that is handed to a worker. */
export class ActionsClient {
  constructor(private readonly connection: Connection) {}

  /** Hand an action over. Without an `action_id` one is made, so that it is executed once. */
  async handOver(type: string, threadId: string, options: types.HandOverOptions = {}): Promise<types.ActionState> {
    const values = { action_id: crypto.randomUUID(), ...options, type, thread_id: threadId };
    return this.connection.send(operations.handOver([], values, { repeatable: true }));
  }

  /** The state of an action, and its result. Throws NotFound. */
  async get(actionId: string): Promise<types.ActionState> {
    return this.connection.send(operations.getAction([actionId]));
  }
}

/** Configured agents: the caller's own, and those that the tenant shares. */
export class AssistantsClient {
  constructor(private readonly connection: Connection) {}

  /** Create an assistant over a graph, by default the built-in agent's. Without an `assistant_id` one is made. */
  async create(options: types.CreateAssistantOptions & { graph_id?: string } = {}): Promise<types.Assistant> {
    const made = options.assistant_id ? {} : { assistant_id: crypto.randomUUID(), if_exists: "do_nothing" };
    const values = { graph_id: "recuerdo", ...options, ...made };
    return this.connection.send(operations.createAssistant([], values, { repeatable: true }));
  }

  /** One assistant. Throws NotFound. */
  async get(assistantId: string): Promise<types.Assistant> {
    return this.connection.send(operations.getAssistant([assistantId]));
  }

  /** Create a new version with the given fields. Throws NotFound or Forbidden. */
  async update(assistantId: string, changes: types.UpdateAssistantOptions): Promise<types.Assistant> {
    return this.connection.send(operations.updateAssistant([assistantId], changes));
  }

  /** The assistants that match, the latest first. */
  async search(options: types.SearchAssistantsOptions = {}): Promise<types.Assistant[]> {
    return (await this.connection.send(operations.searchAssistants([], options))) as types.Assistant[];
  }

  /** Delete an assistant. Throws NotFound or Forbidden. */
  async delete(assistantId: string, options: types.DeleteAssistantOptions = {}): Promise<void> {
    await this.connection.send(operations.deleteAssistant([assistantId], options));
  }
}

/** A run as the LangGraph API describes it. */
export type Run = Record<string, unknown> & { run_id: string; status: string };

export type RunSettings<T> = T & { assistant_id?: string };

/** Runs of graphs on threads; without an `assistant_id` of the built-in agent. */
export class RunsClient {
  constructor(private readonly connection: Connection) {}

  /** Queue a run and return it at once. */
  async create(threadId: string, options: RunSettings<types.CreateRunOptions> = {}): Promise<Run> {
    return (await this.connection.send(operations.createRun([threadId], ofAssistant(options)))) as Run;
  }

  /** Queue a run and return its final values. */
  async wait(threadId: string, options: RunSettings<types.WaitForRunOptions> = {}): Promise<unknown> {
    return this.connection.send(operations.waitForRun([threadId], ofAssistant(options)));
  }

  /** One run. Throws NotFound. */
  async get(threadId: string, runId: string): Promise<Run> {
    return (await this.connection.send(operations.getRun([threadId, runId]))) as Run;
  }

  /** Wait for a run and return its final values. Throws NotFound. */
  async join(threadId: string, runId: string): Promise<unknown> {
    return this.connection.send(operations.joinRun([threadId, runId]));
  }

  /** Stop a run. Throws NotFound if it has ended. */
  async cancel(threadId: string, runId: string, options: types.CancelRunOptions = {}): Promise<void> {
    await this.connection.send(operations.cancelRun([threadId, runId], options));
  }

  /**
   * Queue a run and yield its events, each once: a broken stream is continued where it broke.
   *
   * A stream may also end early, because its server stops: it is over when the run is, and nothing follows any more.
   */
  async *stream(threadId: string, options: RunSettings<types.StreamRunOptions> = {}): AsyncGenerator<ServerEvent> {
    const values = { ...ofAssistant(options), stream_resumable: true };
    let request: Request<unknown> = operations.streamRun([threadId], values);
    const [attempts, reader] = [this.connection.attempts(), new EventReader()];
    let seen: string | undefined;
    for (;;) {
      try {
        for await (const event of this.connection.events(request, reader)) {
          attempts.progressed();
          yield event;
        }
        if (!reader.runId || (reader.lastId === seen && (await this.#hasEnded(threadId, reader.runId)))) return;
      } catch (error) {
        if (seen !== undefined && error instanceof NotFound) return;
        await attempts.pauseAfter(error, request.repeatable || reader.runId !== "");
      }
      reader.reconnect();
      if (reader.runId) {
        seen = reader.lastId;
        request = operations.joinRunStream([threadId, reader.runId]);
        request = { ...request, headers: { "Last-Event-ID": seen || EVERYTHING } };
      }
    }
  }

  async #hasEnded(threadId: string, runId: string): Promise<boolean> {
    return !["pending", "running"].includes((await this.get(threadId, runId)).status);
  }
}

function ofAssistant<T extends { assistant_id?: string }>(options: T): T & { assistant_id: string } {
  return { assistant_id: "recuerdo", ...options };
}

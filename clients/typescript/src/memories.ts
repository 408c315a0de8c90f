// Long-term memories: a user's own, and those that a tenant's users share.

import type { Connection } from "./connection.js";
import * as operations from "./operations.js";
import type * as types from "./types.js";

/** The caller's own memories. */
export class MemoriesClient {
  constructor(private readonly connection: Connection) {}

  /** Save a memory, reconciled with the others: one that is known is returned as it is, also to a second try. */
  async add(text: string, options: types.AddMemoryOptions = {}): Promise<types.KnownMemory> {
    return this.connection.send(operations.addMemory([], { ...options, text }, { repeatable: true }));
  }

  /** The memories nearest to the query, best first. */
  async search(query: string, options: types.SearchMemoriesOptions = {}): Promise<types.Hit[]> {
    return (await this.connection.send(operations.searchMemories([], { ...options, query }))).hits;
  }

  /** The current memories, the latest first, page by page; `kind`, `attribute`, `as_of` and others select some. */
  async *list(options: types.ListMemoriesOptions = {}): AsyncGenerator<types.KnownMemory> {
    let [before, skip]: [string | null | undefined, number | undefined] = [options.before, options.skip];
    do {
      const page = await this.connection.send(operations.listMemories([], { ...options, before, skip }));
      yield* page.memories;
      [before, skip] = [page.before, 0];
    } while (before !== null);
  }

  /** One memory. Throws NotFound. */
  async get(memoryId: string): Promise<types.KnownMemory> {
    return this.connection.send(operations.getMemory([memoryId]));
  }

  /** Change the given fields. Throws NotFound. */
  async update(memoryId: string, changes: types.UpdateMemoryOptions): Promise<types.KnownMemory> {
    return this.connection.send(operations.updateMemory([memoryId], changes));
  }

  /** Delete a memory for good. Throws NotFound. */
  async delete(memoryId: string): Promise<void> {
    await this.connection.send(operations.deleteMemory([memoryId]));
  }

  /** The changes of a memory, the latest first. Throws NotFound. */
  async history(memoryId: string, options: types.MemoryHistoryOptions = {}): Promise<types.KnownChange[]> {
    return (await this.connection.send(operations.memoryHistory([memoryId], options))).changes;
  }

  /** Take the latest change of a memory back. Throws NotFound or Conflict. */
  async undo(memoryId: string): Promise<types.KnownChange> {
    return this.connection.send(operations.undoMemory([memoryId]));
  }

  /** Approve a memory that waits in quarantine. Throws NotFound. */
  async approve(memoryId: string, options: types.ApproveMemoryOptions = {}): Promise<types.KnownMemory> {
    return this.connection.send(operations.approveMemory([memoryId], options));
  }

  /** Reject a memory, so that it is not used. Throws NotFound. */
  async reject(memoryId: string, options: types.RejectMemoryOptions = {}): Promise<types.KnownMemory> {
    return this.connection.send(operations.rejectMemory([memoryId], options));
  }

  /** The people, places and things of the memories, and their relations. */
  async entities(): Promise<types.EntityGraph> {
    return this.connection.send(operations.listEntities());
  }

  /** How many memories have which problem, and which memories these are. */
  async audit(): Promise<types.Audit> {
    return this.connection.send(operations.auditMemories());
  }

  /** All memories as JSON lines. */
  async exportLines(): Promise<string> {
    return this.connection.receive(operations.exportMemories());
  }

  /** Import the JSON lines of an export, at most 1 MB. Returns how many memories are new. */
  async importLines(lines: string): Promise<number> {
    const headers = { "Content-Type": "application/x-ndjson" };
    const request = operations.importMemories([], {}, { repeatable: true });
    return (await this.connection.send({ ...request, headers, body: lines })).imported;
  }
}

/** The memories that a tenant's users share: every user proposes, admins decide. */
export class SharedMemoriesClient {
  constructor(private readonly connection: Connection) {}

  /** Propose a memory for all users of the tenant. */
  async propose(text: string, options: types.ProposeMemoryOptions = {}): Promise<types.KnownMemory> {
    return this.connection.send(operations.proposeMemory([], { ...options, text }));
  }

  /** The shared memories, the latest first, page by page. */
  async *list(options: types.ListTenantMemoriesOptions = {}): AsyncGenerator<types.KnownMemory> {
    let [before, skip]: [string | null | undefined, number | undefined] = [options.before, options.skip];
    do {
      const page = await this.connection.send(operations.listTenantMemories([], { ...options, before, skip }));
      yield* page.memories;
      [before, skip] = [page.before, 0];
    } while (before !== null);
  }

  /** One shared memory. Throws NotFound. */
  async get(sharedId: string): Promise<types.KnownMemory> {
    return this.connection.send(operations.getTenantMemory([sharedId]));
  }

  /** Delete a shared memory for good. Throws NotFound or Forbidden. */
  async delete(sharedId: string): Promise<void> {
    await this.connection.send(operations.deleteTenantMemory([sharedId]));
  }

  /** Its proposal, approval and rejection, the latest first. Throws NotFound or Forbidden. */
  async history(sharedId: string, options: types.TenantMemoryHistoryOptions = {}): Promise<types.KnownChange[]> {
    return (await this.connection.send(operations.tenantMemoryHistory([sharedId], options))).changes;
  }

  /** Let all users of the tenant have it. Throws NotFound or Forbidden. */
  async approve(sharedId: string, options: types.ApproveTenantMemoryOptions = {}): Promise<types.KnownMemory> {
    return this.connection.send(operations.approveTenantMemory([sharedId], options));
  }

  /** Reject it. Throws NotFound or Forbidden. */
  async reject(sharedId: string, options: types.RejectTenantMemoryOptions = {}): Promise<types.KnownMemory> {
    return this.connection.send(operations.rejectTenantMemory([sharedId], options));
  }
}

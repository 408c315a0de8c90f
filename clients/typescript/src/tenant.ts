// A tenant's own affairs: users and their conversations, shared memories, keys, the audit log.

import type { Connection } from "./connection.js";
import { SharedMemoriesClient } from "./memories.js";
import * as operations from "./operations.js";
import type * as types from "./types.js";

/** The affairs of a tenant, for its admins. Every user may propose `memories`, which all of them share. */
export class TenantClient {
  readonly memories: SharedMemoriesClient;
  readonly keys: KeysClient;

  constructor(private readonly connection: Connection) {
    this.memories = new SharedMemoriesClient(connection);
    this.keys = new KeysClient(connection);
  }

  /** The ids of users and visitors of whom anything is kept, page by page. */
  async *users(options: types.ListUsersOptions = {}): AsyncGenerator<string> {
    let [after, skip]: [string | null | undefined, number | undefined] = [options.after, options.skip];
    do {
      const page: types.UserPage = await this.connection.send(operations.listUsers([], { ...options, after, skip }));
      yield* page.users;
      [after, skip] = [page.after, 0];
    } while (after !== null);
  }

  /** A user's threads, the most recently changed first, page by page. */
  async *threadsOf(userId: string, options: types.ListThreadsOfUserOptions = {}): AsyncGenerator<types.ThreadEntry> {
    let [cursor, skip]: [string | null | undefined, number | undefined] = [options.cursor, options.skip];
    do {
      const page = await this.connection.send(operations.listThreadsOfUser([userId], { ...options, cursor, skip }));
      yield* page.threads;
      [cursor, skip] = [page.cursor, 0];
    } while (cursor !== null);
  }

  /** A user's messages in all threads by time, the latest made first, page by page. */
  async *messagesOf(
    userId: string,
    options: types.ListMessagesOfUserOptions = {},
  ): AsyncGenerator<types.SaidMessage> {
    let [cursor, skip]: [string | null | undefined, number | undefined] = [options.cursor, options.skip];
    do {
      const page = await this.connection.send(operations.listMessagesOfUser([userId], { ...options, cursor, skip }));
      yield* page.messages;
      [cursor, skip] = [page.cursor, 0];
    } while (cursor !== null);
  }

  /** A user's messages that best match the query, best first. */
  async searchHistoryOf(
    userId: string,
    query: string,
    options: types.SearchHistoryOfUserOptions = {},
  ): Promise<types.SaidHit[]> {
    return (await this.connection.send(operations.searchHistoryOfUser([userId], { ...options, query }))).hits;
  }

  /** Erase a user's thread. Throws NotFound. */
  async deleteThreadOf(userId: string, threadId: string): Promise<void> {
    await this.connection.send(operations.deleteThreadOfUser([userId, threadId]));
  }

  /** The audit log, the latest entry first, page by page. */
  async *audit(options: types.ReadAuditOptions = {}): AsyncGenerator<types.AuditEntry> {
    let [before, skip]: [string | null | undefined, number | undefined] = [options.before, options.skip];
    do {
      const page = await this.connection.send(operations.readAudit([], { ...options, before, skip }));
      yield* page.entries;
      [before, skip] = [page.next, 0];
    } while (before !== null);
  }

  /** Look the configuration of all conversations up again, or of those with one assistant. */
  async forgetContexts(options: types.InvalidateContextsOptions = {}): Promise<void> {
    await this.connection.send(operations.invalidateContexts([], options, { repeatable: true }));
  }

  /** Erase everything of the caller's tenant, whose id says that it is meant, in the background. */
  async erase(tenant: string): Promise<types.ErasureProgress> {
    return this.connection.send(operations.eraseTenant([], { everything: true, tenant }));
  }

  /** Erasures that go on in the background, or did, the latest first. */
  async erasures(options: types.ListErasuresOptions = {}): Promise<types.ErasureProgress[]> {
    return (await this.connection.send(operations.listErasures([], options))).erasures;
  }

  /** Count what a retention policy would delete of all tenants now. Nothing is deleted. For operators. */
  async retentionForecast(options: types.ForecastRetentionOptions = {}): Promise<types.RetentionForecast> {
    return this.connection.send(operations.forecastRetention([], options));
  }
}

/** API keys of the tenant. */
export class KeysClient {
  constructor(private readonly connection: Connection) {}

  /** Create a key that acts as the user. Its secret is shown only here. */
  async create(user: string, options: types.CreateKeyOptions = {}): Promise<types.NewKey> {
    return this.connection.send(operations.createKey([], { ...options, user }));
  }

  /** Keys without their secrets, the latest first. */
  async list(options: types.ListKeysOptions = {}): Promise<types.KnownKey[]> {
    return (await this.connection.send(operations.listKeys([], options))).keys;
  }

  /** Replace a key; the old one stays valid for `overlap` seconds. Throws NotFound or Conflict. */
  async rotate(keyId: string, options: types.RotateKeyOptions = {}): Promise<types.NewKey> {
    return this.connection.send(operations.rotateKey([keyId], options));
  }

  /** Revoke a key. Throws NotFound. */
  async revoke(keyId: string): Promise<void> {
    await this.connection.send(operations.revokeKey([keyId]));
  }
}

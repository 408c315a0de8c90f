// The client of a Recuerdo server, with the words and errors of the Python library.

export { Client } from "./client.js";
export type { ClientOptions } from "./connection.js";
export * from "./errors.js";
export type { ChatPart, ServerEvent } from "./events.js";
export type { MemoriesClient, SharedMemoriesClient } from "./memories.js";
export type { KeysClient, TenantClient } from "./tenant.js";
export type { ChatSettings, Keyed, NewMessage, ThreadClient } from "./threads.js";
export type * from "./types.js";
export type { ActionsClient, AssistantsClient, DocumentsClient, Run, RunsClient, RunSettings } from "./work.js";

// Made by scripts/client_types.py from the OpenAPI document: change the server, and run it again.

import { operation } from "./requests.js";
import type {
  ActionState,
  Alive,
  Archived,
  Assistant,
  Audit,
  AuditEntries,
  ChangeList,
  ChatAnswer,
  ChunkHits,
  ClaimedConversations,
  Cleared,
  DocumentChunks,
  DocumentList,
  EntityGraph,
  Erasure,
  ErasureList,
  ErasureProgress,
  Hits,
  Imported,
  Info,
  KeyList,
  KnownChange,
  KnownContext,
  KnownDocument,
  KnownMemory,
  KnownPrincipal,
  MemoryList,
  MessageHits,
  MessageList,
  MessagePage,
  NewKey,
  Readiness,
  Receipt,
  RetentionForecast,
  ThreadDetail,
  ThreadEntry,
  ThreadList,
  ThreadSummary,
  UserPage,
  Why,
  Window,
} from "./types.js";

/** Add a document, or replace the one of its source; 200 when it did not change. */
export const addDocument = operation<KnownDocument>("POST", "/v1/documents", [], false);
/** Save one memory as it is given. */
export const addMemory = operation<KnownMemory>("POST", "/v1/memories", [], false);
/** Append messages, all or none; durable when it answers. The first append makes the thread. */
export const appendMessages = operation<Receipt>("POST", "/v1/threads/{thread_id}/messages", [], false);
/** Approve a waiting memory; memories that it contradicts end. */
export const approveMemory = operation<KnownMemory>("POST", "/v1/memories/{memory_id}/approve", [], false);
/** Approve a shared memory: from now on all users of the tenant see it. For admins. */
export const approveTenantMemory = operation<KnownMemory>("POST", "/v1/tenant/memories/{shared_id}/approve", [], false);
/** Take messages out of windows and pages, or bring them back; they stay in the history. */
export const archiveMessages = operation<Archived>("POST", "/v1/threads/{thread_id}/archive", [], false);
/** Report junk among the caller's memories. It changes nothing. */
export const auditMemories = operation<Audit>("GET", "/v1/memories/audit", [], true);
/** Stop a run that is not finished. */
export const cancelRun = operation<unknown>("POST", "/threads/{thread_id}/runs/{run_id}/cancel", ["action", "wait"], false);
/** Say something and get the whole reply. Both messages are stored in the thread. */
export const chat = operation<ChatAnswer>("POST", "/v1/chat", [], false);
/** Say something and get the reply in pieces, as server-sent events. Disconnecting stops the model. */
export const chatStream = operation<void>("POST", "/v1/chat/stream", [], false);
/** Take over the conversations of a visitor: send a credential, and the visitor's token as a cookie or a header. */
export const claimConversations = operation<ClaimedConversations>("POST", "/v1/visitors/claim", [], false);
/** Erase the messages for good and keep the empty thread. */
export const clearThread = operation<Cleared>("POST", "/v1/threads/{thread_id}/clear", ["expected_epoch"], false);
/** Make an assistant over a graph, or with the visibility `tenant` one for all users of the tenant. */
export const createAssistant = operation<Assistant>("POST", "/assistants", [], false);
/** Create a key that acts as a user of the caller's tenant. The answer alone has its secret. For admins. */
export const createKey = operation<NewKey>("POST", "/v1/keys", [], false);
/** Queue a run without waiting for it. */
export const createRun = operation<unknown>("POST", "/threads/{thread_id}/runs", [], false);
/** Remove the assistant and its versions. */
export const deleteAssistant = operation<void>("DELETE", "/assistants/{assistant_id}", ["delete_threads"], false);
/** Remove the memory for good. */
export const deleteMemory = operation<void>("DELETE", "/v1/memories/{memory_id}", [], false);
/** Remove a shared memory for good. Its proposer may withdraw it as long as it waits. */
export const deleteTenantMemory = operation<void>("DELETE", "/v1/tenant/memories/{shared_id}", [], false);
/** Erase the thread and its messages for good. */
export const deleteThread = operation<void>("DELETE", "/v1/threads/{thread_id}", ["expected_epoch"], false);
/** Erase the thread of a user or a visitor of the tenant for good. For admins. */
export const deleteThreadOfUser = operation<void>("DELETE", "/v1/tenant/users/{user_id}/threads/{thread_id}", [], false);
/** Erase everything of the caller, for good: threads, checkpoints, runs, memories, items. The receipt was verified. */
export const eraseEverything = operation<Erasure>("POST", "/v1/erase", [], false);
/** Erase the whole tenant of the caller, for good: all users, and all that they share. For admins. */
export const eraseTenant = operation<ErasureProgress>("POST", "/v1/tenant/erase", [], false);
/** Explain a reply of the chat: the prompt, the parts left out, and the fate of its memories. */
export const explainReply = operation<Why>("GET", "/v1/threads/{thread_id}/messages/{seq}/why", ["assistant_id"], true);
/** All of the caller's memories as JSON lines: those that hold, those that held, and those that wait. */
export const exportMemories = operation<void>("GET", "/v1/memories/export", [], true);
/** Count what a retention policy would delete now, of all tenants. It deletes nothing. For operators. */
export const forecastRetention = operation<RetentionForecast>("GET", "/v1/retention", ["policy"], true);
/** Copy the thread, as a whole or up to a seq, into a new one. */
export const forkThread = operation<ThreadEntry>("POST", "/v1/threads/{thread_id}/fork", [], false);
/** The state of the caller's action. A result is kept for a day. */
export const getAction = operation<ActionState>("GET", "/v1/actions/{action_id}", [], true);
/** One assistant, in its latest version. */
export const getAssistant = operation<Assistant>("GET", "/assistants/{assistant_id}", [], true);
/** The thread's context with the assistant, created if absent. Headers may set some of it. */
export const getContext = operation<KnownContext>("GET", "/v1/contexts/{thread_id}", ["assistant_id"], true);
/** A document that the caller may see, with the chunks that it was split into. */
export const getDocument = operation<DocumentChunks>("GET", "/v1/documents/{document_id}", [], true);
/** The progress of an erasure: the caller's own, or for admins any of the tenant. */
export const getErasure = operation<ErasureProgress>("GET", "/v1/erasures/{erasure_id}", [], true);
/** One memory. */
export const getMemory = operation<KnownMemory>("GET", "/v1/memories/{memory_id}", [], true);
/** Return the principal of the request. */
export const getPrincipal = operation<KnownPrincipal>("GET", "/v1/principal", [], true);
/** One run. */
export const getRun = operation<unknown>("GET", "/threads/{thread_id}/runs/{run_id}", [], true);
/** One shared memory; one that is not approved is shown to admins and its proposer only. */
export const getTenantMemory = operation<KnownMemory>("GET", "/v1/tenant/memories/{shared_id}", [], true);
/** One thread, with the number of its messages by role. */
export const getThread = operation<ThreadDetail>("GET", "/v1/threads/{thread_id}", [], true);
/** Hand work over to a worker. The same `action_id` again is the same action, and has its effect once. */
export const handOver = operation<ActionState>("POST", "/v1/actions", [], false);
/** Import the JSON lines of an export as the caller's; existing memories are kept. At most 1 MB at a time. */
export const importMemories = operation<Imported>("POST", "/v1/memories/import", [], false);
/** Describe this server, and the model that answers. */
export const info = operation<Info>("GET", "/info", [], true);
/** Forget the thread's context, on every replica: the next message is enriched anew. */
export const invalidateContext = operation<void>("DELETE", "/v1/contexts/{thread_id}", ["assistant_id"], false);
/** Forget the tenant's contexts, or those of one assistant. With authentication: for the role `editor`. */
export const invalidateContexts = operation<void>("POST", "/v1/contexts/invalidate", [], false);
/** Wait for a run, and return the values of its state. */
export const joinRun = operation<unknown>("GET", "/threads/{thread_id}/runs/{run_id}/join", [], true);
/** Stream the events of a run that is under way, or ended less than a minute ago. */
export const joinRunStream = operation<void>("GET", "/threads/{thread_id}/runs/{run_id}/stream", ["cancel_on_disconnect", "stream_mode"], true);
/** The caller's messages in all threads by time, the latest made first. */
export const listAllMessages = operation<MessageList>("GET", "/v1/messages", ["cursor", "include_archived", "limit", "role", "since", "skip", "until"], true);
/** The documents that the caller may see, the latest first, in pages that are also bounded in bytes. */
export const listDocuments = operation<DocumentList>("GET", "/v1/documents", ["after", "limit", "skip"], true);
/** The people, places, employers and things of the caller's memories, and how they relate, since when and until. */
export const listEntities = operation<EntityGraph>("GET", "/v1/entities", [], true);
/** List erasures that run, or ran, in the background: the caller's own, or for admins all of the tenant. */
export const listErasures = operation<ErasureList>("GET", "/v1/erasures", ["limit"], true);
/** The tenant's keys without their secrets, the latest first. For admins. */
export const listKeys = operation<KeyList>("GET", "/v1/keys", ["limit", "user"], true);
/** The caller's memories that hold now, the latest created first. */
export const listMemories = operation<MemoryList>("GET", "/v1/memories", ["as_of", "attribute", "before", "kind", "limit", "pinned", "since", "skip", "status", "thread_id", "until"], true);
/** The thread's messages by cursors and filters: the last ones, or with `after` the ones that follow. */
export const listMessages = operation<MessagePage>("GET", "/v1/threads/{thread_id}/messages", ["after", "before", "consistency", "id", "include_archived", "limit", "min_version", "role", "since", "skip", "until"], true);
/** The messages of a user or a visitor of the tenant by time, the latest made first. For admins. */
export const listMessagesOfUser = operation<MessageList>("GET", "/v1/tenant/users/{user_id}/messages", ["cursor", "include_archived", "limit", "role", "since", "skip", "until"], true);
/** The shared memories that hold now, the latest created first; with a `status`, for admins, those that wait. */
export const listTenantMemories = operation<MemoryList>("GET", "/v1/tenant/memories", ["before", "kind", "limit", "skip", "status"], true);
/** The caller's threads, the latest changed first, all or those with the given metadata. */
export const listThreads = operation<ThreadList>("GET", "/v1/threads", ["agent_id", "channel", "cursor", "limit", "metadata", "skip"], true);
/** The threads of a user or a visitor of the tenant, the latest changed first. For admins. */
export const listThreadsOfUser = operation<ThreadList>("GET", "/v1/tenant/users/{user_id}/threads", ["agent_id", "channel", "cursor", "limit", "metadata", "skip"], true);
/** List the tenant's users, visitors included, of whom anything is kept, in the order of their ids. For admins. */
export const listUsers = operation<UserPage>("GET", "/v1/tenant/users", ["after", "limit", "skip"], true);
/** List the changes of one memory, the latest first. */
export const memoryHistory = operation<ChangeList>("GET", "/v1/memories/{memory_id}/history", ["limit"], true);
/** Whether the server is alive. */
export const ok = operation<Alive>("GET", "/ok", [], true);
/** Propose a memory for all users of the tenant. It is hidden until an admin approves it. */
export const proposeMemory = operation<KnownMemory>("POST", "/v1/tenant/memories", [], false);
/** List the audit log of the caller's tenant, the latest first. For admins. Reading it is recorded as well. */
export const readAudit = operation<AuditEntries>("GET", "/v1/audit", ["action", "actor", "before", "limit", "server", "since", "skip", "until"], true);
/** The server takes requests, with its parts and reasons: for load balancers. 503 when a needed part fails. */
export const ready = operation<Readiness>("GET", "/ready", [], true);
/** Keep a memory from being used. */
export const rejectMemory = operation<KnownMemory>("POST", "/v1/memories/{memory_id}/reject", [], false);
/** Keep a memory from being shown, also one that was approved before. For admins. */
export const rejectTenantMemory = operation<KnownMemory>("POST", "/v1/tenant/memories/{shared_id}/reject", [], false);
/** Remove a document, with everything that finds it. With authentication for the role `editor`. */
export const removeDocument = operation<void>("DELETE", "/v1/documents/{document_id}", [], false);
/** Replace all messages of the thread at once: readers see either the former ones or these. */
export const replaceMessages = operation<Receipt>("PUT", "/v1/threads/{thread_id}/messages", [], false);
/** Revoke a key: every server refuses it within 2 seconds. For admins. */
export const revokeKey = operation<void>("DELETE", "/v1/keys/{key_id}", [], false);
/** Replace a key by one with another secret; the old one is good for `overlap` more seconds. For admins. */
export const rotateKey = operation<NewKey>("POST", "/v1/keys/{key_id}/rotate", [], false);
/** The caller's assistants, those that the tenant shares, and the graphs' own that match. */
export const searchAssistants = operation<unknown>("POST", "/assistants/search", [], true);
/** The parts of documents that most likely answer the query, best first, each with where it stands. */
export const searchDocuments = operation<ChunkHits>("POST", "/v1/documents/search", [], true);
/** The caller's messages that match the query best, best first. */
export const searchHistory = operation<MessageHits>("POST", "/v1/search", [], true);
/** The messages of a user or a visitor of the tenant that match the query best. For admins. */
export const searchHistoryOfUser = operation<MessageHits>("POST", "/v1/tenant/users/{user_id}/search", [], true);
/** The memories nearest to the query, best first, in whatever language either is. */
export const searchMemories = operation<Hits>("POST", "/v1/memories/search", [], true);
/** Start a run and stream its events. */
export const streamRun = operation<void>("POST", "/threads/{thread_id}/runs/stream", [], false);
/** Bring the thread's summary up to its end; null where there is nothing to say, or the caller is anonymous. */
export const summariseThread = operation<ThreadSummary>("POST", "/v1/threads/{thread_id}/summarise", [], false);
/** List a shared memory's changes (proposed, approved, rejected, by whom, when), the latest first. For admins. */
export const tenantMemoryHistory = operation<ChangeList>("GET", "/v1/tenant/memories/{shared_id}/history", ["limit"], true);
/** The thread's window for a model, within both budgets; 50 messages when none is given. */
export const threadWindow = operation<Window>("GET", "/v1/threads/{thread_id}/window", ["consistency", "messages", "min_version", "summary", "tokens"], true);
/** Take back the latest change that touched the memory, exactly. */
export const undoMemory = operation<KnownChange>("POST", "/v1/memories/{memory_id}/undo", [], false);
/** Make a new version of the assistant; metadata is merged. */
export const updateAssistant = operation<Assistant>("PATCH", "/assistants/{assistant_id}", [], false);
/** Set what the headers say, for every replica. 404 where there is no context. */
export const updateContext = operation<KnownContext>("PATCH", "/v1/contexts/{thread_id}", ["assistant_id"], false);
/** Change the given fields. */
export const updateMemory = operation<KnownMemory>("PATCH", "/v1/memories/{memory_id}", [], false);
/** Give the thread another title, or merge into its metadata; its version and its times stay. */
export const updateThread = operation<ThreadEntry>("PATCH", "/v1/threads/{thread_id}", [], false);
/** Start a run, wait for it, and return the values of its state; `__error__` when it fails. */
export const waitForRun = operation<unknown>("POST", "/threads/{thread_id}/runs/wait", [], false);

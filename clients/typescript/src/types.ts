// Made by scripts/client_types.py from the OpenAPI document: change the server, and run it again.

/** One document of a tenant. `source` says where it comes from; in a collection there is one of each source. `digest` is the SHA-256 of its bytes, `size` how many characters its text has. */
export interface LibraryDocument {
  /** The id. */
  id: string;
  /** The title. */
  title: string;
  /** The collection that the document belongs to. */
  collection?: string;
  /** `tenant`: known users of the tenant may find the document; `public`: anonymous callers, too. */
  access?: "public" | "tenant" | (string & {});
  /** The name or address of the document. */
  source: string;
  /** The SHA-256 of the document's bytes, in hexadecimal. */
  digest: string;
  /** The length of its text, in characters. */
  size: number;
  /** How many chunks the document has. */
  chunks: number;
  /** When it was made. */
  created_at: string;
}

/** A document that was added. `changed`: not so when it was there already. */
export interface KnownDocument {
  /** The document. */
  document: LibraryDocument;
  /** Whether the document is new or has another content than before. */
  changed: boolean;
}

/** Where a memory comes from: the message, who said it, what extracted it; `by` is who proposed it to a tenant. */
export interface Source {
  /** The id of the thread. */
  thread?: string | null;
  /** The position of the message in its thread, from 1. */
  seq?: number | null;
  /** Who said what the memory holds. */
  author?: string;
  /** `detectors`, `sentences` (a summary), the name of a model or service, `tool`, `mcp` or `manual`. */
  extractor?: string;
  /** The user who proposed it to the tenant. */
  by?: string | null;
}

/** A decision about a memory's status. `by` is a user, or `gate` for the quality gate. */
export interface Review {
  /** Who decided: a user, or `gate` for the quality gate. */
  by: string;
  /** When it happened. */
  at: string;
  /** Why it was decided so. */
  reason?: string | null;
}

/** Why a memory holds no longer: what took it back, and the memory `by` that stands in its place, if one does. */
export interface Ending {
  /** Why the memory holds no longer. */
  reason: "contradicted" | "denied" | "forgotten" | "outdated" | "superseded" | (string & {});
  /** The id of the memory that stands in its place; null if none does. */
  by?: string | null;
  /** Where it comes from. */
  source?: Source | null;
}

/** A memory, without its owner: that is always the caller, or where it is `shared` the caller's tenant. The fields after `updated_at` are present only where they apply: that it waits or was rejected, and why; until when it held, and what ended it; when it expires. */
export interface KnownMemory {
  /** The id. */
  id: string;
  /** The text. */
  text: string;
  /** A fact (`semantic`), an event (`episodic`), a way of doing things (`procedural`) or a `summary`. */
  kind: "episodic" | "procedural" | "semantic" | "summary" | (string & {});
  /** What the memory says of its owner, such as `city`; null for a note. */
  attribute: "age" | "allergy" | "birthday" | "city" | "country" | "department" | "diet" | "dislikes" | "email" | "employer" | "family" | "health" | "job" | "language" | "likes" | "marital_status" | "name" | "origin" | "pet" | "phone" | "plan" | "possession" | "preference" | "relative" | "remember" | "studies" | "team" | (string & {}) | null;
  /** The value of the attribute, such as the name of the city. */
  value: string | null;
  /** Where it comes from. */
  source: Source;
  /** How far the memory is trusted, from 0 (hearsay) to 1 (the user's own statement). */
  trust: number;
  /** When it was made. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
  /** Only `approved` memories are used; the others wait for a decision, or were rejected. */
  status?: "approved" | "proposed" | "quarantined" | "rejected" | (string & {});
  /** Who decided about the memory, and why; null if nobody did. */
  review?: Review | null;
  /** When it began to be true; null if that is not known. */
  valid_from?: string | null;
  /** When it ceased to be true; null while it is. */
  valid_until?: string | null;
  /** Why the memory holds no longer; null while it holds. */
  ending?: Ending | null;
  /** When it expires; null: never. */
  expires_at?: string | null;
  /** Whether it stands in every prompt; no retention policy removes it. */
  pinned?: boolean;
  /** Whether all users of the tenant share it. */
  shared?: boolean;
}

/** The receipt of an append. `replayed`: the Idempotency-Key was known, and nothing was written again. */
export interface Receipt {
  /** The ids of the messages, in order. */
  ids: Array<string>;
  /** The positions of the messages in their thread. */
  seqs: Array<number>;
  /** The thread's version: its epoch and its last seq, as in `7.42`. */
  version: string;
  /** Whether the messages were stored before, by the same idempotency key. */
  replayed: boolean;
  /** Whether the messages are committed (`sync`), or on disk in the spool (`async`). */
  durability: "async" | "sync" | (string & {});
}

/** How many messages changed. */
export interface Archived {
  /** How many messages changed. */
  changed: number;
}

/** A memory that should not be there, why, and the one that says the same or the contrary, if one does. */
export interface Finding {
  /** The id of the memory. */
  memory_id: string;
  /** What is wrong with the memory. */
  problem: string;
  /** The text of the memory. */
  text: string;
  /** The id of the memory that says the same or the contrary; null if none does. */
  other?: string | null;
}

/** The number of memories, the problems of each, and how often each problem occurs. */
export interface Audit {
  /** How many memories were looked at. */
  memories: number;
  /** The share of memories with a problem, from 0 to 1. */
  junk_rate: number;
  /** How many memories have each problem. */
  problems: Record<string, number>;
  /** The memories that have a problem. */
  findings: Array<Finding>;
}

/** A tool that the assistant wants to be called: the `id` is what the result will refer to. */
export interface ToolCall {
  /** The id of the call: the `tool_call_id` of its result. */
  id: string;
  /** The name of the tool. */
  name: string;
  /** The arguments of the call, as an object. */
  args?: Record<string, unknown>;
}

/** One entry of a thread. `content` is a text, or a list of parts, each a dict with a `type` (`{"type": "text", "text": ...}`, `{"type": "image_url", ...}`), as the chat APIs have it. An appended message also has its `id`, its `seq` (1 for the first of the thread) and `created_at` (aware, UTC); a new one may leave them to the history. */
export interface Message {
  /** Who speaks. */
  role: "assistant" | "system" | "tool" | "user" | (string & {});
  /** The text, or a list of parts with a `type` each. */
  content: string | Array<Record<string, unknown>>;
  /** The id. */
  id?: string;
  /** The position of the message in its thread, from 1. */
  seq?: number;
  /** The name of the speaker, or of the tool of a result. */
  name?: string | null;
  /** The tools that the assistant calls. */
  tool_calls?: Array<ToolCall>;
  /** The call that this result answers. */
  tool_call_id?: string | null;
  /** When it was made. */
  created_at?: string | null;
  /** Data of your own, or of the server's. */
  metadata?: Record<string, unknown>;
  /** Whether the message is hidden from windows and pages. */
  archived?: boolean;
}

/** A finished turn. `history` says `unavailable` when the model answered without what was said before, or when a message could not be stored, which has no `seq` then: send it again with its key. `memories_ended` hold no longer since the message, and `memories_waiting` are in quarantine. */
export interface ChatAnswer {
  /** The id of the thread. */
  thread_id: string;
  /** The message. */
  message: Message;
  /** The reply, as it is stored. */
  reply: Message;
  /** The memories that the model was shown. */
  memories_used: Array<KnownMemory>;
  /** The memories that were made of this message. */
  memories_saved: Array<KnownMemory>;
  /** The memories that this message has ended. */
  memories_ended: Array<KnownMemory>;
  /** The memories of this message that are in quarantine until they are approved. */
  memories_waiting: Array<KnownMemory>;
  /** The chat model. */
  model: string;
  /** Whether the offline model answered. */
  offline: boolean;
  /** `unavailable` if the history could not be read or a message could not be stored, else `ok`. */
  history: "ok" | "unavailable" | (string & {});
  /** The thread's version: its epoch and its last seq, as in `7.42`. */
  version: string;
}

/** A thread that was moved: its former id, and the one that it has now, which is usually the same. */
export interface ClaimedThread {
  /** The id of the thread under its former owner. */
  thread_id: string;
  /** The id of the thread under its new owner. */
  claimed_as: string;
}

/** The threads of a visitor that are the user's now. */
export interface ClaimedConversations {
  /** The threads that were moved to the user. */
  threads: Array<ClaimedThread>;
}

/** The version of the thread that is empty now. */
export interface Cleared {
  /** The thread's version: its epoch and its last seq, as in `7.42`. */
  version: string;
}

/** A graph with a configuration. Changing one makes a new version of it. A graph's own assistant may be there in name only: `stands_for` is the id of the one that answers then. */
export interface Assistant {
  /** The id of the assistant. */
  assistant_id: string;
  /** The name of the graph. */
  graph_id: string;
  /** The configuration in LangGraph's form, with `configurable`. */
  config?: Record<string, unknown>;
  /** The configuration of the agent, by the schema of its graph. */
  context?: Record<string, unknown>;
  /** Data of your own, or of the server's. */
  metadata?: Record<string, unknown>;
  /** The name of the assistant, for people. */
  name?: string;
  /** What it is for, in words. */
  description?: string | null;
  /** The version of the assistant. */
  version?: number;
  /** For whom the assistant is: its user, all users of the tenant, or everybody. */
  visibility?: "private" | "server" | "tenant" | (string & {});
  /** The graph's own assistant that it takes the place of. */
  stands_for?: string | null;
  /** When it was made. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
}

/** An API key, without its secret. `state` is `good`, `revoked` or `expired`. */
export interface KnownKey {
  /** The id. */
  id: string;
  /** The user as whom the key acts. */
  user: string;
  /** A name for people, to tell keys apart. */
  name: string;
  /** The role of the user, which says what they may do. */
  role: string;
  /** The service tier of the caller. */
  tier: string | null;
  /** What the key may do. */
  scopes: Array<string>;
  /** Whether the key is valid, was revoked or has expired. */
  state: "expired" | "good" | "revoked" | (string & {});
  /** When it was made. */
  created_at: string;
  /** When it expires; null: never. */
  expires_at: string | null;
  /** When the key was last used; null: never. */
  last_used_at: string | null;
  /** When the key was revoked; null if it was not. */
  revoked_at: string | null;
  /** The id of the key that replaces this one; null if none does. */
  replaced_by: string | null;
}

/** A key that was just made, and its secret, which is never shown again. */
export interface NewKey {
  /** The key, without its secret. */
  key: KnownKey;
  /** The secret, which is shown only now. */
  secret: string;
}

/** Where a user had something: how much was removed, whether it is clean now, and how that was looked at. */
export interface ErasedPlace {
  /** The place, such as `messages`, `runs` or `log`. */
  name: string;
  /** How much was removed from this place. */
  removed: number;
  /** Whether a look afterwards found nothing left in this place. */
  clean: boolean;
  /** How the place was looked at. */
  how: string;
}

/** The data of the caller that was removed. `complete`: every place was checked afterwards and is empty. */
export interface Erasure {
  /** When it happened. */
  at: string;
  /** How much was removed, by place. */
  removed: Record<string, number>;
  /** How many times the erasure looked until nothing was left. */
  rounds: number;
  /** Whether everything is erased, as a look afterwards has found. */
  complete: boolean;
  /** Where data was looked for, and what was found. */
  places: Array<ErasedPlace>;
}

/** An erasure in the background. `users` counts the users erased so far; `complete` is for its end. */
export interface ErasureProgress {
  /** The id. */
  id: string;
  /** How far it is. */
  status: "done" | "pending" | "running" | (string & {});
  /** When the erasure was asked for. */
  asked_at: string;
  /** When it was last changed. */
  updated_at: string;
  /** How many users were erased so far. */
  users: number;
  /** How much was removed, by place. */
  removed: Record<string, number>;
  /** Whether everything is erased, as a look afterwards has found. */
  complete: boolean;
  /** Where data was looked for, and what was found. */
  places: Array<ErasedPlace>;
}

/** A part of a prompt and how many tokens it takes. */
export interface Layer {
  /** The part of the prompt. */
  name: "day" | "documents" | "history" | "memories" | "message" | "passages" | "preferences" | "system" | (string & {});
  /** How many tokens the part has. */
  tokens: number;
}

/** Messages of the thread that the model was not shown, and why. `older` ones did not fit into the window; `hidden` ones were archived, or of a role that the agent does not see. */
export interface LeftOut {
  /** The first seq of the range. */
  first: number;
  /** The last seq of the range. */
  last: number;
  /** Why the messages are not shown. */
  reason: "hidden" | "older" | (string & {});
}

/** The part of a message that a prompt quotes, and the place of the message. */
export interface QuotedMessage {
  /** The message. */
  message: Message;
  /** The id of the thread. */
  thread_id: string;
  /** The position of the message in its thread, from 1. */
  seq: number;
}

/** How a reply came about. `prompt` is what the model was shown, made again from what is stored; `exact` says that it is so letter for letter: otherwise something of it was erased or changed since, and `gone` counts memories and passages that were. `layers` are its parts and their tokens, `left_out` the messages that it does not show, and why. `passages` were said in other threads. `scores` tell by their ids how well memories fitted the message; the others stand in any prompt. */
export interface Why {
  /** Whether the prompt is word for word what the model got. */
  exact: boolean;
  /** The chat model. */
  model: string;
  /** The prompt, made again from what is stored; see `exact`. */
  prompt: Array<Message>;
  /** The parts of the prompt, with their tokens. */
  layers: Array<Layer>;
  /** The ranges of messages that the window does not show, and why. */
  left_out: Array<LeftOut>;
  /** The memories that the model was shown. */
  memories_used: Array<KnownMemory>;
  /** The memories that were made of this message. */
  memories_saved: Array<KnownMemory>;
  /** The memories that this message has ended. */
  memories_ended: Array<KnownMemory>;
  /** The memories of this message that are in quarantine until they are approved. */
  memories_waiting: Array<KnownMemory>;
  /** How many of these memories and passages no longer exist. */
  gone: number;
  /** Passages of earlier conversations that the model was shown. */
  passages?: Array<QuotedMessage>;
  /** How well the memories fitted the message, by their ids. */
  scores?: Record<string, number>;
}

/** How much a policy would delete now. `complete`: all was counted in the time that there was for it. */
export interface RetentionForecast {
  /** The policy that was tried. */
  policy: string;
  /** How many threads would be deleted. */
  threads: number;
  /** How many messages would be deleted. */
  messages: number;
  /** Of how many threads only the checkpoints would be deleted. */
  checkpoints: number;
  /** How many memories would be deleted. */
  memories: number;
  /** Whether everything was counted in the time allowed. */
  complete: boolean;
}

/** A thread as lists show it. `title` is the start of the first thing that the user said, until the thread is renamed. It is `archived` while its latest message is. `metadata` is what programs say of it, such as its agent and its channel. */
export interface ThreadEntry {
  /** The id. */
  id: string;
  /** The title. */
  title: string;
  /** Data of your own, or of the server's. */
  metadata: Record<string, unknown>;
  /** Whether its latest message is archived. */
  archived: boolean;
  /** The thread's version: its epoch and its last seq, as in `7.42`. */
  version: string;
  /** How many messages the thread has. */
  message_count: number;
  /** When it was made. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
}

/** The outcome of an action. `context` says where the worker had its configuration from: `reference`, or `action` when the context that it referred to was gone. `error` is why it was given up. */
export interface ActionResult {
  /** The id of the action. */
  action_id: string;
  /** `reference`, or `action` if the referenced context was gone. */
  context: "action" | "reference" | (string & {});
  /** How often its execution was begun. */
  attempts: number;
  /** The outcome, whose form the type of the action decides; null if it failed. */
  value?: unknown;
  /** What failed, by its type and in words; null if nothing did. */
  error?: string | null;
}

/** The state of an action; `due` is when it may begin, or when its lease or its result ends. */
export interface ActionState {
  /** The id of the action. */
  action_id: string;
  /** The kind of the action. */
  type: string;
  /** The queue: which workers execute it. */
  queue: "agent" | "embedding" | "memory" | "query" | (string & {});
  /** How far it is. */
  status: "dead" | "done" | "waiting" | "working" | (string & {});
  /** How often its execution was begun. */
  attempts: number;
  /** When it was made. */
  created_at: string;
  /** When it may begin, its lease ends (`working`), its result is removed (`done`), or it died (`dead`). */
  due: string;
  /** The outcome; null while there is none. */
  result?: ActionResult | null;
}

/** The chat model, as `provider:model`, and its parameters. None leaves the choice to the server. */
export interface ModelParameters {
  /** The chat model, as `provider:model`; null: the server's. */
  name?: string | null;
  /** How freely the model chooses words. */
  temperature?: number | null;
  /** Nucleus sampling: the likeliest tokens whose probabilities add up to this. */
  top_p?: number | null;
  /** How long a reply may be, in tokens. */
  max_tokens?: number | null;
}

/** Which documents are looked through: collections (none: all that may be seen), how many chunks (none with 0), from which score on, and how they are ranked once more: `diverse`, so that one does not repeat another. */
export interface RetrievalParameters {
  /** The collections that are searched; all of them if there are none. */
  collections?: Array<string>;
  /** How many chunks of documents are shown. */
  k?: number;
  /** The least score of what is found, from 0 to 1. */
  threshold?: number | null;
  /** `diverse`, so that the chunks found do not repeat each other; null: ordered by score. */
  rerank?: string | null;
}

/** The embedding model. None leaves the choice to the server. */
export interface EmbeddingParameters {
  /** The embedding model. */
  model?: string | null;
  /** The length of the vectors. */
  dimensions?: number | null;
}

/** The agent's prompts. */
export interface Prompts {
  /** The instructions of the agent. */
  system?: string | null;
  /** The instructions of the agent that hands work to others. */
  orchestrator?: string | null;
}

/** How much goes into a prompt: messages of the history (of these roles, or all, and of the last days), memories. */
export interface Limits {
  /** How many messages the model is shown. */
  window?: number | null;
  /** The roles whose messages are shown; all if there are none. */
  roles?: Array<"assistant" | "system" | "tool" | "user" | (string & {})>;
  /** How many days back messages are shown. */
  days?: number | null;
  /** How many memories are shown to the model. */
  memories?: number | null;
}

/** The configuration that a thread runs with: its owner, the assistant, and everything that is configured for it. `tier` and `session` are those of the request that asks. `created_at` is when the conversation was enriched. */
export interface ExecutionContext {
  /** The version of this form. */
  schema?: 1;
  /** The tenant. */
  tenant: string;
  /** The user. */
  user: string;
  /** The id of the thread. */
  thread: string;
  /** The service tier of the caller. */
  tier?: string | null;
  /** The session that the context belongs to. */
  session?: string | null;
  /** The id of the assistant. */
  assistant_id: string;
  /** The version of the assistant. */
  assistant_version: number;
  /** The name of the graph. */
  graph_id?: string | null;
  /** The chat model, and its parameters. */
  model?: ModelParameters;
  /** How documents are searched. */
  retrieval?: RetrievalParameters;
  /** The embedding model, and its options. */
  embedding?: EmbeddingParameters;
  /** The instructions of the agent. */
  prompts?: Prompts;
  /** How much of the history, and of the memories, the agent sees. */
  limits?: Limits;
  /** Data of your own, or of the server's. */
  metadata?: Record<string, unknown>;
  /** Whether the agents' service could not be asked, and an older configuration is used. */
  stale?: boolean;
  /** When the assistant's configuration was read for this thread. */
  created_at: string;
}

/** A thread's execution context; equal `fingerprint`s mean equal behaviour, `bytes` is the context's size. */
export interface KnownContext {
  /** The execution context of the thread. */
  context: ExecutionContext;
  /** A digest of the configuration: with equal ones an agent behaves alike. */
  fingerprint: string;
  /** The size of the context as JSON, in bytes. */
  bytes: number;
}

/** A part of a document: the characters `start` to `end` of its text, below the headings `heading`. */
export interface Chunk {
  /** The position of the chunk in the document, from 0. */
  number: number;
  /** The headings above the chunk. */
  heading: string;
  /** The text. */
  text: string;
  /** Where the chunk begins in the document, in characters. */
  start: number;
  /** Where the chunk ends in the document, in characters. */
  end: number;
}

/** A document and the chunks that it was split into, in their order. */
export interface DocumentChunks {
  /** The document. */
  document: LibraryDocument;
  /** The chunks, in order. */
  chunks: Array<Chunk>;
}

/** The principal of a request. */
export interface KnownPrincipal {
  /** The tenant. */
  tenant: string;
  /** The user. */
  user: string;
  /** The role of the user, which says what they may do. */
  role: string;
  /** The service tier of the caller. */
  tier: string | null;
  /** Whether the caller is anonymous or a visitor. */
  anonymous: boolean;
  /** What the credential may do; absent if that is all that the role allows. */
  scopes?: Array<string>;
}

/** A thread with the number of its messages by role, archived ones included. */
export interface ThreadDetail {
  /** The id. */
  id: string;
  /** The title. */
  title: string;
  /** Data of your own, or of the server's. */
  metadata: Record<string, unknown>;
  /** Whether its latest message is archived. */
  archived: boolean;
  /** The thread's version: its epoch and its last seq, as in `7.42`. */
  version: string;
  /** How many messages the thread has. */
  message_count: number;
  /** When it was made. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
  /** How many messages of each role the thread has. */
  counts: Record<string, number>;
}

/** How many memories were not there yet. */
export interface Imported {
  /** How many memories were new. */
  imported: number;
}

/** This server's version, model and options. `auth` is how callers prove who they are: `none`, `token`, `api_key` or `token, api_key`. `local_user` is whom the page acts as where no sign-in is needed. `graphs` are those of a langgraph.json, if there is one. */
export interface Info {
  /** The version of Recuerdo. */
  version: string;
  /** The chat model. */
  model: string;
  /** Whether the server's model is the offline one. */
  offline: boolean;
  /** The embedding model that searches use; null if they compare words alone. */
  embeddings: string | null;
  /** How callers prove who they are: `none`, `token`, `api_key`, several separated by commas. */
  auth: string;
  /** The page's user where no sign-in is needed. */
  local_user: string;
  /** What this server can do. */
  flags: Record<string, boolean>;
  /** The names of the graphs of the langgraph.json. */
  graphs?: Array<string>;
}

/** A message and the thread that it stands in. */
export interface SaidMessage {
  /** The id of the thread. */
  thread_id: string;
  /** The message. */
  message: Message;
}

/** Messages of all threads, the latest made first. `cursor` asks for the next page; null at the end. */
export interface MessageList {
  /** The messages, the latest first. */
  messages: Array<SaidMessage>;
  /** Continues the list on its next page; null on the last. */
  cursor: string | null;
}

/** Documents, the latest first. `after` asks for the next page; null at the end. */
export interface DocumentList {
  /** The documents. */
  documents: Array<LibraryDocument>;
  /** Continues the list after this id; null on the last page. */
  after: string | null;
}

/** A person or thing that memories are about. `memories` are the ids of those that name it. */
export interface Entity {
  /** The id, which relations refer to: `user`, or the kind and the name. */
  id: string;
  /** The name, as the memories have it. */
  name: string;
  /** What sort of entity it is. */
  kind: "animal" | "organisation" | "person" | "place" | "thing" | "user" | (string & {});
  /** The ids of the memories that name it. */
  memories: Array<string>;
}

/** That `subject` stands to `object` as `name` says: `works_at`, `lives_in`, or a word for a relative, `hermano`. Both are ids of entities. It holds from `since` until before `until`, None while it holds; `memories` say so. */
export interface Relation {
  /** The id of the entity that the relation begins at. */
  subject: string;
  /** How the two are related: `works_at`, `lives_in`, or a word for a relative, such as `hermano`. */
  name: string;
  /** The id of the entity that the relation leads to. */
  object: string;
  /** When the relation began. */
  since: string;
  /** When the relation ended; null while it holds. */
  until: string | null;
  /** The ids of the memories that say so. */
  memories: Array<string>;
}

/** The entities of a user's memories, and the relations between them. */
export interface EntityGraph {
  /** The people, places, organisations and things of the memories. */
  entities: Array<Entity>;
  /** How the entities are related. */
  relations: Array<Relation>;
}

/** Erasures that go on in the background, or did, the latest first. */
export interface ErasureList {
  /** The erasures, the latest first. */
  erasures: Array<ErasureProgress>;
}

/** Some of a tenant's keys. */
export interface KeyList {
  /** The API keys, the latest first. */
  keys: Array<KnownKey>;
}

/** Memories, the latest created first. `before` asks for the next page; null at the end. */
export interface MemoryList {
  /** The memories. */
  memories: Array<KnownMemory>;
  /** Continues the list before this id; null on the last page. */
  before: string | null;
}

/** Messages, oldest first. `more`: the limit cut some off; `before` and `after` lead to the messages around. */
export interface MessagePage {
  /** The messages, the oldest first. */
  messages: Array<Message>;
  /** The thread's version: its epoch and its last seq, as in `7.42`. */
  version: string;
  /** Whether more messages match, before this page or, with `after`, after it. */
  more: boolean;
  /** The first seq of the page, to list what is before it; null only if the page is empty. */
  before: number | null;
  /** The last seq of the page, to continue after it; null only if the page is empty. */
  after: number | null;
}

/** Threads, the latest changed first. `cursor` asks for the next page; null at the end. */
export interface ThreadList {
  /** The threads, the most recently changed first. */
  threads: Array<ThreadEntry>;
  /** Continues the list on its next page; null on the last. */
  cursor: string | null;
}

/** Users of a tenant, in the order of their ids. `after` asks for the next page; null at the end. */
export interface UserPage {
  /** The ids of the users, in order. */
  users: Array<string>;
  /** Continues the list after this id; null on the last page. */
  after: string | null;
}

/** One memory in a change: as it was, and as it is since; null where there was or is none. */
export interface KnownEntry {
  /** The memory as it was before the change; null if it is new. */
  before: KnownMemory | null;
  /** The memory as it was after the change; null if it was deleted. */
  after: KnownMemory | null;
}

/** One change of memories. `undoes` is the version of the change that this one took back. */
export interface KnownChange {
  /** The number of the change, which counts the changes of the owner's memories. */
  version: number;
  /** When it happened. */
  at: string;
  /** What was done. */
  action: "added" | "approved" | "deleted" | "expired" | "imported" | "proposed" | "rejected" | "remembered" | "summarised" | "undone" | "updated" | (string & {});
  /** The memories that changed, before and after. */
  entries: Array<KnownEntry>;
  /** The version of the change that this one takes back; null if it takes none back. */
  undoes: number | null;
  /** Whether the change was taken back. */
  undone: boolean;
}

/** The changes of a memory, the latest first. */
export interface ChangeList {
  /** The changes, the latest first. */
  changes: Array<KnownChange>;
}

/** The server answers. */
export interface Alive {
  /** Always true: the server answers. */
  ok?: true;
}

/** One thing that an actor did, or was refused. `actor` is the user of the credential, empty without authentication. `target` is the id of what it was done to: a key, a memory, a user. `details` are short words, never texts that a user has written. */
export interface AuditEntry {
  /** The id. */
  id: string;
  /** When it happened. */
  at: string;
  /** The tenant. */
  tenant: string;
  /** The user who did it; empty without authentication. */
  actor: string;
  /** What was done. */
  action: string;
  /** The role of the user, which says what they may do. */
  role?: string;
  /** The id of what it was done to: a key, a memory, a user. */
  target?: string | null;
  /** The caller's network address. */
  address?: string | null;
  /** The id of the request, as in its `X-Request-Id`. */
  request_id?: string | null;
  /** More about it, in short words; never texts that a user has written. */
  details?: Record<string, string>;
}

/** Entries, the latest first, and the `before` of the next page; null where there are no more. */
export interface AuditEntries {
  /** The entries, the latest first. */
  entries: Array<AuditEntry>;
  /** Continues the list, as `before`; null at its end. */
  next: string | null;
}

/** `degraded` is a part that a server can do without for a while; `skipped` one that is not configured. `progress` says how far a part is that is being prepared, from 0 to 1. */
export interface PartHealth {
  /** `degraded`: the server can do without it for a while; `skipped`: it is not configured. */
  state: "degraded" | "failed" | "ok" | "skipped" | (string & {});
  /** Why the part is in this state. */
  reason?: string;
  /** How far it is, from 0 to 1, while it is being prepared. */
  progress?: number | null;
}

/** Whether the server takes requests, and its parts with their reasons; `detail` names the first that failed. */
export interface Readiness {
  /** Whether the server takes requests. */
  ok: boolean;
  /** The parts that a server needs, by name. */
  parts: Record<string, PartHealth>;
  /** The first part that has failed, and why. */
  detail?: string;
  /** A name of the problem, for programs; empty if it has none. */
  code?: string;
}

/** A chunk that a search found. The score is 0 to 1, and means the same in every search. */
export interface ChunkHit {
  /** The document. */
  document: LibraryDocument;
  /** The chunk of the document. */
  chunk: Chunk;
  /** How well it fits, 0 to 1; comparable across searches. */
  score: number;
}

/** Parts of documents that a search found, best first. Scores are 0 to 1. */
export interface ChunkHits {
  /** What was found, best first. */
  hits: Array<ChunkHit>;
}

/** A message that was found, and where it stands. */
export interface SaidHit {
  /** The message. */
  message: Message;
  /** The id of the thread. */
  thread_id: string;
  /** The position of the message in its thread, from 1. */
  seq: number;
  /** How well it fits; comparable within one answer alone. */
  score: number;
}

/** Messages that a search found, best first. */
export interface MessageHits {
  /** What was found, best first. */
  hits: Array<SaidHit>;
}

/** A memory that was found. Scores order the hits of one search and mean nothing across searches. */
export interface Hit {
  /** The memory. */
  memory: KnownMemory;
  /** How well it fits; comparable within one answer alone. */
  score: number;
}

/** The results of a search, best first. */
export interface Hits {
  /** What was found, best first. */
  hits: Array<Hit>;
}

/** A thread's summary, which is a memory of the kind `summary`; its `source.seq` is the last message it covers. */
export interface ThreadSummary {
  /** The summary of the thread; null if there is none. */
  summary: KnownMemory | null;
}

/** Messages that are ready for a model. */
export interface Window {
  /** The messages, the oldest first. */
  messages: Array<Message>;
}

/** The parts of the prompt besides the instructions. These are the memories, of which those with a `valid_until` held before, the history's window and the message, and `passages` of what was said in earlier conversations. */
export interface ChatStart {
  /** The id of the thread. */
  thread_id: string;
  /** The message. */
  message: Message;
  /** The memories that the model was shown. */
  memories_used: Array<KnownMemory>;
  /** The messages that the model was shown. */
  window: Array<Message>;
  /** The chat model. */
  model: string;
  /** Whether the offline model answered. */
  offline: boolean;
  /** `unavailable` if the history could not be read or a message could not be stored, else `ok`. */
  history: "ok" | "unavailable" | (string & {});
  /** Passages of earlier conversations that the model was shown. */
  passages?: Array<SaidHit>;
}

/** A tool that the assistant wants to be called. */
export interface ToolCallBody {
  /** The id of the call: the `tool_call_id` of its result. */
  id: string;
  /** The name of the tool. */
  name: string;
  /** The arguments of the call, as an object. */
  args?: Record<string, unknown>;
}

/** A message to append. Leave `id` and `created_at` out to get new ones. */
export interface MessageBody {
  /** Who speaks. */
  role: "system" | "user" | "assistant" | "tool";
  /** The text, or a list of parts with a `type` each. */
  content: string | Array<Record<string, unknown>>;
  /** The id of the message; a new one if it is absent. */
  id?: string | null;
  /** The name of the speaker, or of the tool of a result. */
  name?: string | null;
  /** The tools that the assistant calls. */
  tool_calls?: Array<ToolCallBody>;
  /** The call that this result answers. */
  tool_call_id?: string | null;
  /** Data of your own, or of the server's. */
  metadata?: Record<string, unknown>;
  /** When it was made. */
  created_at?: string | null;
}

/** A checkpoint of a thread, perhaps in one of its subgraphs. */
export interface CheckpointBody {
  /** The id of a checkpoint. */
  checkpoint_id?: string | null;
  /** The namespace of a subgraph; empty for the graph itself. */
  checkpoint_ns?: string;
  /** The checkpoints of the graph's subgraphs, by namespace. */
  checkpoint_map?: Record<string, unknown> | null;
}

/** Optional parameters of `add_document`. */
export interface AddDocumentOptions {
  /** The document's text. */
  content?: string | null;
  /** The file, in base64, for formats other than text. */
  content_base64?: string | null;
  /** The title; the document's own, or its file name, if it is absent. */
  title?: string | null;
  /** The collection that the document belongs to. */
  collection?: string;
  /** `tenant`: known users of the tenant may find the document; `public`: anonymous callers, too. */
  access?: "public" | "tenant";
}

/** Optional parameters of `add_memory`. */
export interface AddMemoryOptions {
  /** How many seconds it lives; 0: for ever. */
  ttl?: number | null;
  /** When it expires; absent: after `ttl`, or else as its kind does. */
  expires_at?: string | null;
  /** A fact (`semantic`), an event (`episodic`), a way of doing things (`procedural`) or a `summary`. */
  kind?: "semantic" | "episodic" | "procedural" | "summary";
  /** What the memory says of its owner, such as `city`; null for a note. */
  attribute?: "name" | "employer" | "job" | "department" | "team" | "city" | "country" | "email" | "phone" | "birthday" | "age" | "origin" | "marital_status" | "studies" | "health" | "allergy" | "diet" | "language" | "family" | "relative" | "pet" | "possession" | "likes" | "dislikes" | "preference" | "plan" | "remember" | null;
  /** The value of the attribute, such as the name of the city. */
  value?: string | null;
}

/** Optional parameters of `append_messages`. */
export interface AppendMessagesOptions {
  /** The thread's epoch as the caller knows it; 0: there is no thread. Another one is a 412. */
  expected_epoch?: number | null;
}

/** Optional parameters of `approve_memory`. */
export interface ApproveMemoryOptions {
  /** Why, for the memory's history. */
  reason?: string | null;
}

/** Optional parameters of `approve_tenant_memory`. */
export interface ApproveTenantMemoryOptions {
  /** Why, for the memory's history. */
  reason?: string | null;
}

/** Optional parameters of `archive_messages`. */
export interface ArchiveMessagesOptions {
  /** The first seq of the range. */
  first?: number;
  /** The last seq of the range; the thread's last if it is absent. */
  last?: number | null;
  /** `true` hides the messages from windows and pages; `false` shows them again. */
  archived?: boolean;
}

/** Optional parameters of `cancel_run`. */
export interface CancelRunOptions {
  /** Whether to answer only when the run has stopped. */
  wait?: boolean;
  /** `interrupt` keeps what was done, `rollback` takes it back. */
  action?: "interrupt" | "rollback";
}

/** Optional parameters of `chat`. */
export interface ChatOptions {
  /** The thread's epoch as the caller knows it; 0: there is no thread. Another one is a 412. */
  expected_epoch?: number | null;
  /** The id of the thread; a new one begins if it is absent. */
  thread_id?: string | null;
  /** The assistant: its id, or the name of a graph for the graph's own one. */
  assistant_id?: string;
  /** How freely the model chooses words. */
  temperature?: number | null;
  /** The chat model. */
  model?: string | null;
  /** How long a reply may be, in tokens. */
  max_tokens?: number | null;
  /** The instructions for this answer alone, instead of the assistant's. */
  system_prompt?: string | null;
}

/** Optional parameters of `chat_stream`. */
export interface ChatStreamOptions {
  /** The thread's epoch as the caller knows it; 0: there is no thread. Another one is a 412. */
  expected_epoch?: number | null;
  /** The id of the thread; a new one begins if it is absent. */
  thread_id?: string | null;
  /** The assistant: its id, or the name of a graph for the graph's own one. */
  assistant_id?: string;
  /** How freely the model chooses words. */
  temperature?: number | null;
  /** The chat model. */
  model?: string | null;
  /** How long a reply may be, in tokens. */
  max_tokens?: number | null;
  /** The instructions for this answer alone, instead of the assistant's. */
  system_prompt?: string | null;
}

/** Optional parameters of `clear_thread`. */
export interface ClearThreadOptions {
  /** The first number of the thread's version, as If-Match; 0: there is none. */
  expected_epoch?: number | null;
}

/** Optional parameters of `create_assistant`. */
export interface CreateAssistantOptions {
  /** The configuration in LangGraph's form, with `configurable`. */
  config?: Record<string, unknown> | null;
  /** The configuration of the agent, by the schema of its graph. */
  context?: Record<string, unknown> | null;
  /** Data of your own, or of the server's. */
  metadata?: Record<string, unknown> | null;
  /** The name of the assistant, for people. */
  name?: string | null;
  /** What it is for, in words. */
  description?: string | null;
  /** For whom the assistant is: its user, all users of the tenant, or everybody. */
  visibility?: "private" | "tenant";
  /** The id that the assistant gets; a new one if it is absent. */
  assistant_id?: string | null;
  /** What to do if it exists already: refuse, or return it. */
  if_exists?: "raise" | "do_nothing";
}

/** Optional parameters of `create_key`. */
export interface CreateKeyOptions {
  /** A name for people, to tell keys apart. */
  name?: string;
  /** The role of the user, which says what they may do. */
  role?: string;
  /** The service tier of the caller. */
  tier?: string | null;
  /** What the key may do; if it is absent, all that the caller's credential may. */
  scopes?: Array<string> | null;
  /** How many seconds the key is valid; if it is absent, until `expires_at`. */
  ttl?: number | null;
  /** When it expires; absent: after `ttl`, or else never. */
  expires_at?: string | null;
}

/** Optional parameters of `create_run`. */
export interface CreateRunOptions {
  /** The thread's epoch as the caller knows it; 0: there is no thread. Another one is a 412. */
  expected_epoch?: number | null;
  /** The input of the graph. */
  input?: unknown;
  /** What the interrupted run continues with: `resume`, `update` or `goto`. */
  command?: Record<string, unknown> | null;
  /** Data of your own, or of the server's. */
  metadata?: Record<string, unknown> | null;
  /** The configuration in LangGraph's form, with `configurable`. */
  config?: Record<string, unknown> | null;
  /** The configuration of the agent, by the schema of its graph. */
  context?: Record<string, unknown> | null;
  /** The address that is told when the run ends. */
  webhook?: string | null;
  /** The nodes before which the run stops; `*` for all. */
  interrupt_before?: "*" | Array<string> | null;
  /** The nodes after which the run stops; `*` for all. */
  interrupt_after?: "*" | Array<string> | null;
  /** What the stream sends. */
  stream_mode?: "values" | "messages" | "updates" | "events" | "tasks" | "checkpoints" | "debug" | "custom" | "messages-tuple" | Array<"values" | "messages" | "updates" | "events" | "tasks" | "checkpoints" | "debug" | "custom" | "messages-tuple"> | null;
  /** Whether events of subgraphs are sent. */
  stream_subgraphs?: boolean;
  /** Whether a reader may come back to the stream. */
  stream_resumable?: boolean;
  /** When a checkpoint is written: with each step, after it, or at the end. */
  durability?: "sync" | "async" | "exit" | null;
  /** Keep a checkpoint of each step; as the durability says if it is absent. */
  checkpoint_during?: boolean | null;
  /** What happens if the thread is busy: refuse, stop the other run, take it back, or wait. */
  multitask_strategy?: "reject" | "interrupt" | "rollback" | "enqueue";
  /** The checkpoint that the run begins from; the latest if it is absent. */
  checkpoint?: CheckpointBody | null;
  /** The id of the checkpoint that the run begins from; the latest if it is absent. */
  checkpoint_id?: string | null;
  /** Accepted as LangGraph does; feedback is not collected. */
  feedback_keys?: Array<string> | null;
  /** What becomes of the thread of a run without one. */
  on_completion?: "delete" | "keep" | null;
  /** What becomes of the run when its reader leaves. */
  on_disconnect?: "cancel" | "continue";
  /** How many seconds the run waits before it starts. */
  after_seconds?: number;
  /** What to do if the thread does not exist: refuse, or make it. */
  if_not_exists?: "create" | "reject";
}

/** Optional parameters of `delete_assistant`. */
export interface DeleteAssistantOptions {
  /** Whether to delete the assistant's threads, too. */
  delete_threads?: boolean;
}

/** Optional parameters of `delete_thread`. */
export interface DeleteThreadOptions {
  /** The first number of the thread's version, as If-Match; 0: there is none. */
  expected_epoch?: number | null;
}

/** Optional parameters of `erase_everything`. */
export interface EraseEverythingOptions {
  /** Answer at once, and erase in a job that survives a restart. */
  background?: boolean;
}

/** Optional parameters of `explain_reply`. */
export interface ExplainReplyOptions {
  /** The assistant; without it, the one that answered. */
  assistant_id?: string | null;
}

/** Optional parameters of `forecast_retention`. */
export interface ForecastRetentionOptions {
  /** A policy to try; without it the server's own. */
  policy?: string | null;
}

/** Optional parameters of `fork_thread`. */
export interface ForkThreadOptions {
  /** The id of the copy; a new one if it is absent. */
  target?: string | null;
  /** The last message that the copy gets; all of them if it is absent. */
  at_seq?: number | null;
}

/** Optional parameters of `get_context`. */
export interface GetContextOptions {
  /** The assistant: its id, or the name of its graph. */
  assistant_id?: string;
}

/** Optional parameters of `hand_over`. */
export interface HandOverOptions {
  /** The id of the action: the same id is executed once. Without one the action gets a new id. */
  action_id?: string | null;
  /** The task that the action is a part of. */
  task_id?: string | null;
  /** The assistant: its id, or the name of a graph for the graph's own one. */
  assistant_id?: string;
  /** The fields of this kind of action. */
  fields?: Record<string, unknown>;
  /** The queue: which workers execute it. */
  queue?: "agent" | "embedding" | "query" | "memory" | null;
  /** Seconds to wait before it may begin. */
  after?: number;
  /** Data of your own, or of the server's. */
  metadata?: Record<string, unknown>;
}

/** Optional parameters of `invalidate_context`. */
export interface InvalidateContextOptions {
  /** The assistant: its id, or the name of its graph. */
  assistant_id?: string;
}

/** Optional parameters of `invalidate_contexts`. */
export interface InvalidateContextsOptions {
  /** The assistant whose contexts are forgotten; those of all if it is absent. */
  assistant_id?: string | null;
}

/** Optional parameters of `join_run_stream`. */
export interface JoinRunStreamOptions {
  /** Only events of these modes. */
  stream_mode?: Array<string> | null;
  /** Whether to cancel the run when the reader leaves. */
  cancel_on_disconnect?: boolean;
}

/** Optional parameters of `list_all_messages`. */
export interface ListAllMessagesOptions {
  /** How many at most. */
  limit?: number;
  /** The cursor of the page before. */
  cursor?: string | null;
  /** How many to leave out, for those who count pages. */
  skip?: number;
  /** Only these roles; may be repeated. */
  role?: Array<"system" | "user" | "assistant" | "tool">;
  /** Only messages made at this time or later. */
  since?: string | null;
  /** Only messages made before this time. */
  until?: string | null;
  /** Archived messages as well. */
  include_archived?: boolean;
}

/** Optional parameters of `list_documents`. */
export interface ListDocumentsOptions {
  /** How many at most. */
  limit?: number;
  /** The `after` of the page before. */
  after?: string | null;
  /** How many to leave out, for those who count pages. */
  skip?: number;
}

/** Optional parameters of `list_erasures`. */
export interface ListErasuresOptions {
  /** How many at most. */
  limit?: number;
}

/** Optional parameters of `list_keys`. */
export interface ListKeysOptions {
  /** Only this user's. */
  user?: string | null;
  /** How many at most. */
  limit?: number;
}

/** Optional parameters of `list_memories`. */
export interface ListMemoriesOptions {
  /** How many at most. */
  limit?: number;
  /** The `before` of the page before. */
  before?: string | null;
  /** How many to leave out, for those who count pages. */
  skip?: number;
  /** Only this kind. */
  kind?: "semantic" | "episodic" | "procedural" | "summary" | null;
  /** Only this attribute. */
  attribute?: "name" | "employer" | "job" | "department" | "team" | "city" | "country" | "email" | "phone" | "birthday" | "age" | "origin" | "marital_status" | "studies" | "health" | "allergy" | "diet" | "language" | "family" | "relative" | "pet" | "possession" | "likes" | "dislikes" | "preference" | "plan" | "remember" | null;
  /** Those of this status, whenever they hold. */
  status?: "approved" | "proposed" | "rejected" | "quarantined" | null;
  /** Those that held at that time; without it now. */
  as_of?: string | null;
  /** Only what was said in this thread. */
  thread_id?: string | null;
  /** Only those made at this time or later. */
  since?: string | null;
  /** Only those made before this time. */
  until?: string | null;
  /** Only those that are pinned, or that are not. */
  pinned?: boolean | null;
}

/** Optional parameters of `list_messages`. */
export interface ListMessagesOptions {
  /** How many at most. */
  limit?: number;
  /** Only seqs below this one. */
  before?: number | null;
  /** Only seqs above this one, the oldest first. */
  after?: number | null;
  /** How many to leave out, for those who count pages. */
  skip?: number;
  /** Only these roles; may be repeated. */
  role?: Array<"system" | "user" | "assistant" | "tool">;
  /** Only these messages; may be repeated. */
  id?: Array<string>;
  /** Only messages made at this time or later. */
  since?: string | null;
  /** Only messages made before this time. */
  until?: string | null;
  /** Archived messages as well. */
  include_archived?: boolean;
  /** `cached` asks a cache and no database, where a cache knows the thread. */
  consistency?: "strong" | "cached";
  /** With `cached`: this version or a later one, as X-Recuerdo-Version had it. */
  min_version?: string;
}

/** Optional parameters of `list_messages_of_user`. */
export interface ListMessagesOfUserOptions {
  /** How many at most. */
  limit?: number;
  /** The cursor of the page before. */
  cursor?: string | null;
  /** How many to leave out, for those who count pages. */
  skip?: number;
  /** Only these roles; may be repeated. */
  role?: Array<"system" | "user" | "assistant" | "tool">;
  /** Only messages made at this time or later. */
  since?: string | null;
  /** Only messages made before this time. */
  until?: string | null;
  /** Archived messages as well. */
  include_archived?: boolean;
}

/** Optional parameters of `list_tenant_memories`. */
export interface ListTenantMemoriesOptions {
  /** How many at most. */
  limit?: number;
  /** The `before` of the page before. */
  before?: string | null;
  /** How many to leave out, for those who count pages. */
  skip?: number;
  /** Only this kind. */
  kind?: "semantic" | "episodic" | "procedural" | "summary" | null;
  /** Those of this status, for admins. */
  status?: "approved" | "proposed" | "rejected" | "quarantined" | null;
}

/** Optional parameters of `list_threads`. */
export interface ListThreadsOptions {
  /** How many at most. */
  limit?: number;
  /** The cursor of the page before. */
  cursor?: string | null;
  /** How many to leave out, for those who count pages. */
  skip?: number;
  /** Only threads whose metadata has this `agent_id`. */
  agent_id?: string | null;
  /** Only threads whose metadata has this `channel`. */
  channel?: string | null;
  /** Only threads whose metadata has this: a JSON object, of any own fields. */
  metadata?: Record<string, unknown>;
}

/** Optional parameters of `list_threads_of_user`. */
export interface ListThreadsOfUserOptions {
  /** How many at most. */
  limit?: number;
  /** The cursor of the page before. */
  cursor?: string | null;
  /** How many to leave out, for those who count pages. */
  skip?: number;
  /** Only threads whose metadata has this `agent_id`. */
  agent_id?: string | null;
  /** Only threads whose metadata has this `channel`. */
  channel?: string | null;
  /** Only threads whose metadata has this: a JSON object, of any own fields. */
  metadata?: Record<string, unknown>;
}

/** Optional parameters of `list_users`. */
export interface ListUsersOptions {
  /** How many at most. */
  limit?: number;
  /** The `after` of the page before. */
  after?: string;
  /** How many to leave out, for those who count pages. */
  skip?: number;
}

/** Optional parameters of `memory_history`. */
export interface MemoryHistoryOptions {
  /** How many at most. */
  limit?: number;
}

/** Optional parameters of `propose_memory`. */
export interface ProposeMemoryOptions {
  /** A fact (`semantic`), an event (`episodic`), a way of doing things (`procedural`) or a `summary`. */
  kind?: "semantic" | "episodic" | "procedural" | "summary";
  /** How many seconds it lives; 0: for ever. */
  ttl?: number | null;
}

/** Optional parameters of `read_audit`. */
export interface ReadAuditOptions {
  /** How many at most. */
  limit?: number;
  /** The `next` of the page before. */
  before?: string | null;
  /** How many to leave out, for those who count pages. */
  skip?: number;
  /** Only from this time on. */
  since?: string | null;
  /** Only before this time. */
  until?: string | null;
  /** Only what this user did. */
  actor?: string | null;
  /** Only this action. */
  action?: string | null;
  /** What is of no tenant, such as refused credentials. For operators. */
  server?: boolean;
}

/** Optional parameters of `reject_memory`. */
export interface RejectMemoryOptions {
  /** Why, for the memory's history. */
  reason?: string | null;
}

/** Optional parameters of `reject_tenant_memory`. */
export interface RejectTenantMemoryOptions {
  /** Why, for the memory's history. */
  reason?: string | null;
}

/** Optional parameters of `replace_messages`. */
export interface ReplaceMessagesOptions {
  /** The thread's epoch as the caller knows it; 0: there is no thread. Another one is a 412. */
  expected_epoch?: number | null;
}

/** Optional parameters of `rotate_key`. */
export interface RotateKeyOptions {
  /** How many seconds the old key stays valid. */
  overlap?: number;
}

/** Optional parameters of `search_assistants`. */
export interface SearchAssistantsOptions {
  /** How many are returned at most. */
  limit?: number;
  /** How many to skip. */
  offset?: number;
  /** Ascending or descending. */
  sort_order?: "asc" | "desc";
  /** Only those whose metadata has these values. */
  metadata?: Record<string, unknown> | null;
  /** Only assistants of this graph. */
  graph_id?: string | null;
  /** Only assistants whose name contains this. */
  name?: string | null;
  /** The fields that the answer has. */
  select?: Array<"assistant_id" | "graph_id" | "name" | "description" | "config" | "context" | "metadata" | "version" | "visibility" | "stands_for" | "created_at" | "updated_at"> | null;
  /** The field by which the list is ordered. */
  sort_by?: "assistant_id" | "graph_id" | "name" | "created_at" | "updated_at";
}

/** Optional parameters of `search_documents`. */
export interface SearchDocumentsOptions {
  /** How many are returned at most. */
  limit?: number;
  /** The collections that are searched; all of them if there are none. */
  collections?: Array<string>;
  /** The least score of what is found, from 0 to 1. */
  threshold?: number | null;
}

/** Optional parameters of `search_history`. */
export interface SearchHistoryOptions {
  /** How many are returned at most. */
  limit?: number;
  /** Only messages of this thread. */
  thread_id?: string | null;
}

/** Optional parameters of `search_history_of_user`. */
export interface SearchHistoryOfUserOptions {
  /** How many are returned at most. */
  limit?: number;
  /** Only messages of this thread. */
  thread_id?: string | null;
}

/** Optional parameters of `search_memories`. */
export interface SearchMemoriesOptions {
  /** How many are returned at most. */
  limit?: number;
  /** Only memories of this kind. */
  kind?: "semantic" | "episodic" | "procedural" | "summary" | null;
  /** Only memories with this attribute. */
  attribute?: "name" | "employer" | "job" | "department" | "team" | "city" | "country" | "email" | "phone" | "birthday" | "age" | "origin" | "marital_status" | "studies" | "health" | "allergy" | "diet" | "language" | "family" | "relative" | "pet" | "possession" | "likes" | "dislikes" | "preference" | "plan" | "remember" | null;
  /** Only memories that come from this thread. */
  thread_id?: string | null;
  /** Only memories made at this time or later. */
  since?: string | null;
  /** Only memories made before this time. */
  until?: string | null;
  /** Search the memories that were valid at this time. */
  as_of?: string | null;
}

/** Optional parameters of `stream_run`. */
export interface StreamRunOptions {
  /** The thread's epoch as the caller knows it; 0: there is no thread. Another one is a 412. */
  expected_epoch?: number | null;
  /** The input of the graph. */
  input?: unknown;
  /** What the interrupted run continues with: `resume`, `update` or `goto`. */
  command?: Record<string, unknown> | null;
  /** Data of your own, or of the server's. */
  metadata?: Record<string, unknown> | null;
  /** The configuration in LangGraph's form, with `configurable`. */
  config?: Record<string, unknown> | null;
  /** The configuration of the agent, by the schema of its graph. */
  context?: Record<string, unknown> | null;
  /** The address that is told when the run ends. */
  webhook?: string | null;
  /** The nodes before which the run stops; `*` for all. */
  interrupt_before?: "*" | Array<string> | null;
  /** The nodes after which the run stops; `*` for all. */
  interrupt_after?: "*" | Array<string> | null;
  /** What the stream sends. */
  stream_mode?: "values" | "messages" | "updates" | "events" | "tasks" | "checkpoints" | "debug" | "custom" | "messages-tuple" | Array<"values" | "messages" | "updates" | "events" | "tasks" | "checkpoints" | "debug" | "custom" | "messages-tuple"> | null;
  /** Whether events of subgraphs are sent. */
  stream_subgraphs?: boolean;
  /** Whether a reader may come back to the stream. */
  stream_resumable?: boolean;
  /** When a checkpoint is written: with each step, after it, or at the end. */
  durability?: "sync" | "async" | "exit" | null;
  /** Keep a checkpoint of each step; as the durability says if it is absent. */
  checkpoint_during?: boolean | null;
  /** What happens if the thread is busy: refuse, stop the other run, take it back, or wait. */
  multitask_strategy?: "reject" | "interrupt" | "rollback" | "enqueue";
  /** The checkpoint that the run begins from; the latest if it is absent. */
  checkpoint?: CheckpointBody | null;
  /** The id of the checkpoint that the run begins from; the latest if it is absent. */
  checkpoint_id?: string | null;
  /** Accepted as LangGraph does; feedback is not collected. */
  feedback_keys?: Array<string> | null;
  /** What becomes of the thread of a run without one. */
  on_completion?: "delete" | "keep" | null;
  /** What becomes of the run when its reader leaves. */
  on_disconnect?: "cancel" | "continue";
  /** How many seconds the run waits before it starts. */
  after_seconds?: number;
  /** What to do if the thread does not exist: refuse, or make it. */
  if_not_exists?: "create" | "reject";
}

/** Optional parameters of `tenant_memory_history`. */
export interface TenantMemoryHistoryOptions {
  /** How many at most. */
  limit?: number;
}

/** Optional parameters of `thread_window`. */
export interface ThreadWindowOptions {
  /** At most this many messages. */
  messages?: number | null;
  /** At most this many tokens. */
  tokens?: number | null;
  /** `cached` asks a cache and no database, where a cache knows the thread. */
  consistency?: "strong" | "cached";
  /** With `cached`: this version or a later one, as X-Recuerdo-Version had it. */
  min_version?: string;
  /** The thread's summary, if it has one, for what does not fit. */
  summary?: boolean;
}

/** Optional parameters of `update_assistant`. */
export interface UpdateAssistantOptions {
  /** The configuration in LangGraph's form, with `configurable`. */
  config?: Record<string, unknown> | null;
  /** The configuration of the agent, by the schema of its graph. */
  context?: Record<string, unknown> | null;
  /** Data of your own, or of the server's. */
  metadata?: Record<string, unknown> | null;
  /** The name of the assistant, for people. */
  name?: string | null;
  /** What it is for, in words. */
  description?: string | null;
  /** The name of the graph. */
  graph_id?: string | null;
  /** For whom the assistant is: its user, all users of the tenant, or everybody. */
  visibility?: "tenant" | null;
  /** The graph's own assistant that it takes the place of. */
  stands_for?: string | null;
}

/** Optional parameters of `update_context`. */
export interface UpdateContextOptions {
  /** The assistant: its id, or the name of its graph. */
  assistant_id?: string;
}

/** Optional parameters of `update_memory`. */
export interface UpdateMemoryOptions {
  /** How many seconds it lives from now on; 0: for ever. Unchanged if it is absent. */
  ttl?: number | null;
  /** When it expires from now on; unchanged if it is absent. */
  expires_at?: string | null;
  /** The text. */
  text?: string | null;
  /** A fact (`semantic`), an event (`episodic`), a way of doing things (`procedural`) or a `summary`. */
  kind?: "semantic" | "episodic" | "procedural" | "summary" | null;
  /** What the memory says of its owner, such as `city`; null for a note. */
  attribute?: "name" | "employer" | "job" | "department" | "team" | "city" | "country" | "email" | "phone" | "birthday" | "age" | "origin" | "marital_status" | "studies" | "health" | "allergy" | "diet" | "language" | "family" | "relative" | "pet" | "possession" | "likes" | "dislikes" | "preference" | "plan" | "remember" | null;
  /** The value of the attribute, such as the name of the city. */
  value?: string | null;
  /** Whether it stands in every prompt from now on; no retention policy removes it then. */
  pinned?: boolean | null;
}

/** Optional parameters of `update_thread`. */
export interface UpdateThreadOptions {
  /** The new title, 1 to 80 characters in one line. */
  title?: string | null;
  /** Changes of the metadata: keys that are null are removed, and those not named stay. */
  metadata?: Record<string, unknown> | null;
}

/** Optional parameters of `wait_for_run`. */
export interface WaitForRunOptions {
  /** The thread's epoch as the caller knows it; 0: there is no thread. Another one is a 412. */
  expected_epoch?: number | null;
  /** The input of the graph. */
  input?: unknown;
  /** What the interrupted run continues with: `resume`, `update` or `goto`. */
  command?: Record<string, unknown> | null;
  /** Data of your own, or of the server's. */
  metadata?: Record<string, unknown> | null;
  /** The configuration in LangGraph's form, with `configurable`. */
  config?: Record<string, unknown> | null;
  /** The configuration of the agent, by the schema of its graph. */
  context?: Record<string, unknown> | null;
  /** The address that is told when the run ends. */
  webhook?: string | null;
  /** The nodes before which the run stops; `*` for all. */
  interrupt_before?: "*" | Array<string> | null;
  /** The nodes after which the run stops; `*` for all. */
  interrupt_after?: "*" | Array<string> | null;
  /** What the stream sends. */
  stream_mode?: "values" | "messages" | "updates" | "events" | "tasks" | "checkpoints" | "debug" | "custom" | "messages-tuple" | Array<"values" | "messages" | "updates" | "events" | "tasks" | "checkpoints" | "debug" | "custom" | "messages-tuple"> | null;
  /** Whether events of subgraphs are sent. */
  stream_subgraphs?: boolean;
  /** Whether a reader may come back to the stream. */
  stream_resumable?: boolean;
  /** When a checkpoint is written: with each step, after it, or at the end. */
  durability?: "sync" | "async" | "exit" | null;
  /** Keep a checkpoint of each step; as the durability says if it is absent. */
  checkpoint_during?: boolean | null;
  /** What happens if the thread is busy: refuse, stop the other run, take it back, or wait. */
  multitask_strategy?: "reject" | "interrupt" | "rollback" | "enqueue";
  /** The checkpoint that the run begins from; the latest if it is absent. */
  checkpoint?: CheckpointBody | null;
  /** The id of the checkpoint that the run begins from; the latest if it is absent. */
  checkpoint_id?: string | null;
  /** Accepted as LangGraph does; feedback is not collected. */
  feedback_keys?: Array<string> | null;
  /** What becomes of the thread of a run without one. */
  on_completion?: "delete" | "keep" | null;
  /** What becomes of the run when its reader leaves. */
  on_disconnect?: "cancel" | "continue";
  /** How many seconds the run waits before it starts. */
  after_seconds?: number;
  /** What to do if the thread does not exist: refuse, or make it. */
  if_not_exists?: "create" | "reject";
}

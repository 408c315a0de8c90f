"""The answers of the server.

Made by scripts/client_types.py from the OpenAPI document: change the server, and run it again.
"""

from datetime import datetime
from typing import Any, Literal

import msgspec

from recuerdo.core.actions import ActionResult
from recuerdo.core.audit import AuditEntry
from recuerdo.core.contexts import ExecutionContext
from recuerdo.core.library import Chunk, ChunkHit, LibraryDocument
from recuerdo.core.memories import Ending, Review, Source
from recuerdo.core.messages import Message


class DocumentData(msgspec.Struct, frozen=True, kw_only=True):
    """A document that was added. `changed`: not so when it was there already."""

    document: LibraryDocument
    changed: bool


class MemoryData(msgspec.Struct, frozen=True, kw_only=True):
    """A memory, without its owner: that is always the caller, or where it is `shared` the caller's tenant.

    The fields after `updated_at` are present only where they apply: that it waits or was rejected, and why; until
    when it held, and what ended it; when it expires.
    """

    id: str
    text: str
    kind: str
    attribute: str | None
    value: str | None
    source: Source
    trust: float
    created_at: datetime
    updated_at: datetime
    status: str = "approved"
    review: Review | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    ending: Ending | None = None
    expires_at: datetime | None = None
    pinned: bool = False
    shared: bool = False


class ReceiptData(msgspec.Struct, frozen=True, kw_only=True):
    """The receipt of an append. `replayed`: the Idempotency-Key was known, and nothing was written again."""

    ids: list[str]
    seqs: list[int]
    version: str
    replayed: bool
    durability: str


class ArchivedData(msgspec.Struct, frozen=True, kw_only=True):
    """How many messages changed."""

    changed: int


class FindingData(msgspec.Struct, frozen=True, kw_only=True):
    """A memory that should not be there, why, and the one that says the same or the contrary, if one does."""

    memory_id: str
    problem: str
    text: str
    other: str | None = None


class AuditData(msgspec.Struct, frozen=True, kw_only=True):
    """The number of memories, the problems of each, and how often each problem occurs."""

    memories: int
    junk_rate: float
    problems: dict[str, int]
    findings: list[FindingData]


class ChatAnswerData(msgspec.Struct, frozen=True, kw_only=True):
    """A finished turn.

    `history` says `unavailable` when the model answered without what was said before, or when a message could not be
    stored, which has no `seq` then: send it again with its key. `memories_ended` hold no longer since the message, and
    `memories_waiting` are in quarantine.
    """

    thread_id: str
    message: Message
    reply: Message
    memories_used: list[MemoryData]
    memories_saved: list[MemoryData]
    memories_ended: list[MemoryData]
    memories_waiting: list[MemoryData]
    model: str
    offline: bool
    history: str
    version: str


class ClaimedThreadData(msgspec.Struct, frozen=True, kw_only=True):
    """A thread that was moved: its former id, and the one that it has now, which is usually the same."""

    thread_id: str
    claimed_as: str


class ClaimedConversationsData(msgspec.Struct, frozen=True, kw_only=True):
    """The threads of a visitor that are the user's now."""

    threads: list[ClaimedThreadData]


class ClearedData(msgspec.Struct, frozen=True, kw_only=True):
    """The version of the thread that is empty now."""

    version: str


class KeyData(msgspec.Struct, frozen=True, kw_only=True):
    """An API key, without its secret. `state` is `good`, `revoked` or `expired`."""

    id: str
    user: str
    name: str
    role: str
    tier: str | None
    scopes: list[str]
    state: str
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None
    replaced_by: str | None


class NewKeyData(msgspec.Struct, frozen=True, kw_only=True):
    """A key that was just made, and its secret, which is never shown again."""

    key: KeyData
    secret: str


class ErasedPlaceData(msgspec.Struct, frozen=True, kw_only=True):
    """Where a user had something: how much was removed, whether it is clean now, and how that was looked at."""

    name: str
    removed: int
    clean: bool
    how: str


class ErasureData(msgspec.Struct, frozen=True, kw_only=True):
    """The data of the caller that was removed. `complete`: every place was checked afterwards and is empty."""

    at: datetime
    removed: dict[str, int]
    rounds: int
    complete: bool
    places: list[ErasedPlaceData]


class ErasureProgressData(msgspec.Struct, frozen=True, kw_only=True):
    """An erasure in the background. `users` counts the users erased so far; `complete` is for its end."""

    id: str
    status: str
    asked_at: datetime
    updated_at: datetime
    users: int
    removed: dict[str, int]
    complete: bool
    places: list[ErasedPlaceData]


class LayerData(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a prompt and how many tokens it takes."""

    name: str
    tokens: int


class LeftOutData(msgspec.Struct, frozen=True, kw_only=True):
    """Messages of the thread that the model was not shown, and why.

    `older` ones did not fit into the window; `hidden` ones were archived, or of a role that the agent does not see.
    """

    first: int
    last: int
    reason: str


class QuotedMessageData(msgspec.Struct, frozen=True, kw_only=True):
    """The part of a message that a prompt quotes, and the place of the message."""

    message: Message
    thread_id: str
    seq: int


class WhyData(msgspec.Struct, frozen=True, kw_only=True):
    """How a reply came about.

    `prompt` is what the model was shown, made again from what is stored; `exact` says that it is so letter for letter:
    otherwise something of it was erased or changed since, and `gone` counts memories and passages that were. `layers`
    are its parts and their tokens, `left_out` the messages that it does not show, and why. `passages` were said in
    other threads. `scores` tell by their ids how well memories fitted the message; the others stand in any prompt.
    """

    exact: bool
    model: str
    prompt: list[Message]
    layers: list[LayerData]
    left_out: list[LeftOutData]
    memories_used: list[MemoryData]
    memories_saved: list[MemoryData]
    memories_ended: list[MemoryData]
    memories_waiting: list[MemoryData]
    gone: int
    passages: list[QuotedMessageData] = []
    scores: dict[str, float] = {}


class ThreadEntryData(msgspec.Struct, frozen=True, kw_only=True):
    """A thread as lists show it.

    `title` is the start of the first thing that the user said, until the thread is renamed. It is `archived` while its
    latest message is. `metadata` is what programs say of it, such as its agent and its channel.
    """

    id: str
    title: str
    metadata: dict[str, Any]
    archived: bool
    version: str
    message_count: int
    created_at: datetime
    updated_at: datetime


class ActionStateData(msgspec.Struct, frozen=True, kw_only=True):
    """The state of an action; `due` is when it may begin, or when its lease or its result ends."""

    action_id: str
    type: str
    queue: str
    status: str
    attempts: int
    created_at: datetime
    due: datetime
    result: ActionResult | None = None


class ContextData(msgspec.Struct, frozen=True, kw_only=True):
    """A thread's execution context; equal `fingerprint`s mean equal behaviour, `bytes` is the context's size."""

    context: ExecutionContext
    fingerprint: str
    bytes: int


class DocumentChunksData(msgspec.Struct, frozen=True, kw_only=True):
    """A document and the chunks that it was split into, in their order."""

    document: LibraryDocument
    chunks: list[Chunk]


class PrincipalData(msgspec.Struct, frozen=True, kw_only=True):
    """The principal of a request."""

    tenant: str
    user: str
    role: str
    tier: str | None
    anonymous: bool
    scopes: list[str] | None = None


class ThreadDetailData(msgspec.Struct, frozen=True, kw_only=True):
    """A thread with the number of its messages by role, archived ones included."""

    id: str
    title: str
    metadata: dict[str, Any]
    archived: bool
    version: str
    message_count: int
    created_at: datetime
    updated_at: datetime
    counts: dict[str, int]


class ImportedData(msgspec.Struct, frozen=True, kw_only=True):
    """How many memories were not there yet."""

    imported: int


class InfoData(msgspec.Struct, frozen=True, kw_only=True):
    """This server's version, model and options.

    `auth` is how callers prove who they are: `none`, `token`, `api_key` or `token, api_key`. `local_user` is whom the
    page acts as where no sign-in is needed. `graphs` are those of a langgraph.json, if there is one.
    """

    version: str
    model: str
    offline: bool
    embeddings: str | None
    auth: str
    local_user: str
    flags: dict[str, bool]
    graphs: list[str] = []


class SaidMessageData(msgspec.Struct, frozen=True, kw_only=True):
    """A message and the thread that it stands in."""

    thread_id: str
    message: Message


class MessageListData(msgspec.Struct, frozen=True, kw_only=True):
    """Messages of all threads, the latest made first. `cursor` asks for the next page; null at the end."""

    messages: list[SaidMessageData]
    cursor: str | None


class DocumentListData(msgspec.Struct, frozen=True, kw_only=True):
    """Documents, the latest first. `after` asks for the next page; null at the end."""

    documents: list[LibraryDocument]
    after: str | None


class EntityData(msgspec.Struct, frozen=True, kw_only=True):
    """A person or thing that memories are about. `memories` are the ids of those that name it."""

    id: str
    name: str
    kind: str
    memories: list[str]


class RelationData(msgspec.Struct, frozen=True, kw_only=True):
    """That `subject` stands to `object` as `name` says: `works_at`, `lives_in`, or a word for a relative, `hermano`.

    Both are ids of entities. It holds from `since` until before `until`, None while it holds; `memories` say so.
    """

    subject: str
    name: str
    object: str
    since: datetime
    until: datetime | None
    memories: list[str]


class EntityGraphData(msgspec.Struct, frozen=True, kw_only=True):
    """The entities of a user's memories, and the relations between them."""

    entities: list[EntityData]
    relations: list[RelationData]


class ErasureListData(msgspec.Struct, frozen=True, kw_only=True):
    """Erasures that go on in the background, or did, the latest first."""

    erasures: list[ErasureProgressData]


class KeyListData(msgspec.Struct, frozen=True, kw_only=True):
    """Some of a tenant's keys."""

    keys: list[KeyData]


class MemoryListData(msgspec.Struct, frozen=True, kw_only=True):
    """Memories, the latest created first. `before` asks for the next page; null at the end."""

    memories: list[MemoryData]
    before: str | None


class MessagePageData(msgspec.Struct, frozen=True, kw_only=True):
    """Messages, oldest first. `more`: the limit cut some off; `before` and `after` lead to the messages around."""

    messages: list[Message]
    version: str
    more: bool
    before: int | None
    after: int | None


class ThreadListData(msgspec.Struct, frozen=True, kw_only=True):
    """Threads, the latest changed first. `cursor` asks for the next page; null at the end."""

    threads: list[ThreadEntryData]
    cursor: str | None


class UserPageData(msgspec.Struct, frozen=True, kw_only=True):
    """Users of a tenant, in the order of their ids. `after` asks for the next page; null at the end."""

    users: list[str]
    after: str | None


class EntryData(msgspec.Struct, frozen=True, kw_only=True):
    """One memory in a change: as it was, and as it is since; null where there was or is none."""

    before: MemoryData | None
    after: MemoryData | None


class ChangeData(msgspec.Struct, frozen=True, kw_only=True):
    """One change of memories. `undoes` is the version of the change that this one took back."""

    version: int
    at: datetime
    action: str
    entries: list[EntryData]
    undoes: int | None
    undone: bool


class ChangeListData(msgspec.Struct, frozen=True, kw_only=True):
    """The changes of a memory, the latest first."""

    changes: list[ChangeData]


class AliveData(msgspec.Struct, frozen=True, kw_only=True):
    """The server answers."""

    ok: Literal[True] = True


class AuditEntriesData(msgspec.Struct, frozen=True, kw_only=True):
    """Entries, the latest first, and the `before` of the next page; null where there are no more."""

    entries: list[AuditEntry]
    next: str | None


class ChunkHitsData(msgspec.Struct, frozen=True, kw_only=True):
    """Parts of documents that a search found, best first. Scores are 0 to 1."""

    hits: list[ChunkHit]


class SaidHitData(msgspec.Struct, frozen=True, kw_only=True):
    """A message that was found, and where it stands."""

    message: Message
    thread_id: str
    seq: int
    score: float


class MessageHitsData(msgspec.Struct, frozen=True, kw_only=True):
    """Messages that a search found, best first."""

    hits: list[SaidHitData]


class HitData(msgspec.Struct, frozen=True, kw_only=True):
    """A memory that was found. Scores order the hits of one search and mean nothing across searches."""

    memory: MemoryData
    score: float


class HitsData(msgspec.Struct, frozen=True, kw_only=True):
    """The results of a search, best first."""

    hits: list[HitData]


class ThreadSummaryData(msgspec.Struct, frozen=True, kw_only=True):
    """A thread's summary, which is a memory of the kind `summary`; its `source.seq` is the last message it covers."""

    summary: MemoryData | None


class WindowData(msgspec.Struct, frozen=True, kw_only=True):
    """Messages that are ready for a model."""

    messages: list[Message]


class ChatStartData(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of the prompt besides the instructions.

    These are the memories, of which those with a `valid_until` held before, the history's window and the message, and
    `passages` of what was said in earlier conversations.
    """

    thread_id: str
    message: Message
    memories_used: list[MemoryData]
    window: list[Message]
    model: str
    offline: bool
    history: str
    passages: list[SaidHitData] = []

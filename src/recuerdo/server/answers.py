"""Response bodies: JSON that is encoded once, one struct an answer, described in /openapi.json."""

from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any, Literal, TypeVar

import msgspec
from starlette.responses import Response

from recuerdo.actions.records import ActionRecord
from recuerdo.agents.events import HistoryState, Reply, Started
from recuerdo.agents.why import Explanation, Layer, LeftOut
from recuerdo.core.actions import ActionResult, Queue
from recuerdo.core.api_keys import ApiKey
from recuerdo.core.audit import AuditEntry
from recuerdo.core.contexts import ExecutionContext
from recuerdo.core.library import Chunk, ChunkHit, LibraryDocument
from recuerdo.core.memories import (
    Action,
    Attribute,
    Ending,
    Kind,
    Memory,
    MemoryChange,
    MemoryEntry,
    Review,
    Source,
    Status,
)
from recuerdo.core.messages import Message, Record, join
from recuerdo.core.passages import MessageHit
from recuerdo.core.scope import TenantOwner
from recuerdo.core.threads import NOWHERE, Appended, Durability, Version
from recuerdo.history.claims import ClaimedThread

_T = TypeVar("_T")
_encoder = msgspec.json.Encoder()


Holds = Callable[[], Coroutine[Any, Any, bool]]
"""Whether an answer would be the same if it was made anew."""


class JsonResponse(Response):
    """Anything that msgspec encodes; `bytes` are taken as JSON that is ready.

    With `holds` a CachedResponseRoute sends it again as long as that is true.
    """

    media_type = "application/json"

    def __init__(
        self,
        content: object,
        status_code: int = 200,
        headers: Mapping[str, str] | None = None,
        holds: Holds | None = None,
    ) -> None:
        body = content if isinstance(content, bytes) else _encoder.encode(content)
        super().__init__(body, status_code, dict(headers or {}))
        self.headers.setdefault("Cache-Control", "no-store")
        self.headers["X-Content-Type-Options"] = "nosniff"
        self.holds = holds


def version_headers(version: Version) -> dict[str, str]:
    """The thread's version, for caches and for clients that only look at headers.

    The entity tag is weak: archiving changes what a page shows, and not the version. An append that waits in the
    spool has no version yet.
    """
    return {} if version == NOWHERE else {"X-Recuerdo-Version": str(version), "ETag": f'W/"{version}"'}


def first_entries(entries: Iterable[_T], most_bytes: int) -> list[_T]:
    """The first entries, up to the one that brings them to the given number of bytes as JSON."""
    found: list[_T] = []
    for entry in entries:
        found.append(entry)
        most_bytes -= len(_encoder.encode(entry))
        if most_bytes <= 0:
            break
    return found


def object_with(name: str, records: Sequence[Record], rest: Mapping[str, Any]) -> bytes:
    """A JSON object of `rest` and of stored messages, which are passed on without being decoded."""
    tail = _encoder.encode(rest)[1:]
    return b'{"%b":%b%b%b' % (name.encode(), join(records), b"" if tail == b"}" else b",", tail)


OFFLINE = "offline"
"""The name of the model that needs no network; answers label it."""


class Alive(msgspec.Struct, frozen=True):
    """The server answers."""

    ok: Literal[True] = True


class Info(msgspec.Struct, frozen=True):
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
    graphs: tuple[str, ...] = ()


class AuditEntries(msgspec.Struct, frozen=True):
    """Entries, the latest first, and the `before` of the next page; null where there are no more."""

    entries: list[AuditEntry]
    next: str | None


class KnownPrincipal(msgspec.Struct, frozen=True):
    """The principal of a request."""

    tenant: str
    user: str
    role: str
    tier: str | None
    anonymous: bool
    scopes: Sequence[str] | msgspec.UnsetType = msgspec.UNSET
    """Only where they narrow down what the role allows."""


class SignedOut(msgspec.Struct, frozen=True):
    """The session here is gone. Where `location` is, the browser ends the one at the identity provider."""

    location: str | None


class KnownKey(msgspec.Struct, frozen=True):
    """An API key, without its secret. `state` is `good`, `revoked` or `expired`."""

    id: str
    user: str
    name: str
    role: str
    tier: str | None
    scopes: Sequence[str]
    state: Literal["good", "revoked", "expired"]
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None
    replaced_by: str | None

    @classmethod
    def of(cls, key: ApiKey) -> "KnownKey":
        """The key as a client sees it."""
        state = "revoked" if key.revoked_at else "good" if key.is_good(datetime.now(UTC)) else "expired"
        return cls(
            *(key.id, key.owner.user, key.name, key.role, key.tier, key.scopes, state),
            *(key.created_at, key.expires_at, key.last_used_at, key.revoked_at, key.replaced_by),
        )


class NewKey(msgspec.Struct, frozen=True):
    """A key that was just made, and its secret, which is never shown again."""

    key: KnownKey
    secret: str


class KeyList(msgspec.Struct, frozen=True):
    """Some of a tenant's keys."""

    keys: Sequence[KnownKey]


class KnownMemory(msgspec.Struct, frozen=True, omit_defaults=True):
    """A memory, without its owner: that is always the caller, or where it is `shared` the caller's tenant.

    The fields after `updated_at` are present only where they apply: that it waits or was rejected, and why; until
    when it held, and what ended it; when it expires.
    """

    id: str
    text: str
    kind: Kind
    attribute: Attribute | None
    value: str | None
    source: Source
    trust: float
    created_at: datetime
    updated_at: datetime
    status: Status = "approved"
    review: Review | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    ending: Ending | None = None
    expires_at: datetime | None = None
    pinned: bool = False
    shared: bool = False

    @classmethod
    def of(cls, memory: Memory) -> "KnownMemory":
        return cls(*_told_of(memory), shared=isinstance(memory.owner, TenantOwner))


_told_of = attrgetter(*KnownMemory.__struct_fields__[:-1])
"""The fields of a memory that an answer has."""


class ThreadSummary(msgspec.Struct, frozen=True):
    """A thread's summary, which is a memory of the kind `summary`; its `source.seq` is the last message it covers."""

    summary: KnownMemory | None


class KnownEntry(msgspec.Struct, frozen=True):
    """One memory in a change: as it was, and as it is since; null where there was or is none."""

    before: KnownMemory | None
    after: KnownMemory | None

    @classmethod
    def of(cls, entry: MemoryEntry) -> "KnownEntry":
        before, after = entry.before, entry.after
        return cls(KnownMemory.of(before) if before else None, KnownMemory.of(after) if after else None)


class KnownChange(msgspec.Struct, frozen=True):
    """One change of memories. `undoes` is the version of the change that this one took back."""

    version: int
    at: datetime
    action: Action
    entries: list[KnownEntry]
    undoes: int | None
    undone: bool

    @classmethod
    def of(cls, change: MemoryChange) -> "KnownChange":
        entries = [KnownEntry.of(entry) for entry in change.entries]
        return cls(change.version, change.at, change.action, entries, change.undoes, change.undone)


class ChangeList(msgspec.Struct, frozen=True):
    """The changes of a memory, the latest first."""

    changes: list[KnownChange]


class MemoryList(msgspec.Struct, frozen=True):
    """Memories, the latest created first. `before` asks for the next page; null at the end."""

    memories: list[KnownMemory]
    before: str | None


class Hit(msgspec.Struct, frozen=True):
    """A memory that was found. Scores order the hits of one search and mean nothing across searches."""

    memory: KnownMemory
    score: float


class Hits(msgspec.Struct, frozen=True):
    """The results of a search, best first."""

    hits: list[Hit]


class Imported(msgspec.Struct, frozen=True):
    """How many memories were not there yet."""

    imported: int


class SaidHit(msgspec.Struct, frozen=True):
    """A message that was found, and where it stands."""

    message: Message
    thread_id: str
    seq: int
    score: float

    @classmethod
    def of(cls, hit: MessageHit) -> "SaidHit":
        return cls(hit.message, hit.thread, hit.seq, hit.score)


class MessageHits(msgspec.Struct, frozen=True):
    """Messages that a search found, best first."""

    hits: list[SaidHit]


class ChatStart(msgspec.Struct, frozen=True):
    """The parts of the prompt besides the instructions.

    These are the memories, of which those with a `valid_until` held before, the history's window and the message, and
    `passages` of what was said in earlier conversations.
    """

    thread_id: str
    message: Message
    memories_used: list[KnownMemory]
    window: list[Message]
    model: str
    offline: bool
    history: HistoryState
    passages: list[SaidHit] = []

    @classmethod
    def of(cls, started: Started) -> "ChatStart":
        return cls(
            started.thread_id,
            started.message,
            [*map(KnownMemory.of, started.memories_used)],
            started.window,
            started.model,
            started.model == OFFLINE,
            started.history,
            [*map(SaidHit.of, started.passages)],
        )


class ChatAnswer(msgspec.Struct, frozen=True):
    """A finished turn.

    `history` says `unavailable` when the model answered without what was said before, or when a message could not be
    stored, which has no `seq` then: send it again with its key. `memories_ended` hold no longer since the message, and
    `memories_waiting` are in quarantine.
    """

    thread_id: str
    message: Message
    reply: Message
    memories_used: list[KnownMemory]
    memories_saved: list[KnownMemory]
    memories_ended: list[KnownMemory]
    memories_waiting: list[KnownMemory]
    model: str
    offline: bool
    history: HistoryState
    version: str

    @classmethod
    def of(cls, reply: Reply) -> "ChatAnswer":
        return cls(
            reply.thread_id,
            reply.message,
            reply.reply,
            [*map(KnownMemory.of, reply.memories_used)],
            [*map(KnownMemory.of, reply.memories_saved)],
            [*map(KnownMemory.of, reply.memories_ended)],
            [*map(KnownMemory.of, reply.memories_waiting)],
            reply.model,
            reply.model == OFFLINE,
            reply.history,
            str(reply.version),
        )


class QuotedMessage(msgspec.Struct, frozen=True):
    """The part of a message that a prompt quotes, and the place of the message."""

    message: Message
    thread_id: str
    seq: int


class Why(msgspec.Struct, frozen=True):
    """How a reply came about.

    `prompt` is what the model was shown, made again from what is stored; `exact` says that it is so letter for letter:
    otherwise something of it was erased or changed since, and `gone` counts memories and passages that were. `layers`
    are its parts and their tokens, `left_out` the messages that it does not show, and why. `passages` were said in
    other threads. `scores` tell by their ids how well memories fitted the message; the others stand in any prompt.
    """

    exact: bool
    model: str
    prompt: list[Message]
    layers: list[Layer]
    left_out: list[LeftOut]
    memories_used: list[KnownMemory]
    memories_saved: list[KnownMemory]
    memories_ended: list[KnownMemory]
    memories_waiting: list[KnownMemory]
    gone: int
    passages: list[QuotedMessage] = []
    scores: dict[str, float] = {}

    @classmethod
    def of(cls, why: Explanation) -> "Why":
        return cls(
            why.exact,
            why.model,
            why.prompt,
            why.layers,
            why.left_out,
            [*map(KnownMemory.of, why.used)],
            [*map(KnownMemory.of, why.saved)],
            [*map(KnownMemory.of, why.ended)],
            [*map(KnownMemory.of, why.waiting)],
            why.gone,
            [QuotedMessage(hit.message, hit.thread, hit.seq) for hit in why.passages],
            why.scores,
        )


class Receipt(msgspec.Struct, frozen=True):
    """The receipt of an append. `replayed`: the Idempotency-Key was known, and nothing was written again."""

    ids: list[str]
    seqs: list[int]
    version: str
    replayed: bool
    durability: Durability

    @classmethod
    def of(cls, appended: Appended) -> "Receipt":
        return cls(appended.ids, [*appended.seqs], str(appended.version), appended.replayed, appended.durability)


class MessagePage(msgspec.Struct, frozen=True):
    """Messages, oldest first. `more`: the limit cut some off; `before` and `after` lead to the messages around."""

    messages: list[Message]
    version: str
    more: bool
    before: int | None
    after: int | None


class Window(msgspec.Struct, frozen=True):
    """Messages that are ready for a model."""

    messages: list[Message]


class KnownContext(msgspec.Struct, frozen=True):
    """A thread's execution context; equal `fingerprint`s mean equal behaviour, `bytes` is the context's size."""

    context: ExecutionContext
    fingerprint: str
    bytes: int

    @classmethod
    def of(cls, context: ExecutionContext) -> "KnownContext":
        return cls(context, context.fingerprint, len(msgspec.json.encode(context)))


class ActionState(msgspec.Struct, frozen=True):
    """The state of an action; `due` is when it may begin, or when its lease or its result ends."""

    action_id: str
    type: str
    queue: Queue
    status: Literal["waiting", "working", "done", "dead"]
    attempts: int
    created_at: datetime
    due: datetime
    result: ActionResult | None = None

    @classmethod
    def of(cls, record: ActionRecord) -> "ActionState":
        return cls(**{name: getattr(record, name) for name in cls.__struct_fields__})


class KnownDocument(msgspec.Struct, frozen=True):
    """A document that was added. `changed`: not so when it was there already."""

    document: LibraryDocument
    changed: bool


class ClaimedConversations(msgspec.Struct, frozen=True):
    """The threads of a visitor that are the user's now."""

    threads: list[ClaimedThread]


class DocumentList(msgspec.Struct, frozen=True):
    """Documents, the latest first. `after` asks for the next page; null at the end."""

    documents: list[LibraryDocument]
    after: str | None


class DocumentChunks(msgspec.Struct, frozen=True):
    """A document and the chunks that it was split into, in their order."""

    document: LibraryDocument
    chunks: list[Chunk]


class ChunkHits(msgspec.Struct, frozen=True):
    """Parts of documents that a search found, best first. Scores are 0 to 1."""

    hits: list[ChunkHit]


class Archived(msgspec.Struct, frozen=True):
    """How many messages changed."""

    changed: int


class Cleared(msgspec.Struct, frozen=True):
    """The version of the thread that is empty now."""

    version: str


class Complaint(msgspec.Struct, frozen=True):
    """One thing that is wrong with the request, and where."""

    loc: list[str | int]
    msg: str
    type: str


class Invalid(msgspec.Struct, frozen=True):
    """Everything that is wrong with the request, and the same in one line, which LangGraph's clients show."""

    detail: list[Complaint]
    message: str


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why the request failed, and what to do next. `code` is the error's name, where it is one of Recuerdo's."""

    detail: str
    code: str = ""

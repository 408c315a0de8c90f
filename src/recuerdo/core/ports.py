"""Ports of the core tier: what a database must keep for conversations and memories, and the models and the clock.

A `Repository` is durable: when a method returns, the data survives a power cut. Repositories raise the errors of
`recuerdo.core.errors` and none of their driver's. `HistoryRepository`, `ThreadRepository` and `MemoryRepository` are
what every database must have. Without `PassageRepository`, `SessionRepository`, `ApiKeyRepository` or
`DataKeyRepository` Recuerdo searches over the history, keeps sessions in the process, has no API keys, and can't
encrypt. Graphs need the ports of `recuerdo.core.graph_ports` as well. The contract suites of these ports are in
`recuerdo.testing`.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple, Protocol

from recuerdo.core.api_keys import ApiKey
from recuerdo.core.audit import AuditEntry, AuditQuery
from recuerdo.core.contexts import Session
from recuerdo.core.errors import RecuerdoError
from recuerdo.core.memories import Attribute, Embedding, LedgerState, Memory, MemoryChange, MemoryQuery
from recuerdo.core.messages import Message, Record, Role
from recuerdo.core.passages import (
    MessageHit,
    MessagePlace,
    PassageVector,
    StoredPassage,
    TimedPage,
    TimedQuery,
    UserMessages,
)
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.thread_metadata import ThreadMetadata
from recuerdo.core.threads import (
    MOST_READ_BYTES,
    Append,
    Appended,
    ChangedThreads,
    Head,
    HeadChanges,
    MessageQuery,
    Page,
    Snapshot,
    Tail,
    Thread,
    ThreadPage,
    Version,
)


class HistoryRepository(Protocol):
    """The messages of threads: append-only, seqs 1..n without a gap."""

    async def append(self, batch: Sequence[Append]) -> list[Appended | RecuerdoError]:
        """Commit the batch in one transaction, each request with its own outcome, in order.

        Each request is decided by `core.threads.admit` against what the ones before it left. One that fails leaves
        nothing behind, never fails its neighbours, and its error is returned: EpochChanged, IdempotencyConflict,
        AlreadyErased, or DuplicateMessage when a message's id is already in the thread. An absent or deleted thread is
        at NOWHERE, and created in a new epoch. The thread's title is the first Append.title that is not empty, its
        `updated_at` the last `appended_at`; a replay changes neither. Raises DatabaseUnavailable when the batch as a
        whole could not be committed, and OutcomeUnknown when it was sent and the answer was lost.
        """
        ...

    async def replace(self, request: Append) -> Appended:
        """Erase the thread's messages, as `ThreadRepository.clear` does, and append these, in one transaction.

        It is decided by `core.threads.admit_replacement`. A thread that is absent or deleted begins. Readers see what
        was there or what is there now, never a mix. Raises EpochChanged, IdempotencyConflict, AlreadyErased or
        DuplicateMessage, and then nothing has changed; otherwise as `append`.
        """
        ...

    async def head(self, scope: Scope) -> Head:
        """The thread's head: a read so small that caches can afford to ask before each answer."""
        ...

    async def snapshot(self, scope: Scope, limit: int, *, most_bytes: int = MOST_READ_BYTES) -> Snapshot:
        """The newest `limit` messages and their head, from one committed state: what a cache keeps.

        Fewer where their bodies have `most_bytes`: the message that fills them is the last that is read.
        """
        ...

    async def tail(self, scope: Scope, limit: int, *, most_bytes: int = MOST_READ_BYTES) -> Tail:
        """The newest `limit` messages that a window can be made of, and the system message; see Tail.

        Fewer where their bodies have `most_bytes`, as for a snapshot. A thread that is absent or deleted has the
        version NOWHERE and an empty tail.
        """
        ...

    async def page(self, scope: Scope, query: MessageQuery) -> Page:
        """The messages that match, from one committed state; NOWHERE and none of an absent or deleted thread.

        No more than the query's `most_bytes` and one message more are read, or one reply of a database that sends many
        messages in one.
        """
        ...

    async def count(self, scope: Scope) -> dict[Role, int]:
        """How many messages of each role the thread has, archived ones included; roles without any are left out."""
        ...

    async def archive(self, scope: Scope, first: int, last: int, archived: bool) -> int:
        """Mark the messages with seqs first..last as archived or not. Returns how many changed.

        `last` may lie after the end. The thread's version stays.
        """
        ...


class ThreadRepository(Protocol):
    """The threads themselves."""

    async def get(self, scope: Scope) -> Thread | None:
        """The thread, or None when it is absent or deleted."""
        ...

    async def select(
        self, owner: Owner, limit: int, cursor: str | None = None, *, skip: int = 0, fields: Collection[bytes] = ()
    ) -> ThreadPage:
        """The owner's living threads, the latest changed first and then by id; a cursor is a ThreadCursor as text.

        With `fields` only those whose metadata has all of these. The first `skip` after the cursor are left out.
        Raises InvalidInput for a broken cursor.
        """
        ...

    async def clear(self, scope: Scope, at: datetime, expected_epoch: int | None = None) -> Version | None:
        """Erase the messages and the title, and start a new epoch; the thread stays, with its metadata.

        Its seqs start again at 1 and `updated_at` becomes `at`. Of each idempotency key a digest is kept, with `at`,
        so that a late retry stores nothing. None when the thread is absent or deleted. Raises EpochChanged, and erases
        nothing, when it is in another epoch than the expected one.
        """
        ...

    async def delete(
        self, scope: Scope, at: datetime, only_at: Head | None = None, expected_epoch: int | None = None
    ) -> bool:
        """Erase the thread. Only its epochs and the digests of its idempotency keys remain.

        The next append or fork brings it back in an epoch that it never had. False when it was absent or deleted. With
        `only_at`, the thread is erased only while its head is still that one, else nothing is and the answer is False.
        Such a deletion isn't recorded as an emptying, see `since_emptied`. The expected epoch is as in `clear`.
        """
        ...

    async def since_emptied(self, scopes: Collection[Scope]) -> Mapping[Scope, timedelta]:
        """How long ago each of the threads was last cleared, replaced or deleted, by the database's clock.

        Also of one that was begun again since. Threads that never were are left out, and nameless tombstones.
        """
        ...

    async def forget_keys(self, before: datetime) -> int:
        """Forget the idempotency keys of threads that were cleared or deleted before that time; returns how many.

        Tombstones of threads deleted before then lose their user and id for good; their epochs and their place in the
        order of changes stay.
        """
        ...

    async def fork(self, scope: Scope, at_seq: int, target: str, at: datetime) -> Thread:
        """Copy the title, the metadata and the messages 1..at_seq into the new thread `target` of the same owner.

        The copies keep their ids, seqs, times and archived marks; idempotency keys stay behind. The new thread has an
        epoch of its own, and `at` as its times. Raises NotFound, ThreadExists when `target` is alive, or
        InvalidInput("at_seq", ...) when the thread is not that long.
        """
        ...

    async def rename(self, scope: Scope, title: str) -> bool:
        """Give the thread the title, and change nothing else. False when it is absent or deleted."""
        ...

    async def set_metadata(
        self, scope: Scope, metadata: ThreadMetadata, instead_of: ThreadMetadata | None, at: datetime
    ) -> bool:
        """Give the thread metadata instead of what it has, and change nothing else.

        None stands for an absent or deleted thread, which is made, empty, in a new epoch, with `at` as its times.
        False, and nothing is changed, when the thread is not as `instead_of` says: look again.
        """
        ...

    async def changed(self, since: str | None, limit: int) -> ChangedThreads:
        """The heads of threads of all tenants that were changed after the mark `since`, about `limit` at a time.

        The earliest changed come first, each thread once a call; a deleted one is at NOWHERE. With the mark that comes
        back, no change is ever missed, whatever commits at the same moment; one may come twice. Fewer than `limit`
        heads are all that there are for now. None asks for no heads, only for the mark of this moment.
        Raises InvalidInput for a mark of another database.
        """
        ...

    async def owners(self, tenant: str | None, limit: int, after: Owner | None = None) -> list[Owner]:
        """Owners of living threads, of one tenant or, with None, of all; in the order of tenants and users.

        `after` is where the last call ended. It is for operators: no request is ever answered from it.
        """
        ...


class Spool(Protocol):
    """Appends that wait for the database, in their order, on a disk that survives this process."""

    @property
    def depth(self) -> int:
        """How many appends wait."""
        ...

    async def put(self, request: Append) -> None:
        """Keep the append; durable when it returns. Raises SpoolUnavailable, and then it is not kept."""
        ...

    async def oldest(self, limit: int) -> list[Append]:
        """The appends that have waited longest; waits until there is one."""
        ...

    async def done(self, count: int) -> None:
        """Forget the `count` oldest: the database has them."""
        ...


class MemoryWithVector(NamedTuple):
    """A memory and its vector, when it has one."""

    memory: Memory
    embedding: Embedding | None


class MemoryRepository(Protocol):
    """Long-term memories, each with the vector that finds it, and the changes that made them what they are.

    Writers can't overlook each other: a change is made only where the memories still stand as its writer saw them.
    """

    async def get(self, owner: Owner, memory_id: str) -> Memory | None:
        """The owner's memory, or None."""
        ...

    async def get_many(self, owner: Owner, ids: Sequence[str]) -> list[MemoryWithVector]:
        """The owner's memories of these ids with their vectors, in any order; absent ones are left out."""
        ...

    async def list_with_vectors(self, owner: Owner, limit: int, after: str | None = None) -> list[MemoryWithVector]:
        """All of the owner's memories with their vectors, in the order of their ids; `after` is where a page ended."""
        ...

    async def select(self, owner: Owner, query: MemoryQuery) -> list[Memory]:
        """The owner's memories that match, the latest created first and then by id.

        `query.before` is a place in that order, whether or not its memory matches. Raises InvalidInput when the owner
        has no such memory: an empty page would look like the end.
        """
        ...

    async def latest(self, owner: Owner, attributes: Sequence[Attribute], at: datetime | None = None) -> list[Memory]:
        """Of each of the attributes the owner's memory that comes first in `select`, in the order of the attributes.

        With a time only those that hold then are looked at.
        """
        ...

    async def embed(self, memory: Memory, embedding: Embedding) -> bool:
        """Give the memory its vector. False when it is gone or has another text by now: then nothing is written."""
        ...

    async def state(self, owner: Owner) -> LedgerState:
        """Where the owner's memories stand; (0, 0) before the first change."""
        ...

    async def apply(self, owner: Owner, change: MemoryChange, expected: LedgerState) -> LedgerState | None:
        """Make the change and write it down, in one transaction, if the owner's memories still stand as `expected`.

        Returns where they stand then, or None when another writer was quicker: look again and decide anew. A memory
        keeps its vector while its text stays. A change that is FORGETTING also removes the memory from the changes
        before it: nothing of it is left. `change.undoes` marks that change as undone; `change.version` is ignored.
        """
        ...

    async def changes(
        self, owner: Owner, limit: int, *, memory_id: str | None = None, before: int | None = None
    ) -> list[MemoryChange]:
        """The changes, the latest first; of one memory, with its entries alone; before that version."""
        ...

    async def erase(self, owner: Owner) -> int:
        """Remove all of the owner's memories, vectors and changes, and begin a new epoch. Returns how many memories.

        A writer who looked before can't write any more: `apply` finds another state.
        """
        ...

    async def erased(self, owners: Collection[Owner]) -> dict[Owner, timedelta]:
        """How long ago each of these owners was erased last, by the database's clock; without those who never were."""
        ...

    async def owners(self, tenant: str | None, limit: int, after: Owner | None = None) -> list[Owner]:
        """Owners of memories, of one tenant or, with None, of all; in the order of tenants and users.

        A tenant's own come before its users'. An owner whose memories were all erased may be listed as well. `after`
        is where the last call ended. It is for operators: no request is ever answered from it.
        """
        ...

    async def expired(self, at: datetime, limit: int) -> Sequence[tuple[Owner, str]]:
        """The owners and ids of memories of all tenants that expired at `at` or before, the earliest first.

        It is for sweepers: no request is ever answered from it.
        """
        ...

    async def postpone(self, owner: Owner, expiries: Mapping[str, datetime]) -> None:
        """Move the expiry of the memories of these ids to these times, where it is earlier and they have a `refresh`.

        It is not a change: versions stay, and nothing is written down.
        """
        ...


class PassageRepository(Protocol):
    """Messages of many threads at once: by time, and as passages for searches, with their vectors.

    Vectors are removed with their message, by any erasure, and are never brought back.
    """

    async def heads(self, owner: Owner, thread: str | None = None, since: str | None = None) -> HeadChanges:
        """The heads of the owner's living threads, or of this one alone; those that have changed since a mark.

        Marks are at most an hour old. All heads come as well where that is quicker, or what has changed is not known;
        the answer's `since` is None then.
        """
        ...

    async def read(
        self, owner: Owner, since: Mapping[str, Version], model: str, limit: int, *, most_bytes: int = MOST_READ_BYTES
    ) -> list[StoredPassage]:
        """The first `limit` messages after these versions, thread by thread, each thread's in order of their seqs.

        Fewer where their bodies have `most_bytes`: the message that fills them is the last that is read.
        A thread that is in another epoch now has none.
        """
        ...

    async def archived(self, owner: Owner, threads: Collection[str]) -> set[MessagePlace]:
        """The places of the archived messages of these threads."""
        ...

    async def get_many(self, owner: Owner, places: Collection[MessagePlace]) -> dict[MessagePlace, Record]:
        """The messages at these places, as far as they are still there."""
        ...

    async def by_time(self, owner: Owner, query: TimedQuery) -> TimedPage:
        """The messages of the owner's living threads that match; see TimedQuery for which and TimedPlace for the order.

        Of each thread one committed state is read. No more than the query's `most_bytes` and one message more are
        read, or one reply of a database that sends many messages in one.
        """
        ...

    async def keep(self, owner: Owner, vectors: Sequence[PassageVector]) -> None:
        """Keep the vectors of those messages that are still there, one of each model."""
        ...


class HistorySearch(Protocol):
    """Finds messages of all threads: by what they say, and by time."""

    async def search(self, owner: Owner, query: str, *, limit: int = 10, thread: str | None = None) -> list[MessageHit]:
        """The owner's messages that most likely hold what the query looks for, best first; see History.search."""
        ...

    async def by_time(self, owner: Owner, query: TimedQuery) -> UserMessages:
        """The owner's messages that match, the latest made first; see History.by_time."""
        ...


class SessionRepository(Protocol):
    """Sessions by their ids, which are unique in a tenant."""

    async def find(self, tenant: str, session_id: str) -> Session | None:
        """The tenant's session, of whatever user, and an expired one too."""
        ...

    async def save(self, session: Session, instead_of: Session | None) -> bool:
        """Store the session instead of one of its tenant with the same id, or where there is none. One step.

        False, and nothing is stored, when what is there is not `instead_of`, as its stamp tells.
        """
        ...

    async def erase(self, owner: Owner) -> Sequence[str]:
        """Remove all of the owner's sessions. Returns their ids."""
        ...

    async def sweep(self, now: datetime, limit: int) -> int:
        """Remove up to `limit` expired sessions of all owners. Returns how many."""
        ...


class ApiKeyRepository(Protocol):
    """API keys. They are looked up by the digest of the secret alone, before the tenant is known."""

    async def add(self, key: ApiKey) -> None:
        """Store a new key."""
        ...

    async def find(self, digest: bytes) -> ApiKey | None:
        """The key of this digest, of whatever tenant, and revoked or expired ones too."""
        ...

    async def select(self, tenant: str, user: str | None, limit: int) -> list[ApiKey]:
        """The tenant's keys, or one user's of them, the latest first."""
        ...

    async def get(self, tenant: str, key_id: str) -> ApiKey | None:
        """The tenant's key of this id, revoked and expired ones too."""
        ...

    async def rotate(self, old_id: str, new: ApiKey, until: datetime) -> bool:
        """Store a key that replaces the tenant's key of the old id, which expires at `until`, or before. One step.

        False, and nothing is stored, when there is no such key, or it was revoked or replaced.
        """
        ...

    async def mark_used(self, tenant: str, key_id: str, at: datetime) -> None:
        """Note that the key was used then. An earlier time than what is noted changes nothing."""
        ...

    async def revoke(self, tenant: str, key_id: str, at: datetime) -> bool:
        """Revoke the key, keeping the time of a first revocation. False if there is no such key."""
        ...

    async def erase(self, owner: Owner) -> int:
        """Remove all keys of the owner, which are good no longer. Returns how many."""
        ...


class AuditRepository(Protocol):
    """The table of the audit log. An entry that is there is never changed."""

    async def append(self, entries: Sequence[AuditEntry]) -> None:
        """Store entries, of any tenants, all or none. One that is there already stays as it is."""
        ...

    async def select(self, tenant: str, query: AuditQuery) -> list[AuditEntry]:
        """The tenant's entries that match, the latest first, those of the same moment by their ids downwards."""
        ...

    async def sweep(self, before: datetime, limit: int) -> int:
        """Remove up to `limit` entries of all tenants from before that time. Returns how many.

        A database may keep those that are younger than LEAST_AUDIT_TIME.
        """
        ...


class UserDirectory(Protocol):
    """The users of a tenant."""

    async def users(self, tenant: str, limit: int, after: str = "") -> list[str]:
        """All users with data in any table, in the order of their ids, after `after`.

        Tombstones count as nothing.
        """
        ...


class LogPurge(NamedTuple):
    """Lets a database forget what was deleted, where a log of its own still holds it.

    `run` returns False when others keep the log in use. `place` and `how` are what a receipt says.
    """

    place: str
    how: str
    run: Callable[[], Awaitable[bool]]


class Reranker(Protocol):
    """A model that reads a query and a text together, such as a cross-encoder."""

    async def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """How well each text answers the query: one number a text, the greater the better."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors whose cosine tells how near their meanings are."""

    @property
    def name(self) -> str:
        """The model's name: vectors of different names are never compared."""
        ...

    async def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """One embedding a text. Raises ModelUnavailable."""
        ...


class Tokenizer(Protocol):
    """Counts tokens as a model would."""

    def count(self, text: str) -> int:
        """The number of tokens of the text; 0 for an empty one."""
        ...


class ChatMemoryStore(Protocol):
    """A program's own store of conversations, with the three methods that LangChain4j's has.

    Ids are any printable text, and the messages are those that were given: every field of them comes back.
    """

    async def get_messages(self, memory_id: str) -> Sequence[Message]:
        """The messages of a conversation, oldest first; none of one that is not there."""
        ...

    async def update_messages(self, memory_id: str, messages: Sequence[Message]) -> None:
        """Replace the messages of a conversation, which begins if it is not there."""
        ...

    async def delete_messages(self, memory_id: str) -> None:
        """Remove a conversation, if it is there."""
        ...


class ChatModel(Protocol):
    """Answers a prompt."""

    @property
    def name(self) -> str:
        """The name that people are shown, e.g. `offline` or `openai:gpt-5`."""
        ...

    def stream(self, prompt: Sequence[Message]) -> AsyncGenerator[str, None]:
        """The reply in pieces, as they come; closing it early stops the model. Raises ModelUnavailable."""
        ...


class StructuredAnswer(NamedTuple):
    """A model's answer, decoded from JSON, and how many tokens it took; 0 when they were not counted."""

    body: Any
    tokens: int


class StructuredModel(Protocol):
    """A chat model that keeps to a form when it is asked to."""

    @property
    def name(self) -> str:
        """The name that people are shown, e.g. `openai:gpt-5`."""
        ...

    async def answer(self, prompt: Sequence[Message], schema: Mapping[str, Any]) -> StructuredAnswer:
        """The answer as JSON of this schema, as far as the model keeps to it. Raises ModelUnavailable."""
        ...


class ThreadSummaries(Protocol):
    """The summaries of threads, for those who show windows; see `recuerdo.memories.maintenance.summarise`."""

    async def of(self, scope: Scope) -> Memory | None:
        """The summary of the thread as it is now; None where there is none."""
        ...

    async def summarise(self, scope: Scope) -> Memory | None:
        """Bring the summary up to the thread's end, and return it; None where there is nothing to say."""
        ...


class Clock(Protocol):
    """Tells the time; tests have one that they can set."""

    def __call__(self) -> datetime:
        """Now, aware, UTC."""
        ...

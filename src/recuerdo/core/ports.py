"""Everything that the core needs from outside, in the words of the domain.

A `Repository` is durable: when a method returns, the data survives a power cut. Repositories raise the errors of
`recuerdo.core.errors` and nothing of their driver's. Each port has a contract suite in `recuerdo.testing`.
"""

from collections.abc import AsyncGenerator, Sequence
from datetime import datetime
from typing import Protocol

from recuerdo.core.checkpoints import (
    CheckpointBatch,
    CheckpointFound,
    CheckpointQuery,
    CommitRefused,
    Committed,
    Contents,
    Decide,
    Generation,
    Mark,
    Recent,
    Span,
)
from recuerdo.core.errors import RecuerdoError
from recuerdo.core.memories import (
    Attribute,
    Embedding,
    LedgerState,
    Memory,
    MemoryChange,
    MemoryHit,
    MemoryQuery,
)
from recuerdo.core.messages import Message, Role
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.threads import (
    Append,
    Appended,
    Change,
    Changes,
    Head,
    Lease,
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

    async def head(self, scope: Scope) -> Head:
        """The thread's head: a read so small that caches can afford to ask before each answer."""
        ...

    async def snapshot(self, scope: Scope, limit: int) -> Snapshot:
        """The newest `limit` messages and their head, from one committed state: what a cache keeps."""
        ...

    async def tail(self, scope: Scope, limit: int, before: int | None = None) -> Tail:
        """The newest `limit` messages (with a seq below `before`) that a window can be made of; see Tail.

        `system` is looked for only without `before`: whoever reads on into the past has it already. A thread that is
        absent or deleted has the version NOWHERE and an empty tail.
        """
        ...

    async def page(self, scope: Scope, query: MessageQuery) -> Page:
        """The messages that match, from one committed state; NOWHERE and none of an absent or deleted thread."""
        ...

    async def count(self, scope: Scope) -> dict[Role, int]:
        """How many messages of each role the thread has, archived ones included; roles without any are left out."""
        ...

    async def archive(self, scope: Scope, first: int, last: int, archived: bool) -> int:
        """Mark the messages with seqs first..last as archived or not. Returns how many changed.

        `last` may lie behind the end. The thread's version stays.
        """
        ...


class CachedReads(Protocol):
    """Reads that ask a cache first, and the database only where no cache knows the thread well enough."""

    async def cached_tail(self, scope: Scope, limit: int, at_least: Version) -> Tail:
        """See HistoryRepository.tail; at a version of `at_least` or later."""
        ...

    async def cached_page(self, scope: Scope, query: MessageQuery, at_least: Version) -> Page:
        """See HistoryRepository.page; at a version of `at_least` or later."""
        ...


class HistoryCache(Protocol):
    """Snapshots of threads, shared by all replicas. A `Cache` may lose everything at any time.

    Raises CacheUnavailable when the cache does not answer; what was asked of it may then happen late, or never.
    """

    async def read(self, scope: Scope, at_least: Version, wanted: int, head: Head | None = None) -> Snapshot | Lease:
        """The `wanted` newest messages at a version of `at_least` or later, and of the epoch and revision of `head`.

        When the entry does not have them: a lease, with a token if nobody else is filling the entry.
        """
        ...

    async def fill(self, scope: Scope, lease: Lease, snapshot: Snapshot) -> bool:
        """Replace the entry. False when the lease was broken: the thread changed, and what was read may be old."""
        ...

    async def append(self, changes: Sequence[Change]) -> None:
        """The messages were committed: extend the entries that they fit, delete those that they don't."""
        ...

    async def purge(self, scopes: Sequence[Scope]) -> None:
        """Forget the threads, and break their leases."""
        ...

    async def purge_all(self) -> None:
        """Forget all threads, and break all leases that there are when it begins."""
        ...

    async def verify(self, changes: Changes) -> int:
        """Forget the entries that are behind the heads, and break the leases of threads without one.

        Keeps the mark then, for all replicas. Returns how many entries were forgotten.
        """
        ...

    async def mark(self) -> str | None:
        """The mark that the last `verify` kept, or None when it is lost, perhaps without the entries."""
        ...


class ThreadRepository(Protocol):
    """The threads themselves."""

    async def get(self, scope: Scope) -> Thread | None:
        """The thread, or None when it is absent or deleted."""
        ...

    async def select(self, owner: Owner, limit: int, cursor: str | None = None) -> ThreadPage:
        """The owner's living threads, the latest changed first and then by id; a cursor is a ThreadCursor as text.

        Raises InvalidInput for a broken cursor.
        """
        ...

    async def clear(self, scope: Scope, at: datetime) -> Version | None:
        """Erase the messages and the title, and start a new epoch; the thread stays.

        Its seqs start again at 1 and `updated_at` becomes `at`. Of each idempotency key a digest is kept, with `at`,
        so that a late retry stores nothing. None when the thread is absent or deleted.
        """
        ...

    async def delete(self, scope: Scope, at: datetime, only_at: Head | None = None) -> bool:
        """Erase the thread for everybody: as if it had never been, but for its epochs and the digests of its keys.

        The next append or fork brings it back in an epoch that it never had. False when it was absent or deleted, and
        when it is not at the head `only_at` any more: then nothing was erased.
        """
        ...

    async def forget_keys(self, before: datetime) -> int:
        """Forget the idempotency keys of all threads that were cleared or deleted before; returns how many."""
        ...

    async def fork(self, scope: Scope, at_seq: int, target: str, at: datetime) -> Thread:
        """Copy the title and the messages 1..at_seq into the new thread `target` of the same owner.

        The copies keep their ids, seqs, times and archived marks; idempotency keys stay behind. The new thread has an
        epoch of its own, and `at` as its times. Raises NotFound, ThreadExists when `target` is alive, or
        InvalidInput("at_seq", ...) when the thread is not that long.
        """
        ...

    async def changed(self, since: str | None, limit: int) -> Changes:
        """The heads of threads of all tenants that were changed behind the mark `since`, about `limit` at a time.

        The earliest changed come first, each thread once a call; a deleted one is at NOWHERE. With the mark that comes
        back, no change is ever missed, whatever commits at the same moment; one may come twice. Fewer than `limit`
        heads are all that there are for now. None asks for no heads, only for the mark of this moment.
        """
        ...

    async def owners(self, tenant: str | None, limit: int, after: Owner | None = None) -> list[Owner]:
        """Who has living threads, of one tenant or, with None, of all; in the order of tenants and users.

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


class MemoryRepository(Protocol):
    """Long-term memories, each with the vector that finds it (when there is an embedding model)."""

    async def save(self, memory: Memory, embedding: Embedding | None) -> None:
        """Insert the memory, or replace the one with its id of the same owner, and its vector with it."""
        ...

    async def get(self, owner: Owner, memory_id: str) -> Memory | None:
        """The owner's memory, or None."""
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

    async def delete(self, owner: Owner, memory_id: str) -> bool:
        """Remove the memory and everything derived from it. False when there was none."""
        ...

    async def search(
        self, owner: Owner, text: str, embedding: Embedding | None, limit: int, at: datetime | None = None
    ) -> list[MemoryHit]:
        """The owner's memories nearest to the text, best first; by words alone without an embedding.

        Words match without regard to case and accents. Vectors of another model's are never compared: such memories
        are found by their words. Any text is a fine query, whatever signs it holds. With a time only memories that
        hold then are found.
        """
        ...

    async def unembedded(self, owner: Owner, model: str, limit: int) -> list[Memory]:
        """Memories of the owner that have no vector of this model yet, so that they can get one."""
        ...

    async def embed(self, memory: Memory, embedding: Embedding) -> bool:
        """Give the memory its vector. False when it is gone or has another text by now: then nothing is written."""
        ...


class MemoryLedger(MemoryRepository, Protocol):
    """A MemoryRepository that keeps what was changed, and in which writers can't overlook each other."""

    async def state(self, owner: Owner) -> LedgerState:
        """Where the owner's memories stand; (0, 0) before the first change."""
        ...

    async def apply(self, owner: Owner, change: MemoryChange, expected: LedgerState) -> LedgerState | None:
        """Make the change and write it down, in one transaction, if the owner's memories still stand as `expected`.

        Returns where they stand then, or None when somebody else was quicker: look again and decide anew. A memory
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

        Whoever looked before can't write any more: `apply` finds another state.
        """
        ...


class CheckpointRepository(Protocol):
    """The checkpoints of graphs: rows that are written once, and logs that only grow."""

    async def load(self, scope: Scope, namespace: str, checkpoint: str | None) -> CheckpointFound | None:
        """The checkpoint, or the latest of the namespace; None when there is none."""
        ...

    async def contents(
        self, generation: Generation, scope: Scope, spans: Sequence[Span], digests: Sequence[bytes]
    ) -> Contents:
        """The segments that the spans touch, and the values."""
        ...

    async def select(self, query: CheckpointQuery) -> list[CheckpointFound]:
        """The checkpoints that match, the latest ids first, then by thread and namespace."""
        ...

    async def recent(self, scope: Scope, namespace: str, known: Mark, limit: int) -> Recent:
        """The latest checkpoints of the namespace, from `known.since` on."""
        ...

    async def commit(self, batch: CheckpointBatch) -> Committed | CommitRefused:
        """Write all of the batch in one transaction, and the thread's row when it is absent.

        It is refused when the thread's generation is not the batch's, and when a segment does not start where its log
        ends. A checkpoint replaces the one with its id; a write with a place of 0 or more that is there already stays,
        others are replaced; a value that is there stays. Raises LeaseLost for holders whose runs are somebody else's.
        """
        ...

    async def erase(self, scope: Scope) -> None:
        """Remove all checkpoints of the thread, with everything that they hold."""
        ...

    async def copy(self, scope: Scope, target: str) -> bool:
        """Copy everything into the thread `target` of the same owner. False when there is nothing to copy.

        Raises ThreadExists when the target has checkpoints.
        """
        ...

    async def sweep(self, scope: Scope, decide: Decide) -> None:
        """Take away what `decide` says, in one transaction in which nobody else writes to the thread."""
        ...

    async def threads_of(self, owner: Owner, runs: Sequence[str]) -> list[str]:
        """The owner's threads with checkpoints that these runs made."""
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


class ChatModel(Protocol):
    """Answers a prompt."""

    @property
    def name(self) -> str:
        """What people are shown, e.g. `offline` or `openai:gpt-5`."""
        ...

    def stream(self, prompt: Sequence[Message]) -> AsyncGenerator[str, None]:
        """The reply in pieces, as they come; closing it early stops the model. Raises ModelUnavailable."""
        ...


class Clock(Protocol):
    """Tells the time; tests have one that they can set."""

    def __call__(self) -> datetime:
        """Now, aware, UTC."""
        ...

"""Ports of the graphs tier: what a database keeps for LangGraph's graphs, runs and actions, and for the library.

A database may leave this tier out; see `recuerdo.core.ports` for what every database must have.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Sequence
from datetime import datetime
from typing import Literal, Protocol, TypeVar

from recuerdo.core.actions import Queue
from recuerdo.core.checkpoints import (
    CheckpointBatch,
    CheckpointFound,
    CheckpointQuery,
    CommitRefused,
    Committed,
    Contents,
    Decide,
    Generation,
    KnownRange,
    RecentCheckpoints,
    Span,
)
from recuerdo.core.contexts import Enrichment, ExecutionContext
from recuerdo.core.documents import Decision, Document, DocumentKey, DocumentKind, DocumentQuery
from recuerdo.core.items import Item, ItemAddress, ItemHit, ItemQuery, Namespace, Put, StoreScope
from recuerdo.core.library import LibraryDocument, StoredChunk
from recuerdo.core.runs import RunEvent
from recuerdo.core.scope import Owner, Scope

AttemptOutcome = Literal["done", "failed", "dead"]
"""How an attempt at an action ended: `failed` is tried again, `dead` is not."""

_T = TypeVar("_T")


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

    async def recent(self, scope: Scope, namespace: str, known: KnownRange, limit: int) -> RecentCheckpoints:
        """The latest checkpoints of the namespace, from `known.since` on."""
        ...

    async def commit(self, batch: CheckpointBatch) -> Committed | CommitRefused:
        """Write all of the batch in one transaction, and the thread's row when it is absent.

        It is refused when the thread's generation is not the batch's, and when a segment does not start where its log
        ends. A checkpoint replaces the one with its id; a write with a place of 0 or more that is there already stays,
        others are replaced; a value that is there stays. Raises LeaseLost for holders whose runs another process has.
        """
        ...

    async def erase(self, scope: Scope) -> None:
        """Remove all checkpoints of the thread, with everything that they hold."""
        ...

    async def erase_all(self, owner: Owner) -> int:
        """Remove all checkpoints of the owner, and what threads without any hold. Returns the number of threads."""
        ...

    async def copy(self, scope: Scope, target: str) -> bool:
        """Copy everything into the thread `target` of the same owner. False when there is nothing to copy.

        Raises ThreadExists when the target has checkpoints.
        """
        ...

    async def sweep(self, scope: Scope, decide: Decide) -> None:
        """Remove the rows that `decide` chooses, in one transaction, without concurrent writes to the thread."""
        ...

    async def threads_of(self, owner: Owner, runs: Sequence[str]) -> list[str]:
        """The owner's threads with checkpoints that these runs made."""
        ...

    async def owners(self, tenant: str | None, limit: int, after: Owner | None = None) -> list[Owner]:
        """Owners with checkpoints, of this tenant or of all, in order, `limit` at most, after `after`."""
        ...


class DocumentRepository(Protocol):
    """Assistants, threads, runs and schedules of the LangGraph API."""

    async def get(self, owner: Owner, key: DocumentKey) -> bytes | None:
        """The body of the owner's document, or None."""
        ...

    async def select(self, owner: Owner, kind: DocumentKind, query: DocumentQuery) -> list[bytes]:
        """The bodies of the owner's documents that match, in the query's order."""
        ...

    async def count(self, owner: Owner, kind: DocumentKind, query: DocumentQuery) -> int:
        """How many match, whatever the query's limit and offset."""
        ...

    async def change(
        self,
        owner: Owner,
        group: str,
        keys: Sequence[DocumentKey],
        decide: Callable[[Sequence[Document]], Decision[_T]],
    ) -> _T:
        """Decide on the group's open documents and those of the keys, and write what comes of it, as one transaction.

        Changes of one owner's group happen one after the other. `decide` is pure, and may be called again; what it
        raises is raised, and then nothing is written.
        """
        ...

    async def erase(self, owner: Owner) -> int:
        """Remove all of the owner's documents, runs that are under way too. Returns how many."""
        ...

    async def due(self, kind: DocumentKind, now: datetime, limit: int) -> list[tuple[Owner, Document]]:
        """Documents of all owners whose `due` is not after `now`, the longest overdue first.

        It is for the workers of a server: no request is ever answered from it.
        """
        ...

    async def count_due(self, kind: DocumentKind, now: datetime) -> int:
        """How many those are."""
        ...


class ItemRepository(Protocol):
    """The items of LangGraph's stores: JSON values under namespaces and keys, found by place, filter or likeness."""

    async def write(self, scope: StoreScope, puts: Sequence[Put], at: datetime) -> None:
        """Write, replace and delete the items and what they are found by, in one transaction and in their order.

        An item that is replaced keeps the time when it was created.
        """
        ...

    async def read(
        self, scope: StoreScope, places: Sequence[ItemAddress], alive_at: datetime | None
    ) -> list[Item | None]:
        """The items at the places; None where none is, or one that had expired before `alive_at`."""
        ...

    async def refresh(self, scope: StoreScope, places: Sequence[ItemAddress], at: datetime) -> None:
        """Let the items that have a ttl expire that long after `at`."""
        ...

    async def search(self, scope: StoreScope, query: ItemQuery) -> list[ItemHit]:
        """The items that match; see ItemQuery. Conditions decide as `core.conditions.meets` does."""
        ...

    async def namespaces(self, scope: StoreScope, below: Namespace, alive_at: datetime | None) -> list[Namespace]:
        """The namespaces at and below `below` that have an item, in order."""
        ...

    async def expired(self, at: datetime, limit: int) -> list[StoreScope]:
        """Stores of all tenants with items that expired at `at` or before; `limit` at most."""
        ...

    async def erase(self, scope: StoreScope) -> int:
        """Remove all items of the store, and what they are found by. Returns how many."""
        ...

    async def sweep(self, scope: StoreScope, at: datetime) -> int:
        """Delete the items that expired before, and what they were found by. Returns how many."""
        ...


class LibraryRepository(Protocol):
    """The documents of tenants, and their chunks."""

    async def version(self, tenant: str) -> int:
        """A number that grows with every change of the tenant's library; 0 before the first."""
        ...

    async def put(self, tenant: str, document: LibraryDocument, chunks: Sequence[StoredChunk]) -> None:
        """Store the document with its chunks, instead of the one of its id, in one transaction."""
        ...

    async def remove(self, tenant: str, document_id: str) -> bool:
        """Remove the document and its chunks. False when there is none."""
        ...

    async def select(self, tenant: str) -> list[LibraryDocument]:
        """All the tenant's documents, the latest first and then by id."""
        ...

    async def chunks(self, tenant: str, documents: Collection[str]) -> list[StoredChunk]:
        """The chunks of these documents of the tenant's, by document and number."""
        ...


class Signals(Protocol):
    """Names that wake waiting tasks, in all processes over one database.

    They carry no data, and may be lost: a waiting task also checks from time to time. Where `can_listen` is false no
    signal of another process arrives.
    """

    can_listen: bool

    def publish(self, signal: str) -> None:
        """Send the signal to all processes, to this one at once."""
        ...

    def subscribe(self, subscriber: Callable[[str], None]) -> None:
        """Call this with each signal from now on; with an empty one when some may have been missed."""
        ...


class RunEvents(Protocol):
    """The events of runs, for any number of listeners, from any point. It may forget finished runs."""

    async def begin(
        self, owner: Owner, thread: str, run_id: str, stands: Callable[[], Awaitable[bool]] | None = None
    ) -> None:
        """Note whose events will be published, before anything of the owner is read for them.

        A later `seal` finds the run by this, even when it has published nothing yet. `stands` says whether the run was
        not erased meanwhile: it is asked when the shared log has lost everything, also what was sealed.
        """
        ...

    async def seal(self, owner: Owner, thread: str | None = None) -> None:
        """Remove the events of all runs of the owner, or of one thread, that have begun, and refuse those to come.

        Raises CacheUnavailable when other replicas may still have some.
        """
        ...

    async def is_sealed(self, run_id: str) -> bool:
        """Whether the run's events were removed, and later ones are refused."""
        ...

    async def take_over(self, run_id: str) -> int:
        """A token that is newer than all with which events of the run were published.

        Raises CacheUnavailable when that can't be found out.
        """
        ...

    async def publish(self, run_id: str, name: str, data: bytes, token: int = 0) -> None:
        """Add one event of a run; `data` is JSON. With an older token than the latest it reaches no other process."""
        ...

    async def end(self, run_id: str, token: int = 0) -> None:
        """Nothing more comes of this run: listeners are let go when they have heard everything."""
        ...

    async def knows(self, run_id: str) -> bool:
        """Whether events of this run are kept."""
        ...

    def follow(self, run_id: str, after: str = "") -> AsyncGenerator[RunEvent]:
        """The events after the id `after`, or all that are kept, and then those to come, until the run's end.

        Of a run that was never heard of it waits for the first event.
        """
        ...


LogOutcome = Literal["written", "refused", "unknown"]


class EventLog(Protocol):
    """The events of runs, shared by replicas. It may be away, and lose everything: CacheUnavailable."""

    async def last(self, run_id: str) -> str:
        """The id of the last event that is written down; empty when there is none."""
        ...

    async def begin(self, owner: Owner, thread: str, run_id: str, ago: float = 0) -> bool:
        """Note whose run it is, and how many seconds ago it began; see RunEvents. False when it was sealed since."""
        ...

    async def seal(self, owner: Owner, thread: str | None = None) -> Sequence[str]:
        """Remove the events of the owner's runs and refuse later ones; see RunEvents. Returns these runs' ids."""
        ...

    async def is_sealed(self, run_id: str) -> bool | None:
        """Whether the run's events were removed, and nothing more of it is written down.

        None if the log doesn't know the run: it has not begun, or the log has lost it.
        """
        ...

    async def take_over(self, run_id: str) -> int:
        """A token that is greater than all others: processes with one of those write nothing more."""
        ...

    async def add(self, run_id: str, token: int, events: Sequence[RunEvent], *, is_begun: bool = False) -> LogOutcome:
        """Write the events down, after all others. Those that are there already are not written again.

        They are `refused` when a process with a greater token has written, and the run is theirs, or when it is sealed.
        With `is_begun` the run is `unknown` when the log has lost everything since it began.
        """
        ...

    async def read(self, run_id: str, after: str, seconds: float) -> list[RunEvent]:
        """Events after the id `after`, in their order; none when none has come for this many seconds."""
        ...


class ActionWatch(Protocol):
    """Observes the attempts at actions."""

    def attempted(self, queue: Queue, outcome: AttemptOutcome) -> None:
        """An attempt is over."""
        ...

    def without_context(self, queue: Queue) -> None:
        """The context that an action refers to was gone; it is done with its own fields."""
        ...

    def waiting(self, queue: Queue, count: int) -> None:
        """Sets the number of actions that are due and wait for a worker."""
        ...


class EnrichmentSource(Protocol):
    """Knows how assistants are configured."""

    async def enrich(self, owner: Owner, assistant_id: str) -> Enrichment:
        """The configuration of the owner's assistant, as it is now, or `stale` when it can't be asked for.

        `assistant_id` may also be the name of a graph, which stands for the graph's own assistant. Raises NotFound,
        InvalidInput for an assistant whose configuration can't be understood, or Unavailable.
        """
        ...


class ContextWatch(Protocol):
    """Observes execution contexts."""

    def resolved(self, context: ExecutionContext, age: float) -> None:
        """A context was returned to a caller, this many seconds after it was made."""
        ...

    def enriched(self, tenant: str, outcome: str) -> None:
        """The source was asked: `fresh`, `stale`, or the name of the error."""
        ...

    def invalidated(self, tenant: str, what: str) -> None:
        """Contexts were invalidated: one, all of an `assistant`, or all of a `tenant`."""
        ...

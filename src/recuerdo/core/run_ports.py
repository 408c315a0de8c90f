"""What runs need from outside: where documents are kept, and how events are told."""

from collections.abc import AsyncGenerator, Callable, Sequence
from datetime import datetime
from typing import Protocol, TypeVar

from recuerdo.core.documents import Decision, Document, DocumentKey, DocumentKind, DocumentQuery
from recuerdo.core.runs import RunEvent
from recuerdo.core.scope import Owner

_T = TypeVar("_T")


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


class Signals(Protocol):
    """Words that wake whoever waits, in all processes over one database.

    They carry no data, and may be lost: what waits for one looks from time to time as well.
    """

    def tell(self, word: str) -> None:
        """Let everybody hear the word, this process at once."""
        ...

    def hear(self, heard: Callable[[str], None]) -> None:
        """Call this with each word from now on; with an empty one when some may have been missed."""
        ...


class RunEvents(Protocol):
    """What runs tell while they work, for any number of listeners, from any point. It may forget finished runs."""

    async def begin(self, owner: Owner, thread: str, run_id: str) -> None:
        """Note whose events will be published, before anything of the owner is read for them.

        A later `seal` finds the run by this, even when it has published nothing yet.
        """
        ...

    async def seal(self, owner: Owner, thread: str | None = None) -> None:
        """Remove the events of all runs of the owner, or of one thread, that have begun, and refuse those to come.

        Raises CacheUnavailable when other replicas may still have some.
        """
        ...

    async def is_sealed(self, run_id: str) -> bool:
        """Whether the run's events were removed, and nothing more of it is told."""
        ...

    async def publish(self, run_id: str, name: str, data: bytes, token: int = 0) -> None:
        """Tell one event of a run; `data` is JSON. With a token that is older than another's nobody else hears it."""
        ...

    async def end(self, run_id: str, token: int = 0) -> None:
        """Nothing more comes of this run: listeners are let go when they have heard everything."""
        ...

    async def knows(self, run_id: str) -> bool:
        """Whether something was told of this run, and is still kept."""
        ...

    def follow(self, run_id: str, after: str = "") -> AsyncGenerator[RunEvent]:
        """The events behind the id `after`, or all that are kept, and then those to come, until the run's end.

        Of a run that was never heard of it waits for the first event.
        """
        ...


class EventLog(Protocol):
    """What runs told, written down for other replicas. It may be away, and lose everything: CacheUnavailable."""

    async def last(self, run_id: str) -> str:
        """The id of the last event that is written down; empty when there is none."""
        ...

    async def begin(self, owner: Owner, thread: str, run_id: str) -> None:
        """Note whose run it is; see RunEvents."""
        ...

    async def seal(self, owner: Owner, thread: str | None = None) -> Sequence[str]:
        """Remove and refuse the events of the owner's runs; which runs those are. See RunEvents."""
        ...

    async def is_sealed(self, run_id: str) -> bool:
        """Whether the run's events were removed, and nothing more of it is written down."""
        ...

    async def add(self, run_id: str, token: int, events: Sequence[RunEvent]) -> bool:
        """Write the events down, behind all others. Those that are there already are not written again.

        False when somebody with a greater token has written, and the run is theirs, or when it is sealed: nothing was
        done.
        """
        ...

    async def read(self, run_id: str, after: str, seconds: float) -> list[RunEvent]:
        """Events behind the id `after`, in their order; none when none has come for so many seconds."""
        ...

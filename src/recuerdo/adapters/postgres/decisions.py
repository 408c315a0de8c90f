"""Decisions on documents that are taken at the same moment, in one round trip, however many.

Each is made on what its process believes to be there, and the database compares: what was decided on a wrong belief is
not written, and is decided again on what is really there.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from recuerdo.adapters.postgres.calls import DECIDE, Bigints, Bodies, Booleans, Texts, Times, columns
from recuerdo.adapters.postgres.connection import PostgresDatabase
from recuerdo.adapters.postgres.document_cache import DocumentCache, Group, Seen, digest
from recuerdo.adapters.postgres.document_rows import about, document
from recuerdo.adapters.postgres.signals import PostgresSignals
from recuerdo.core.documents import Decision, Document, DocumentKey
from recuerdo.core.errors import DatabaseUnavailable, RecuerdoError
from recuerdo.core.scope import Owner

_MOST = 64
_LANES = 2
_ATTEMPTS = 100


class PendingDecision(NamedTuple):
    """A decision that somebody waits for."""

    place: Group
    keys: Sequence[DocumentKey]
    decide: Callable[[Sequence[Document]], Decision[Any]]
    result: "asyncio.Future[Any]"


class Made(NamedTuple):
    """A decision as it was made on a belief, or what it raised."""

    wanted: PendingDecision
    belief: Seen
    decision: Decision[Any] | Exception

    @classmethod
    def of(cls, wanted: PendingDecision, belief: Seen) -> "Made":
        try:
            return cls(wanted, belief, wanted.decide([belief[key] for key in sorted(belief)]))
        except Exception as error:
            return cls(wanted, belief, error)

    @property
    def change(self) -> Decision[Any]:
        """What it writes, which is nothing when it raised."""
        return self.decision if isinstance(self.decision, Decision) else Decision(None)

    @property
    def writes(self) -> bool:
        return bool(self.change.put or self.change.delete or self.change.erase)

    def settle(self) -> None:
        """Let whoever waits know."""
        if self.wanted.result.done():
            return
        if isinstance(self.decision, Decision):
            self.wanted.result.set_result(self.decision.result)
        else:
            self.wanted.result.set_exception(self.decision)


class Decisions:
    """Takes decisions as they come; those that wait while others are taken make up the next transaction.

    One that raises, or can't be written, fails alone.
    """

    def __init__(self, database: PostgresDatabase, signals: PostgresSignals, cache: DocumentCache) -> None:
        self._database = database
        self._signals = signals
        self._cache = cache
        self._waiting: deque[PendingDecision] = deque()
        self._groups: set[Group] = set()
        self._lanes: set[asyncio.Task[None]] = set()
        self._busy_lanes = 0

    async def take(
        self,
        owner: Owner,
        group: str,
        keys: Sequence[DocumentKey],
        decide: Callable[[Sequence[Document]], Decision[Any]],
    ) -> Any:
        """The result of the decision, when it is committed."""
        wanted = PendingDecision(Group(owner, group), keys, decide, asyncio.get_running_loop().create_future())
        self._waiting.append(wanted)
        if self._busy_lanes < _LANES:
            self._busy_lanes += 1
            lane = asyncio.create_task(self._drain())
            self._lanes.add(lane)
            lane.add_done_callback(self._lanes.discard)
        return await wanted.result

    def believe(self, owner: Owner, found: Document) -> None:
        """Somebody has seen this document."""
        self._cache.found(Group(owner, found.group), found)

    def forget(self, owner: Owner) -> None:
        """All that was the owner's is gone."""
        self._cache.forget_all(owner)

    async def _drain(self) -> None:
        """Until nothing waits. It counts itself out in the same step: who comes later must not rely on it."""
        try:
            while batch := self._next():
                try:
                    await self._write([Made.of(each, self._cache.of(each.place, each.keys)) for each in batch])
                finally:
                    self._groups -= {wanted.place for wanted in batch}
        finally:
            self._busy_lanes -= 1

    def _next(self) -> list[PendingDecision]:
        """What can be decided now: of decisions on one group only the first."""
        batch: list[PendingDecision] = []
        left: deque[PendingDecision] = deque()
        while self._waiting and len(batch) < _MOST:
            wanted = self._waiting.popleft()
            if wanted.result.done():  # whoever wanted it has gone
                continue
            if wanted.place in self._groups:
                left.append(wanted)
            else:
                self._groups.add(wanted.place)
                batch.append(wanted)
        self._waiting.extendleft(reversed(left))
        return batch

    async def _write(self, batch: Sequence[Made]) -> None:
        """Write them down; those that were made on a wrong belief are made again, until they hold."""
        try:
            for _ in range(_ATTEMPTS):
                batch = await self._once(batch)
                if not batch:
                    return
            raise DatabaseUnavailable("These documents are changing too fast. Try again.", retry_after=0.1)
        except Exception as error:
            self._cache.forget([made.wanted.place for made in batch])
            if len(batch) == 1 or isinstance(error, RecuerdoError):
                for made in batch:
                    made._replace(decision=error).settle()
                return
            for made in batch:
                await self._write([made])

    async def _once(self, batch: Sequence[Made]) -> list[Made]:
        """Settle what held. Returns what has to be written again."""
        truths: dict[int, Seen] = {}
        for place, *row in await self._database.call(DECIDE, *_asked(batch, self._signals.name)):
            truth = truths.setdefault(place, {})
            if row[0] is not None:
                found = document(row)
                truth[found.key] = found
        again: list[Made] = []
        for place, made in enumerate(batch, 1):
            if place not in truths:
                self._hold(made)
                continue
            made = Made.of(made.wanted, truths[place])
            if made.writes:
                again.append(made)
            else:
                self._hold(made)
        return again

    def _hold(self, made: Made) -> None:
        self._cache.learn(made.wanted.place, made.wanted.keys, made.belief, made.change)
        self._signals.tell_here(made.change.words)
        made.settle()


def _asked(batch: Sequence[Made], teller: str) -> list[Any]:
    """What `recuerdo.decide` asks for behind the role."""
    keys = [(place, *key) for place, made in enumerate(batch, 1) for key in made.wanted.keys]
    gone = [(place, *key) for place, made in enumerate(batch, 1) for key in made.change.delete]
    put = [(place, *_row(each)) for place, made in enumerate(batch, 1) for each in made.change.put]
    return [
        "off" if all(made.change.fleeting for made in batch if made.writes) else None,
        teller,
        *columns([_believed(made) for made in batch], Texts, Texts, Texts, Texts, Texts),
        *columns(keys, Bigints, Texts, Texts),
        Bigints(place for place, made in enumerate(batch, 1) if made.change.erase),
        *columns(gone, Bigints, Texts, Texts),
        *columns(put, Bigints, Texts, Texts, Texts, Booleans, Times, Bodies, Bodies),
    ]


def _believed(made: Made) -> tuple[str, ...]:
    (owner, group), words = made.wanted.place, "\n".join(made.change.words)
    return owner.tenant, owner.user, group, digest(made.belief), words


def _row(new: Document) -> tuple[Any, ...]:
    return new.kind, new.id, new.group, new.open, new.due, new.body, about(new)

"""Decisions on documents that are taken at the same moment, in one round trip, however many.

Each is made on what its process last saw, which saves most decisions a round trip (see ADR 0040). That may be wrong at
any time: the database compares digests, and what was decided on documents that have changed is not written, but decided
again on what is there.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from itertools import takewhile
from time import monotonic
from typing import Any, NamedTuple

import msgspec

from recuerdo.adapters.postgres.calls import DECIDE, Bigints, Booleans, TextArray, Texts, Times, columns
from recuerdo.adapters.postgres.connection import PostgresDatabase
from recuerdo.adapters.postgres.signals import PostgresSignals
from recuerdo.adapters.rows import to_microseconds, utc
from recuerdo.concurrency.lru import LruCache
from recuerdo.core.documents import Decision, Document, DocumentKey
from recuerdo.core.errors import DatabaseUnavailable, RecuerdoError
from recuerdo.core.scope import Owner

_LARGE = ("kwargs", "payload", "interrupts", "error")


def document(row: Sequence[Any]) -> Document:
    """The document of a row of the columns."""
    kind, document_id, group, body, is_open, due = row
    return Document(kind, document_id, group, body.encode(), is_open, None if due is None else utc(due))


def about(document: Document) -> bytes:
    """The part of the body that queries look at: all but its large fields."""
    body: dict[str, Any] = msgspec.json.decode(document.body)
    return jsonb({name: value for name, value in body.items() if name not in _LARGE})


def jsonb(value: Any) -> bytes:
    """JSON without the NUL characters that jsonb can't hold."""
    return msgspec.json.encode(value).replace(b"\\u0000", b"\\ufffd")


_MOST_GROUPS = 2_000
_MOST_BYTES = 16_384
"""Of one group's documents: larger ones are asked for each time."""

_SECONDS_KEPT = 60.0
"""Documents that other processes erased must not lie here for long."""

Seen = dict[DocumentKey, Document]


class Group(NamedTuple):
    """Documents that are changed together."""

    owner: Owner
    name: str


class DocumentCache:
    """The last known documents of recently used groups; with `most_groups=0` nothing is kept."""

    def __init__(self, most_groups: int = _MOST_GROUPS) -> None:
        self._groups: LruCache[Group, tuple[float, Seen]] = LruCache(most_groups)

    def of(self, group: Group, keys: Sequence[DocumentKey]) -> Seen:
        """The documents that a decision on the group sees: the open ones, and those of the keys."""
        return {key: each for key, each in self._known(group).items() if each.open or key in keys}

    def found(self, group: Group, document: Document) -> None:
        """A document of the group that was seen alone."""
        self._keep(group, {**self._known(group), document.key: document})

    def learn(self, group: Group, keys: Sequence[DocumentKey], seen: Seen, change: Decision[Any]) -> None:
        """Remember what a decision on these keys saw, and how it changed that."""
        others = {key: each for key, each in self._known(group).items() if not each.open and key not in keys}
        now = {} if change.erase else {**others, **seen}
        for key in change.delete:
            now.pop(key, None)
        self._keep(group, {**now, **{each.key: each for each in change.put if each.group == group.name}})

    def forget(self, groups: Iterable[Group]) -> None:
        """Nothing is known of these."""
        for group in groups:
            self._groups.pop(group)

    def forget_all(self, owner: Owner) -> None:
        """The owner has nothing any more."""
        self.forget([group for group in self._groups if group.owner == owner])

    def _known(self, group: Group) -> Seen:
        return self._seen(group)[1]

    def _seen(self, group: Group) -> tuple[float, Seen]:
        return self._groups.peek(group) or (0.0, {})

    def _keep(self, group: Group, documents: Seen) -> None:
        self._groups.pop(group)
        if not documents or sum(len(each.body) for each in documents.values()) > _MOST_BYTES:
            return
        now = monotonic()
        self.forget([*takewhile(lambda oldest: self._seen(oldest)[0] < now - _SECONDS_KEPT, self._groups)])
        self._groups.put(group, (now, documents))


def digest(seen: Seen) -> str:
    """The digest that `recuerdo.decide` compares; empty for no documents."""
    if not seen:
        return ""
    return sha256(b"".join(_sight(seen[key]) for key in sorted(seen))).hexdigest()


def _sight(document: Document) -> bytes:
    """See `recuerdo.sight`."""
    name, group = document.id.encode(), document.group.encode()
    due = "-" if document.due is None else to_microseconds(document.due)
    head = f"{document.kind} {document.open:d} {due} {len(name)} {len(group)} {len(document.body)}"
    return b"%b%b%b%b" % (head.encode(), name, group, document.body)


_MOST = 64
_CONCURRENCY = 2
_ATTEMPTS = 100


class PendingDecision(NamedTuple):
    """A decision that a caller waits for."""

    place: Group
    keys: Sequence[DocumentKey]
    decide: Callable[[Sequence[Document]], Decision[Any]]
    result: "asyncio.Future[Any]"


class DecisionOutcome(NamedTuple):
    """A decision, or what it raised, and the documents that it was made on."""

    wanted: PendingDecision
    seen: Seen
    decision: Decision[Any] | Exception

    @classmethod
    def of(cls, wanted: PendingDecision, seen: Seen) -> "DecisionOutcome":
        try:
            return cls(wanted, seen, wanted.decide([seen[key] for key in sorted(seen)]))
        except Exception as error:
            return cls(wanted, seen, error)

    @property
    def change(self) -> Decision[Any]:
        """The changes that it writes; none when it raised."""
        return self.decision if isinstance(self.decision, Decision) else Decision(None)

    @property
    def writes(self) -> bool:
        return bool(self.change.put or self.change.delete or self.change.erase)

    def resolve(self) -> None:
        """Pass the outcome to the waiting caller."""
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
        self._tasks: set[asyncio.Task[None]] = set()
        self._running = 0

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
        if self._running < _CONCURRENCY:
            self._running += 1
            task = asyncio.create_task(self._drain())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return await wanted.result

    def note(self, owner: Owner, found: Document) -> None:
        """A caller has seen this document."""
        self._cache.found(Group(owner, found.group), found)

    def forget(self, owner: Owner) -> None:
        """All that was the owner's is gone."""
        self._cache.forget_all(owner)

    async def _drain(self) -> None:
        """Until nothing waits. It counts itself out in the same step: who comes later must not rely on it."""
        try:
            while batch := self._next():
                try:
                    await self._write(
                        [DecisionOutcome.of(each, self._cache.of(each.place, each.keys)) for each in batch]
                    )
                finally:
                    self._groups -= {wanted.place for wanted in batch}
        finally:
            self._running -= 1

    def _next(self) -> list[PendingDecision]:
        """The decisions that can be made now: of those on one group only the first."""
        batch: list[PendingDecision] = []
        left: deque[PendingDecision] = deque()
        while self._waiting and len(batch) < _MOST:
            wanted = self._waiting.popleft()
            if wanted.result.done():  # the caller has gone
                continue
            if wanted.place in self._groups:
                left.append(wanted)
            else:
                self._groups.add(wanted.place)
                batch.append(wanted)
        self._waiting.extendleft(reversed(left))
        return batch

    async def _write(self, batch: Sequence[DecisionOutcome]) -> None:
        """Write them down; those that were made on documents that have changed are made again."""
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
                    made._replace(decision=error).resolve()
                return
            for made in batch:
                await self._write([made])

    async def _once(self, batch: Sequence[DecisionOutcome]) -> list[DecisionOutcome]:
        """Settle what held. Returns what has to be written again."""
        current: dict[int, Seen] = {}
        for place, *row in await self._database.call(DECIDE, *_asked(batch, self._signals.name)):
            documents = current.setdefault(place, {})
            if row[0] is not None:
                found = document(row)
                documents[found.key] = found
        again: list[DecisionOutcome] = []
        for place, made in enumerate(batch, 1):
            if place not in current:
                self._hold(made)
                continue
            made = DecisionOutcome.of(made.wanted, current[place])
            if made.writes:
                again.append(made)
            else:
                self._hold(made)
        return again

    def _hold(self, made: DecisionOutcome) -> None:
        self._cache.learn(made.wanted.place, made.wanted.keys, made.seen, made.change)
        self._signals.publish_here(made.change.signals)
        made.resolve()


def _asked(batch: Sequence[DecisionOutcome], teller: str) -> list[Any]:
    """The parameters of `recuerdo.decide` that follow the role."""
    keys = [(place, *key) for place, made in enumerate(batch, 1) for key in made.wanted.keys]
    gone = [(place, *key) for place, made in enumerate(batch, 1) for key in made.change.delete]
    put = [(place, *_row(each)) for place, made in enumerate(batch, 1) for each in made.change.put]
    return [
        "off" if all(made.change.fleeting for made in batch if made.writes) else None,
        teller,
        *columns([_expected(made) for made in batch], Texts, Texts, Texts, Texts, Texts),
        *columns(keys, Bigints, Texts, Texts),
        Bigints(place for place, made in enumerate(batch, 1) if made.change.erase),
        *columns(gone, Bigints, Texts, Texts),
        *columns(put, Bigints, Texts, Texts, Texts, Booleans, Times, TextArray, TextArray),
    ]


def _expected(made: DecisionOutcome) -> tuple[str, ...]:
    (owner, group), signals = made.wanted.place, "\n".join(made.change.signals)
    return owner.tenant, owner.user, group, digest(made.seen), signals


def _row(new: Document) -> tuple[Any, ...]:
    return new.kind, new.id, new.group, new.open, new.due, new.body, about(new)

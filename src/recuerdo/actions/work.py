"""Workers: they take actions from the queues, hold them while they work, and continue those left behind."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Collection, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple, TypeVar

import msgspec

from recuerdo.actions.records import (
    DEAD,
    KINDS,
    ActionRecord,
    Change,
    RecordLocation,
    T,
    begun,
    changed,
    on_row,
    read_handover,
)
from recuerdo.concurrency.tasks import call, stop
from recuerdo.core.actions import BUILTIN_KINDS, BUILTIN_TYPES, QUEUES, ActionEnvelope, ActionResult, Queue, type_of
from recuerdo.core.checks import UNREADABLE
from recuerdo.core.contexts import ExecutionContext
from recuerdo.core.documents import Decision, Document
from recuerdo.core.errors import ConfigurationError, DamagedRow, InvalidInput, Unavailable
from recuerdo.core.graph_ports import ActionWatch, AttemptOutcome, DocumentRepository, Signals
from recuerdo.core.ports import Clock
from recuerdo.jobs.leases import DueLoop, LeaseEngine, Retries

RESULTS_ARE_KEPT = timedelta(days=1)
DEAD_ARE_KEPT = timedelta(days=30)
_MOST_EXPECTED = 10_000
_LOOKS_PER_SLOT = 8
_DEEPEST_LOOK = 5_000
_MOST_BURIED = 100
_ROUNDS_BETWEEN_COUNTS = 10

Resolve = Callable[[str, Queue, str], Awaitable[ExecutionContext | None]]
Do = Callable[[Any, ExecutionContext | None], Any]
"""A handler. One that is not a coroutine function is called in a thread."""

A = TypeVar("A", bound=ActionEnvelope)

_log = logging.getLogger(__name__)


class _Known(NamedTuple):
    """A kind of actions that a worker can do."""

    kind: type[ActionEnvelope]
    do: Do


def _check_result(value: Any) -> None:
    try:
        msgspec.json.encode(value)
    except Exception as error:
        raise InvalidInput("result", f"is not JSON: {error}. Return texts, numbers, lists and dicts") from error


class _Attempt(NamedTuple):
    """How an attempt ended, and whether the action's context came from its reference."""

    origin: Literal["reference", "action"]
    value: Any = None
    error: Exception | None = None


class _Unknown(Exception):
    """This worker can't read the action; another may."""


class Worker:
    """Does actions, of the queues that it takes, `concurrency` of each at a time.

    An action whose context is gone is done with its own fields: the context is None then, and the result says so.
    An action that fails because a service is away is tried again, later each time; one that can't succeed becomes a
    dead letter. If its process died, it starts again when its lease is over, so a handler may run twice: it uses the
    action's id to take effect once. An action whose process died twice runs alone from then on, so that the one that
    kills its process is given up, and not the ones that ran at the same time.

    An action of an unknown kind is left for other workers, and becomes a dead letter when none takes it.
    """

    def __init__(
        self,
        documents: DocumentRepository,
        signals: Signals,
        clock: Clock,
        *,
        lease: float = 10.0,
        pause: float = 1.0,
        concurrency: int = 10,
        retries: Retries | None = None,
    ) -> None:
        self._documents = documents
        self.signals = signals
        self._clock = clock
        self.lease = lease
        self.pause = pause
        self.concurrency = concurrency
        self.retries = retries or Retries()
        self._known: dict[tuple[Queue, str], _Known] = {}
        self._working: dict[RecordLocation, asyncio.Task[None]] = {}
        self._expected: dict[RecordLocation, None] = {}
        self._busy: set[RecordLocation] = set()
        self._has_more: dict[Queue, bool] = {}
        self._alone: RecordLocation | None = None
        self._isolating: set[Queue] = set()
        self._leases = LeaseEngine(self, clock)
        self._due = DueLoop(self._look_through, lambda: self.queues, lambda: self.pause, signals)
        self._next_count = 0.0
        self._looking: asyncio.Task[None] | None = None
        self.resolve: Resolve | None = None
        self.watch: ActionWatch | None = None

    def take(self, queue: Queue, do: Do) -> None:
        """Work on this queue from now on; `do` is given each action and its context, and returns its result."""
        self._learn(BUILTIN_KINDS[queue], do)

    def register(self, kind: type[A], do: Callable[[A, ExecutionContext | None], Any]) -> None:
        """Do actions of your own kind, too, in the queue that its class names.

        Raises ConfigurationError for a class that is not an action, or has the `tag` of another kind.
        """
        queue, tag = getattr(kind, "queue", None), getattr(getattr(kind, "__struct_config__", None), "tag", None)
        if queue not in QUEUES or not isinstance(tag, str):
            name = getattr(kind, "__name__", "MyAction")
            raise ConfigurationError(
                f"{kind!r} is not a kind of action. Write class {name}(ActionEnvelope, frozen=True, "
                f'kw_only=True, tag="..."), with a `queue` among {", ".join(QUEUES)}.'
            )
        known = self._known.get((queue, tag))
        if BUILTIN_TYPES.get(tag, kind) is not kind or (known is not None and known.kind is not kind):
            raise ConfigurationError(
                f"Another kind of actions is called {tag!r}. Give {kind.__name__} a `tag` of its own."
            )
        self._learn(kind, do)

    def _learn(self, kind: type[ActionEnvelope], do: Do) -> None:
        self._known[kind.queue, type_of(kind)] = _Known(kind, do)
        self._due.call(kind.queue)
        if self._looking is None:
            self._looking = asyncio.create_task(self._due.run())

    @property
    def queues(self) -> list[Queue]:
        """The queues that this worker takes."""
        return [*dict.fromkeys(queue for queue, _ in self._known)]

    def knows(self, row: ActionRecord) -> bool:
        """Whether this worker does actions of this kind."""
        return (row.queue, row.type) in self._known

    def expect(self, place: RecordLocation) -> None:
        """This process has handed the action over, and may want to wait for it."""
        self._expected[place] = None
        if len(self._expected) > _MOST_EXPECTED:
            del self._expected[next(iter(self._expected))]

    @property
    def expected(self) -> list[RecordLocation]:
        """Actions that this process has handed over and not seen done."""
        return [*self._expected]

    def forget(self, place: RecordLocation) -> None:
        """Expect the action no longer."""
        self._expected.pop(place, None)

    async def aclose(self) -> None:
        """Stop, and release the actions under way, so that others begin them at once."""
        if self._looking is not None:
            await stop(self._looking)
        await stop(*self._working.values(), repeat_after=None)
        self._known.clear()
        self._expected.clear()
        self._looking = None

    async def _look_through(self, queues: Collection[str]) -> None:
        await asyncio.gather(*[self._look(queue) for queue in self.queues if queue in queues])
        now = asyncio.get_running_loop().time()
        if now >= self._next_count:
            self._next_count = now + self.pause * _ROUNDS_BETWEEN_COUNTS
            await self._count_waiting()

    async def _look(self, queue: Queue) -> None:
        """Begin due actions while there is room; workers differ in which one they begin with."""
        room = self.concurrency - sum(place.queue == queue for place in self._busy)
        if room <= 0 or self._alone is not None:
            return
        due = await self._find_due(queue, room)
        if self._alone is not None:  # begun meanwhile, from another queue
            return
        new = [place for place, row in due if not row.needs_isolation]
        suspects = [place for place, row in due if row.needs_isolation]
        (self._isolating.add if suspects else self._isolating.discard)(queue)
        if suspects and not self._working:
            self._alone = random.choice(suspects)  # noqa: S311
            self._begin(self._alone)
        elif not self._isolating:  # else the actions under way end first
            for place in random.sample(new, min(room, len(new))):
                self._begin(place)
        self._has_more[queue] = len(new) > room

    async def _find_due(self, queue: Queue, room: int) -> list[tuple[RecordLocation, ActionRecord]]:
        """The actions that this worker may begin. It looks deeper where others' actions lie before its own."""
        limit, now = room * _LOOKS_PER_SLOT, self._clock()
        while True:
            found = await self._documents.due(KINDS[queue], now, limit)
            rows = [(RecordLocation(owner, queue, document.id), self._read(document)) for owner, document in found]
            mine = [
                (place, row)
                for place, row in rows
                if row is not None and place not in self._working and self._is_for_us(row, now)
            ]
            if len(mine) >= room or len(found) < limit or limit >= _DEEPEST_LOOK:
                return mine
            limit = min(limit * _LOOKS_PER_SLOT, _DEEPEST_LOOK)

    def _read(self, document: Document) -> ActionRecord | None:
        try:
            row = read_handover(document.body)
            return row if row.type else None
        except (DamagedRow, *UNREADABLE) as error:
            _log.warning("the action %s can't be read, and is passed over: %s", document.id, error)
            return None

    def _is_for_us(self, row: ActionRecord, now: datetime) -> bool:
        """Whether this worker executes it, or waits for a worker that does; of the latter those that may come first."""
        if self.knows(row) or row.status == "done":
            return True
        grace = timedelta(seconds=2 * self.pause) if row.passes else timedelta()
        return row.type not in BUILTIN_TYPES and row.due + grace <= now

    def _begin(self, place: RecordLocation) -> None:
        self._busy.add(place)
        task = self._working[place] = asyncio.create_task(self._leases.work(place))

        def over(_: object) -> None:
            self._working.pop(place, None)
            self._make_room(place)
            if self._alone == place:
                self._alone = None
                self._due.call(*self.queues)
            elif not self._working:
                self._due.call(*self._isolating)

        task.add_done_callback(over)

    def _make_room(self, place: RecordLocation) -> None:
        """Let another begin, while the outcome of this one is written."""
        if place in self._busy:
            self._busy.discard(place)
            if self._has_more.get(place.queue):
                self._due.call(place.queue)

    async def begin(self, place: RecordLocation, until: datetime) -> ActionRecord | None:
        """See JobKind."""
        return await self._change(place, begun(self._clock(), until, alone=self._alone == place))

    async def renew(self, place: RecordLocation, job: ActionRecord, until: datetime) -> bool:
        """See JobKind."""
        return await self._change(place, changed(job.token, due=until))

    async def hand_back(self, place: RecordLocation, job: ActionRecord) -> None:
        """See JobKind."""
        back = changed(job.token, status="waiting", due=self._clock(), attempts=job.attempts - 1)
        await self._change(place, back, [place.queue])

    async def attempt(self, place: RecordLocation, job: ActionRecord) -> _Attempt:
        """See JobKind. An error of the action is part of the outcome."""
        origin: Literal["reference", "action"] = "action"
        try:
            if job.tries > self.retries.most_attempts:
                raise RuntimeError(f"It was begun {job.attempts - 1} times, and each time its process died.")
            action, do = self._understood(job)
            context = await self._context(action)
            origin = "action" if context is None else "reference"
            value = await call(do, action, context)
            _check_result(value)
        except Exception as error:
            return _Attempt(origin, error=error)
        self._make_room(place)
        return _Attempt(origin, value)

    async def finish(self, place: RecordLocation, job: ActionRecord, attempt: asyncio.Task[_Attempt]) -> None:
        """See JobKind. An action whose lease was lost is left to the worker that has it now."""
        if attempt.cancelled():
            return
        origin, value, error = attempt.result()
        if isinstance(error, _Unknown):
            await self._pass_on(place, job)
        elif error is not None:
            await self._failed(place, job, origin, error)
        else:
            result = ActionResult(action_id=place.action_id, context=origin, attempts=job.attempts, value=value)
            await self._end(place, job, "done", result, self._clock() + RESULTS_ARE_KEPT)

    def _understood(self, row: ActionRecord) -> tuple[ActionEnvelope, Do]:
        """The action and its duty."""
        known = self._known.get((row.queue, row.type))
        if known is None:
            raise _Unknown
        try:
            return msgspec.json.decode(row.body, type=known.kind), known.do
        except msgspec.ValidationError:  # of a later version of the kind
            raise _Unknown from None

    async def _pass_on(self, place: RecordLocation, row: ActionRecord) -> None:
        """Leave it to a worker that knows its kind; it is given up when none has come for a long time."""
        now, passes = self._clock(), row.passes + 1
        if passes < self.retries.most_attempts:
            due = now + timedelta(seconds=self.retries.pause(passes, self.pause))
            back = changed(row.token, status="waiting", due=due, attempts=row.attempts - 1, passes=passes)
            await self._change(place, back)
            return
        await self._give_up(
            place,
            row,
            "action",
            f"No worker of the queue {row.queue!r} knows actions of the type {row.type!r} in this version. "
            "Start one that does (worker.register), and retry the action.",
        )

    async def _context(self, action: ActionEnvelope) -> ExecutionContext | None:
        key = action.context_reference_key
        if key is None:
            return None
        context = await self.resolve(action.tenant, action.queue, key) if self.resolve else None
        if context is None and self.watch is not None:
            self.watch.without_context(action.queue)
        return context

    async def _failed(
        self, place: RecordLocation, row: ActionRecord, origin: Literal["reference", "action"], error: Exception
    ) -> None:
        now = self._clock()
        if isinstance(error, Unavailable) and row.tries < self.retries.most_attempts:
            pause = self.retries.pause(row.tries, error.retry_after)
            _log.warning("an action is tried again: %s", type(error).__name__, exc_info=error)
            # It did not kill its process, so its deaths were others'.
            survived = changed(
                row.token,
                status="waiting",
                due=now + timedelta(seconds=pause),
                attempts=row.tries,
                deaths=0,
                alone=False,
            )
            await self._change(place, survived)
            self._report("failed", place)
            asyncio.get_running_loop().call_later(pause, self._due.call, place.queue)
            return
        _log.warning("an action is given up: %s", type(error).__name__, exc_info=error)
        await self._give_up(place, row, origin, f"{type(error).__name__}: {error}")

    async def _give_up(
        self, place: RecordLocation, row: ActionRecord, origin: Literal["reference", "action"], described: str
    ) -> None:
        result = ActionResult(action_id=place.action_id, context=origin, attempts=row.attempts, error=described)
        await self._end(place, row, "dead", result, self._clock())

    async def _end(
        self, place: RecordLocation, row: ActionRecord, status: Literal["done", "dead"], result: ActionResult, due: Any
    ) -> None:
        if await self._change(place, changed(row.token, status=status, result=result, due=due)):
            self._report(status, place)
        self.forget(place)

    async def _count_waiting(self) -> None:
        """Count waiting actions, and remove those that have been dead for a long time."""
        now = self._clock()
        if self.watch is not None:
            for queue in self.queues:
                self.watch.waiting(queue, await self._documents.count_due(KINDS[queue], now))
        for owner, document in await self._documents.due(DEAD, now - DEAD_ARE_KEPT, _MOST_BURIED):
            key = document.key
            await self._documents.change(owner, document.group, [], lambda _, key=key: Decision(None, delete=[key]))

    async def _change(self, place: RecordLocation, change: Change[T], signals: Sequence[str] = ()) -> T:
        return await self._documents.change(place.owner, place.group, place.keys, on_row(place.keys, change, signals))

    def _report(self, outcome: AttemptOutcome, place: RecordLocation) -> None:
        if self.watch is not None:
            self.watch.attempted(place.queue, outcome)

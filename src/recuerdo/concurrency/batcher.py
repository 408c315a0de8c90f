"""Batches of concurrent calls, each answered in one round trip or one transaction."""

import asyncio
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Hashable, Sequence
from functools import partial
from math import inf
from typing import Any, Generic, NamedTuple, TypeVar

from recuerdo.core.errors import Unavailable

K = TypeVar("K")
V = TypeVar("V")
H = TypeVar("H", bound=Hashable)

_MOST = 64
_CONCURRENCY = 2


class _WaitingCall(NamedTuple):
    call: Any
    weight: float
    round: int
    answer: "asyncio.Future[Any]"


class Batcher(Generic[K, V]):
    """Answers a lone call at once, and batches the calls that arrive while others run.

    `many` answers calls in their order, each by a value or by the exception that it fails with. If `many` itself fails,
    each call is tried once more, alone, unless the database is away. A call may take effect although its caller was
    cancelled. With a `concurrency` of 1, calls take effect in the order of their arrival. Otherwise calls of the same
    place never run in two batches at once, and keep their order.
    """

    def __init__(
        self,
        many: Callable[[Sequence[K]], Awaitable[Sequence[V | Exception]]],
        *,
        concurrency: int,
        most: float = inf,
        weigh: Callable[[K], float] = lambda _: 1,
        heaviest: float = inf,
        place: Callable[[K], Hashable] | None = None,
        interrupted: Callable[[], BaseException] = asyncio.CancelledError,
    ) -> None:
        """`concurrency` is how many batches run at a time, and `most` how many calls one batch has.

        The calls of a batch weigh at most `heaviest` together. `interrupted` makes the error for the callers of a batch
        that was cancelled.
        """
        self._many = many
        self._concurrency = concurrency
        self._most = most
        self._weigh = weigh
        self._heaviest = heaviest
        self._place = place
        self._interrupted = interrupted
        self._queue: deque[_WaitingCall] = deque()
        self._under_way: Counter[Hashable] = Counter()
        self._running = 0
        self._workers: set[asyncio.Task[None]] = set()
        self._round = 0
        self._unanswered: Counter[int] = Counter()
        self._round_ended = asyncio.Event()

    async def get(self, call: K) -> V:
        """The answer. Raises what the call fails with."""
        round_ = self._round
        self._unanswered[round_] += 1
        # While another batch may start, no call waits whose place is not under way: this call overtakes none.
        if self._running >= self._concurrency or (self._place and self._place(call) in self._under_way):
            answer: asyncio.Future[V] = asyncio.get_running_loop().create_future()
            self._queue.append(_WaitingCall(call, self._weigh(call), round_, answer))
            return await answer
        calls = [call]
        self._running += 1
        if self._place:
            self._under_way.update(map(self._place, calls))
        try:
            outcomes = await self._many(calls)
        finally:
            self._end(calls, [round_])
        [outcome] = outcomes if len(outcomes) == 1 else [self._interrupted()]
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    async def flush(self) -> None:
        """Wait until every call that has come so far is answered, however many come meanwhile."""
        self._round += 1
        before = self._round
        while any(each < before for each in self._unanswered):
            await self._round_ended.wait()

    def _end(self, calls: Sequence[K], rounds: Sequence[int]) -> None:
        """Start the next batches, in tasks that no caller can cancel."""
        self._running -= 1
        for each in rounds:
            self._unanswered[each] -= 1
            if not self._unanswered[each]:
                del self._unanswered[each]
                self._round_ended.set()
                self._round_ended = asyncio.Event()
        if self._place:
            for place in map(self._place, calls):
                self._under_way.pop(place, None)
        while self._queue and self._running < self._concurrency and (batch := self._next_batch()):
            self._running += 1
            if self._place:
                self._under_way.update([self._place(waiting.call) for waiting in batch])
            worker = asyncio.create_task(self._work(batch))
            self._workers.add(worker)
            worker.add_done_callback(partial(self._worked, batch))

    async def _work(self, batch: Sequence[_WaitingCall]) -> None:
        outcomes = await self._outcomes([waiting.call for waiting in batch])
        for waiting, outcome in zip(batch, outcomes, strict=True):
            _resolve(waiting.answer, outcome)

    def _worked(self, batch: Sequence[_WaitingCall], worker: asyncio.Task[None]) -> None:
        """End the batch one iteration of the event loop later: callers that call again at once join the next one.

        This is a callback and no part of the worker, which an ending event loop may cancel before it has begun.
        """
        self._workers.discard(worker)
        for waiting in batch:
            if not waiting.answer.done():
                waiting.answer.set_exception(self._interrupted())
        self._end([waiting.call for waiting in batch], [waiting.round for waiting in batch])

    def _next_batch(self) -> list[_WaitingCall]:
        """The calls that have waited longest, of places that are not under way.

        With places, a batch takes only its share of them, so that others can run beside it. Calls of one place stay
        together.
        """
        share = -(-(len(self._queue) + sum(self._under_way.values())) // self._concurrency) if self._place else inf
        batch: list[_WaitingCall] = []
        passed: list[_WaitingCall] = []
        places: set[Hashable] = set()
        weight = 0.0
        while self._queue and len(batch) < self._most:
            waiting = self._queue.popleft()
            place = self._place(waiting.call) if self._place else None
            if place not in places and (place in self._under_way or len(batch) >= share):
                passed.append(waiting)
                continue
            weight += waiting.weight
            if batch and weight > self._heaviest:
                passed.append(waiting)
                break
            places.add(place)
            batch.append(waiting)
        self._queue.extendleft(reversed(passed))
        return batch

    async def _outcomes(self, calls: Sequence[K]) -> Sequence[V | BaseException]:
        try:
            outcomes = await self._many(calls)
        except Exception as error:
            if len(calls) == 1 or isinstance(error, Unavailable):
                return [error] * len(calls)
        else:
            return outcomes if len(outcomes) == len(calls) else [self._interrupted() for _ in calls]
        return [outcome for call in calls for outcome in await self._outcomes([call])]


class BatchLoader(Batcher[H, V]):
    """Looks values up by their keys: a lone key with `one`, several with `many`, equal keys once.

    `many` answers in the order of the keys. No value was read before it was asked for.
    """

    def __init__(
        self,
        one: Callable[[H], Awaitable[V]],
        many: Callable[[Sequence[H]], Awaitable[Sequence[V]]],
        *,
        concurrency: int = _CONCURRENCY,
        most: int = _MOST,
        weigh: Callable[[H], int] = lambda _: 1,
    ) -> None:
        """`concurrency` is how many batches run at a time, and `most` how much the keys of one weigh together."""

        async def load(keys: Sequence[H]) -> Sequence[V]:
            if len(keys) == 1:
                return [await one(keys[0])]
            different = list(dict.fromkeys(keys))
            found = dict(zip(different, await many(different), strict=True))
            return [found[key] for key in keys]

        super().__init__(load, concurrency=concurrency, weigh=weigh, heaviest=most)


def _resolve(answer: "asyncio.Future[Any]", outcome: object) -> None:
    if answer.done():
        return
    if isinstance(outcome, BaseException):
        answer.set_exception(outcome)
    else:
        answer.set_result(outcome)

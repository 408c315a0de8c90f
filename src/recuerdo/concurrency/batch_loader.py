"""Calls that come together, answered together: in one round trip, or in one transaction."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import Generic, TypeVar

from recuerdo.core.errors import Unavailable

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_MOST = 64
_LANES = 2


class BatchLoader(Generic[K, V]):
    """Answers a lone call at once, by `one`; those that come while others are under way share the next, by `many`.

    A call is made of its key, and calls with equal keys that share one are made once. What is answered was read after
    it was asked for. `many` answers in the order of the keys; when it fails, each of them is tried by `one`, unless the
    database is away. With a single lane calls take effect in the order in which they came.
    """

    def __init__(
        self,
        one: Callable[[K], Awaitable[V]],
        many: Callable[[Sequence[K]], Awaitable[Sequence[V]]],
        *,
        lanes: int = _LANES,
        most: int = _MOST,
        weigh: Callable[[K], int] = lambda _: 1,
    ) -> None:
        """`lanes` is how many batches are under way at a time, and `most` what the keys of one weigh together."""
        self._one = one
        self._many = many
        self._lanes = lanes
        self._most = most
        self._weigh = weigh
        self._waiting: deque[tuple[K, asyncio.Future[V]]] = deque()
        self._busy_lanes = 0
        self._tasks: set[asyncio.Task[None]] = set()

    def get(self, key: K) -> Awaitable[V]:
        """The answer. Raises what the call raises."""
        if self._busy_lanes < self._lanes:
            self._busy_lanes += 1
            return self._alone(key)
        answer: asyncio.Future[V] = asyncio.get_running_loop().create_future()
        self._waiting.append((key, answer))
        return answer

    async def _alone(self, key: K) -> V:
        try:
            return await self._one(key)
        finally:
            self._go_on()

    def _go_on(self) -> None:
        """A lane is free: for those who wait, in a task that none of them can cancel."""
        self._busy_lanes -= 1
        if self._waiting:
            batch = self._next_batch()
            self._busy_lanes += 1
            task = asyncio.create_task(self._answer(batch))
            self._tasks.add(task)
            task.add_done_callback(lambda done: self._answered(batch, done))

    def _next_batch(self) -> list[tuple[K, "asyncio.Future[V]"]]:
        batch = [self._waiting.popleft()]
        weight = self._weigh(batch[0][0])
        while self._waiting and (weight := weight + self._weigh(self._waiting[0][0])) <= self._most:
            batch.append(self._waiting.popleft())
        return batch

    async def _answer(self, batch: Sequence[tuple[K, "asyncio.Future[V]"]]) -> None:
        keys = list(dict.fromkeys([key for key, answer in batch if not answer.done()]))
        found = dict(zip(keys, await self._outcomes(keys), strict=True))
        for key, answer in batch:
            if not answer.done():
                _settle(answer, found[key])

    async def _outcomes(self, keys: Sequence[K]) -> Sequence[V | Exception]:
        try:
            return await self._many(keys) if keys else []
        except Exception as error:
            if len(keys) == 1 or isinstance(error, Unavailable):
                return [error] * len(keys)
        return [await self._outcome(key) for key in keys]

    async def _outcome(self, key: K) -> V | Exception:
        try:
            return await self._one(key)
        except Exception as error:
            return error

    def _answered(self, batch: Sequence[tuple[K, "asyncio.Future[V]"]], done: "asyncio.Task[None]") -> None:
        """No part of the task, which an event loop that ends may cancel before it has begun."""
        self._tasks.discard(done)
        for _, answer in batch:
            answer.cancel()  # no harm to those that are answered
        self._go_on()


def _settle(answer: "asyncio.Future[V]", outcome: V | Exception) -> None:
    if isinstance(outcome, Exception):
        answer.set_exception(outcome)
    else:
        answer.set_result(outcome)

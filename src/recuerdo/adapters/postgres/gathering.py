"""Reads by key that are asked for at the same moment, in one round trip."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_MOST = 64
_LANES = 2
"""How many round trips are under way at a time."""


class Gathering(Generic[K, V]):
    """Answers a lone question at once, by `one`; those that come while others are under way share the next, by `many`.

    What is answered was read after it was asked for. `many` answers in the order of the keys.
    """

    def __init__(self, one: Callable[[K], Awaitable[V]], many: Callable[[Sequence[K]], Awaitable[Sequence[V]]]) -> None:
        self._one = one
        self._many = many
        self._waiting: list[tuple[K, asyncio.Future[V]]] = []
        self._busy_lanes = 0
        self._tasks: set[asyncio.Task[None]] = set()

    async def get(self, key: K) -> V:
        """The answer. Raises what the reading raises."""
        if self._busy_lanes == _LANES:
            answer: asyncio.Future[V] = asyncio.get_running_loop().create_future()
            self._waiting.append((key, answer))
            return await answer
        self._busy_lanes += 1
        try:
            return await self._one(key)
        finally:
            self._go_on()

    def _go_on(self) -> None:
        """A lane is free: for those who wait, in a task that none of them can cancel."""
        self._busy_lanes -= 1
        if self._waiting:
            batch, self._waiting = self._waiting[:_MOST], self._waiting[_MOST:]
            self._busy_lanes += 1
            task = asyncio.create_task(self._answer(batch))
            self._tasks.add(task)
            task.add_done_callback(lambda done: self._answered(batch, done))

    async def _answer(self, batch: Sequence[tuple[K, "asyncio.Future[V]"]]) -> None:
        keys = list(dict.fromkeys([key for key, answer in batch if not answer.done()]))
        try:
            found = dict(zip(keys, await self._many(keys), strict=True)) if keys else {}
        except Exception as error:
            _fail(batch, error)
            return
        for key, answer in batch:
            if not answer.done():
                answer.set_result(found[key])

    def _answered(self, batch: Sequence[tuple[K, "asyncio.Future[V]"]], done: "asyncio.Task[None]") -> None:
        """No part of the task, which an event loop that ends may cancel before it has begun."""
        self._tasks.discard(done)
        for _, answer in batch:
            answer.cancel()  # no harm to those that are answered
        self._go_on()


def _fail(batch: Sequence[tuple[K, "asyncio.Future[V]"]], error: Exception) -> None:
    for _, answer in batch:
        if not answer.done():
            answer.set_exception(error)

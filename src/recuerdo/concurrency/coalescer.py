"""Concurrent calls for the same key share one execution."""

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class RequestCoalescer(Generic[T]):
    """Coalesces concurrent calls for a key: a caller joins only a call that starts after the caller arrived.

    At most one call of a key runs, and one waits after it, which newcomers share.
    """

    def __init__(self) -> None:
        self._asked: dict[Hashable, asyncio.Future[Any]] = {}
        self._waiting: dict[Hashable, asyncio.Task[T]] = {}

    async def ask(self, key: Hashable, question: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The answer to the question, asked no earlier than now. Cancelling one caller cancels it for no other."""
        asked = self._asked.get(key)
        if asked is None:
            return await self._alone(key, question)
        shared = self._waiting.get(key) or self._begin(key, self._behind(key, asked, question))
        return await asyncio.shield(shared)

    async def _alone(self, key: Hashable, question: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Call it without a task, which only sharing would need: no caller joins a lookup that runs already."""
        over = self._asked[key] = asyncio.get_running_loop().create_future()
        try:
            return await question()
        finally:
            over.set_result(None)
            if self._asked.get(key) is over:
                del self._asked[key]

    async def _behind(
        self, key: Hashable, asked: asyncio.Future[Any], question: Callable[[], Coroutine[Any, Any, T]]
    ) -> T:
        await asyncio.wait([asked])
        task = self._waiting.pop(key)
        self._asked[key] = task
        task.add_done_callback(lambda done: _forget(self._asked, key, done))
        return await question()

    def _begin(self, key: Hashable, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = self._waiting[key] = asyncio.create_task(work)
        task.add_done_callback(lambda done: _forget(self._waiting, key, done))
        return task


def _forget(tasks: dict[Hashable, Any], key: Hashable, done: asyncio.Task[Any]) -> None:
    if tasks.get(key) is done:
        del tasks[key]
    if not done.cancelled():
        done.exception()  # the remaining callers have it; without any, it is dropped


class SingleFlight(Generic[T]):
    """Runs one task a key at a time, which all callers of that time share: also those that arrive while it runs.

    Cancelling one caller cancels it for no other.
    """

    def __init__(self) -> None:
        self._tasks: dict[Hashable, asyncio.Task[T]] = {}

    async def run(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The result of `work`, or of the same work that is under way for `key`."""
        task = self._tasks.get(key)
        if task is None:
            task = self._tasks[key] = asyncio.create_task(work())
            task.add_done_callback(lambda done: _forget(self._tasks, key, done))
        return await asyncio.shield(task)

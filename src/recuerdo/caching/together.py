"""Callers who ask the same thing at the same time share an answer that was asked for after all of them had come."""

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Together(Generic[T]):
    """At most one question a key is under way, and one waits for it: that is the one which newcomers share."""

    def __init__(self) -> None:
        self._asked: dict[Hashable, asyncio.Task[T]] = {}
        self._waiting: dict[Hashable, asyncio.Task[T]] = {}

    async def ask(self, key: Hashable, question: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The answer to the question, asked from now on. A caller who goes away leaves it to the others."""
        asked = self._asked.get(key)
        if asked is None:
            return await asyncio.shield(self._begin(key, self._asked, question()))
        shared = self._waiting.get(key) or self._begin(key, self._waiting, self._behind(key, asked, question))
        return await asyncio.shield(shared)

    async def _behind(self, key: Hashable, asked: asyncio.Task[T], question: Callable[[], Coroutine[Any, Any, T]]) -> T:
        await asyncio.wait([asked])
        task = self._waiting.pop(key)
        self._asked[key] = task
        task.add_done_callback(lambda done: _forget(self._asked, key, done))
        return await question()

    def _begin(
        self, key: Hashable, tasks: dict[Hashable, asyncio.Task[T]], work: Coroutine[Any, Any, T]
    ) -> asyncio.Task[T]:
        task = tasks[key] = asyncio.create_task(work)
        task.add_done_callback(lambda done: _forget(tasks, key, done))
        return task


def _forget(tasks: dict[Hashable, asyncio.Task[Any]], key: Hashable, done: asyncio.Task[Any]) -> None:
    if tasks.get(key) is done:
        del tasks[key]
    if not done.cancelled():
        done.exception()  # callers who stayed have it; without any, it is nobody's

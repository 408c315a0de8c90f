"""Work that goes on in the background, and how it ends."""

import asyncio
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, TypeVar

T = TypeVar("T")

_PASSES = 3
"""The iterations of the event loop until a received answer reaches the task that waits for it, and one more."""


async def call(handler: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """Call a handler of the user's, which may be a coroutine function; any other runs in a thread."""
    if inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(type(handler).__call__):
        return await handler(*args, **named)
    value = await asyncio.to_thread(handler, *args, **named)
    return await value if inspect.isawaitable(value) else value


async def cancellable(work: Awaitable[T]) -> T:
    """The result of the work. Raises CancelledError if the task was cancelled meanwhile, even if the work swallowed it.

    `asyncio.wait_for` of Python 3.11 does, if the result is there (https://bugs.python.org/issue42130). LangChain waits
    through it for each piece of OpenAI's answers, so that an answer under load could hardly be stopped.
    """
    before = current.cancelling() if (current := asyncio.current_task()) else 0
    result = await work
    if current and current.cancelling() > before:
        raise asyncio.CancelledError
    return result


class AnswerTimeout:
    """Like `asyncio.timeout`, but an answer that arrived in time counts, even if a busy event loop sees it later.

    A late event loop finds the answer and the passed deadline together, and `asyncio.timeout` lets the deadline win.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._limit = asyncio.timeout(None)

    async def __aenter__(self) -> None:
        await self._limit.__aenter__()
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.Handle = self._loop.call_later(self._seconds, self._expire, _PASSES)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._timer.cancel()
        await self._limit.__aexit__(kind, error, traceback)

    def _expire(self, passes: int) -> None:
        if passes:
            self._timer = self._loop.call_soon(self._expire, passes - 1)
        else:
            self._limit.reschedule(self._loop.time())


async def settled(work: Iterable[Awaitable[T]]) -> AsyncGenerator[T]:
    """Do all of the work at a time, and yield the results in order, those behind an error too; then raise the first.

    Nothing is under way any more when this yields or raises.
    """
    outcomes = await asyncio.gather(*work, return_exceptions=True)
    for outcome in sorted(outcomes, key=lambda each: isinstance(each, BaseException)):
        if isinstance(outcome, BaseException):
            raise outcome
        yield outcome


async def stop(*tasks: asyncio.Task[Any], repeat_after: float | None = 5.0) -> None:
    """Cancel the tasks, and wait until they have ended. Their errors are ignored.

    The cancellation is repeated every `repeat_after` seconds, unless that is None, because drivers may swallow it: see
    `cancellable`.
    """
    left = {*tasks}
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=repeat_after)
    await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def in_background(work: Coroutine[Any, Any, None]) -> AsyncGenerator[None]:
    """Do the work as long as the block lasts."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        await stop(task)

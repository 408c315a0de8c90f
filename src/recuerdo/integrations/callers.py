"""Which event loop the methods of an object go to when they are called from elsewhere."""

import asyncio
import concurrent.futures
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Iterator
from typing import Any, TypeVar

from recuerdo.core.errors import ConfigurationError
from recuerdo.integrations.bridge import Bridge

T = TypeVar("T")


class SyncCaller:
    """Calls through the bridge that it is given, else to the loop that it is made on.

    Without either there is no telling on which loop Recuerdo was opened: then every call raises ConfigurationError.
    """

    def __init__(self, bridge: Bridge | None) -> None:
        self._bridge = bridge or bridge_here()
        self._begun: set[asyncio.Task[Any]] = set()

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """The coroutine's result; see Bridge."""
        return self._known(coroutine).run(coroutine)

    def begin(self, coroutine: Coroutine[Any, Any, T]) -> "concurrent.futures.Future[T]":
        """The coroutine under way; see Bridge."""
        return self._known(coroutine).begin(coroutine)

    def either(self, coroutine: Coroutine[Any, Any, T]) -> Any:
        """The coroutine's result where no event loop runs; where one does, an awaitable of it.

        For methods that have one name in synchronous and asynchronous programs. It is under way even if nobody awaits.
        """
        if not loop_runs():
            return self.run(coroutine)
        task = asyncio.create_task(self.join(coroutine))
        self._begun.add(task)
        task.add_done_callback(self._begun.discard)
        return task

    def join(self, coroutine: Coroutine[Any, Any, T]) -> Coroutine[Any, Any, T]:
        """The coroutine's result for callers that can await, on this loop or another one; see Bridge."""
        if self._bridge is None or self._bridge.is_here:
            return coroutine
        return self._bridge.join(coroutine)

    def _known(self, coroutine: Coroutine[Any, Any, object]) -> Bridge:
        if self._bridge is None:
            coroutine.close()
            raise _lost()
        return self._bridge

    async def walk(self, items: AsyncGenerator[T]) -> AsyncGenerator[T]:
        """The items one after the other, for callers that can await."""
        end = object()

        async def following() -> T | object:
            return await anext(items, end)

        try:
            while (item := await self.join(following())) is not end:
                yield item  # pyright: ignore[reportReturnType]
        finally:
            await self.join(items.aclose())

    def iterate(self, items: AsyncIterator[T]) -> Iterator[T]:
        """The items one after the other; see Bridge."""
        if self._bridge is None:
            raise _lost()
        return self._bridge.iterate(items)


def bridge_here() -> Bridge | None:
    """A bridge to the running loop; None where none runs."""
    return Bridge() if loop_runs() else None


def loop_runs() -> bool:
    """Whether the caller can await."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def nothing() -> Any:
    """What a method answers that has nothing to do, to those who await it and to those who can't."""
    if not loop_runs():
        return None
    done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    done.set_result(None)
    return done


def _lost() -> ConfigurationError:
    return ConfigurationError(
        "This object does not know the event loop that Recuerdo was opened on. Make it on that loop, or give it the "
        "Bridge that opened Recuerdo; a program without a loop opens savers and stores by `with "
        "....from_conn_string(url)`."
    )

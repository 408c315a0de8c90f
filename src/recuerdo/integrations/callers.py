"""Which event loop the methods of an object go to when they are called from elsewhere."""

import asyncio
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

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """The coroutine's result; see Bridge."""
        if self._bridge is not None:
            return self._bridge.run(coroutine)
        coroutine.close()
        raise _lost()

    async def join(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """The coroutine's result for callers that can await, on this loop or another one; see Bridge."""
        return await (coroutine if self._bridge is None else self._bridge.join(coroutine))

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
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return None
    return Bridge()


def _lost() -> ConfigurationError:
    return ConfigurationError(
        "This object does not know the event loop that Recuerdo was opened on. Make it on that loop, or give it the "
        "Bridge that opened Recuerdo; a program without a loop opens savers and stores by `with "
        "....from_conn_string(url)`."
    )

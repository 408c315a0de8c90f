"""Opening a database for LangGraph alone."""

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Generic, TypeVar

from recuerdo.app.recuerdo import Recuerdo
from recuerdo.integrations.bridge import Bridge

T = TypeVar("T")


class Opening(Generic[T]):
    """A database that is open within `async with` or, where no event loop runs, within `with`."""

    def __init__(
        self, url: str, make: Callable[[Recuerdo], T], close: Callable[[T], Awaitable[object]] | None = None
    ) -> None:
        """`make` is given the open database, and `close` what it made, just before the database is closed."""
        self._url = url
        self._make = make
        self._close = close
        self._stack = AsyncExitStack()
        self._bridge: Bridge | None = None

    async def __aenter__(self) -> T:
        async with AsyncExitStack() as stack:  # which closes what is open already when the rest fails
            made = self._make(await stack.enter_async_context(Recuerdo.open(self._url, embeddings="none")))
            if self._close is not None:
                stack.push_async_callback(self._close, made)
            self._stack = stack.pop_all()
        return made

    async def __aexit__(self, *failure: object) -> None:
        await self._stack.aclose()

    def __enter__(self) -> T:
        self._bridge = Bridge()
        try:
            return self._bridge.run(self.__aenter__())
        except BaseException:
            self._bridge.close()
            raise

    def __exit__(self, *failure: object) -> None:
        if self._bridge is not None:
            try:
                self._bridge.run(self.__aexit__())
            finally:
                self._bridge.close()

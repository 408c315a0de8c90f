"""Callers who want the same thing at the same time share one piece of work."""

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class SingleFlight(Generic[T]):
    """Runs one task a key at a time. A caller who goes away leaves it to the others."""

    def __init__(self) -> None:
        self._flights: dict[Hashable, asyncio.Task[T]] = {}

    async def run(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The result of `work`, or of the same work that is under way for `key`."""
        flight = self._flights.get(key)
        if flight is None:
            flight = self._flights[key] = asyncio.create_task(work())
            flight.add_done_callback(lambda done: self._land(key, done))
        return await asyncio.shield(flight)

    def _land(self, key: Hashable, flight: asyncio.Task[T]) -> None:
        del self._flights[key]
        if not flight.cancelled():
            flight.exception()  # callers who stayed have it; without any, it is nobody's

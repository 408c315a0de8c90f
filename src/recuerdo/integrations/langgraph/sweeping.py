"""Deleting what has expired, now and again."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from recuerdo.core.errors import RecuerdoError

_log = logging.getLogger(__name__)


class Sweeping:
    """One background task that sweeps; it goes on when a sweep fails."""

    def __init__(self, sweep: Callable[[], Awaitable[int]]) -> None:
        self._sweep = sweep
        self._task: asyncio.Task[None] | None = None

    def start(self, seconds: float) -> asyncio.Task[None]:
        """Sweep every so many seconds. Returns the task, the one that sweeps already if there is one."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(seconds))
        return self._task

    async def until_stopped(self, seconds: float) -> None:
        """Sweep every so many seconds, until it is stopped or this is cancelled, which stops it."""
        task = self.start(seconds)
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:
            task.cancel()
            raise

    async def stop(self, seconds: float | None) -> bool:
        """Stop, and wait for that so many seconds at most. True when nothing sweeps any more."""
        task = self._task
        if task is None:
            return True
        task.cancel()
        await asyncio.wait([task], timeout=seconds)
        return task.done()

    async def _run(self, seconds: float) -> None:
        while True:
            await asyncio.sleep(seconds)
            try:
                await self._sweep()
            except RecuerdoError as error:
                _log.warning("expired items can't be deleted now: %s", error)

"""Threads that do blocking work on connections of their own, fed from the event loop."""

import asyncio
import queue
import sqlite3
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from recuerdo.adapters.sqlite.failures import translate
from recuerdo.adapters.sqlite.wakeup import open_wakeup
from recuerdo.core.errors import DatabaseUnavailable

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]


class _Job(NamedTuple):
    work: Work[Any]
    outcome: asyncio.Future[Any]


class _Done(NamedTuple):
    outcome: asyncio.Future[Any]
    result: Any
    error: Exception | None


class Workers:
    """Threads that each own a connection and share one queue of jobs. They serve the event loop that made them."""

    def __init__(self, name: str, connect: Callable[[], sqlite3.Connection], size: int) -> None:
        self._connect = connect
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._done: deque[_Done] = deque()
        self._loop = asyncio.get_running_loop()
        self._wakeup = open_wakeup(self._loop, self._settle_done)
        self._threads = [threading.Thread(target=self._serve, name=f"{name}-{i}", daemon=True) for i in range(size)]
        self._closed = False
        for thread in self._threads:
            thread.start()

    @property
    def is_closed(self) -> bool:
        """Whether no more work is taken."""
        return self._closed

    async def run(self, work: Work[T]) -> T:
        """The result of `work` on one of the connections. Raises DatabaseUnavailable for the driver's failures.

        Work that was asked for is done to its end, even when the caller is cancelled.
        """
        if self._closed:
            raise DatabaseUnavailable("The database is closed. Use Recuerdo inside its `async with` block.")
        job = _Job(work, self._loop.create_future())
        self._jobs.put(job)
        return await job.outcome

    async def close(self) -> None:
        """Let the threads finish the jobs that wait, close their connections and end, and wait for that."""
        if self._closed:
            return
        self._closed = True
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            await asyncio.to_thread(thread.join)
        self._wakeup.take_down()
        self._settle_done()

    def _serve(self) -> None:
        connection: sqlite3.Connection | None = None
        while (job := self._jobs.get()) is not None:
            try:
                connection = connection or self._connect()
                self._done.append(_Done(job.outcome, job.work(connection), None))
            except Exception as error:
                self._done.append(_Done(job.outcome, None, translate(error)))
            self._wakeup.ring()
            del job  # what the job holds must not live until the next one comes
        if connection is not None:
            connection.close()

    def _settle_done(self) -> None:
        while self._done:
            _settle(self._done.popleft())


def _settle(done: _Done) -> None:
    if done.outcome.cancelled():
        return
    if done.error is None:
        done.outcome.set_result(done.result)
    else:
        done.outcome.set_exception(done.error)

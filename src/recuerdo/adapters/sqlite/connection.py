"""Connections to one SQLite file: a thread that writes and a few that read, fed from the event loop."""

import asyncio
import queue
import sqlite3
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from recuerdo.adapters.sqlite.failures import translate
from recuerdo.adapters.sqlite.migrations import migrate, switch_to_wal
from recuerdo.core.errors import ConfigurationError, DatabaseUnavailable

OLDEST_SQLITE = (3, 37, 0)
"""The first version with STRICT tables."""

BUSY_SECONDS = 10.0
"""How long a transaction waits for the lock of another process."""

_READERS = 3

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]


class _Job(NamedTuple):
    work: Work[Any]
    loop: asyncio.AbstractEventLoop
    outcome: asyncio.Future[Any]


class Workers:
    """Threads that each own a connection and share one queue of jobs."""

    def __init__(self, name: str, connect: Callable[[], sqlite3.Connection], size: int) -> None:
        self._connect = connect
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._threads = [threading.Thread(target=self._serve, name=f"{name}-{i}", daemon=True) for i in range(size)]
        self._closed = False
        for thread in self._threads:
            thread.start()

    async def run(self, work: Work[T]) -> T:
        """The result of `work` on one of the connections. Raises DatabaseUnavailable for the driver's failures."""
        if self._closed:
            raise DatabaseUnavailable("The database is closed. Use Recuerdo inside its `async with` block.")
        loop = asyncio.get_running_loop()
        job = _Job(work, loop, loop.create_future())
        self._jobs.put(job)
        return await job.outcome

    def close(self) -> None:
        """Let the threads finish the jobs that wait, close their connections and end."""
        self._closed = True
        for _ in self._threads:
            self._jobs.put(None)

    def join(self) -> None:
        """Wait until the threads have ended."""
        for thread in self._threads:
            thread.join()

    def _serve(self) -> None:
        connection: sqlite3.Connection | None = None
        while (job := self._jobs.get()) is not None:
            try:
                connection = connection or self._connect()
                _answer(job, job.work(connection), None)
            except Exception as error:
                _answer(job, None, translate(error))
            del job  # what the job holds must not live until the next one comes
        if connection is not None:
            connection.close()


def _answer(job: _Job, result: Any, error: Exception | None) -> None:
    with suppress(RuntimeError):  # the loop is closed: nobody waits any more
        job.loop.call_soon_threadsafe(_settle, job.outcome, result, error)


def _settle(outcome: asyncio.Future[Any], result: Any, error: Exception | None) -> None:
    if outcome.cancelled():
        return
    if error is None:
        outcome.set_result(result)
    else:
        outcome.set_exception(error)


class SqliteDatabase:
    """One SQLite file in WAL mode with synchronous=FULL: what was committed survives a power cut.

    Any number of tasks and processes may share the file. Writes queue up for one thread; reads see the last commit.
    """

    def __init__(self, path: Path, busy_seconds: float) -> None:
        connect = partial(_connect, path, busy_seconds)
        self._writer = Workers("sqlite-writer", connect, 1)
        self._readers = Workers("sqlite-reader", connect, _READERS)

    @classmethod
    @asynccontextmanager
    async def open(cls, path: str | Path, *, busy_seconds: float = BUSY_SECONDS) -> AsyncGenerator["SqliteDatabase"]:
        """Open the file, make it when it is absent, and bring its tables up to date.

        Raises ConfigurationError when the SQLite of this Python is too old, DatabaseUnavailable when the file can't
        be opened.
        """
        if sqlite3.sqlite_version_info < OLDEST_SQLITE:
            raise ConfigurationError(
                f"Python is linked with SQLite {sqlite3.sqlite_version}; use one with 3.37 or newer."
            )
        database = cls(Path(path), busy_seconds)
        try:
            await database._prepare(path)
            yield database
        finally:
            await database._close()

    async def write(self, work: Work[T]) -> T:
        """Run `work` in one transaction and commit it; when it raises, nothing of it remains."""
        return await self._writer.run(lambda connection: _transact(connection, "BEGIN IMMEDIATE", work))

    async def read(self, work: Work[T]) -> T:
        """Run `work` on one committed state."""
        return await self._readers.run(lambda connection: _transact(connection, "BEGIN", work))

    async def _prepare(self, path: str | Path) -> None:
        try:
            await self._writer.run(switch_to_wal)
            await self.write(migrate)
        except DatabaseUnavailable as error:
            raise DatabaseUnavailable(f"Can't open {path}. {error}") from error

    async def _close(self) -> None:
        for workers in (self._writer, self._readers):
            workers.close()
        for workers in (self._writer, self._readers):
            await asyncio.to_thread(workers.join)


def _connect(path: Path, busy_seconds: float) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=busy_seconds, isolation_level=None, cached_statements=256)
    try:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA secure_delete = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def _transact(connection: sqlite3.Connection, begin: str, work: Work[T]) -> T:
    connection.execute(begin)
    try:
        result = work(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return result

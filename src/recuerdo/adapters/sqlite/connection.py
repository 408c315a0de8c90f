"""Connections to one SQLite file: a thread that writes and a few that read, fed from the event loop."""

import asyncio
import queue
import sqlite3
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from recuerdo.adapters.sqlite.migrations import migrate
from recuerdo.core.errors import ConfigurationError, DatabaseUnavailable

OLDEST_SQLITE = (3, 37, 0)
"""The first version with STRICT tables."""

_READERS = 3
_BUSY_SECONDS = 10.0

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

    async def aclose(self) -> None:
        """Finish the jobs that wait, then close the connections."""
        self._closed = True
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            await asyncio.to_thread(thread.join)

    def _serve(self) -> None:
        connection: sqlite3.Connection | None = None
        while (job := self._jobs.get()) is not None:
            try:
                connection = connection or self._connect()
                _answer(job, job.work(connection), None)
            except Exception as error:
                _answer(job, None, _translate(error))
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


def _translate(error: Exception) -> Exception:
    if isinstance(error, sqlite3.DatabaseError) and not isinstance(
        error, sqlite3.IntegrityError | sqlite3.ProgrammingError
    ):
        return DatabaseUnavailable(f"SQLite says: {error}. Check the file's disk, its permissions and who locks it.")
    return error


class SqliteDatabase:
    """One SQLite file in WAL mode with synchronous=FULL: what was committed survives a power cut.

    Any number of tasks and processes may share the file. Writes queue up for one thread; reads see the last commit.
    """

    def __init__(self, path: Path) -> None:
        self._writer = Workers("sqlite-writer", lambda: _connect(path), 1)
        self._readers = Workers("sqlite-reader", lambda: _connect(path), _READERS)

    @classmethod
    @asynccontextmanager
    async def open(cls, path: str | Path) -> AsyncGenerator["SqliteDatabase"]:
        """Open the file, make it when it is absent, and bring its tables up to date.

        Raises ConfigurationError when the SQLite of this Python is too old, DatabaseUnavailable when the file can't
        be opened.
        """
        if sqlite3.sqlite_version_info < OLDEST_SQLITE:
            raise ConfigurationError(
                f"Python is linked with SQLite {sqlite3.sqlite_version}; use one with 3.37 or newer."
            )
        database = cls(Path(path))
        try:
            await database._writer.run(migrate)
            yield database
        finally:
            await database._writer.aclose()
            await database._readers.aclose()

    async def write(self, work: Work[T]) -> T:
        """Run `work` in one transaction and commit it; when it raises, nothing of it remains."""
        return await self._writer.run(lambda connection: _transact(connection, "BEGIN IMMEDIATE", work))

    async def read(self, work: Work[T]) -> T:
        """Run `work` on one committed state."""
        return await self._readers.run(lambda connection: _transact(connection, "BEGIN", work))


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, cached_statements=256)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA secure_delete = ON")
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

"""Connections to one SQLite file: one that writes and a few that read."""

import asyncio
import os
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path

from recuerdo.adapters.latency_gate import LatencyGate
from recuerdo.adapters.sqlite.failures import is_about_the_disk
from recuerdo.adapters.sqlite.inline_executor import Busy, InlineExecutor
from recuerdo.adapters.sqlite.migrations import migrate, switch_to_wal
from recuerdo.adapters.sqlite.workers import T, Work, Workers
from recuerdo.core.errors import ConfigurationError, DatabaseUnavailable, OutcomeUnknown

OLDEST_SQLITE = (3, 37, 0)
"""The first version with STRICT tables."""

BUSY_SECONDS = 10.0
"""How long a transaction waits for the lock of another process."""

_READERS = 3

_PAGES_OF_LOG = 4000
"""So many pages, 16 MB, are in the log when it is brought into the file: of a page that changed often, once."""


class SqliteDatabase:
    """One SQLite file in WAL mode with synchronous=FULL: what was committed survives a power cut.

    Any number of tasks and processes may share the file. Writes queue up for one thread; reads see the last commit.
    What is `brief`, a few rows, needs no other thread while the disk is quick.
    """

    def __init__(self, path: Path, busy_seconds: float) -> None:
        self._file = _DatabaseFile(path)
        self._writer = _Lane("writer", self._file, busy_seconds, "BEGIN IMMEDIATE", 1)
        self._reader = _Lane("reader", self._file, busy_seconds, "BEGIN", _READERS)

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

    async def write(self, work: Work[T], *, brief: bool = False) -> T:
        """Run `work` in one transaction and commit it; when it raises, nothing of it remains."""
        return await self._writer.run(work, brief=brief)

    async def read(self, work: Work[T], *, brief: bool = False) -> T:
        """Run `work` on one committed state."""
        return await self._reader.run(work, brief=brief)

    async def _prepare(self, path: str | Path) -> None:
        try:
            await self._writer.workers.run(switch_to_wal)
            self._file.opened()
            await self.write(migrate)
        except DatabaseUnavailable as error:
            raise DatabaseUnavailable(f"Can't open {path}. {error}") from error

    async def _close(self) -> None:
        # One after the other: of connections that close at the same moment none is the last, and the log stays behind.
        try:
            await self._reader.close()
        finally:
            await self._writer.close()


class _DatabaseFile:
    """The file that was opened. SQLite goes on with it when it has no name any more, and all is lost at the end."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()  # as SQLite takes it, wherever the process goes meanwhile
        self._opened: os.stat_result | None = None

    def opened(self) -> None:
        """From now on it is this one."""
        self._opened = self.path.stat()

    def check(self) -> None:
        """Raise DatabaseUnavailable when the file is gone, or another has taken its place."""
        if self._opened is None:
            return
        with suppress(OSError):
            if os.path.samestat(os.stat(self.path), self._opened):
                return
        raise DatabaseUnavailable(
            f"The file {self.path.name} is gone, or another has taken its place, since it was opened. Bring it back, "
            "or start the server again with what is there now."
        )


class _Lane:
    """The transactions of one kind: those that write, or those that read."""

    def __init__(self, name: str, file: _DatabaseFile, busy_seconds: float, begin: str, size: int) -> None:
        self._begin = begin
        self._file = file
        self._latency = LatencyGate()
        self._inline = InlineExecutor(partial(_connect_briefly, file), self._latency)
        self.workers = Workers(f"sqlite-{name}", partial(_connect, file, busy_seconds), size)

    async def run(self, work: Work[T], *, brief: bool) -> T:
        def transact(connection: sqlite3.Connection) -> T:
            self._file.check()
            return self._latency.run(_transact, connection, self._begin, work)

        if brief and self._inline.lets_others_go_first:
            await asyncio.sleep(0)
        if brief and not self.workers.is_closed and self._inline.opens():
            try:
                return self._inline.run(transact)
            except Busy:
                pass
        return await self.workers.run(transact)

    async def close(self) -> None:
        self._inline.close()
        await self.workers.close()


def _connect(file: _DatabaseFile, busy_seconds: float) -> sqlite3.Connection:
    file.check()
    connection = sqlite3.connect(file.path, timeout=busy_seconds, isolation_level=None, cached_statements=256)
    try:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute(f"PRAGMA wal_autocheckpoint = {_PAGES_OF_LOG}")
    except BaseException:
        connection.close()
        raise
    return connection


def _connect_briefly(file: _DatabaseFile) -> sqlite3.Connection:
    """A connection that waits for no lock, and leaves it to others to bring the log into the file."""
    connection = _connect(file, 0)
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    return connection


def _commit(connection: sqlite3.Connection) -> None:
    """Commit. Where the log was written and can't be flushed, the transaction comes back if the machine fails now."""
    try:
        connection.execute("COMMIT")
    except sqlite3.OperationalError as error:
        if is_about_the_disk(error):
            raise OutcomeUnknown(f"SQLite says: {error}. Check the file's disk.") from error
        raise


def _transact(connection: sqlite3.Connection, begin: str, work: Work[T]) -> T:
    connection.execute(begin)
    try:
        result = work(connection)
        _commit(connection)
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return result

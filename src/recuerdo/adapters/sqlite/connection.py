"""Connections to one SQLite file, one that writes and a few that read; what fails there, and what the file lacks."""

import asyncio
import os
import queue
import sqlite3
import threading
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, closing, suppress
from functools import partial, wraps
from pathlib import Path
from types import CoroutineType
from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeVar

from recuerdo.adapters.rows import LONGEST_INLINE_SECONDS
from recuerdo.adapters.sqlite import migrations
from recuerdo.core.errors import ConfigurationError, Damaged, DamagedDatabase, DatabaseUnavailable, OutcomeUnknown

OLDEST_SQLITE = (3, 37, 0)
"""The first version with STRICT tables."""

BUSY_SECONDS = 10.0
"""How long a transaction waits for the lock of another process."""

_READERS = 3
_WRITING = ("BEGIN IMMEDIATE", "COMMIT")
_READING = ("BEGIN", "ROLLBACK")
"""The statements around a transaction. After a damaged page, even one that was read around, a COMMIT would fail."""

_PAGES_OF_LOG = 4000
"""The log is moved into the file at this size, 16 MB: a page that changed often is then written once."""

_INLINE_UNTIL_OTHERS = 8
"""Before every eighth inline transaction other tasks have their turn. An append of theirs can join a batch then."""

_TRIES_TO_TRUNCATE = 3
_INLINE_UNTIL_THREAD = 200
"""One in this many goes to a thread, whose connection also moves the log into the file."""

T = TypeVar("T")
P = ParamSpec("P")
R = TypeVar("R", bound="SqliteRepository")
Work = Callable[[sqlite3.Connection], T]
_Method = Callable[Concatenate[R, sqlite3.Connection, P], T]
_Transaction: TypeAlias = "Callable[Concatenate[R, P], CoroutineType[Any, Any, T]]"


class SqliteDatabase:
    """One SQLite file in WAL mode with synchronous=FULL: what was committed survives a power cut.

    Any number of tasks and processes may share the file. Writes queue up for one thread; reads see the last commit.
    Transactions that are `brief`, a few rows, run on the event loop while the disk is quick.
    """

    def __init__(self, path: Path, busy_seconds: float) -> None:
        self._file = _DatabaseFile(path)
        self._writer = _TransactionExecutor("writer", self._file, busy_seconds, _WRITING, 1)
        self._reader = _TransactionExecutor("reader", self._file, busy_seconds, _READING, _READERS)
        self.write = self._writer.run
        """Run work in one transaction and commit it; when it raises, nothing of it remains."""
        self.read = self._reader.run
        """Run work on one committed state."""

    @classmethod
    @asynccontextmanager
    async def open(cls, path: str | Path, *, busy_seconds: float = BUSY_SECONDS) -> AsyncGenerator["SqliteDatabase"]:
        """Open the file, create it when it is absent, and bring its tables up to date.

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

    async def truncate_log(self) -> bool:
        """Move the write-ahead log into the file, and cut it: what was deleted stands in it until then.

        False when another process is reading all the time.
        """
        for _ in range(_TRIES_TO_TRUNCATE):
            if await self._writer.submit(_truncated):
                return True
        return False

    async def _prepare(self, path: str | Path) -> None:
        try:
            await self._writer.submit(migrations.switch_to_wal)
            self._file.opened()
            await self.write(migrations.migrate)
        except DatabaseUnavailable as error:
            raise DatabaseUnavailable(f"Can't open {path}. {error}") from error

    async def _close(self) -> None:
        # One after the other: of connections that close at the same moment none is the last, and the log stays behind.
        try:
            await self._reader.close()
        finally:
            await self._writer.close()


def _truncated(connection: sqlite3.Connection) -> bool:
    is_busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not is_busy


class SqliteRepository:
    """Rows of one kind. A method that is `reading` or `writing` is one transaction, on the connection it is given."""

    def __init__(self, database: SqliteDatabase) -> None:
        self.database = database


def reading(*, brief: bool = False) -> "Callable[[_Method[R, P, T]], _Transaction[R, P, T]]":
    """Run the method on one committed state; on the event loop where it is `brief` and the disk is quick."""

    def decorate(method: _Method[R, P, T]) -> "_Transaction[R, P, T]":
        @wraps(method)
        async def transaction(self: R, *args: P.args, **kwargs: P.kwargs) -> T:
            return await self.database.read(lambda connection: method(self, connection, *args, **kwargs), brief=brief)

        return transaction

    return decorate


def writing(*, brief: bool = False) -> "Callable[[_Method[R, P, T]], _Transaction[R, P, T]]":
    """Run the method in one transaction and commit it; when it raises, nothing of it remains."""

    def decorate(method: _Method[R, P, T]) -> "_Transaction[R, P, T]":
        @wraps(method)
        async def transaction(self: R, *args: P.args, **kwargs: P.kwargs) -> T:
            return await self.database.write(lambda connection: method(self, connection, *args, **kwargs), brief=brief)

        return transaction

    return decorate


class _DatabaseFile:
    """Notices that the database file is deleted or replaced: SQLite would use the old one, and lose it when closed."""

    def __init__(self, path: Path) -> None:
        self._path = str(path.absolute())  # as SQLite takes it, wherever the process goes meanwhile
        self._opened: os.stat_result | None = None

    def opened(self) -> None:
        """Remember the file that the path names now."""
        self._opened = os.stat(self._path)

    def check(self) -> None:
        """Raise DatabaseUnavailable when the file is gone, or another has taken its place."""
        if self._opened is None:
            return
        with suppress(OSError):
            if os.path.samestat(os.stat(self._path), self._opened):
                return
        raise DatabaseUnavailable(
            f"The file {Path(self._path).name} is gone, or another has taken its place, since it was opened. Bring it "
            "back, or start the server again with what is there now."
        )

    def connect(self, busy_seconds: float, pages_of_log: int = _PAGES_OF_LOG) -> sqlite3.Connection:
        """A connection with a timeout for locks, and the pages of a log that it moves into the file; 0: never."""
        self.check()
        connection = sqlite3.connect(self._path, timeout=busy_seconds, isolation_level=None, cached_statements=256)
        try:
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute(f"PRAGMA wal_autocheckpoint = {pages_of_log}")
        except BaseException:
            connection.close()
            raise
        return connection


class _TransactionExecutor:
    """The transactions of one kind, those that write or those that read.

    Threads that each own a connection take them from one queue. They serve the event loop that made them.
    """

    def __init__(
        self, name: str, file: _DatabaseFile, busy_seconds: float, statements: tuple[str, str], size: int
    ) -> None:
        self._file = file
        self._busy_seconds = busy_seconds
        self._begin, self._end = statements
        self._inline_connection: sqlite3.Connection | None = None
        self._inline_turns = 0
        self._last_seconds = 0.0
        self._closed = False
        self._loop = asyncio.get_running_loop()
        self._jobs: queue.SimpleQueue[tuple[Work[Any], asyncio.Future[Any]] | None] = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=self._serve, name=f"sqlite-{name}-{i}", daemon=True) for i in range(size)
        ]
        for thread in self._threads:
            thread.start()

    async def run(self, work: Work[T], *, brief: bool = False) -> T:
        """The result of `work` in a transaction. Raises DatabaseUnavailable for the driver's failures.

        Brief work runs on the event loop if the last transaction took less than a millisecond, wherever it ran, and no
        lock has to be waited for.
        """
        if brief:
            self._inline_turns += 1
            if self._inline_turns % _INLINE_UNTIL_OTHERS == 0:
                await asyncio.sleep(0)
            is_quick = self._last_seconds < LONGEST_INLINE_SECONDS
            if is_quick and self._inline_turns % _INLINE_UNTIL_THREAD and not self._closed:
                try:
                    if self._inline_connection is None:
                        self._inline_connection = self._file.connect(0, pages_of_log=0)
                    return self._transact(work, self._inline_connection)
                except Exception as error:
                    if not is_busy(error):
                        raise translate(error) from error
        return await self.submit(partial(self._transact, work))

    async def submit(self, work: Work[T]) -> T:
        """The result of `work`, which need not be a transaction, on a thread's connection.

        It is done to its end, even when the caller is cancelled.
        """
        if self._closed:
            raise DatabaseUnavailable("The database is closed. Use Recuerdo inside its `async with` block.")
        outcome: asyncio.Future[T] = self._loop.create_future()
        self._jobs.put((work, outcome))
        return await outcome

    async def close(self) -> None:
        """Let the threads finish the jobs that wait, close their connections and end, and wait for that."""
        if self._inline_connection is not None:
            self._inline_connection.close()
            self._inline_connection = None
        if self._closed:
            return
        self._closed = True
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            await asyncio.to_thread(thread.join)

    def _transact(self, work: Work[T], connection: sqlite3.Connection) -> T:
        self._file.check()
        start = time.perf_counter()
        try:
            connection.execute(self._begin)
            result = work(connection)
            try:
                connection.execute(self._end)
            except sqlite3.OperationalError as error:
                if _primary_code(error) == sqlite3.SQLITE_IOERR:
                    # a log that was written and not flushed counts if the machine fails now
                    raise OutcomeUnknown(f"SQLite says: {error}. Check the file's disk.") from error
                raise
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        finally:
            self._last_seconds = time.perf_counter() - start
        return result

    def _serve(self) -> None:
        connection: sqlite3.Connection | None = None
        while (job := self._jobs.get()) is not None:
            work, outcome = job
            result, failure = None, None
            try:
                connection = connection or self._file.connect(self._busy_seconds)
                result = work(connection)
            except Exception as error:
                failure = translate(error)
            with suppress(RuntimeError):  # the loop is closed, and with it every caller
                self._loop.call_soon_threadsafe(_resolve, outcome, result, failure)
            del job, work, outcome, result, failure  # none of this may live until the next job comes
        if connection is not None:
            connection.close()


def _resolve(outcome: asyncio.Future[Any], result: Any, failure: Exception | None) -> None:
    if outcome.cancelled():
        return
    if failure is None:
        outcome.set_result(result)
    else:
        outcome.set_exception(failure)


_PERMISSIONS = "Give this process permission to read and write the file and its folder, or name another in the URL."
_ADVICE = {
    sqlite3.SQLITE_BUSY: "Another process holds its lock for long: end that process, or try again later.",
    sqlite3.SQLITE_CANTOPEN: _PERMISSIONS,
    sqlite3.SQLITE_FULL: "Make room on the file's disk.",
    sqlite3.SQLITE_NOTADB: "The file is something else: name another in the database URL.",
    sqlite3.SQLITE_PERM: _PERMISSIONS,
    sqlite3.SQLITE_READONLY: _PERMISSIONS,
}
_OTHER_ADVICE = "Check the file's disk and its permissions."
_NOT_UTF_8 = "Could not decode to UTF-8"
_PRIMARY_CODE = 0xFF
"""The bits of SQLite's extended result codes that hold the primary code."""


def translate(error: Exception) -> Exception:
    """DatabaseUnavailable for what SQLite can't do, DamagedDatabase for what it can't read.

    Bugs and the caller's own errors stay as they are.
    """
    if not isinstance(error, sqlite3.DatabaseError) or isinstance(
        error, sqlite3.IntegrityError | sqlite3.ProgrammingError
    ):
        return error
    if str(error).startswith(_NOT_UTF_8):  # and continues with the text itself
        return DamagedDatabase("SQLite has a text that can't be read")
    if is_damage(error):
        return DamagedDatabase(f"SQLite says: {error}")
    advice = _ADVICE.get(_primary_code(error), _OTHER_ADVICE)
    return DatabaseUnavailable(f"SQLite says: {error}. {advice}")


def is_damage(error: sqlite3.Error) -> bool:
    """Whether SQLite can't make sense of a page of its file."""
    return _primary_code(error) == sqlite3.SQLITE_CORRUPT


def is_busy(error: Exception) -> bool:
    """Whether another connection held the lock that was asked for."""
    return _primary_code(error) == sqlite3.SQLITE_BUSY


def _primary_code(error: Exception) -> int:
    return getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE


async def pending(path: Path) -> list[str]:
    """The scripts that have not run on the file; all of them when it is absent. Raises DatabaseUnavailable."""
    try:
        return await asyncio.to_thread(_pending, path)
    except sqlite3.Error as error:
        raise translate(error) from error


async def faults(path: Path, *, thorough: bool) -> list[str]:
    """The faults that SQLite finds in the file; `thorough` also compares the indexes with the tables.

    Raises DatabaseUnavailable where it can't even begin.
    """
    try:
        return await asyncio.to_thread(_faults, path, thorough)
    except sqlite3.Error as error:
        if isinstance(known := translate(error), Damaged):
            return [str(error)]
        raise known from error


def _pending(path: Path) -> list[str]:
    if not path.exists():
        return migrations.pending(None)
    with closing(open_read_only(path)) as connection:
        return migrations.pending(connection)


def _faults(path: Path, thorough: bool) -> list[str]:
    if not path.exists():
        return []
    with closing(open_read_only(path)) as connection:
        found = [line for (line,) in connection.execute(f"PRAGMA {'integrity' if thorough else 'quick'}_check")]
    return [] if found == ["ok"] else found


def open_read_only(path: Path, *, timeout: float = 5.0, check_same_thread: bool = True) -> sqlite3.Connection:
    """Open a database that exists. `timeout` is how many seconds a statement waits for a lock of others."""
    address = f"{path.absolute().as_uri()}?mode=ro"
    return sqlite3.connect(address, uri=True, timeout=timeout, check_same_thread=check_same_thread)


def stored_bytes(path: Path) -> int:
    """The size of the file and of its write-ahead log."""
    return sum(each.stat().st_size for each in (path, path.with_name(f"{path.name}-wal")) if each.exists())

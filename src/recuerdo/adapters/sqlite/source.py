"""Another system's messages in a SQLite file, read row by row."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from recuerdo.adapters.selects import check_columns, queries
from recuerdo.adapters.sqlite.connection import open_read_only, translate
from recuerdo.core.errors import ConfigurationError, InvalidInput
from recuerdo.core.sources import SourceMapping, SourceRow

_ROWS_AT_A_TIME = 500

T = TypeVar("T")


class SqliteSource:
    """See MessageSource. The file is opened for reading only."""

    def __init__(self, connection: sqlite3.Connection, mapping: SourceMapping) -> None:
        self._connection = connection
        self._mapping = mapping
        self._queries = queries(mapping, "?")

    @classmethod
    @asynccontextmanager
    async def open(cls, path: Path, mapping: SourceMapping) -> AsyncGenerator["SqliteSource"]:
        """Open the file. Raises ConfigurationError when it is absent, and InvalidInput for an unknown column."""
        with closing(_connected(path)) as connection:
            opened = cls(connection, mapping)
            with _translated():
                look = connection.execute(opened._queries.look)
            check_columns(mapping, [column[0] for column in look.description], str.lower)
            yield opened

    async def rows(self) -> AsyncGenerator[SourceRow]:
        cursor = await self._run(lambda: self._connection.execute(self._queries.rows))
        keys = [key.partition(".")[0] for key in (self._mapping.conversation, *self._mapping.order)]
        while some := await self._run(lambda: cursor.fetchmany(_ROWS_AT_A_TIME)):
            for row in some:
                place = ", ".join(f"{key} {row[key]}" for key in keys)
                yield SourceRow(f"{self._mapping.source} ({place})", dict(row))

    async def count(self) -> int:
        return (await self._run(lambda: self._connection.execute(self._queries.size).fetchone()))[0]

    async def owner(self, conversation: Any) -> Mapping[str, Any]:
        found = await self._run(lambda: self._connection.execute(self._queries.owner, [conversation]).fetchone())
        return dict(found) if found else {}

    async def _run(self, work: Callable[[], T]) -> T:
        with _translated():
            return await asyncio.to_thread(work)


def _connected(path: Path) -> sqlite3.Connection:
    if not path.exists():
        raise ConfigurationError(f"There is no file {path}. Name the database to import.")
    with _translated():
        connection = open_read_only(path, check_same_thread=False)
    connection.row_factory = sqlite3.Row
    return connection


@contextmanager
def _translated() -> Generator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_ERROR:
            raise InvalidInput("--mapping", f"does not fit that database: {error}") from error
        raise translate(error) from error
    except sqlite3.Error as error:
        raise translate(error) from error

"""Another system's messages in a table of PostgreSQL, read row by row."""

from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any, cast

import psycopg
from psycopg import AsyncConnection, IsolationLevel
from psycopg.rows import DictRow, dict_row

from recuerdo.adapters.postgres.connection import CONNECTION_OPTIONS, translate
from recuerdo.adapters.selects import check_columns, queries
from recuerdo.core.errors import ConfigurationError, InvalidInput
from recuerdo.core.sources import SourceMapping, SourceRow

_ROWS_AT_A_TIME = 500
_OPTIONS: dict[str, Any] = CONNECTION_OPTIONS | {"autocommit": False}


class PostgresSource:
    """See MessageSource. Transactions are read-only, and all rows are those of one moment."""

    def __init__(self, connection: AsyncConnection[DictRow], mapping: SourceMapping) -> None:
        self._connection = connection
        self._mapping = mapping
        self._queries = queries(mapping, "%s")

    @classmethod
    @asynccontextmanager
    async def open(cls, url: str, mapping: SourceMapping) -> AsyncGenerator["PostgresSource"]:
        """Connect. Raises InvalidInput for an unknown column, ConfigurationError and DatabaseUnavailable."""
        async with await _connected(url) as connection:
            await connection.set_read_only(True)
            await connection.set_isolation_level(IsolationLevel.REPEATABLE_READ)
            opened = cls(connection, mapping)
            with _translated():
                look = await opened._execute(opened._queries.look)
            check_columns(mapping, [column.name for column in look.description or ()])
            await connection.rollback()
            yield opened

    async def rows(self) -> AsyncGenerator[SourceRow]:
        keys = [key.partition(".")[0] for key in (self._mapping.conversation, *self._mapping.order)]
        with _translated():
            async with self._connection.cursor(name="recuerdo_import") as cursor:
                cursor.itersize = _ROWS_AT_A_TIME
                await cursor.execute(self._queries.rows.encode())
                async for row in cursor:
                    place = ", ".join(f"{key} {row[key]}" for key in keys)
                    yield SourceRow(f"{self._mapping.source} ({place})", row)
        await self._connection.rollback()  # what is counted now is newer than what was read

    async def count(self) -> int:
        with _translated():
            row = await (await self._execute(self._queries.size)).fetchone()
        return cast(DictRow, row)["count"]

    async def owner(self, conversation: Any) -> Mapping[str, Any]:
        with _translated():
            return await (await self._execute(self._queries.owner, conversation)).fetchone() or {}

    async def _execute(self, statement: str, *parameters: Any) -> psycopg.AsyncCursor[DictRow]:
        return await self._connection.execute(statement.encode(), parameters or None)


async def _connected(url: str) -> AsyncConnection[DictRow]:
    try:
        connection = await AsyncConnection.connect(url, **_OPTIONS)
    except psycopg.ProgrammingError:  # whose text may quote the password
        raise ConfigurationError(
            "The URL of the database to import can't be read. Write postgresql://user:password@host:5432/database."
        ) from None
    except psycopg.Error as error:
        raise translate(error) from error
    connection.row_factory = cast(Any, dict_row)
    return cast(AsyncConnection[DictRow], connection)


@contextmanager
def _translated() -> Generator[None]:
    try:
        yield
    except psycopg.ProgrammingError as error:
        raise InvalidInput("--mapping", f"does not fit that database: {error.diag.message_primary}") from error
    except psycopg.Error as error:
        raise translate(error) from error

"""The peer: a program that uses psycopg itself, on our table of messages without row-level security and threads."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from itertools import count
from typing import Any
from uuid import UUID

from psycopg import AsyncConnection, Connection
from psycopg.rows import TupleRow
from psycopg_pool import AsyncConnectionPool

TENANT = "acme"
_TIME = datetime(2026, 11, 21, 12, tzinfo=UTC)
_TABLE = "CREATE TABLE IF NOT EXISTS raw_messages (LIKE recuerdo.messages INCLUDING ALL)"
_ROW = "(%s, %s, %s, %s, %s, %s, %s)"
_INSERT = f"INSERT INTO raw_messages (tenant, epoch, seq, id, role, created_at, body) VALUES {_ROW}"
_LAST = "SELECT body FROM raw_messages WHERE tenant = %s AND epoch = %s ORDER BY seq DESC LIMIT %s"
_BODY = '{"role":"user","content":"%s","id":"%s","created_at":"2026-11-21T12:00:00.123456Z"}'
_SEGMENTS = 30
_seqs = count(10_000_000)


class RawPostgres:
    """Threads that are epochs, written and read on one connection that commits each statement on its own."""

    def __init__(self, connection: AsyncConnection[TupleRow], blocking: Connection[TupleRow], size: int) -> None:
        self._connection = connection
        self._blocking = blocking
        self._text = "x" * size

    @classmethod
    @asynccontextmanager
    async def open(cls, url: str, size: int) -> AsyncGenerator["RawPostgres"]:
        """Its messages have texts of `size` characters. The tables of ours must be there already."""
        async with await AsyncConnection.connect(url, autocommit=True) as connection:
            await connection.execute(_TABLE)
            with Connection.connect(url, autocommit=True) as blocking:
                yield cls(connection, blocking, size)

    async def fill(self, epoch: int, length: int) -> None:
        """Give a thread that many messages."""
        await self._connection.execute(
            "INSERT INTO raw_messages (tenant, epoch, seq, id, role, created_at, body)"
            " SELECT %s, %s, seq, md5(seq::text)::uuid::text, 'user', %s, format(%s, %s::text, md5(seq::text)::uuid)"
            " FROM generate_series(1, %s) AS seq",
            (TENANT, epoch, _TIME, _BODY, self._text, length),
        )

    async def settle(self) -> None:
        """Let the server be done with what came before, and have been at work for a while.

        It makes each segment of its log once, for which all who commit wait, and from then on takes those again that a
        checkpoint has freed.
        """
        await self._connection.execute("VACUUM ANALYZE")
        for _ in range(_SEGMENTS):
            await self._connection.execute("SELECT pg_logical_emit_message(false, '', ''), pg_switch_wal()")
        await self._connection.execute("CHECKPOINT")

    async def insert(self, epoch: int = 1) -> None:
        """One row, one commit."""
        await self._connection.execute(_INSERT, self._row(epoch))

    async def insert_blocking(self) -> None:
        """The same, holding up the event loop until the database has answered."""
        self._blocking.execute(_INSERT, self._row(1))

    async def insert_many(self, size: int = 100) -> None:
        """Many rows in one statement."""
        parameters: list[Any] = []
        for _ in range(size):
            parameters += self._row(1)
        await self._connection.execute(_INSERT + f", {_ROW}" * (size - 1), parameters)

    async def insert_pooled(self, pool: AsyncConnectionPool, epoch: int) -> None:
        """One row, one commit, on a connection of the pool."""
        async with pool.connection() as connection:
            await connection.execute(_INSERT, self._row(epoch))

    async def select(self, epoch: int = 1, limit: int = 50) -> list[tuple[Any, ...]]:
        """The newest bodies, as they come."""
        return await (await self._connection.execute(_LAST, (TENANT, epoch, limit))).fetchall()

    async def select_decoded(self, epoch: int = 1, limit: int = 50) -> list[Any]:
        """The newest messages, oldest first."""
        return [json.loads(body) for (body,) in reversed(await self.select(epoch, limit))]

    def _row(self, epoch: int) -> tuple[Any, ...]:
        """The next message, made of constants."""
        seq = next(_seqs)
        message_id = str(UUID(int=seq))
        return TENANT, epoch, seq, message_id, "user", _TIME, _BODY % (self._text, message_id)

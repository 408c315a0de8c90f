"""Rows of memories in SQLite."""

import sqlite3
from collections.abc import Sequence
from typing import Any

import msgspec

from recuerdo.adapters.ranking import Candidate, rank
from recuerdo.adapters.sqlite.connection import SqliteDatabase
from recuerdo.adapters.times import LATEST, from_microseconds, to_microseconds
from recuerdo.core.errors import InvalidInput
from recuerdo.core.memories import Attribute, Embedding, Memory, MemoryHit, MemoryQuery, Source, in_order
from recuerdo.core.scope import Owner

_COLUMNS = "id, kind, attribute, value, text, source, trust, created_at, updated_at"


class SqliteMemories:
    """The MemoryRepository over a SQLite file."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    async def save(self, memory: Memory, embedding: Embedding | None) -> None:
        """See MemoryRepository."""
        await self._database.write(lambda connection: _save(connection, memory, embedding))

    async def get(self, owner: Owner, memory_id: str) -> Memory | None:
        """See MemoryRepository."""
        return await self._database.read(lambda connection: _get(connection, owner, memory_id))

    async def select(self, owner: Owner, query: MemoryQuery) -> list[Memory]:
        """See MemoryRepository."""
        return await self._database.read(lambda connection: _select(connection, owner, query))

    async def latest(self, owner: Owner, attributes: Sequence[Attribute]) -> list[Memory]:
        """See MemoryRepository."""
        return await self._database.read(lambda connection: _latest(connection, owner, attributes))

    async def delete(self, owner: Owner, memory_id: str) -> bool:
        """See MemoryRepository."""
        return await self._database.write(lambda connection: _delete(connection, owner, memory_id))

    async def search(self, owner: Owner, text: str, embedding: Embedding | None, limit: int) -> list[MemoryHit]:
        """See MemoryRepository."""
        return await self._database.read(
            lambda connection: rank(text, embedding, _candidates(connection, owner), limit)
        )

    async def unembedded(self, owner: Owner, model: str, limit: int) -> list[Memory]:
        """See MemoryRepository."""
        return await self._database.read(lambda connection: _unembedded(connection, owner, model, limit))


def _save(connection: sqlite3.Connection, memory: Memory, embedding: Embedding | None) -> None:
    connection.execute(
        f"INSERT OR REPLACE INTO memories (tenant, user, {_COLUMNS}, embedder, vector)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            memory.owner.tenant,
            memory.owner.user,
            memory.id,
            memory.kind,
            memory.attribute,
            memory.value,
            memory.text,
            msgspec.json.encode(memory.source).decode(),
            memory.trust,
            to_microseconds(memory.created_at),
            to_microseconds(memory.updated_at),
            embedding and embedding.model,
            embedding and embedding.vector,
        ),
    )


def _memory(owner: Owner, row: tuple[Any, ...]) -> Memory:
    memory_id, kind, attribute, value, text, source, trust, created_at, updated_at = row[:9]
    return Memory(
        id=memory_id,
        owner=owner,
        kind=kind,
        attribute=attribute,
        value=value,
        text=text,
        source=msgspec.json.decode(source, type=Source),
        trust=trust,
        created_at=from_microseconds(created_at),
        updated_at=from_microseconds(updated_at),
    )


def _get(connection: sqlite3.Connection, owner: Owner, memory_id: str) -> Memory | None:
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM memories WHERE tenant = ? AND user = ? AND id = ?",
        (owner.tenant, owner.user, memory_id),
    ).fetchone()
    return _memory(owner, row) if row else None


def _select(connection: sqlite3.Connection, owner: Owner, query: MemoryQuery) -> list[Memory]:
    time, last_id = LATEST, ""
    if query.before is not None:
        last = _get(connection, owner, query.before)
        if last is None:
            raise InvalidInput("before", f"there is no memory {query.before!r} any more; start again without it")
        time, last_id = to_microseconds(last.created_at), last.id
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM memories"
        " WHERE tenant = :tenant AND user = :user"
        " AND (created_at < :time OR (created_at = :time AND id > :last_id))"
        " AND (:kind IS NULL OR kind = :kind) AND (:attribute IS NULL OR attribute = :attribute)"
        " ORDER BY created_at DESC, id LIMIT :limit",
        {
            "tenant": owner.tenant,
            "user": owner.user,
            "time": time,
            "last_id": last_id,
            "kind": query.kind,
            "attribute": query.attribute,
            "limit": query.limit,
        },
    )
    return [_memory(owner, row) for row in rows]


def _latest(connection: sqlite3.Connection, owner: Owner, attributes: Sequence[Attribute]) -> list[Memory]:
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM memories"
        " WHERE tenant = ? AND user = ? AND attribute IN (SELECT value FROM json_each(?))"
        " ORDER BY created_at DESC, id",
        (owner.tenant, owner.user, msgspec.json.encode(attributes).decode()),
    )
    return in_order((_memory(owner, row) for row in rows), attributes)


def _delete(connection: sqlite3.Connection, owner: Owner, memory_id: str) -> bool:
    deleted = connection.execute(
        "DELETE FROM memories WHERE tenant = ? AND user = ? AND id = ?", (owner.tenant, owner.user, memory_id)
    )
    return deleted.rowcount == 1


def _candidates(connection: sqlite3.Connection, owner: Owner) -> list[Candidate]:
    rows = connection.execute(
        f"SELECT {_COLUMNS}, embedder, vector FROM memories WHERE tenant = ? AND user = ? ORDER BY created_at DESC, id",
        (owner.tenant, owner.user),
    )
    return [(_memory(owner, row), Embedding(row[9], row[10]) if row[9] else None) for row in rows]


def _unembedded(connection: sqlite3.Connection, owner: Owner, model: str, limit: int) -> list[Memory]:
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM memories"
        " WHERE tenant = ? AND user = ? AND embedder IS NOT ? ORDER BY created_at DESC, id LIMIT ?",
        (owner.tenant, owner.user, model, limit),
    )
    return [_memory(owner, row) for row in rows]

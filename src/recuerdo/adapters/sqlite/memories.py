"""Rows of memories in SQLite."""

import sqlite3
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from recuerdo.adapters.ranking import Candidate, rank
from recuerdo.adapters.sqlite.ledger import SqliteLedger
from recuerdo.adapters.sqlite.memory_rows import COLUMNS, HOLDS, WIDTH, memory_of, save, stored
from recuerdo.adapters.times import LATEST, to_microseconds
from recuerdo.core.errors import InvalidInput
from recuerdo.core.memories import Attribute, Embedding, Memory, MemoryHit, MemoryQuery, in_order
from recuerdo.core.memory_ports import MemoryWithVector
from recuerdo.core.scope import Owner, owner_of

_AS_THEY_LIE = "sqlite_autoindex_memories_1"
"""The primary key, which the rows lie in."""

_BEHIND = "tenant = :tenant AND user = :user AND (created_at < :time OR (created_at = :time AND id > :last_id))"

_CONDITIONS = {
    "kind": "kind = :kind",
    "attribute": "attribute = :attribute",
    "status": "status = :status",
    "holding_at": HOLDS,
    "thread": "json_extract(source, '$.thread') = :thread",
    "since": "created_at >= :since",
    "until": "created_at < :until",
}
"""What each field of a query asks for."""


class SqliteMemories(SqliteLedger):
    """The MemoryLedger over a SQLite file."""

    async def save(self, memory: Memory, embedding: Embedding | None) -> None:
        """See MemoryRepository."""
        await self._database.write(lambda connection: save(connection, memory, embedding))

    async def get(self, owner: Owner, memory_id: str) -> Memory | None:
        """See MemoryRepository."""
        return await self._database.read(lambda connection: _get(connection, owner, memory_id))

    async def select(self, owner: Owner, query: MemoryQuery) -> list[Memory]:
        """See MemoryRepository."""
        return await self._database.read(lambda connection: _select(connection, owner, query))

    async def latest(self, owner: Owner, attributes: Sequence[Attribute], at: datetime | None = None) -> list[Memory]:
        """See MemoryRepository."""
        return await self._database.read(lambda connection: _latest(connection, owner, attributes, at))

    async def delete(self, owner: Owner, memory_id: str) -> bool:
        """See MemoryRepository."""
        return await self._database.write(lambda connection: _delete(connection, owner, memory_id))

    async def search(
        self, owner: Owner, text: str, embedding: Embedding | None, limit: int, at: datetime | None = None
    ) -> list[MemoryHit]:
        """See MemoryRepository."""
        return await self._database.read(
            lambda connection: rank(text, embedding, _candidates(connection, owner, at), limit)
        )

    async def unembedded(self, owner: Owner, model: str, limit: int) -> list[Memory]:
        """See MemoryRepository."""
        return await self._database.read(lambda connection: _unembedded(connection, owner, model, limit))

    async def embed(self, memory: Memory, embedding: Embedding) -> bool:
        """See MemoryRepository."""
        return await self._database.write(lambda connection: _embed(connection, memory, embedding))

    async def owners(self, tenant: str | None, limit: int, after: Owner | None = None) -> list[Owner]:
        """See MemoryHoldings."""
        return await self._database.read(lambda connection: _owners(connection, tenant, limit, after))

    async def list_with_vectors(self, owner: Owner, limit: int, after: str | None = None) -> list[MemoryWithVector]:
        """See MemoryHoldings."""
        return await self._database.read(lambda connection: _stock(connection, owner, limit, after or ""))

    async def get_many(self, owner: Owner, ids: Sequence[str]) -> list[MemoryWithVector]:
        """See MemoryHoldings."""
        return await self._database.read(lambda connection: _pick(connection, owner, ids))

    async def expired(self, at: datetime, limit: int) -> Sequence[tuple[Owner, str]]:
        """See MemoryHoldings."""
        return await self._database.read(lambda connection: _expired(connection, at, limit))

    async def postpone(self, owner: Owner, expiries: Mapping[str, datetime]) -> None:
        """See MemoryHoldings."""
        await self._database.write(lambda connection: _postpone(connection, owner, expiries))


def _get(connection: sqlite3.Connection, owner: Owner, memory_id: str) -> Memory | None:
    row = connection.execute(
        f"SELECT {COLUMNS} FROM memories WHERE tenant = ? AND user = ? AND id = ?",
        (owner.tenant, owner.user, memory_id),
    ).fetchone()
    return memory_of(owner, row) if row else None


def _select(connection: sqlite3.Connection, owner: Owner, query: MemoryQuery) -> list[Memory]:
    time, last_id = LATEST, ""
    if query.before is not None:
        last = _get(connection, owner, query.before)
        if last is None:
            raise InvalidInput("before", f"there is no memory {query.before!r} any more; start again without it")
        time, last_id = to_microseconds(last.created_at), last.id
    wanted = [condition for name, condition in _CONDITIONS.items() if getattr(query, name) is not None]
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM memories INDEXED BY {_AS_THEY_LIE} WHERE tenant = :tenant AND user = :user AND id IN"
        f" (SELECT id FROM memories INDEXED BY {_index(query)} WHERE {' AND '.join((_BEHIND, *wanted))}"
        " ORDER BY created_at DESC, id LIMIT :limit) ORDER BY created_at DESC, id",
        {
            "tenant": owner.tenant,
            "user": owner.user,
            "time": time,
            "last_id": last_id,
            "kind": query.kind,
            "attribute": query.attribute,
            "status": query.status,
            "thread": query.thread,
            "at": stored(query.holding_at),
            "since": stored(query.since),
            "until": stored(query.until),
            "limit": query.limit,
        },
    )
    return [memory_of(owner, row) for row in rows]


def _index(query: MemoryQuery) -> str:
    """The one that finds what is wanted; for what few memories have, all are read in the order that they lie in."""
    if query.attribute is not None:
        return "memories_by_attribute"
    return _AS_THEY_LIE if query.kind or query.thread else "memories_by_creation"


def _latest(
    connection: sqlite3.Connection, owner: Owner, attributes: Sequence[Attribute], at: datetime | None
) -> list[Memory]:
    wanted = msgspec.json.encode(attributes).decode()
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM memories INDEXED BY memories_by_attribute WHERE tenant = :tenant AND user = :user"
        f" AND attribute IN (SELECT value FROM json_each(:wanted)) AND {HOLDS} ORDER BY created_at DESC, id",
        {"tenant": owner.tenant, "user": owner.user, "wanted": wanted, "at": stored(at)},
    )
    return in_order((memory_of(owner, row) for row in rows), attributes)


def _delete(connection: sqlite3.Connection, owner: Owner, memory_id: str) -> bool:
    deleted = connection.execute(
        "DELETE FROM memories WHERE tenant = ? AND user = ? AND id = ?", (owner.tenant, owner.user, memory_id)
    )
    return deleted.rowcount == 1


def _stock(connection: sqlite3.Connection, owner: Owner, limit: int, after: str) -> list[MemoryWithVector]:
    rows = connection.execute(
        f"SELECT {COLUMNS}, embedder, vector FROM memories"
        " WHERE tenant = ? AND user = ? AND id > ? ORDER BY id LIMIT ?",
        (owner.tenant, owner.user, after, limit),
    )
    return [_stocked(owner, row) for row in rows]


def _pick(connection: sqlite3.Connection, owner: Owner, ids: Sequence[str]) -> list[MemoryWithVector]:
    rows = connection.execute(
        f"SELECT {COLUMNS}, embedder, vector FROM memories WHERE tenant = ? AND user = ?"
        " AND id IN (SELECT value FROM json_each(?))",
        (owner.tenant, owner.user, msgspec.json.encode(ids).decode()),
    )
    return [_stocked(owner, row) for row in rows]


def _stocked(owner: Owner, row: tuple[Any, ...]) -> MemoryWithVector:
    return MemoryWithVector(memory_of(owner, row), Embedding(*row[WIDTH:]) if row[WIDTH] else None)


def _candidates(connection: sqlite3.Connection, owner: Owner, at: datetime | None) -> list[Candidate]:
    rows = connection.execute(
        f"SELECT {COLUMNS}, embedder, vector FROM memories WHERE tenant = :tenant AND user = :user AND {HOLDS}"
        " ORDER BY created_at DESC, id",
        {"tenant": owner.tenant, "user": owner.user, "at": stored(at)},
    )
    return [_stocked(owner, row) for row in rows]


def _embed(connection: sqlite3.Connection, memory: Memory, embedding: Embedding) -> bool:
    updated = connection.execute(
        "UPDATE memories SET embedder = ?, vector = ? WHERE tenant = ? AND user = ? AND id = ? AND text = ?",
        (embedding.model, embedding.vector, memory.owner.tenant, memory.owner.user, memory.id, memory.text),
    )
    return updated.rowcount == 1


def _owners(connection: sqlite3.Connection, tenant: str | None, limit: int, after: Owner | None) -> list[Owner]:
    rows = connection.execute(
        "SELECT DISTINCT tenant, user FROM memories WHERE (?1 IS NULL OR tenant = ?1)"
        " AND (?2 IS NULL OR (tenant, user) > (?2, ?3)) ORDER BY tenant, user LIMIT ?4",
        (tenant, after and after.tenant, after and after.user, limit),
    )
    return [owner_of(*row) for row in rows]


def _expired(connection: sqlite3.Connection, at: datetime, limit: int) -> list[tuple[Owner, str]]:
    rows = connection.execute(
        "SELECT tenant, user, id FROM memories WHERE expires_at <= ? ORDER BY expires_at LIMIT ?",
        (to_microseconds(at), limit),
    )
    return [(owner_of(tenant, user), memory) for tenant, user, memory in rows]


def _postpone(connection: sqlite3.Connection, owner: Owner, expiries: Mapping[str, datetime]) -> None:
    connection.executemany(
        "UPDATE memories SET expires_at = ?1 WHERE tenant = ? AND user = ? AND id = ?"
        " AND expires_at < ?1 AND refresh IS NOT NULL",
        [(to_microseconds(time), owner.tenant, owner.user, memory) for memory, time in expiries.items()],
    )


def _unembedded(connection: sqlite3.Connection, owner: Owner, model: str, limit: int) -> list[Memory]:
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM memories"
        " WHERE tenant = ? AND user = ? AND embedder IS NOT ? ORDER BY created_at DESC, id LIMIT ?",
        (owner.tenant, owner.user, model, limit),
    )
    return [memory_of(owner, row) for row in rows]

"""Rows of memories in PostgreSQL."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import LiteralString

from recuerdo.adapters.postgres.conditions import asked_for, named
from recuerdo.adapters.postgres.ledger import PostgresLedger
from recuerdo.adapters.postgres.memory_rows import (
    COLUMNS,
    HOLDS,
    SAVE,
    WIDTH,
    memory_of,
    row_of,
    vector,
    with_vector,
)
from recuerdo.adapters.ranking import rank_compared
from recuerdo.core.errors import InvalidInput
from recuerdo.core.memories import Attribute, Embedding, Memory, MemoryHit, MemoryQuery, in_order
from recuerdo.core.memory_ports import MemoryWithVector
from recuerdo.core.scope import Owner, owner_of

_GET: LiteralString = f"""
SELECT {COLUMNS} FROM recuerdo.memories
WHERE tenant = %(tenant)s AND "user" = %(user)s AND id = %(id)s"""

_SELECT: LiteralString = f"""
SELECT {COLUMNS} FROM recuerdo.memories
WHERE tenant = %(tenant)s AND "user" = %(user)s
    AND (%(time)s::timestamptz IS NULL OR created_at < %(time)s OR (created_at = %(time)s AND id > %(last_id)s))"""

_CONDITIONS: Mapping[str, LiteralString] = {
    "kind": " AND kind = %(kind)s",
    "attribute": " AND attribute = %(attribute)s",
    "status": " AND status = %(status)s",
    "holding_at": f" AND {HOLDS}",
    "thread": " AND source::json ->> 'thread' = %(thread)s",
    "since": " AND created_at >= %(since)s",
    "until": " AND created_at < %(until)s",
}
"""What fields of a query ask for."""

_ORDER: LiteralString = " ORDER BY created_at DESC, id LIMIT %(limit)s"

_LATEST: LiteralString = f"""
SELECT DISTINCT ON (attribute) {COLUMNS}
FROM recuerdo.memories WHERE tenant = %(tenant)s AND "user" = %(user)s AND attribute = ANY (%(attributes)s)
    AND {HOLDS}
ORDER BY attribute, created_at DESC, id"""

_UNEMBEDDED: LiteralString = f"""
SELECT {COLUMNS} FROM recuerdo.memories
WHERE tenant = %(tenant)s AND "user" = %(user)s AND embedder IS DISTINCT FROM %(embedder)s
ORDER BY created_at DESC, id LIMIT %(limit)s"""

# The query's vector stands in a subquery, so that its text is read once and not for each row.
_COMPARED: LiteralString = f"""
SELECT
    {COLUMNS},
    CASE WHEN embedder = %(embedder)s THEN recuerdo.cosine(vector, (SELECT %(vector)s::real[])) ELSE 0 END
FROM recuerdo.memories
WHERE tenant = %(tenant)s AND "user" = %(user)s AND {HOLDS} ORDER BY created_at DESC, id"""

_DELETE = 'DELETE FROM recuerdo.memories WHERE tenant = %(tenant)s AND "user" = %(user)s AND id = %(id)s RETURNING id'


_EMBED = """
UPDATE recuerdo.memories SET embedder = %(embedder)s, vector = %(vector)s::real[]
WHERE tenant = %(tenant)s AND "user" = %(user)s AND id = %(id)s AND text = %(text)s RETURNING id"""

_STOCK: LiteralString = f"""
SELECT {COLUMNS}, embedder, array_send(vector) FROM recuerdo.memories
WHERE tenant = %(tenant)s AND "user" = %(user)s AND (%(after)s::text IS NULL OR id > %(after)s)
ORDER BY id LIMIT %(limit)s"""

_PICK: LiteralString = f"""
SELECT {COLUMNS}, embedder, array_send(vector) FROM recuerdo.memories
WHERE tenant = %(tenant)s AND "user" = %(user)s AND id = ANY (%(ids)s)"""

_OWNERS = """
SELECT tenant, "user" FROM recuerdo.memory_owners
WHERE (%(tenant)s::text IS NULL OR tenant = %(tenant)s)
    AND (%(after)s::text IS NULL OR (tenant, "user") > (%(after)s, %(after_user)s))
ORDER BY tenant, "user" LIMIT %(limit)s"""

_EXPIRED = """
SELECT tenant, "user", id FROM recuerdo.memories WHERE expires_at <= %(at)s ORDER BY expires_at LIMIT %(limit)s"""

_POSTPONE = """
UPDATE recuerdo.memories AS m SET expires_at = given.time
FROM unnest(%(ids)s::text[], %(times)s::timestamptz[]) AS given (id, time)
WHERE m.tenant = %(tenant)s AND m."user" = %(user)s AND m.id = given.id
    AND m.expires_at < given.time AND m.refresh IS NOT NULL RETURNING m.id"""


class PostgresMemories(PostgresLedger):
    """The MemoryLedger over a PostgreSQL database."""

    async def save(self, memory: Memory, embedding: Embedding | None) -> None:
        """See MemoryRepository."""
        await self._database.fetch(memory.owner.tenant, SAVE, row_of(memory, embedding), writes=True)

    async def get(self, owner: Owner, memory_id: str) -> Memory | None:
        """See MemoryRepository."""
        rows = await self._database.fetch(owner.tenant, _GET, {**named(owner), "id": memory_id})
        return memory_of(owner, rows[0]) if rows else None

    async def select(self, owner: Owner, query: MemoryQuery) -> list[Memory]:
        """See MemoryRepository."""
        last = None
        if query.before is not None:
            last = await self.get(owner, query.before)
            if last is None:
                raise InvalidInput("before", f"there is no memory {query.before!r} any more; start again without it")
        place = {"time": last and last.created_at, "last_id": last and last.id}
        filters = {
            name: getattr(query, name) for name in ("kind", "attribute", "status", "thread", "since", "until", "limit")
        }
        filters["at"] = query.holding_at
        statement: LiteralString = f"{_SELECT}{asked_for(query, _CONDITIONS)}{_ORDER}"
        rows = await self._database.fetch(owner.tenant, statement, named(owner) | place | filters)
        return [memory_of(owner, row) for row in rows]

    async def latest(self, owner: Owner, attributes: Sequence[Attribute], at: datetime | None = None) -> list[Memory]:
        """See MemoryRepository."""
        wanted = {**named(owner), "attributes": list(attributes), "at": at}
        rows = await self._database.fetch(owner.tenant, _LATEST, wanted)
        return in_order((memory_of(owner, row) for row in rows), attributes)

    async def delete(self, owner: Owner, memory_id: str) -> bool:
        """See MemoryRepository."""
        return bool(await self._database.fetch(owner.tenant, _DELETE, {**named(owner), "id": memory_id}, writes=True))

    async def search(
        self, owner: Owner, text: str, embedding: Embedding | None, limit: int, at: datetime | None = None
    ) -> list[MemoryHit]:
        """See MemoryRepository. Vectors are compared where they are, words here, as for all databases."""
        wanted = named(owner) | vector(embedding) | {"at": at}
        rows = await self._database.fetch(owner.tenant, _COMPARED, wanted)
        return rank_compared(text, [(memory_of(owner, row), row[WIDTH]) for row in rows], limit)

    async def unembedded(self, owner: Owner, model: str, limit: int) -> list[Memory]:
        """See MemoryRepository."""
        rows = await self._database.fetch(
            owner.tenant, _UNEMBEDDED, {**named(owner), "embedder": model, "limit": limit}
        )
        return [memory_of(owner, row) for row in rows]

    async def embed(self, memory: Memory, embedding: Embedding) -> bool:
        """See MemoryRepository."""
        given = named(memory.owner) | vector(embedding) | {"id": memory.id, "text": memory.text}
        return bool(await self._database.fetch(memory.owner.tenant, _EMBED, given))

    async def owners(self, tenant: str | None, limit: int, after: Owner | None = None) -> list[Owner]:
        """See MemoryHoldings."""
        place = {"after": after and after.tenant, "after_user": after and after.user}
        rows = await self._database.sweep(_OWNERS, {"tenant": tenant, "limit": limit, **place})
        return [owner_of(*row) for row in rows]

    async def list_with_vectors(self, owner: Owner, limit: int, after: str | None = None) -> list[MemoryWithVector]:
        """See MemoryHoldings."""
        rows = await self._database.fetch(owner.tenant, _STOCK, {**named(owner), "limit": limit, "after": after})
        return [with_vector(owner, row) for row in rows]

    async def get_many(self, owner: Owner, ids: Sequence[str]) -> list[MemoryWithVector]:
        """See MemoryHoldings."""
        rows = await self._database.fetch(owner.tenant, _PICK, {**named(owner), "ids": list(ids)})
        return [with_vector(owner, row) for row in rows]

    async def expired(self, at: datetime, limit: int) -> Sequence[tuple[Owner, str]]:
        """See MemoryHoldings."""
        rows = await self._database.sweep(_EXPIRED, {"at": at, "limit": limit})
        return [(owner_of(tenant, user), memory) for tenant, user, memory in rows]

    async def postpone(self, owner: Owner, expiries: Mapping[str, datetime]) -> None:
        """See MemoryHoldings."""
        given = named(owner) | {"ids": list(expiries), "times": list(expiries.values())}
        await self._database.fetch(owner.tenant, _POSTPONE, given)

"""Rows of memories in PostgreSQL."""

from collections.abc import Sequence
from datetime import UTC
from struct import unpack
from typing import Any

import msgspec

from recuerdo.adapters.postgres.connection import PostgresDatabase
from recuerdo.adapters.ranking import rank_compared
from recuerdo.core.errors import InvalidInput
from recuerdo.core.memories import Attribute, Embedding, Memory, MemoryHit, MemoryQuery, Source, in_order
from recuerdo.core.scope import Owner

_SAVE = """
INSERT INTO recuerdo.memories
    (tenant, "user", id, kind, attribute, value, text, source, trust, created_at, updated_at, embedder, vector)
VALUES (
    %(tenant)s, %(user)s, %(id)s, %(kind)s, %(attribute)s, %(value)s, %(text)s, %(source)s, %(trust)s,
    %(created_at)s, %(updated_at)s, %(embedder)s, %(vector)s::real[]
)
ON CONFLICT (tenant, "user", id) DO UPDATE SET
    kind = excluded.kind, attribute = excluded.attribute, value = excluded.value, text = excluded.text,
    source = excluded.source, trust = excluded.trust, created_at = excluded.created_at,
    updated_at = excluded.updated_at, embedder = excluded.embedder, vector = excluded.vector
RETURNING id"""

_GET = """
SELECT id, kind, attribute, value, text, source, trust, created_at, updated_at FROM recuerdo.memories
WHERE tenant = %(tenant)s AND "user" = %(user)s AND id = %(id)s"""

_SELECT = """
SELECT id, kind, attribute, value, text, source, trust, created_at, updated_at FROM recuerdo.memories
WHERE tenant = %(tenant)s AND "user" = %(user)s
    AND (%(time)s::timestamptz IS NULL OR created_at < %(time)s OR (created_at = %(time)s AND id > %(last_id)s))
    AND (%(kind)s::text IS NULL OR kind = %(kind)s) AND (%(attribute)s::text IS NULL OR attribute = %(attribute)s)
ORDER BY created_at DESC, id LIMIT %(limit)s"""

_LATEST = """
SELECT DISTINCT ON (attribute) id, kind, attribute, value, text, source, trust, created_at, updated_at
FROM recuerdo.memories WHERE tenant = %(tenant)s AND "user" = %(user)s AND attribute = ANY (%(attributes)s)
ORDER BY attribute, created_at DESC, id"""

_UNEMBEDDED = """
SELECT id, kind, attribute, value, text, source, trust, created_at, updated_at FROM recuerdo.memories
WHERE tenant = %(tenant)s AND "user" = %(user)s AND embedder IS DISTINCT FROM %(embedder)s
ORDER BY created_at DESC, id LIMIT %(limit)s"""

# The query's vector stands in a subquery, so that its text is read once and not for each row.
_COMPARED = """
SELECT
    id, kind, attribute, value, text, source, trust, created_at, updated_at,
    CASE WHEN embedder = %(embedder)s THEN recuerdo.cosine(vector, (SELECT %(vector)s::real[])) ELSE 0 END
FROM recuerdo.memories
WHERE tenant = %(tenant)s AND "user" = %(user)s ORDER BY created_at DESC, id"""

_DELETE = 'DELETE FROM recuerdo.memories WHERE tenant = %(tenant)s AND "user" = %(user)s AND id = %(id)s RETURNING id'


class PostgresMemories:
    """The MemoryRepository over a PostgreSQL database."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    async def save(self, memory: Memory, embedding: Embedding | None) -> None:
        """See MemoryRepository."""
        source = {"source": msgspec.json.encode(memory.source).decode()}
        row = msgspec.structs.asdict(memory) | _named(memory.owner) | source | _vector(embedding)
        await self._database.fetch(memory.owner.tenant, _SAVE, row)

    async def get(self, owner: Owner, memory_id: str) -> Memory | None:
        """See MemoryRepository."""
        rows = await self._database.fetch(owner.tenant, _GET, {**_named(owner), "id": memory_id})
        return _memory(owner, rows[0]) if rows else None

    async def select(self, owner: Owner, query: MemoryQuery) -> list[Memory]:
        """See MemoryRepository."""
        last = None
        if query.before is not None:
            last = await self.get(owner, query.before)
            if last is None:
                raise InvalidInput("before", f"there is no memory {query.before!r} any more; start again without it")
        place = {"time": last and last.created_at, "last_id": last and last.id}
        filters = {"kind": query.kind, "attribute": query.attribute, "limit": query.limit}
        rows = await self._database.fetch(owner.tenant, _SELECT, _named(owner) | place | filters)
        return [_memory(owner, row) for row in rows]

    async def latest(self, owner: Owner, attributes: Sequence[Attribute]) -> list[Memory]:
        """See MemoryRepository."""
        rows = await self._database.fetch(owner.tenant, _LATEST, {**_named(owner), "attributes": list(attributes)})
        return in_order((_memory(owner, row) for row in rows), attributes)

    async def delete(self, owner: Owner, memory_id: str) -> bool:
        """See MemoryRepository."""
        return bool(await self._database.fetch(owner.tenant, _DELETE, {**_named(owner), "id": memory_id}))

    async def search(self, owner: Owner, text: str, embedding: Embedding | None, limit: int) -> list[MemoryHit]:
        """See MemoryRepository. Vectors are compared where they are, words here, as for all databases."""
        rows = await self._database.fetch(owner.tenant, _COMPARED, _named(owner) | _vector(embedding))
        return rank_compared(text, [(_memory(owner, row), row[9]) for row in rows], limit)

    async def unembedded(self, owner: Owner, model: str, limit: int) -> list[Memory]:
        """See MemoryRepository."""
        rows = await self._database.fetch(
            owner.tenant, _UNEMBEDDED, {**_named(owner), "embedder": model, "limit": limit}
        )
        return [_memory(owner, row) for row in rows]


def _named(owner: Owner) -> dict[str, Any]:
    return {"tenant": owner.tenant, "user": owner.user}


def _vector(embedding: Embedding | None) -> dict[str, Any]:
    if embedding is None:
        return {"embedder": None, "vector": None}
    numbers = unpack(f"<{len(embedding.vector) // 4}f", embedding.vector)
    return {"embedder": embedding.model, "vector": "{" + ",".join(map(repr, numbers)) + "}"}


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
        created_at=created_at.astimezone(UTC),
        updated_at=updated_at.astimezone(UTC),
    )

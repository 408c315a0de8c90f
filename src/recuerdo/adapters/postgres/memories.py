"""Rows of memories in PostgreSQL, and the changes that made them what they are."""

import sys
from array import array
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from struct import unpack
from typing import Any, LiteralString

import msgspec

from recuerdo.adapters.postgres.connection import PostgresRepository, conditions_of, named
from recuerdo.adapters.postgres.migrations import Connection
from recuerdo.adapters.rows import MEMORY_COLUMNS, MEMORY_WIDTH, json_or_none, memory_change_of, memory_of, utc
from recuerdo.core.errors import InvalidInput
from recuerdo.core.memories import (
    FORGETTING,
    Attribute,
    Embedding,
    LedgerState,
    Memory,
    MemoryChange,
    MemoryQuery,
    in_order,
    ledger_name,
    write_memory,
)
from recuerdo.core.ports import MemoryRepository, MemoryWithVector
from recuerdo.core.scope import Owner, owner_of

HOLDS: LiteralString = (
    "(%(at)s::timestamptz IS NULL OR (status = 'approved' AND coalesce(valid_from, created_at) <= %(at)s"
    " AND (valid_until IS NULL OR %(at)s < valid_until) AND (expires_at IS NULL OR %(at)s < expires_at)))"
)
"""Whether a row holds at the time `at`, see Memory.holds; any row without a time."""

_HEADER = 20
"""Bytes: dimensions, flags, the elements' type, how many there are, and the first one's number."""

_NAMES = MEMORY_COLUMNS.split(", ")
SAVE: LiteralString = f"""
INSERT INTO recuerdo.memories AS old (tenant, "user", {MEMORY_COLUMNS})
VALUES (%(tenant)s, %(user)s, {", ".join([f"%({name})s" for name in _NAMES])})
ON CONFLICT (tenant, "user", id) DO UPDATE SET {", ".join([f"{name} = excluded.{name}" for name in _NAMES[1:]])},
    embedder = CASE WHEN old.text = excluded.text THEN old.embedder END,
    vector = CASE WHEN old.text = excluded.text THEN old.vector END,
    packed = CASE WHEN old.text = excluded.text THEN old.packed END"""
"""Inserts or replaces a memory, which keeps its vector while its text stays."""


def row_of(memory: Memory) -> dict[str, Any]:
    """The memory as the parameters of SAVE."""
    told = {name: json_or_none(getattr(memory, name)) for name in ("source", "review", "ending")}
    return msgspec.structs.asdict(memory) | named(memory.owner) | told


def vector(embedding: Embedding) -> dict[str, Any]:
    """The vector, as parameters of a statement: numbers, or bytes that are not."""
    if len(embedding.vector) % 4:
        return {"embedder": embedding.model, "vector": None, "packed": embedding.vector}
    numbers = unpack(f"<{len(embedding.vector) // 4}f", embedding.vector)
    return {"embedder": embedding.model, "vector": "{" + ",".join(map(repr, numbers)) + "}", "packed": None}


def with_vector(owner: Owner, row: tuple[Any, ...]) -> MemoryWithVector:
    """The memory of a row of COLUMNS, the embedder, the vector as `array_send` makes it, and a packed one."""
    embedder, sent, packed = row[MEMORY_WIDTH:]
    vector = floats(sent) if sent else packed
    return MemoryWithVector(memory_of(owner, row, utc), Embedding(embedder, vector) if embedder and vector else None)


def floats(sent: bytes) -> bytes:
    """Of an array as PostgreSQL sends it, a header and big-endian pairs of a length and a number: the numbers."""
    pairs = array("I", sent[_HEADER:])
    if sys.byteorder == "little":
        pairs.byteswap()
    return pairs[1::2].tobytes()


_GET: LiteralString = f"""
SELECT {MEMORY_COLUMNS} FROM recuerdo.memories
WHERE tenant = %(tenant)s AND "user" = %(user)s AND id = %(id)s"""

_SELECT: LiteralString = f"""
SELECT {MEMORY_COLUMNS} FROM recuerdo.memories
WHERE tenant = %(tenant)s AND "user" = %(user)s
    AND (%(time)s::timestamptz IS NULL OR created_at < %(time)s OR (created_at = %(time)s AND id > %(last_id)s))"""

_CONDITIONS: Mapping[str, LiteralString] = {
    "kind": " AND kind = %(kind)s",
    "attribute": " AND attribute = %(attribute)s",
    "status": " AND status = %(status)s",
    "pinned": " AND pinned = %(pinned)s",
    "holding_at": f" AND {HOLDS}",
    "thread": " AND source::json ->> 'thread' = %(thread)s",
    "since": " AND created_at >= %(since)s",
    "until": " AND created_at < %(until)s",
}
"""The condition of each field of a query."""

_ORDER: LiteralString = " ORDER BY created_at DESC, id LIMIT %(limit)s OFFSET %(skip)s"

_LATEST: LiteralString = f"""
SELECT DISTINCT ON (attribute) {MEMORY_COLUMNS}
FROM recuerdo.memories WHERE tenant = %(tenant)s AND "user" = %(user)s AND attribute = ANY (%(attributes)s)
    AND {HOLDS}
ORDER BY attribute, created_at DESC, id"""

_EMBED = """
UPDATE recuerdo.memories SET embedder = %(embedder)s, vector = %(vector)s::real[], packed = %(packed)s
WHERE tenant = %(tenant)s AND "user" = %(user)s AND id = %(id)s AND text = %(text)s RETURNING id"""

_LIST_WITH_VECTORS: LiteralString = f"""
SELECT {MEMORY_COLUMNS}, embedder, array_send(vector), packed FROM recuerdo.memories
WHERE tenant = %(tenant)s AND "user" = %(user)s AND (%(after)s::text IS NULL OR id > %(after)s)
ORDER BY id LIMIT %(limit)s"""

_GET_MANY: LiteralString = f"""
SELECT {MEMORY_COLUMNS}, embedder, array_send(vector), packed FROM recuerdo.memories
WHERE tenant = %(tenant)s AND "user" = %(user)s AND id = ANY (%(ids)s)"""

_OWNERS = """
SELECT tenant, "user" FROM recuerdo.swept_memory_owners
WHERE (%(tenant)s::text IS NULL OR tenant = %(tenant)s)
    AND (%(after)s::text IS NULL OR (tenant, "user") > (%(after)s, %(after_user)s))
ORDER BY tenant, "user" LIMIT %(limit)s"""

_EXPIRED = """
SELECT tenant, "user", id FROM recuerdo.swept_memories WHERE expires_at <= %(at)s ORDER BY expires_at LIMIT %(limit)s"""

_POSTPONE = """
UPDATE recuerdo.memories AS m SET expires_at = given.time
FROM unnest(%(ids)s::text[], %(times)s::timestamptz[]) AS given (id, time)
WHERE m.tenant = %(tenant)s AND m."user" = %(user)s AND m.id = given.id
    AND m.expires_at < given.time AND m.refresh IS NOT NULL RETURNING m.id"""

_STATE = """
SELECT epoch, version FROM recuerdo.memory_owners WHERE tenant = %(tenant)s AND "user" = %(ledger)s"""

# The first change makes the row; two that make it at once wait for each other on its key.
_STEP = """
INSERT INTO recuerdo.memory_owners AS old (tenant, "user", epoch, version)
SELECT %(tenant)s, %(ledger)s, 0, 1 WHERE %(epoch)s = 0 AND %(version)s = 0
    OR EXISTS (SELECT FROM recuerdo.memory_owners WHERE tenant = %(tenant)s AND "user" = %(ledger)s)
ON CONFLICT (tenant, "user") DO UPDATE SET version = old.version + 1
    WHERE old.epoch = %(epoch)s AND old.version = %(version)s
RETURNING epoch, version"""

_DELETE = 'DELETE FROM recuerdo.memories WHERE tenant = %(tenant)s AND "user" = %(user)s AND id = %(id)s'

_FORGET = 'DELETE FROM recuerdo.memory_changes WHERE tenant = %(tenant)s AND "user" = %(user)s AND memory = %(id)s'

_NOTE = """
INSERT INTO recuerdo.memory_changes
    (tenant, "user", version, place, memory, at, action, undoes, before, after)
VALUES (
    %(tenant)s, %(user)s, %(version)s, %(place)s, %(id)s, %(at)s, %(action)s, %(undoes)s, %(before)s, %(after)s
)"""

_UNDONE = """
UPDATE recuerdo.memory_changes SET undone = true
WHERE tenant = %(tenant)s AND "user" = %(user)s AND version = %(undoes)s"""

_CHANGES = """
SELECT version, at, action, undoes, undone, before, after FROM recuerdo.memory_changes
WHERE tenant = %(tenant)s AND "user" = %(user)s AND (%(memory)s::text IS NULL OR memory = %(memory)s)
    AND version IN (
        SELECT DISTINCT version FROM recuerdo.memory_changes
        WHERE tenant = %(tenant)s AND "user" = %(user)s AND (%(memory)s::text IS NULL OR memory = %(memory)s)
            AND (%(before)s::bigint IS NULL OR version < %(before)s)
        ORDER BY version DESC LIMIT %(limit)s
    )
ORDER BY version DESC, place"""

_NEW_EPOCH = """
INSERT INTO recuerdo.memory_owners AS old (tenant, "user", epoch, version, erased_at)
VALUES (%(tenant)s, %(ledger)s, 1, 1, clock_timestamp())
ON CONFLICT (tenant, "user")
    DO UPDATE SET epoch = old.epoch + 1, version = old.version + 1, erased_at = clock_timestamp()"""

_ERASED = """
SELECT given.place - 1, clock_timestamp() - o.erased_at
FROM unnest(%(tenants)s::text[], %(ledgers)s::text[]) WITH ORDINALITY AS given (tenant, ledger, place)
JOIN recuerdo.memory_owners AS o ON o.tenant = given.tenant AND o."user" = given.ledger
WHERE o.erased_at IS NOT NULL"""

_ERASE_CHANGES = 'DELETE FROM recuerdo.memory_changes WHERE tenant = %(tenant)s AND "user" = %(user)s'
_ERASE_MEMORIES = 'DELETE FROM recuerdo.memories WHERE tenant = %(tenant)s AND "user" = %(user)s'


class PostgresMemories(PostgresRepository, MemoryRepository):
    """The MemoryRepository over a PostgreSQL database."""

    async def get(self, owner: Owner, memory_id: str) -> Memory | None:
        rows = await self._database.fetch(owner.tenant, _GET, {**named(owner), "id": memory_id})
        return memory_of(owner, rows[0], utc) if rows else None

    async def select(self, owner: Owner, query: MemoryQuery) -> list[Memory]:
        last = None
        if query.before is not None:
            last = await self.get(owner, query.before)
            if last is None:
                raise InvalidInput("before", f"there is no memory {query.before!r} any more; start again without it")
        place = {"time": last and last.created_at, "last_id": last and last.id}
        names = ("kind", "attribute", "status", "pinned", "thread", "since", "until", "limit", "skip")
        filters = {name: getattr(query, name) for name in names}
        filters["at"] = query.holding_at
        statement: LiteralString = f"{_SELECT}{conditions_of(query, _CONDITIONS)}{_ORDER}"
        rows = await self._database.fetch(owner.tenant, statement, named(owner) | place | filters)
        return [memory_of(owner, row, utc) for row in rows]

    async def latest(self, owner: Owner, attributes: Sequence[Attribute], at: datetime | None = None) -> list[Memory]:
        wanted = {**named(owner), "attributes": list(attributes), "at": at}
        rows = await self._database.fetch(owner.tenant, _LATEST, wanted)
        return in_order((memory_of(owner, row, utc) for row in rows), attributes)

    async def embed(self, memory: Memory, embedding: Embedding) -> bool:
        given = named(memory.owner) | vector(embedding) | {"id": memory.id, "text": memory.text}
        return bool(await self._database.fetch(memory.owner.tenant, _EMBED, given, writes=True))

    async def owners(self, tenant: str | None, limit: int, after: Owner | None = None) -> list[Owner]:
        place = {"after": after and after.tenant, "after_user": after and after.user}
        rows = await self._database.sweep(_OWNERS, {"tenant": tenant, "limit": limit, **place})
        return [owner_of(*row) for row in rows]

    async def list_with_vectors(self, owner: Owner, limit: int, after: str | None = None) -> list[MemoryWithVector]:
        rows = await self._database.fetch(
            owner.tenant, _LIST_WITH_VECTORS, {**named(owner), "limit": limit, "after": after}
        )
        return [with_vector(owner, row) for row in rows]

    async def get_many(self, owner: Owner, ids: Sequence[str]) -> list[MemoryWithVector]:
        rows = await self._database.fetch(owner.tenant, _GET_MANY, {**named(owner), "ids": list(ids)})
        return [with_vector(owner, row) for row in rows]

    async def expired(self, at: datetime, limit: int) -> Sequence[tuple[Owner, str]]:
        rows = await self._database.sweep(_EXPIRED, {"at": at, "limit": limit})
        return [(owner_of(tenant, user), memory) for tenant, user, memory in rows]

    async def postpone(self, owner: Owner, expiries: Mapping[str, datetime]) -> None:
        given = named(owner) | {"ids": list(expiries), "times": list(expiries.values())}
        await self._database.fetch(owner.tenant, _POSTPONE, given, writes=True)

    async def state(self, owner: Owner) -> LedgerState:
        found = await self._database.fetch(owner.tenant, _STATE, _ledger(owner))
        return LedgerState(*found[0]) if found else LedgerState(0, 0)

    async def apply(self, owner: Owner, change: MemoryChange, expected: LedgerState) -> LedgerState | None:
        """The owner's row stays locked until the commit: others wait, then look again."""
        async with self._database.transaction([owner.tenant]) as connection:
            cursor = await connection.execute(_STEP, _ledger(owner) | expected._asdict())
            row = await cursor.fetchone()
            if row is None:
                return None
            state = LedgerState(*row)
            async with connection.pipeline():
                await _write(connection, owner, change, state.version)
        return state

    async def changes(
        self, owner: Owner, limit: int, *, memory_id: str | None = None, before: int | None = None
    ) -> list[MemoryChange]:
        wanted = named(owner) | {"memory": memory_id, "before": before, "limit": limit}
        found = await self._database.fetch(owner.tenant, _CHANGES, wanted)
        return [memory_change_of(owner, list(group), utc) for _, group in groupby(found, key=lambda row: row[0])]

    async def erase(self, owner: Owner) -> int:
        async with self._database.transaction([owner.tenant]) as connection:
            await connection.execute(_NEW_EPOCH, _ledger(owner))
            await connection.execute(_ERASE_CHANGES, named(owner))
            return (await connection.execute(_ERASE_MEMORIES, named(owner))).rowcount

    async def erased(self, owners: Collection[Owner]) -> dict[Owner, timedelta]:
        asked = list(owners)
        given = {"tenants": [owner.tenant for owner in asked], "ledgers": [ledger_name(owner) for owner in asked]}
        async with self._database.transaction([*{owner.tenant for owner in asked}]) as connection:
            rows = await (await connection.execute(_ERASED, given)).fetchall()
        return {asked[place]: age for place, age in rows}


def _ledger(owner: Owner) -> dict[str, str]:
    return {"tenant": owner.tenant, "ledger": ledger_name(owner)}


async def _write(connection: Connection, owner: Owner, change: MemoryChange, version: int) -> None:
    told = named(owner) | {"version": version, "at": change.at, "action": change.action, "undoes": change.undoes}
    for place, entry in enumerate(change.entries):
        which = {"id": entry.memory_id, "place": place}
        if entry.after is not None:
            await connection.execute(SAVE, row_of(entry.after))
        else:
            await connection.execute(_DELETE, told | which)
        if change.action in FORGETTING:
            await connection.execute(_FORGET, told | which)
        else:
            images = {"before": write_memory(entry.before), "after": write_memory(entry.after)}
            await connection.execute(_NOTE, told | which | images)
    if change.undoes is not None:
        await connection.execute(_UNDONE, told)

"""Rows of store items in PostgreSQL."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, LiteralString

from recuerdo.adapters.postgres.conditions import named
from recuerdo.adapters.postgres.connection import Connection, PostgresDatabase
from recuerdo.adapters.postgres.item_search import PostgresItemSearch, vector_literal
from recuerdo.core.items import (
    Item,
    ItemAddress,
    ItemHit,
    ItemQuery,
    Namespace,
    Put,
    StoreScope,
    bounds_of,
    read_namespace,
    write_namespace,
)
from recuerdo.core.words import words_of

_PUT: LiteralString = """
INSERT INTO recuerdo.store_items AS i
    (tenant, "user", namespace, key, value, created_at, updated_at, ttl, expires_at)
SELECT %(tenant)s, %(user)s, namespace, key, value, %(at)s, %(at)s, ttl, %(at)s + ttl * interval '1 minute'
FROM unnest(%(namespaces)s::text[], %(keys)s::text[], %(values)s::text[], %(ttls)s::float8[])
    AS put (namespace, key, value, ttl)
ON CONFLICT (tenant, "user", namespace, key) DO UPDATE SET
    value = excluded.value, updated_at = excluded.updated_at, ttl = excluded.ttl, expires_at = excluded.expires_at"""

_DELETE: LiteralString = """
DELETE FROM recuerdo.store_items AS i
USING unnest(%(namespaces)s::text[], %(keys)s::text[]) AS gone (namespace, key)
WHERE i.tenant = %(tenant)s AND i."user" = %(user)s AND i.namespace = gone.namespace AND i.key = gone.key"""

_DELETE_ENTRIES: LiteralString = """
DELETE FROM recuerdo.store_entries AS e
USING unnest(%(namespaces)s::text[], %(keys)s::text[]) AS gone (namespace, key)
WHERE e.tenant = %(tenant)s AND e."user" = %(user)s AND e.namespace = gone.namespace AND e.key = gone.key"""

_ENTER: LiteralString = """
INSERT INTO recuerdo.store_entries (tenant, "user", namespace, key, path, expires_at, words, dims, vector)
SELECT %(tenant)s, %(user)s, namespace, key, path, %(at)s + ttl * interval '1 minute', words, dims, {vector}
FROM unnest(
    %(namespaces)s::text[], %(keys)s::text[], %(paths)s::text[], %(ttls)s::float8[], %(words)s::text[],
    %(dims)s::int[], %(vectors)s::text[]
) AS entry (namespace, key, path, ttl, words, dims, vector)"""

_READ: LiteralString = """
SELECT i.namespace, i.key, i.value, i.created_at, i.updated_at, i.ttl
FROM unnest(%(namespaces)s::text[], %(keys)s::text[]) AS wanted (namespace, key)
JOIN recuerdo.store_items AS i
    ON i.tenant = %(tenant)s AND i."user" = %(user)s AND i.namespace = wanted.namespace AND i.key = wanted.key
WHERE %(alive_at)s::timestamptz IS NULL OR i.expires_at IS NULL OR i.expires_at > %(alive_at)s"""

_REFRESH: LiteralString = """
WITH refreshed AS (
    UPDATE recuerdo.store_items AS i SET expires_at = %(at)s + i.ttl * interval '1 minute'
    FROM unnest(%(namespaces)s::text[], %(keys)s::text[]) AS read (namespace, key)
    WHERE i.tenant = %(tenant)s AND i."user" = %(user)s AND i.namespace = read.namespace AND i.key = read.key
        AND i.ttl IS NOT NULL
    RETURNING i.namespace, i.key, i.expires_at
)
UPDATE recuerdo.store_entries AS e SET expires_at = refreshed.expires_at FROM refreshed
WHERE e.tenant = %(tenant)s AND e."user" = %(user)s AND e.namespace = refreshed.namespace AND e.key = refreshed.key
RETURNING e.key"""

# Reads the namespaces of a few items, and hops past all other items of the last one of them. chr(1) makes the text that
# comes next: labels have no NUL.
_NAMESPACES: LiteralString = """
WITH RECURSIVE hops (found, low) AS (
    SELECT NULL::text[] COLLATE "C", %(low)s::text COLLATE "C"
    UNION ALL
    SELECT near.found, near.last || chr(1) FROM hops CROSS JOIN LATERAL (
        SELECT array_agg(DISTINCT namespace) AS found, max(namespace) AS last FROM (
            SELECT namespace FROM recuerdo.store_items
            WHERE tenant = %(tenant)s AND "user" = %(user)s AND namespace >= hops.low AND namespace < %(high)s
                AND (%(alive_at)s::timestamptz IS NULL OR expires_at IS NULL OR expires_at > %(alive_at)s)
            ORDER BY tenant, "user", namespace LIMIT 100
        ) AS few
    ) AS near WHERE near.last IS NOT NULL
)
SELECT unnest(found) FROM hops"""

_EXPIRED: LiteralString = """
SELECT DISTINCT tenant, "user" FROM recuerdo.store_items WHERE expires_at <= %(at)s LIMIT %(limit)s"""

_SWEEP: LiteralString = """
DELETE FROM recuerdo.store_items
WHERE tenant = %(tenant)s AND "user" = %(user)s AND expires_at <= %(at)s RETURNING key"""

_ERASE = 'DELETE FROM recuerdo.store_items WHERE tenant = %(tenant)s AND "user" = %(user)s RETURNING key'

Parameters = dict[str, Any]


class PostgresItems:
    """The ItemRepository over a PostgreSQL database.

    All vectors of a namespace are compared up to `most_compared` of them, in milliseconds; of more the nearest are
    found by pgvector's index, which reads on until it has enough.
    """

    def __init__(self, database: PostgresDatabase, *, most_compared: int = 5_000) -> None:
        self._database = database
        self._search = PostgresItemSearch(database, most_compared)

    async def write(self, scope: StoreScope, puts: Sequence[Put], at: datetime) -> None:
        """See ItemRepository."""
        latest = {put.place: put for put in puts}
        ordered = [latest[place] for place in sorted(latest)]  # so that no two batches wait for each other
        vector = await self._search.written_vector()
        async with self._database.transaction([scope.tenant]) as connection:
            await _write(connection, named(scope) | {"at": at}, ordered, vector)

    async def read(
        self, scope: StoreScope, places: Sequence[ItemAddress], alive_at: datetime | None
    ) -> list[Item | None]:
        """See ItemRepository."""
        parameters = named(scope) | _places(list(dict.fromkeys(places))) | {"alive_at": alive_at}
        rows = await self._database.fetch(scope.tenant, _READ, parameters)
        found = {item.place: item for item in map(item_of, rows)}
        return [found.get(place) for place in places]

    async def refresh(self, scope: StoreScope, places: Sequence[ItemAddress], at: datetime) -> None:
        """See ItemRepository."""
        await self._database.fetch(scope.tenant, _REFRESH, named(scope) | _places(sorted(places)) | {"at": at})

    async def search(self, scope: StoreScope, query: ItemQuery) -> list[ItemHit]:
        """See ItemRepository."""
        return [ItemHit(item_of(row), row[6]) for row in await self._search.rows(scope, query)]

    async def namespaces(self, scope: StoreScope, below: Namespace, alive_at: datetime | None) -> list[Namespace]:
        """See ItemRepository."""
        low, high = bounds_of(below)
        parameters = named(scope) | {"low": low, "high": high, "alive_at": alive_at}
        rows = await self._database.fetch(scope.tenant, _NAMESPACES, parameters)
        return sorted(read_namespace(row[0]) for row in rows)

    async def expired(self, at: datetime, limit: int) -> list[StoreScope]:
        """See ItemRepository."""
        return [StoreScope(*row) for row in await self._database.sweep(_EXPIRED, {"at": at, "limit": limit})]

    async def erase(self, scope: StoreScope) -> int:
        """See ItemRepository."""
        erased = await self._database.fetch(scope.tenant, _ERASE, named(scope), writes=True)
        return len(erased)

    async def sweep(self, scope: StoreScope, at: datetime) -> int:
        """See ItemRepository."""
        return len(await self._database.fetch(scope.tenant, _SWEEP, named(scope) | {"at": at}))


async def _write(connection: Connection, whose: Parameters, puts: Sequence[Put], vector: LiteralString) -> None:
    kept = [put for put in puts if put.value is not None]
    gone = [put.place for put in puts if put.value is None]
    async with connection.pipeline():
        if gone:
            await connection.execute(_DELETE, whose | _places(gone))
        if kept:
            values = {"values": [put.value for put in kept], "ttls": [put.ttl for put in kept]}
            await connection.execute(_PUT, whose | _places([put.place for put in kept]) | values)
            await connection.execute(_DELETE_ENTRIES, whose | _places([put.place for put in kept]))
        if entries := _entries(kept):
            await connection.execute(_ENTER.replace("{vector}", vector), whose | entries)


def _entries(puts: Sequence[Put]) -> Parameters:
    """The columns of all entries; empty without any."""
    entries = [(put, entry) for put in puts for entry in put.entries]
    if not entries:
        return {}
    return _places([put.place for put, _ in entries]) | {
        "paths": [entry.path for _, entry in entries],
        "ttls": [put.ttl for put, _ in entries],
        "words": [" ".join(set(words_of(entry.words))) for _, entry in entries],
        "dims": [len(entry.vector) // 4 for _, entry in entries],
        "vectors": [vector_literal(entry.vector) for _, entry in entries],
    }


def item_of(row: tuple[Any, ...]) -> Item:
    """The item of a row: namespace, key, value, created_at, updated_at, ttl."""
    namespace, key, value, created_at, updated_at, ttl = row[:6]
    place = ItemAddress(read_namespace(namespace), key)
    return Item(place, value, created_at.astimezone(UTC), updated_at.astimezone(UTC), ttl)


def _places(places: Sequence[ItemAddress]) -> Parameters:
    namespaces = [write_namespace(place.namespace) for place in places]
    return {"namespaces": namespaces, "keys": [place.key for place in places]}

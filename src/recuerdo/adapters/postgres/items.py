"""Rows of store items in PostgreSQL."""

import asyncio
import json
from array import array
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from struct import pack, unpack
from typing import Any, LiteralString, NamedTuple, cast

import msgspec

from recuerdo.adapters.postgres.calls import Function, Ready
from recuerdo.adapters.postgres.connection import Connection, PostgresDatabase, Rows, named
from recuerdo.adapters.rows import item_of, utc
from recuerdo.adapters.similarity import Words
from recuerdo.core.conditions import Condition
from recuerdo.core.graph_ports import ItemRepository
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
SELECT DISTINCT tenant, "user" FROM recuerdo.swept_items WHERE expires_at <= %(at)s LIMIT %(limit)s"""

_SWEEP: LiteralString = """
DELETE FROM recuerdo.store_items
WHERE tenant = %(tenant)s AND "user" = %(user)s AND expires_at <= %(at)s RETURNING key"""

_ERASE = 'DELETE FROM recuerdo.store_items WHERE tenant = %(tenant)s AND "user" = %(user)s RETURNING key'

Parameters = dict[str, Any]


class PostgresItems(ItemRepository):
    """The ItemRepository over a PostgreSQL database.

    All vectors of a namespace are compared up to `most_compared` of them, in milliseconds; of more the nearest are
    found by pgvector's index, which reads on until it has enough.
    """

    def __init__(self, database: PostgresDatabase, *, most_compared: int = 5_000) -> None:
        self._database = database
        self._search = PostgresItemSearch(database, most_compared)

    async def write(self, scope: StoreScope, puts: Sequence[Put], at: datetime) -> None:
        latest = {put.place: put for put in puts}
        ordered = [latest[place] for place in sorted(latest)]  # so that no two batches wait for each other
        vector = await self._search.written_vector()
        async with self._database.transaction([scope.tenant]) as connection:
            await _write(connection, named(scope) | {"at": at}, ordered, vector)

    async def read(
        self, scope: StoreScope, places: Sequence[ItemAddress], alive_at: datetime | None
    ) -> list[Item | None]:
        parameters = named(scope) | _places(list(dict.fromkeys(places))) | {"alive_at": alive_at}
        rows = await self._database.fetch(scope.tenant, _READ, parameters)
        found = {item.place: item for item in (item_of(row, utc) for row in rows)}
        return [found.get(place) for place in places]

    async def refresh(self, scope: StoreScope, places: Sequence[ItemAddress], at: datetime) -> None:
        parameters = named(scope) | _places(sorted(places)) | {"at": at}
        await self._database.fetch(scope.tenant, _REFRESH, parameters, writes=True)

    async def search(self, scope: StoreScope, query: ItemQuery) -> list[ItemHit]:
        return [ItemHit(item_of(row, utc), row[6]) for row in await self._search.rows(scope, query)]

    async def namespaces(self, scope: StoreScope, below: Namespace, alive_at: datetime | None) -> list[Namespace]:
        low, high = bounds_of(below)
        parameters = named(scope) | {"low": low, "high": high, "alive_at": alive_at}
        rows = await self._database.fetch(scope.tenant, _NAMESPACES, parameters)
        return sorted(read_namespace(row[0]) for row in rows)

    async def expired(self, at: datetime, limit: int) -> list[StoreScope]:
        return [StoreScope(*row) for row in await self._database.sweep(_EXPIRED, {"at": at, "limit": limit})]

    async def erase(self, scope: StoreScope) -> int:
        erased = await self._database.fetch(scope.tenant, _ERASE, named(scope), writes=True)
        return len(erased)

    async def sweep(self, scope: StoreScope, at: datetime) -> int:
        return len(await self._database.fetch(scope.tenant, _SWEEP, named(scope) | {"at": at}, takes_long=True))


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


def _places(places: Sequence[ItemAddress]) -> Parameters:
    namespaces = [write_namespace(place.namespace) for place in places]
    return {"namespaces": namespaces, "keys": [place.key for place in places]}


INDEXED_DIMS = (128, 256, 384, 512, 768, 1024, 1536)
"""The numbers of dimensions that have an index; see the migration. Vectors of others are all compared."""

_ITEM: LiteralString = "i.namespace, i.key, i.value, i.created_at, i.updated_at, i.ttl"
_OF_ENTRY: LiteralString = (
    'FROM recuerdo.store_items AS i WHERE i.tenant = %(tenant)s AND i."user" = %(user)s'
    " AND i.namespace = e.namespace AND i.key = e.key"
)
# Both are looked up row by row, by the primary key: a join of tables that were just filled, and of which there are no
# statistics, may compare each row with each.
_JOIN: LiteralString = " CROSS JOIN LATERAL (SELECT i.* " + _OF_ENTRY + " LIMIT 1) AS i"
_MEETING: LiteralString = "(SELECT {condition} " + _OF_ENTRY + ")"
_BELOW: LiteralString = (
    'e.tenant = %(tenant)s AND e."user" = %(user)s AND e.namespace >= %(low)s AND e.namespace < %(high)s'
    " AND (%(alive_at)s::timestamptz IS NULL OR e.expires_at IS NULL OR e.expires_at > %(alive_at)s)"
)

_LATEST: LiteralString = """
SELECT {item}, NULL::float8 FROM recuerdo.store_items AS i
WHERE {below} AND {condition} AND {unscored}
ORDER BY i.updated_at DESC, i.namespace, i.key LIMIT %(limit)s OFFSET %(offset)s"""
_UNSCORED: LiteralString = """NOT EXISTS (
    SELECT FROM recuerdo.store_entries AS e
    WHERE e.tenant = i.tenant AND e."user" = i."user" AND e.namespace = i.namespace AND e.key = i.key
        AND (e.dims = %(dims)s OR e.lexemes @@ %(any_word)s::tsquery))"""

# All vectors are compared. (The cast of the query's stands in a subquery, so that its text is read once.)
_NEAREST: LiteralString = """
WITH near AS MATERIALIZED (
    SELECT e.namespace, e.key, max({cosine}) AS score
    FROM recuerdo.store_entries AS e
    WHERE {below} AND e.dims = %(dims)s AND {meeting}
    GROUP BY e.namespace, e.key ORDER BY score DESC, e.namespace, e.key LIMIT %(limit)s
)
SELECT {item}, e.score FROM near AS e {item_join} ORDER BY e.score DESC, e.namespace, e.key"""

# The index gives vectors from the nearest on, and as many as it is asked for; an item may have several.
_NEAREST_BY_INDEX: LiteralString = """
WITH found AS MATERIALIZED (
    SELECT e.namespace, e.key, {cosine} AS score
    FROM recuerdo.store_entries AS e
    WHERE {below} AND e.dims = {dims} AND {meeting}
    ORDER BY {distance} LIMIT %(limit)s
)
SELECT {item}, e.score FROM found AS e {item_join} ORDER BY e.score DESC, e.namespace, e.key"""

_LIKELY: LiteralString = """
WITH entries AS MATERIALIZED (
    SELECT e.namespace, e.key, e.path, e.words, CASE WHEN e.dims = %(dims)s THEN {cosine} END AS cosine,
        CASE WHEN e.lexemes @@ %(any_word)s::tsquery THEN ts_rank(e.lexemes, %(any_word)s::tsquery) END AS rank
    FROM recuerdo.store_entries AS e
    WHERE {below} AND {meeting} AND (e.dims = %(dims)s OR e.lexemes @@ %(any_word)s::tsquery)
)
(SELECT * FROM entries WHERE cosine IS NOT NULL ORDER BY cosine DESC LIMIT %(candidates)s)
UNION (SELECT * FROM entries WHERE rank IS NOT NULL ORDER BY rank DESC LIMIT %(candidates)s)"""

_AT: LiteralString = """
SELECT {item} FROM unnest(%(namespaces)s::text[], %(keys)s::text[]) AS e (namespace, key) {item_join}"""

_SIZE: LiteralString = """
SELECT
    (SELECT count(*) FROM (
        SELECT FROM recuerdo.store_entries AS e WHERE {below} AND e.dims = %(dims)s LIMIT %(limit)s
    ) AS scanned),
    (SELECT reltuples::bigint FROM pg_class WHERE oid = to_regclass('recuerdo.store_entries_near_' || %(dims)s))"""
_TYPE: LiteralString = """
SELECT quote_ident(n.nspname), t.typname FROM pg_attribute AS a
JOIN pg_type AS t ON t.oid = a.atttypid JOIN pg_namespace AS n ON n.oid = t.typnamespace
WHERE a.attrelid = 'recuerdo.store_entries'::regclass AND a.attname = 'vector'"""

_SETTINGS: dict[LiteralString, LiteralString] = {"enable_seqscan": "off"}
_INDEX_SETTINGS: dict[LiteralString, LiteralString] = {
    "enable_seqscan": "off",
    "enable_bitmapscan": "off",
    "enable_sort": "off",
    "hnsw.ef_search": "100",
    "hnsw.iterative_scan": "strict_order",
    "hnsw.max_scan_tuples": "20000",
}
_ALL = Function.of("near_entries", 9, returns_rows=True)
_BY_INDEX = {dims: Function.of(f"near_entries_{dims}", 9, returns_rows=True) for dims in INDEXED_DIMS}
_SMALLEST_SHARE = 0.02
"""Of the vectors of an index: of a namespace with less the index would skip nearly everything that it finds."""
_SECONDS_TO_REMEMBER = 60.0
_SCANNED_FOR_SIZE = 20
_LEAST_CANDIDATES = 50


class _VectorSql(NamedTuple):
    """How vectors are written and compared: by pgvector, from its schema, or as arrays."""

    schema: LiteralString | None

    @property
    def written(self) -> LiteralString:
        return "vector::" + self.schema + ".vector" if self.schema else "translate(vector, '[]', '{}')::real[]"

    @property
    def cosine(self) -> LiteralString:
        if self.schema is None:
            return "recuerdo.cosine(e.vector, (SELECT translate(%(vector)s::text, '[]', '{}')::real[]))"
        return "-(e.vector OPERATOR(" + self.schema + ".<#>) (SELECT %(vector)s::" + self.schema + ".vector))"

    def distance(self, dims: LiteralString) -> LiteralString:
        """The order of an index."""
        schema = self.schema or ""
        typed = "::" + schema + ".vector(" + dims + ")"
        return "(e.vector" + typed + ") OPERATOR(" + schema + ".<#>) %(vector)s" + typed


class PostgresItemSearch:
    """Searches for items; remembers for a minute which namespaces are large."""

    def __init__(self, database: PostgresDatabase, most_compared: int) -> None:
        self._database = database
        self._most_compared = most_compared
        self._vectors: _VectorSql | None = None
        self._large: dict[tuple[StoreScope, Namespace, int], bool] = {}

    async def written_vector(self) -> LiteralString:
        """The SQL that makes a stored vector of its text, the column `vector`."""
        return (await self._known_vectors()).written

    async def rows(self, scope: StoreScope, query: ItemQuery) -> Rows:
        """The columns of the items found, and their scores, of the page that the query asks for."""
        wanted = query.offset + query.limit
        if not query.limit:
            return []
        if not (query.vector or query.words):
            return await self._latest(scope, query, query.limit, query.offset, "true")
        scored = await self._scored(scope, query, wanted)
        missing = wanted - len(scored)
        if missing <= 0 or not query.vector:
            return scored[query.offset :]
        rest = max(0, query.offset - len(scored))
        return scored[query.offset :] + await self._latest(scope, query, missing - rest, rest, _UNSCORED)

    async def _latest(
        self, scope: StoreScope, query: ItemQuery, limit: int, offset: int, unscored: LiteralString
    ) -> Rows:
        condition, parameters = _asked(scope, query)
        statement = _filled(_LATEST, condition, unscored=unscored, below=_BELOW.replace("e.", "i."))
        page = {"limit": limit, "offset": offset}
        return await self._database.fetch(scope.tenant, statement, parameters | page, settings=_SETTINGS)

    async def _scored(self, scope: StoreScope, query: ItemQuery, wanted: int) -> Rows:
        if query.words:
            return await self._likely(scope, query, wanted)
        if await self._is_large(scope, query):
            rows = await self._nearest_by_index(scope, query, wanted)
            if len(rows) == wanted:
                return rows
        vectors = await self._known_vectors()
        if vectors.schema is not None and not query.conditions:
            return await self._call(_ALL, scope, query, wanted)
        condition, parameters = _asked(scope, query)
        statement = _filled(_NEAREST, condition, cosine=vectors.cosine)
        return await self._database.fetch(scope.tenant, statement, parameters | {"limit": wanted}, settings=_SETTINGS)

    async def _nearest_by_index(self, scope: StoreScope, query: ItemQuery, wanted: int) -> Rows:
        """Fewer than are wanted when the index can't tell: what it gave is not enough."""
        if not query.conditions:
            return await self._call(_BY_INDEX[query.dims], scope, query, wanted)
        condition, parameters = _asked(scope, query)
        vectors, dims = await self._known_vectors(), cast(LiteralString, str(query.dims))
        statement = _filled(
            _NEAREST_BY_INDEX, condition, cosine=vectors.cosine, distance=vectors.distance(dims), dims=dims
        )

        def ask(entries: int) -> Awaitable[Rows]:
            asked = parameters | {"limit": entries}
            return self._database.fetch(scope.tenant, statement, asked, settings=_INDEX_SETTINGS)

        return await _enough(ask, wanted)

    async def _call(self, function: Function, scope: StoreScope, query: ItemQuery, wanted: int) -> Rows:
        """The nearest, by a vector alone."""
        below = (scope.tenant, scope.user, *bounds_of(query.prefix), query.alive_at)
        near = (query.dims, sent_vector(query.vector))
        return await _enough(lambda entries: self._database.call(function, *below, *near, entries), wanted)

    async def _likely(self, scope: StoreScope, query: ItemQuery, wanted: int) -> Rows:
        """By words, and by vectors where there are some; scored as `nearness.scores` does."""
        condition, parameters = _asked(scope, query)
        vectors = await self._known_vectors()
        statement = _filled(_LIKELY, condition, cosine=vectors.cosine)
        candidates = {"candidates": max(_LEAST_CANDIDATES, 4 * wanted)}
        asked, best = Words(query.words), dict[ItemAddress, float]()
        for namespace, key, _, words, cosine, _ in await self._database.fetch(
            scope.tenant, statement, parameters | candidates, settings=_SETTINGS
        ):
            place = ItemAddress(read_namespace(namespace), key)
            best[place] = max(best.get(place, -2.0), (cosine or 0.0) + asked.agreement(words))
        nearest = sorted(best, key=lambda place: (-best[place], place))[:wanted]
        return await self._at(scope, nearest, best)

    async def _at(self, scope: StoreScope, places: list[ItemAddress], scores: dict[ItemAddress, float]) -> Rows:
        parameters = {
            "tenant": scope.tenant,
            "user": scope.user,
            "namespaces": [write_namespace(place.namespace) for place in places],
            "keys": [place.key for place in places],
        }
        rows = await self._database.fetch(scope.tenant, _filled(_AT, "true"), parameters, settings=_SETTINGS)
        there = {ItemAddress(read_namespace(row[0]), row[1]): row for row in rows}
        return [(*there[place], scores[place]) for place in places if place in there]

    async def _is_large(self, scope: StoreScope, query: ItemQuery) -> bool:
        """Whether there are too many vectors below the prefix to compare them all, and the index is of use."""
        dims = query.dims
        if dims not in INDEXED_DIMS or (await self._known_vectors()).schema is None:
            return False
        place = (scope, query.prefix, dims)
        if (known := self._large.get(place)) is not None:
            return known
        limit = self._most_compared * _SCANNED_FOR_SIZE
        parameters = _asked(scope, query)[1] | {"limit": limit, "dims": dims}
        [(size, indexed)] = await self._database.fetch(scope.tenant, _SIZE.replace("{below}", _BELOW), parameters)
        is_large = size > self._most_compared and (size == limit or size >= (indexed or 0) * _SMALLEST_SHARE)
        self._large[place] = is_large
        asyncio.get_running_loop().call_later(_SECONDS_TO_REMEMBER, self._large.pop, place, None)
        return is_large

    async def _known_vectors(self) -> _VectorSql:
        if self._vectors is None:
            [(schema, name)] = await self._database.fetch("", _TYPE)
            self._vectors = _VectorSql(schema if name == "vector" else None)
        return self._vectors


def _asked(scope: StoreScope, query: ItemQuery) -> tuple[LiteralString, Parameters]:
    """The SQL of the conditions, and what all statements are given."""
    condition, parameters = meeting(query.conditions)
    low, high = bounds_of(query.prefix)
    words = sorted(set(words_of(query.words))) if query.words else []
    return condition, parameters | {
        "tenant": scope.tenant,
        "user": scope.user,
        "low": low,
        "high": high,
        "alive_at": query.alive_at,
        "dims": query.dims if query.vector else -1,
        "vector": vector_literal(query.vector),
        "any_word": " | ".join(f"'{word}'" for word in words),
    }


async def _enough(ask: Callable[[int], Awaitable[Rows]], wanted: int) -> Rows:
    """The rows of as many items as are wanted, or all there are: of the nearest entries several may be one item's."""
    entries = wanted
    while True:
        rows = await ask(entries)
        best: dict[tuple[str, str], tuple[Any, ...]] = {}
        for row in rows:
            best.setdefault((row[0], row[1]), row)
        if len(best) >= wanted or len(rows) < entries:
            return list(best.values())[:wanted]
        entries *= 4


def _filled(template: LiteralString, condition: LiteralString, **parts: LiteralString) -> LiteralString:
    """The statement of its parts."""
    meeting: LiteralString = _MEETING if condition != "true" else condition
    given = {"item": _ITEM, "item_join": _JOIN, "below": _BELOW, "meeting": meeting, "condition": condition}
    statement: str = template
    for name, part in (given | parts).items():
        statement = statement.replace("{" + name + "}", part)
    return cast(LiteralString, statement)


def vector_literal(vector: bytes) -> str | None:
    """Little-endian 32-bit floats as a text, e.g. [0.5,1.0]; None for an empty one."""
    if not vector:
        return None
    return msgspec.json.encode(unpack(f"<{len(vector) // 4}f", vector)).decode()


def sent_vector(vector: bytes) -> Ready:
    """A vector as a parameter of our own functions: how many numbers, and each with its highest byte first."""
    numbers = array("f", vector)
    numbers.byteswap()
    return Ready(pack(">hh", len(numbers), 0) + numbers.tobytes())


_FOUND: LiteralString = "coalesce(i.value::jsonb #> %(path)s::text[], 'null')"
_OF_TYPE: LiteralString = "(CASE WHEN jsonb_typeof({found}) = '{type}' THEN {holds} ELSE false END)"
_ORDERS: dict[str, LiteralString] = {"$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<="}


def meeting(conditions: Sequence[Condition]) -> tuple[LiteralString, dict[str, Any]]:
    """The SQL that holds for the items `i` that meet the conditions, and its parameters; `true` without any.

    It holds where `core.conditions.meets` does.
    """
    parts: list[LiteralString] = []
    parameters: dict[str, Any] = {}
    for number, condition in enumerate(conditions):
        place = cast(LiteralString, str(number))
        parts.append(_sql(condition).replace("(path)", "(path" + place + ")").replace("(is)", "(is" + place + ")"))
        parameters["path" + place] = [str(step) for step in condition.path]
        parameters["is" + place] = _operand(condition)
    return " AND ".join(parts) if parts else "true", parameters


def _sql(condition: Condition) -> LiteralString:
    match condition.operator:
        case "object":
            return "jsonb_typeof(" + _FOUND + ") = 'object'"
        case "number":
            return "jsonb_typeof(" + _FOUND + ") = 'number'"
        case "never":
            return "false"
        case "length":
            return _of_type("array", "jsonb_array_length(" + _FOUND + ") = %(is)s::int")
        case "$eq":
            return _FOUND + " = %(is)s::jsonb"
        case "$ne":
            return _FOUND + " <> %(is)s::jsonb"
        case _ if isinstance(condition.operand, str):
            compared: LiteralString = "(" + _FOUND + " #>> '{}') COLLATE \"C\" "
            return _of_type("string", compared + _ORDERS[condition.operator] + " %(is)s::text")
        case _:
            return _of_type("number", _FOUND + " " + _ORDERS[condition.operator] + " %(is)s::jsonb")


def _of_type(name: LiteralString, holds: LiteralString) -> LiteralString:
    return _OF_TYPE.replace("{type}", name).replace("{holds}", holds).replace("{found}", _FOUND)


def _operand(condition: Condition) -> Any:
    if condition.operator in _ORDERS and isinstance(condition.operand, str):
        return condition.operand
    return json.dumps(condition.operand)

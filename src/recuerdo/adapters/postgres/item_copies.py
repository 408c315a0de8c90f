"""Copies of the vectors of namespaces that are searched again and again, each for a minute at most.

The database compares 1,000 vectors as quickly as it gets at their rows, all over the table. A copy tells which few can
be the nearest; the database looks at these, at what was written since the copy, and nothing else: see the function
near_copies. So the answer is as fresh and as exact as one without a copy, at the price of one call.
"""

import asyncio
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, LiteralString

from recuerdo.adapters.postgres.arrays import Texts
from recuerdo.adapters.postgres.calls import Function
from recuerdo.adapters.postgres.connection import PostgresDatabase, Rows
from recuerdo.adapters.postgres.vectors import sent_vector
from recuerdo.core.items import ItemQuery, Namespace, StoreScope, bounds_of

if TYPE_CHECKING:
    from recuerdo.adapters.postgres.copied_vectors import CopiedVectors

MOST_BYTES = 256 * 2**20
"""How much memory the copies take at most; when it is full, no more are made until the minute of others is over."""

SECONDS = 60.0
"""How long a copy lives, so that what was deleted is not in memory for longer."""

SEARCHES = 6
"""Of a namespace within the minute, at the last of which a copy is made: making it takes as long as so many save."""

_FEWEST, _MOST = 200, 10_000
"""Vectors: fewer are compared in no time, and more are for the index."""

_MOST_CHANGES = 200
"""Entries written in the store since the copy: to look at more takes longer than to compare all vectors."""

_AT_ONCE = 2_000_000
"""Bytes of vectors up to which the event loop itself multiplies, in less time than the way to a thread takes."""

_COPY: LiteralString = """
SELECT pg_current_snapshot()::text, array_agg(namespace), array_agg(key), string_agg({schema}.vector_send(vector), '')
FROM (
    SELECT e.namespace, e.key, e.vector FROM recuerdo.store_entries AS e
    WHERE e.tenant = %(tenant)s AND e."user" = %(user)s AND e.namespace >= %(low)s AND e.namespace < %(high)s
        AND e.dims = %(dims)s
    ORDER BY e.namespace, e.key LIMIT %(limit)s
) AS e"""
_NEAR = Function.of("near_copies", 13, returns_rows=True)

_Key = tuple[StoreScope, Namespace, int]


class _Visits:
    """How often a namespace was searched, and its copy."""

    def __init__(self) -> None:
        self.count = 0
        self.copy: CopiedVectors | None = None


class ItemCopies:
    """Searches in copies, and makes them."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database
        self._visits: dict[_Key, _Visits] = {}

    async def nearest(self, scope: StoreScope, query: ItemQuery, wanted: int, schema: LiteralString) -> Rows | None:
        """The rows that the function near_entries would give of a query by a vector alone; None when no copy tells.

        `schema` is pgvector's.
        """
        key = (scope, query.prefix, query.dims)
        visits = self._visits.get(key) or self._begin(key)
        visits.count += 1
        if visits.count == SEARCHES and find_spec("numpy"):
            visits.copy = await self._copied(key, schema)
        if visits.copy is None:
            return None
        rows = await self._near(visits.copy, scope, query, wanted)
        if rows is None:
            visits.copy = None
        return rows

    def forget(self, scope: StoreScope) -> None:
        """Drop what is in memory of the store."""
        for key in [key for key in self._visits if key[0] == scope]:
            del self._visits[key]

    def _begin(self, key: _Key) -> _Visits:
        visits = self._visits[key] = _Visits()
        asyncio.get_running_loop().call_later(SECONDS, self._end, key, visits)
        return visits

    def _end(self, key: _Key, visits: _Visits) -> None:
        if self._visits.get(key) is visits:
            del self._visits[key]

    async def _copied(self, key: _Key, schema: LiteralString) -> "CopiedVectors | None":
        """A copy, unless there are too few vectors, or too many."""
        scope, prefix, dims = key
        low, high = bounds_of(prefix)
        limit = min(self._room(dims), _MOST) + 1
        place = {"tenant": scope.tenant, "user": scope.user, "low": low, "high": high}
        statement, parameters = _COPY.replace("{schema}", schema), place | {"dims": dims, "limit": limit}
        [row] = await self._database.fetch(scope.tenant, statement, parameters, settings={"enable_seqscan": "off"})
        if row[1] is None or not _FEWEST <= len(row[1]) < limit:
            return None
        return await asyncio.to_thread(_copy_of, row, dims)

    def _room(self, dims: int) -> int:
        """For how many vectors there is still memory."""
        copies = [(visits.copy, key[2]) for key, visits in self._visits.items() if visits.copy is not None]
        return max(0, MOST_BYTES - sum(len(copy) * _bytes(each) for copy, each in copies)) // _bytes(dims)

    async def _near(self, copy: "CopiedVectors", scope: StoreScope, query: ItemQuery, wanted: int) -> Rows | None:
        known = copy.known
        if len(copy) * len(query.vector) > _AT_ONCE:
            nearest = await asyncio.to_thread(copy.nearest, query.vector, wanted)
        else:
            nearest = copy.nearest(query.vector, wanted)
        if nearest is None:
            return None
        below = (scope.tenant, scope.user, *bounds_of(query.prefix), query.alive_at)
        near = (query.dims, sent_vector(query.vector), wanted, _MOST_CHANGES)
        given = (known, Texts(nearest.namespaces), Texts(nearest.keys))
        rows = await self._database.call(_NEAR, *below, *near, *given)
        if len(rows) < wanted or rows[0][7] == _MOST_CHANGES or not nearest.holds(rows[-1][6]):
            return None
        copy.known = rows[0][8] or copy.known
        return rows


def _bytes(dims: int) -> int:
    """About what a vector takes, with its item's place."""
    return 4 * dims + 250


def _copy_of(row: tuple[Any, ...], dims: int) -> "CopiedVectors":
    from recuerdo.adapters.postgres.copied_vectors import CopiedVectors  # numpy is an extra

    known, namespaces, keys, sent = row
    return CopiedVectors(known, namespaces, keys, sent, dims)

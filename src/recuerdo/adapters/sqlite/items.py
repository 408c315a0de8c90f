"""Rows of store items in SQLite."""

import sqlite3
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from recuerdo.adapters.rows import from_microseconds, item_of, to_microseconds
from recuerdo.adapters.similarity import Compared, page_of_hits, scores
from recuerdo.adapters.sqlite.connection import SqliteRepository, reading, writing
from recuerdo.adapters.sqlite.history import MINUTE
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

_COLUMNS = "namespace, key, value, created_at, updated_at, ttl"
_HERE = "tenant = :tenant AND user = :user AND namespace = :namespace AND key = :key"
_BELOW = "tenant = :tenant AND user = :user AND namespace >= :low AND namespace < :high"
_ALIVE = "(:alive_at IS NULL OR expires_at IS NULL OR expires_at > :alive_at)"

_FEW_NAMESPACES = f"SELECT namespace FROM store_items WHERE {_BELOW} AND {_ALIVE} ORDER BY namespace LIMIT 100"

Parameters = dict[str, Any]


class SqliteItems(SqliteRepository, ItemRepository):
    """The ItemRepository over a SQLite file."""

    @writing()
    def write(self, connection: sqlite3.Connection, scope: StoreScope, puts: Sequence[Put], at: datetime) -> None:
        now = to_microseconds(at)
        for put in puts:
            here = _here(scope, put.place)
            connection.execute(f"DELETE FROM store_entries WHERE {_HERE}", here)
            if put.value is None:
                connection.execute(f"DELETE FROM store_items WHERE {_HERE}", here)
                continue
            expires_at = None if put.ttl is None else now + int(put.ttl * MINUTE)
            connection.execute(
                "INSERT INTO store_items (tenant, user, namespace, key, value, created_at, updated_at, ttl, expires_at)"
                " VALUES (:tenant, :user, :namespace, :key, :value, :at, :at, :ttl, :expires_at)"
                " ON CONFLICT DO UPDATE SET value = :value, updated_at = :at, ttl = :ttl, expires_at = :expires_at",
                here | {"value": put.value, "at": now, "ttl": put.ttl, "expires_at": expires_at},
            )
            connection.executemany(
                "INSERT INTO store_entries (tenant, user, namespace, key, path, words, vector)"
                " VALUES (:tenant, :user, :namespace, :key, :path, :words, :vector)",
                [here | entry._asdict() for entry in put.entries],
            )

    @reading()
    def read(
        self,
        connection: sqlite3.Connection,
        scope: StoreScope,
        places: Sequence[ItemAddress],
        alive_at: datetime | None,
    ) -> list[Item | None]:
        return [_find(connection, scope, place, alive_at) for place in places]

    @writing()
    def refresh(
        self, connection: sqlite3.Connection, scope: StoreScope, places: Sequence[ItemAddress], at: datetime
    ) -> None:
        connection.executemany(
            f"UPDATE store_items SET expires_at = :at + CAST(ttl * {MINUTE} AS INTEGER)"
            f" WHERE {_HERE} AND ttl IS NOT NULL",
            [_here(scope, place) | {"at": to_microseconds(at)} for place in places],
        )

    @reading()
    def search(self, connection: sqlite3.Connection, scope: StoreScope, query: ItemQuery) -> list[ItemHit]:
        best = scores(query, _entries(connection, scope, query.prefix)) if query.vector or query.words else {}
        return page_of_hits(
            query,
            best,
            lambda place: _find(connection, scope, place, query.alive_at),
            _latest(connection, scope, query),
        )

    @reading()
    def namespaces(
        self, connection: sqlite3.Connection, scope: StoreScope, below: Namespace, alive_at: datetime | None
    ) -> list[Namespace]:
        """Reads the namespaces of a few items, and hops past all other items of the last one of them."""
        found: dict[str, None] = {}
        asked = _below(scope, below) | _alive(alive_at)
        while few := connection.execute(_FEW_NAMESPACES, asked).fetchall():
            found |= dict.fromkeys(namespace for (namespace,) in few)
            asked["low"] = f"{few[-1][0]}\0"  # the text that comes next: labels have no NUL
        return sorted(map(read_namespace, found))

    @reading()
    def expired(self, connection: sqlite3.Connection, at: datetime, limit: int) -> list[StoreScope]:
        rows = connection.execute(
            "SELECT DISTINCT tenant, user FROM store_items WHERE expires_at <= ? LIMIT ?", (to_microseconds(at), limit)
        )
        return [StoreScope(*row) for row in rows]

    @writing()
    def erase(self, connection: sqlite3.Connection, scope: StoreScope) -> int:
        whose = (scope.tenant, scope.user)
        connection.execute("DELETE FROM store_entries WHERE tenant = ? AND user = ?", whose)
        return connection.execute("DELETE FROM store_items WHERE tenant = ? AND user = ?", whose).rowcount

    @writing()
    def sweep(self, connection: sqlite3.Connection, scope: StoreScope, at: datetime) -> int:
        gone = "tenant = :tenant AND user = :user AND expires_at <= :at"
        parameters = {"tenant": scope.tenant, "user": scope.user, "at": to_microseconds(at)}
        connection.execute(
            "DELETE FROM store_entries WHERE (tenant, user, namespace, key) IN"
            f" (SELECT tenant, user, namespace, key FROM store_items WHERE {gone})",
            parameters,
        )
        return connection.execute(f"DELETE FROM store_items WHERE {gone}", parameters).rowcount


def _find(
    connection: sqlite3.Connection, scope: StoreScope, place: ItemAddress, alive_at: datetime | None
) -> Item | None:
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM store_items WHERE {_HERE} AND {_ALIVE}", _here(scope, place) | _alive(alive_at)
    ).fetchone()
    return item_of(row, from_microseconds) if row else None


def _entries(connection: sqlite3.Connection, scope: StoreScope, prefix: Namespace) -> Iterator[Compared]:
    rows = connection.execute(
        f"SELECT namespace, key, words, vector FROM store_entries WHERE {_BELOW}", _below(scope, prefix)
    )
    return (Compared(ItemAddress(read_namespace(row[0]), row[1]), row[2], row[3]) for row in rows)


def _latest(connection: sqlite3.Connection, scope: StoreScope, query: ItemQuery) -> Iterator[Item]:
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM store_items WHERE {_BELOW} AND {_ALIVE} ORDER BY updated_at DESC, namespace, key",
        _below(scope, query.prefix) | _alive(query.alive_at),
    )
    return (item_of(row, from_microseconds) for row in rows)


def _here(scope: StoreScope, place: ItemAddress) -> Parameters:
    namespace = write_namespace(place.namespace)
    return {"tenant": scope.tenant, "user": scope.user, "namespace": namespace, "key": place.key}


def _below(scope: StoreScope, prefix: Namespace) -> Parameters:
    low, high = bounds_of(prefix)
    return {"tenant": scope.tenant, "user": scope.user, "low": low, "high": high}


def _alive(at: datetime | None) -> Parameters:
    return {"alive_at": None if at is None else to_microseconds(at)}

"""Rows of data keys in SQLite."""

import sqlite3

from recuerdo.adapters.rows import data_key_of, from_microseconds, to_microseconds
from recuerdo.adapters.sqlite.connection import SqliteRepository, reading, writing
from recuerdo.core.encryption import DataKey
from recuerdo.core.encryption_ports import DataKeyRepository

_COLUMNS = "tenant, number, id, master, wrapped, created_at"


class SqliteDataKeys(SqliteRepository, DataKeyRepository):
    """The DataKeyRepository over a SQLite file."""

    @reading(brief=True)
    def of(self, connection: sqlite3.Connection, tenant: str) -> list[DataKey]:
        rows = connection.execute(f"SELECT {_COLUMNS} FROM data_keys WHERE tenant = ? ORDER BY number", (tenant,))
        return [data_key_of(row, from_microseconds) for row in rows]

    @writing()
    def add(self, connection: sqlite3.Connection, key: DataKey) -> bool:
        added = connection.execute(
            f"INSERT INTO data_keys ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (*key[:5], to_microseconds(key.created_at)),
        )
        return added.rowcount == 1

    @writing()
    def rewrap(self, connection: sqlite3.Connection, key: DataKey) -> bool:
        updated = connection.execute(
            "UPDATE data_keys SET master = ?, wrapped = ? WHERE tenant = ? AND number = ? AND id = ?",
            (key.master, key.wrapped, key.tenant, key.number, key.id),
        )
        return updated.rowcount == 1

    @writing()
    def erase(self, connection: sqlite3.Connection, tenant: str) -> int:
        return connection.execute("DELETE FROM data_keys WHERE tenant = ?", (tenant,)).rowcount

    @reading()
    def select(self, connection: sqlite3.Connection, limit: int, after: tuple[str, int] | None = None) -> list[DataKey]:
        rows = connection.execute(
            f"SELECT {_COLUMNS} FROM data_keys WHERE ?1 IS NULL OR (tenant, number) > (?1, ?2)"
            " ORDER BY tenant, number LIMIT ?3",
            (*(after or (None, None)), limit),
        )
        return [data_key_of(row, from_microseconds) for row in rows]

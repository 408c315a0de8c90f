"""Texts of all kinds in SQLite, as they are stored."""

import sqlite3
from collections.abc import Sequence
from typing import Any

from recuerdo.adapters.sqlite.connection import SqliteRepository, reading, writing
from recuerdo.adapters.texts import TENANT_TABLES, TEXT_TABLES, TextTable
from recuerdo.core.encryption import Stored, StoredText, TextKind
from recuerdo.core.encryption_ports import TextRepository
from recuerdo.core.messages import checksum_of


class SqliteTexts(SqliteRepository, TextRepository):
    """The TextRepository over a SQLite file."""

    kinds: Sequence[TextKind] = tuple(TEXT_TABLES)

    @reading()
    def tenants(self, connection: sqlite3.Connection) -> list[str]:
        found = " UNION ".join(f"SELECT tenant FROM {table}" for table in TENANT_TABLES)
        return [tenant for (tenant,) in connection.execute(f"{found} ORDER BY tenant")]

    @reading()
    def select(
        self, connection: sqlite3.Connection, tenant: str, kind: TextKind, limit: int, after: StoredText | None = None
    ) -> list[StoredText]:
        table = TEXT_TABLES[kind]
        rows = connection.execute(_selecting(table), (tenant, *table.behind(after), limit))
        return [table.stored(row) for row in rows]

    @writing()
    def replace(
        self,
        connection: sqlite3.Connection,
        tenant: str,
        kind: TextKind,
        changes: Sequence[tuple[StoredText, Sequence[Stored]]],
    ) -> int:
        table, replaced = TEXT_TABLES[kind], 0
        for old, new in changes:
            # of two forms of one value the later one stays
            verb = "UPDATE OR REPLACE" if kind == "checkpoint value" else "UPDATE"
            set_to: dict[str, Any] = dict(zip(table.texts, new, strict=True))
            if kind == "message":
                set_to["checksum"] = checksum_of(set_to["body"])
            own = table.address(old) if table.parent else {**table.address(old), "tenant": tenant}
            seen = table.seen(old)
            statement = (
                f"{verb} {table.name} SET {', '.join(f'{name} = ?' for name in set_to)}"
                f" WHERE {' AND '.join(f'{name} IS ?' for name in (*own, *seen))}"
            )
            values = (*set_to.values(), *own.values(), *seen.values())
            replaced += connection.execute(statement, values).rowcount
        return replaced


def _selecting(table: TextTable) -> str:
    if not table.parent:
        columns = ", ".join((*table.key, *table.names, *table.texts))
        key = ", ".join(table.key)
        places = ", ".join("?" * len(table.key))
        return f"SELECT {columns} FROM {table.name} WHERE tenant = ? AND ({key}) > ({places}) ORDER BY {key} LIMIT ?"
    columns = ", ".join(f"c.{name}" for name in (table.link, *table.key, *table.names, *table.texts))
    key = ", ".join(f"c.{name}" for name in table.key)
    # in the parent's thread of the row before: after it; in later ones: from the beginning
    begins = ", ".join(
        f'CASE WHEN (p."user", p.thread) = (?2, ?3) THEN ?{number} ELSE {least} END'
        for number, least in enumerate(map(_literal, table.least), 4)
    )
    return (
        f'SELECT p."user", p.thread, {columns} FROM {table.parent} AS p'
        f" CROSS JOIN {table.name} AS c ON c.{table.link} = p.{table.link}"
        f' WHERE p.tenant = ?1 AND (p."user", p.thread) >= (?2, ?3) AND ({key}) > ({begins})'
        f' ORDER BY p."user", p.thread, {key} LIMIT ?{len(table.key) + 4}'
    )


def _literal(value: object) -> str:
    return "x''" if isinstance(value, bytes) else repr(value)

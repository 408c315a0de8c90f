"""The audit log in SQLite."""

import sqlite3
from collections.abc import Sequence
from datetime import datetime

from recuerdo.adapters.rows import to_microseconds
from recuerdo.adapters.sqlite.connection import SqliteRepository, reading, writing
from recuerdo.core.audit import AuditEntry, AuditQuery, read_entry, write_entry
from recuerdo.core.ports import AuditRepository

_CONDITIONS = {
    "since": "at >= :since",
    "until": "at < :until",
    "actor": "actor = :actor",
    "action": "action = :action",
    "before": "(at, id) < (:before_at, :before_id)",
}
"""The condition of each field of a query."""


_MAY_GO = "(strftime('%s', 'now') - 30 * 86400) * 1000000"
"""The time before which a trigger lets entries be removed."""


class SqliteAudit(SqliteRepository, AuditRepository):
    """The AuditRepository over a SQLite file."""

    @writing()
    def append(self, connection: sqlite3.Connection, entries: Sequence[AuditEntry]) -> None:
        connection.executemany(
            "INSERT INTO audit (tenant, at, id, actor, action, body) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            [
                (each.tenant, to_microseconds(each.at), each.id, each.actor, each.action, write_entry(each).decode())
                for each in entries
            ],
        )

    @reading()
    def select(self, connection: sqlite3.Connection, tenant: str, query: AuditQuery) -> list[AuditEntry]:
        asked = [condition for name, condition in _CONDITIONS.items() if getattr(query, name) is not None]
        where = " AND ".join(["tenant = :tenant", *asked])
        place = query.before
        rows = connection.execute(
            f"SELECT body FROM audit WHERE {where} ORDER BY at DESC, id DESC LIMIT :limit OFFSET :skip",
            {
                **query._asdict(),
                "tenant": tenant,
                "since": query.since and to_microseconds(query.since),
                "until": query.until and to_microseconds(query.until),
                "before_at": place and to_microseconds(place.at),
                "before_id": place and place.id,
            },
        )
        return [read_entry(body) for (body,) in rows]

    @writing()
    def sweep(self, connection: sqlite3.Connection, before: datetime, limit: int) -> int:
        old = f"SELECT tenant, at, id FROM audit WHERE at < min(?, {_MAY_GO}) LIMIT ?"
        gone = connection.execute(
            f"DELETE FROM audit WHERE (tenant, at, id) IN ({old})", (to_microseconds(before), limit)
        )
        return gone.rowcount

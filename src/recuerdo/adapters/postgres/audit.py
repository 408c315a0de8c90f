"""The audit log in PostgreSQL."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import LiteralString

from recuerdo.adapters.postgres.connection import PostgresRepository, conditions_of
from recuerdo.core.audit import AuditEntry, AuditQuery, read_entry, write_entry
from recuerdo.core.ports import AuditRepository

_APPEND = """
INSERT INTO recuerdo.audit (tenant, at, id, actor, action, body)
SELECT * FROM unnest(
    %(tenants)s::text[], %(times)s::timestamptz[], %(ids)s::text[], %(actors)s::text[], %(actions)s::text[],
    %(bodies)s::text[]
) ON CONFLICT DO NOTHING"""

_CONDITIONS: Mapping[str, LiteralString] = {
    "since": " AND at >= %(since)s",
    "until": " AND at < %(until)s",
    "actor": " AND actor = %(actor)s",
    "action": " AND action = %(action)s",
    "before": " AND (at, id) < (%(before_at)s, %(before_id)s)",
}
"""The condition of each field of a query."""

_SWEEP = """
DELETE FROM recuerdo.swept_audit
WHERE id IN (SELECT id FROM recuerdo.swept_audit WHERE at < %(before)s LIMIT %(limit)s) AND at < %(before)s
RETURNING id"""


class PostgresAudit(PostgresRepository, AuditRepository):
    """The AuditRepository over a PostgreSQL database."""

    async def append(self, entries: Sequence[AuditEntry]) -> None:
        rows = {
            "tenants": [each.tenant for each in entries],
            "times": [each.at for each in entries],
            "ids": [each.id for each in entries],
            "actors": [each.actor for each in entries],
            "actions": [each.action for each in entries],
            "bodies": [write_entry(each).decode() for each in entries],
        }
        async with self._database.transaction(sorted({each.tenant for each in entries})) as connection:
            await connection.execute(_APPEND, rows)

    async def select(self, tenant: str, query: AuditQuery) -> list[AuditEntry]:
        where: LiteralString = f"WHERE tenant = %(tenant)s{conditions_of(query, _CONDITIONS)}"
        order: LiteralString = "ORDER BY at DESC, id DESC LIMIT %(limit)s OFFSET %(skip)s"
        statement: LiteralString = f"SELECT body FROM recuerdo.audit {where} {order}"
        place = query.before
        parameters = {
            **query._asdict(),
            "tenant": tenant,
            "before_at": place and place.at,
            "before_id": place and place.id,
        }
        parameters.pop("before")
        return [read_entry(body) for (body,) in await self._database.fetch(tenant, statement, parameters)]

    async def sweep(self, before: datetime, limit: int) -> int:
        return len(await self._database.sweep(_SWEEP, {"before": before, "limit": limit}))

"""The audit log in the memory of one process."""

from collections.abc import Sequence
from datetime import datetime

from recuerdo.adapters.local.connection import LocalDatabase
from recuerdo.core.audit import AuditEntry, AuditPlace, AuditQuery
from recuerdo.core.ports import AuditRepository


class LocalAudit(AuditRepository):
    """The AuditRepository of one process."""

    def __init__(self, database: LocalDatabase) -> None:
        self._entries = database.audit

    async def append(self, entries: Sequence[AuditEntry]) -> None:
        for entry in entries:
            self._entries.setdefault(entry.id, entry)

    async def select(self, tenant: str, query: AuditQuery) -> list[AuditEntry]:
        found = [each for each in self._entries.values() if each.tenant == tenant and _matches(each, query)]
        return sorted(found, key=_place, reverse=True)[query.skip :][: query.limit]

    async def sweep(self, before: datetime, limit: int) -> int:
        old = [each.id for each in self._entries.values() if each.at < before][:limit]
        for entry_id in old:
            del self._entries[entry_id]
        return len(old)


def _place(entry: AuditEntry) -> AuditPlace:
    return AuditPlace(entry.at, entry.id)


def _matches(entry: AuditEntry, query: AuditQuery) -> bool:
    return (
        (query.before is None or _place(entry) < query.before)
        and (query.since is None or entry.at >= query.since)
        and (query.until is None or entry.at < query.until)
        and query.actor in (None, entry.actor)
        and query.action in (None, entry.action)
    )

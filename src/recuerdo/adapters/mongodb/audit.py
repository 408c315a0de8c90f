"""The audit log in MongoDB."""

from collections.abc import Sequence
from datetime import datetime

from pymongo.errors import BulkWriteError

from recuerdo.adapters.mongodb.connection import (
    Document,
    MongoRepository,
    raise_unless_duplicates,
    translated,
    translated_write,
)
from recuerdo.adapters.rows import to_microseconds
from recuerdo.core.audit import AuditEntry, AuditQuery, read_entry, write_entry
from recuerdo.core.ports import AuditRepository


class MongoAudit(MongoRepository, AuditRepository):
    """The AuditRepository over a MongoDB database."""

    @translated_write
    async def append(self, entries: Sequence[AuditEntry]) -> None:
        try:
            await self._database.audit.insert_many([_document(each) for each in entries], ordered=False)
        except BulkWriteError as error:
            raise_unless_duplicates(error)

    @translated
    async def select(self, tenant: str, query: AuditQuery) -> list[AuditEntry]:
        wanted: Document = {"tenant": tenant}
        times: Document = {}
        if query.since is not None:
            times["$gt"] = to_microseconds(query.since) - 1
        if query.until is not None:
            times["$lt"] = to_microseconds(query.until)
        if times:
            wanted["at"] = times
        wanted |= {name: value for name in ("actor", "action") if (value := getattr(query, name)) is not None}
        if query.before is not None:
            at = to_microseconds(query.before.at)
            wanted["$or"] = [{"at": {"$lt": at}}, {"at": at, "_id": {"$lt": query.before.id}}]
        found = self._database.audit.find(wanted, {"body": 1}).sort([("at", -1), ("_id", -1)])
        found = found.skip(query.skip).limit(query.limit)
        return [read_entry(document["body"]) async for document in found]

    @translated_write
    async def sweep(self, before: datetime, limit: int) -> int:
        old: Document = {"at": {"$lt": to_microseconds(before)}}
        found = [each["_id"] async for each in self._database.audit.find(old, {"_id": 1}).limit(limit)]
        return (await self._database.audit.delete_many({"_id": {"$in": found}})).deleted_count if found else 0


def _document(entry: AuditEntry) -> Document:
    return {
        "_id": entry.id,
        "tenant": entry.tenant,
        "at": to_microseconds(entry.at),
        "actor": entry.actor,
        "action": entry.action,
        "body": write_entry(entry).decode(),
    }

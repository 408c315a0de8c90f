"""Changes of memories in MongoDB: the unique number of a change decides between writers, then it is carried out.

A change is one document, so that it is there or not. Whoever finds one that is not carried out does that, and doing
it twice does no harm: a memory knows the version that wrote it, and no older one writes over it.
"""

from pymongo.errors import DuplicateKeyError

from recuerdo.adapters.mongodb.connection import Document, MongoDatabase
from recuerdo.adapters.mongodb.failures import speaking_recuerdo, writing
from recuerdo.adapters.mongodb.memory_documents import address, document_of, of_owner
from recuerdo.adapters.times import from_microseconds, to_microseconds
from recuerdo.core.memories import (
    FORGETTING,
    Embedding,
    LedgerState,
    MemoryChange,
    MemoryEntry,
    read_memory,
    write_memory,
)
from recuerdo.core.scope import Owner

_LATEST_FIRST = [("version", -1)]
_ERASED = "erased"


class MongoLedger:
    """What a MemoryLedger has beside a MemoryRepository, over a MongoDB database."""

    def __init__(self, database: MongoDatabase) -> None:
        self.patience = database.patience
        self._memories = database.memories
        self._changes = database.memory_changes

    @speaking_recuerdo
    async def state(self, owner: Owner) -> LedgerState:
        """See MemoryLedger."""
        last = await self._changes.find_one(of_owner(owner), sort=_LATEST_FIRST)
        if last is None:
            return LedgerState(0, 0)
        if not last["applied"]:
            await self._carry_out(owner, last)
        return LedgerState(last["epoch"], last["version"])

    @speaking_recuerdo
    async def apply(self, owner: Owner, change: MemoryChange, expected: LedgerState) -> LedgerState | None:
        """See MemoryLedger."""
        if await self.state(owner) != expected:
            return None
        state = LedgerState(expected.epoch, expected.version + 1)
        return state if await self._commit(owner, _document(owner, change, state)) else None

    @speaking_recuerdo
    async def changes(
        self, owner: Owner, limit: int, *, memory_id: str | None = None, before: int | None = None
    ) -> list[MemoryChange]:
        """See MemoryLedger."""
        wanted: Document = {**of_owner(owner), "action": {"$ne": _ERASED}, "entries.0": {"$exists": True}}
        if before is not None:
            wanted["version"] = {"$lt": before}
        if memory_id is not None:
            wanted["entries.memory"] = memory_id
        found = self._changes.find(wanted).sort(_LATEST_FIRST).limit(limit)
        return [_change(owner, document, memory_id) async for document in found]

    @speaking_recuerdo
    async def erase(self, owner: Owner) -> int:
        """See MemoryLedger."""
        count = await self._memories.count_documents(of_owner(owner))
        while True:
            epoch, version = await self.state(owner)
            mark = {**of_owner(owner), "epoch": epoch + 1, "version": version + 1, "action": _ERASED}
            if await self._commit(owner, {**mark, "entries": [], "applied": False}):
                return count

    async def _commit(self, owner: Owner, document: Document) -> bool:
        try:
            with writing():
                await self._changes.insert_one(document)
        except DuplicateKeyError:
            return False
        with writing(is_begun=True):
            await self._carry_out(owner, document)
            later = {**of_owner(owner), "version": {"$gt": document["version"]}}
            # what we wrote late, they had the last word on
            async for other in self._changes.find(later).sort("version", 1):
                await self._carry_out(owner, other)
        return True

    async def _carry_out(self, owner: Owner, document: Document) -> None:
        version = document["version"]
        if document["action"] == _ERASED:
            older = {"$or": [{"version": {"$lt": version}}, {"version": None}]}
            await self._memories.delete_many({**of_owner(owner), **older})
            await self._changes.delete_many({**of_owner(owner), "version": {"$lt": version}})
        for entry in document["entries"]:
            await self._write(owner, entry, version)
        if document.get("undoes") is not None:
            undone = {**of_owner(owner), "version": document["undoes"]}
            await self._changes.update_one(undone, {"$set": {"undone": True}})
        mine = {**of_owner(owner), "version": version}
        await self._changes.update_one(mine, {"$set": {"applied": True}})
        if document["action"] in FORGETTING:
            gone = [entry["memory"] for entry in document["entries"]]
            pull = {"$pull": {"entries": {"memory": {"$in": gone}}}}
            await self._changes.update_many({**of_owner(owner), "entries.memory": {"$in": gone}}, pull)

    async def _write(self, owner: Owner, entry: Document, version: int) -> None:
        query = address(owner, entry["memory"])
        older = {**query, "$or": [{"version": {"$lt": version}}, {"version": None}]}
        memory = read_memory(owner, entry["after"])
        if memory is None:
            await self._memories.delete_one(older)
            return
        old = await self._memories.find_one(query, {"text": 1, "embedder": 1, "vector": 1})
        keeps = old is not None and old["text"] == memory.text and old["embedder"]
        embedding = Embedding(old["embedder"], old["vector"]) if old and keeps else None
        try:
            written = document_of(memory, embedding) | {"version": version}
            await self._memories.replace_one(older, written, upsert=True)
        except DuplicateKeyError:
            return  # a later change has written it already


def _document(owner: Owner, change: MemoryChange, state: LedgerState) -> Document:
    return {
        **of_owner(owner),
        **state._asdict(),
        "at": to_microseconds(change.at),
        "action": change.action,
        "undoes": change.undoes,
        "undone": False,
        "applied": False,
        "entries": [
            {"memory": entry.memory_id, "before": write_memory(entry.before), "after": write_memory(entry.after)}
            for entry in change.entries
        ],
    }


def _change(owner: Owner, document: Document, memory_id: str | None) -> MemoryChange:
    entries = [entry for entry in document["entries"] if memory_id in (None, entry["memory"])]
    return MemoryChange(
        version=document["version"],
        at=from_microseconds(document["at"]),
        action=document["action"],
        entries=[
            MemoryEntry(read_memory(owner, entry["before"]), read_memory(owner, entry["after"])) for entry in entries
        ],
        undoes=document["undoes"],
        undone=document["undone"],
    )

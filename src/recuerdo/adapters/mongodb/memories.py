"""Documents of memories in MongoDB, and the changes that made them what they are.

The unique number of a change decides between writers, then it is carried out. A change is one document, so that it is
stored whole or not at all. A reader who finds one that is not carried out does that, and doing it twice does no harm: a
memory knows the version that wrote it, and no older one writes over it.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec
from pymongo.errors import DuplicateKeyError

from recuerdo.adapters.mongodb.connection import Document, MongoDatabase
from recuerdo.adapters.mongodb.failures import speaking_recuerdo, writing
from recuerdo.adapters.mongodb.memory_documents import address, document_of, holding, memory_of, of_owner
from recuerdo.adapters.mongodb.owners import owners_in
from recuerdo.adapters.times import from_microseconds, to_microseconds
from recuerdo.core.errors import InvalidInput
from recuerdo.core.memories import (
    FORGETTING,
    Attribute,
    Embedding,
    LedgerState,
    Memory,
    MemoryChange,
    MemoryEntry,
    MemoryQuery,
    in_order,
    read_memory,
    write_memory,
)
from recuerdo.core.ports import MemoryWithVector
from recuerdo.core.scope import Owner, owner_of

_LATEST_FIRST = [("created_at", -1), ("id", 1)]
_WITHOUT_VECTOR = {"vector": 0}
_LAST_CHANGE_FIRST = [("version", -1)]
_ERASED = "erased"


class MongoMemories:
    """The MemoryRepository over a MongoDB database."""

    def __init__(self, database: MongoDatabase) -> None:
        self.patience = database.patience
        self._memories = database.memories
        self._changes = database.memory_changes

    @speaking_recuerdo
    async def get(self, owner: Owner, memory_id: str) -> Memory | None:
        """See MemoryRepository."""
        document = await self._memories.find_one(address(owner, memory_id), _WITHOUT_VECTOR)
        return memory_of(owner, document) if document else None

    @speaking_recuerdo
    async def select(self, owner: Owner, query: MemoryQuery) -> list[Memory]:
        """See MemoryRepository."""
        wanted: Document = of_owner(owner)
        conditions = holding(query.holding_at)
        if query.kind is not None:
            wanted["kind"] = query.kind
        if query.attribute is not None:
            wanted["attribute"] = query.attribute
        if query.status is not None:
            wanted["status"] = query.status
        if query.thread is not None:
            wanted["source"] = {"$regex": f'"thread":{re.escape(msgspec.json.encode(query.thread).decode())}[,}}]'}
        if query.since is not None:
            conditions.append({"created_at": {"$gte": to_microseconds(query.since)}})
        if query.until is not None:
            conditions.append({"created_at": {"$lt": to_microseconds(query.until)}})
        if conditions:
            wanted["$and"] = conditions
        if query.before is not None:
            wanted["$or"] = await self._behind(owner, query.before)
        found = self._memories.find(wanted, _WITHOUT_VECTOR).sort(_LATEST_FIRST).limit(query.limit)
        return [memory_of(owner, document) async for document in found]

    @speaking_recuerdo
    async def latest(self, owner: Owner, attributes: Sequence[Attribute], at: datetime | None = None) -> list[Memory]:
        """See MemoryRepository."""
        wanted = {"$and": [{**of_owner(owner), "attribute": {"$in": list(attributes)}}, *holding(at)]}
        found = self._memories.find(wanted, _WITHOUT_VECTOR).sort(_LATEST_FIRST)
        return in_order([memory_of(owner, document) async for document in found], attributes)

    @speaking_recuerdo
    async def embed(self, memory: Memory, embedding: Embedding) -> bool:
        """See MemoryRepository."""
        query = {**address(memory.owner, memory.id), "text": memory.text}
        vector = {"embedder": embedding.model, "vector": embedding.vector}
        return (await self._memories.update_one(query, {"$set": vector})).matched_count == 1

    @speaking_recuerdo
    async def owners(self, tenant: str | None, limit: int, after: Owner | None = None) -> list[Owner]:
        """See MemoryRepository."""
        found = await owners_in(self._memories, {}, tenant, limit, after)
        return [owner_of(*each) for each in found]

    @speaking_recuerdo
    async def list_with_vectors(self, owner: Owner, limit: int, after: str | None = None) -> list[MemoryWithVector]:
        """See MemoryRepository."""
        wanted = of_owner(owner) | ({"id": {"$gt": after}} if after is not None else {})
        return [
            _with_vector(owner, document) async for document in self._memories.find(wanted).sort("id", 1).limit(limit)
        ]

    @speaking_recuerdo
    async def get_many(self, owner: Owner, ids: Sequence[str]) -> list[MemoryWithVector]:
        """See MemoryRepository."""
        found = self._memories.find(of_owner(owner) | {"id": {"$in": list(ids)}})
        return [_with_vector(owner, document) async for document in found]

    @speaking_recuerdo
    async def expired(self, at: datetime, limit: int) -> Sequence[tuple[Owner, str]]:
        """See MemoryRepository."""
        wanted = {"expires_at": {"$ne": None, "$lte": to_microseconds(at)}}
        found = self._memories.find(wanted, {"tenant": 1, "user": 1, "id": 1}).sort("expires_at", 1).limit(limit)
        return [(owner_of(each["tenant"], each["user"]), each["id"]) async for each in found]

    @speaking_recuerdo
    async def postpone(self, owner: Owner, expiries: Mapping[str, datetime]) -> None:
        """See MemoryRepository."""
        for memory_id, time in expiries.items():
            later = {"expires_at": to_microseconds(time)}
            earlier = {"expires_at": {"$lt": later["expires_at"]}, "refresh": {"$ne": None}}
            await self._memories.update_one({**address(owner, memory_id), **earlier}, {"$set": later})

    async def _behind(self, owner: Owner, memory_id: str) -> list[Document]:
        last = await self._memories.find_one(address(owner, memory_id), {"created_at": 1})
        if last is None:
            raise InvalidInput("before", f"there is no memory {memory_id!r} any more; start again without it")
        time = last["created_at"]
        return [{"created_at": {"$lt": time}}, {"created_at": time, "id": {"$gt": memory_id}}]

    @speaking_recuerdo
    async def state(self, owner: Owner) -> LedgerState:
        """See MemoryRepository."""
        last = await self._changes.find_one(of_owner(owner), sort=_LAST_CHANGE_FIRST)
        if last is None:
            return LedgerState(0, 0)
        if not last["applied"]:
            await self._carry_out(owner, last)
        return LedgerState(last["epoch"], last["version"])

    @speaking_recuerdo
    async def apply(self, owner: Owner, change: MemoryChange, expected: LedgerState) -> LedgerState | None:
        """See MemoryRepository."""
        if await self.state(owner) != expected:
            return None
        state = LedgerState(expected.epoch, expected.version + 1)
        return state if await self._commit(owner, _document(owner, change, state)) else None

    @speaking_recuerdo
    async def changes(
        self, owner: Owner, limit: int, *, memory_id: str | None = None, before: int | None = None
    ) -> list[MemoryChange]:
        """See MemoryRepository."""
        wanted: Document = {**of_owner(owner), "action": {"$ne": _ERASED}, "entries.0": {"$exists": True}}
        if before is not None:
            wanted["version"] = {"$lt": before}
        if memory_id is not None:
            wanted["entries.memory"] = memory_id
        found = self._changes.find(wanted).sort(_LAST_CHANGE_FIRST).limit(limit)
        return [_change(owner, document, memory_id) async for document in found]

    @speaking_recuerdo
    async def erase(self, owner: Owner) -> int:
        """See MemoryRepository."""
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


def _with_vector(owner: Owner, document: Document) -> MemoryWithVector:
    embedder = document["embedder"]
    return MemoryWithVector(memory_of(owner, document), Embedding(embedder, document["vector"]) if embedder else None)


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

"""Documents of memories in MongoDB, and the changes that made them what they are.

The unique number of a change decides between writers, then it is carried out. A change is one document, so that it is
stored whole or not at all. A reader who finds one that is not carried out does that, and doing it twice does no harm: a
memory knows the version that wrote it, and no older one writes over it.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta

import msgspec
from pymongo.errors import DuplicateKeyError

from recuerdo.adapters.mongodb.connection import (
    Document,
    MongoDatabase,
    MongoRepository,
    of_owner,
    owners_in,
    translated,
    writing,
)
from recuerdo.adapters.rows import entry_of, from_microseconds, memory_fields, to_microseconds
from recuerdo.core.checks import UNREADABLE
from recuerdo.core.errors import DamagedRow, InvalidInput
from recuerdo.core.memories import (
    FORGETTING,
    Attribute,
    Embedding,
    Ending,
    LedgerState,
    Memory,
    MemoryChange,
    MemoryQuery,
    Review,
    Source,
    in_order,
    ledger_name,
    read_memory,
    write_memory,
)
from recuerdo.core.ports import MemoryRepository, MemoryWithVector
from recuerdo.core.scope import Owner, owner_of

_TIMES = ("created_at", "updated_at", "valid_from", "valid_until", "expires_at")
_STRUCTURES: dict[str, type] = {"source": Source, "review": Review, "ending": Ending}


def ledger_of(owner: Owner) -> Document:
    """The query for the owner's changes. The mark of an erasure is one of them, and contains no user id."""
    return {"tenant": owner.tenant, "ledger": ledger_name(owner)}


def address(owner: Owner, memory_id: str) -> Document:
    """One memory, as a query."""
    return of_owner(owner) | {"id": memory_id}


def holding(at: datetime | None) -> list[Document]:
    """Conditions on a memory that holds at that time, see Memory.holds; none without a time."""
    if at is None:
        return []
    now = to_microseconds(at)
    return [
        {"status": {"$in": ["approved", None]}},
        {"$or": [{"valid_from": {"$lte": now}}, {"valid_from": None, "created_at": {"$lte": now}}]},
        *({"$or": [{name: None}, {name: {"$gt": now}}]} for name in ("valid_until", "expires_at")),
    ]


def document_of(memory: Memory, embedding: Embedding | None) -> Document:
    """The memory and its vector."""
    vector = {"embedder": embedding and embedding.model, "vector": embedding and embedding.vector}
    return of_owner(memory.owner) | memory_fields(memory) | vector


def memory_of(owner: Owner, document: Document) -> Memory:
    """The memory of a document. Raises DamagedRow."""
    try:
        return _memory_of(owner, document)
    except UNREADABLE:
        raise DamagedRow("memory", str(document.get("id"))) from None


def _memory_of(owner: Owner, document: Document) -> Memory:
    fields = {name: document[name] for name in Memory.__struct_fields__ if name in document}
    for name in _TIMES:
        if fields.get(name) is not None:
            fields[name] = from_microseconds(fields[name])
    for name, structure in _STRUCTURES.items():
        if fields.get(name):
            fields[name] = msgspec.json.decode(fields[name], type=structure)
    return Memory(owner=owner, **fields)


_LATEST_FIRST = [("created_at", -1), ("id", 1)]
_WITHOUT_VECTOR = {"vector": 0}
_LAST_CHANGE_FIRST = [("version", -1)]
_ERASED = "erased"


class MongoMemories(MongoRepository, MemoryRepository):
    """The MemoryRepository over a MongoDB database."""

    def __init__(self, database: MongoDatabase) -> None:
        super().__init__(database)
        self._memories = database.memories
        self._changes = database.memory_changes

    @translated
    async def get(self, owner: Owner, memory_id: str) -> Memory | None:
        document = await self._memories.find_one(address(owner, memory_id), _WITHOUT_VECTOR)
        return memory_of(owner, document) if document else None

    @translated
    async def select(self, owner: Owner, query: MemoryQuery) -> list[Memory]:
        wanted: Document = of_owner(owner)
        conditions = holding(query.holding_at)
        plain = ("kind", "attribute", "status")
        wanted |= {name: value for name in plain if (value := getattr(query, name)) is not None}
        if query.pinned is not None:
            wanted["pinned"] = True if query.pinned else {"$ne": True}
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
        found = self._memories.find(wanted, _WITHOUT_VECTOR).sort(_LATEST_FIRST).skip(query.skip).limit(query.limit)
        return [memory_of(owner, document) async for document in found]

    @translated
    async def latest(self, owner: Owner, attributes: Sequence[Attribute], at: datetime | None = None) -> list[Memory]:
        wanted = {"$and": [{**of_owner(owner), "attribute": {"$in": list(attributes)}}, *holding(at)]}
        found = self._memories.find(wanted, _WITHOUT_VECTOR).sort(_LATEST_FIRST)
        return in_order([memory_of(owner, document) async for document in found], attributes)

    @translated
    async def embed(self, memory: Memory, embedding: Embedding) -> bool:
        query = {**address(memory.owner, memory.id), "text": memory.text}
        vector = {"embedder": embedding.model, "vector": embedding.vector}
        return (await self._memories.update_one(query, {"$set": vector})).matched_count == 1

    @translated
    async def owners(self, tenant: str | None, limit: int, after: Owner | None = None) -> list[Owner]:
        found = await owners_in(self._memories, {}, tenant, limit, after)
        return [owner_of(*each) for each in found]

    @translated
    async def list_with_vectors(self, owner: Owner, limit: int, after: str | None = None) -> list[MemoryWithVector]:
        wanted = of_owner(owner) | ({"id": {"$gt": after}} if after is not None else {})
        return [
            _with_vector(owner, document) async for document in self._memories.find(wanted).sort("id", 1).limit(limit)
        ]

    @translated
    async def get_many(self, owner: Owner, ids: Sequence[str]) -> list[MemoryWithVector]:
        found = self._memories.find(of_owner(owner) | {"id": {"$in": list(ids)}})
        return [_with_vector(owner, document) async for document in found]

    @translated
    async def expired(self, at: datetime, limit: int) -> Sequence[tuple[Owner, str]]:
        wanted = {"expires_at": {"$ne": None, "$lte": to_microseconds(at)}}
        found = self._memories.find(wanted, {"tenant": 1, "user": 1, "id": 1}).sort("expires_at", 1).limit(limit)
        return [(owner_of(each["tenant"], each["user"]), each["id"]) async for each in found]

    @translated
    async def postpone(self, owner: Owner, expiries: Mapping[str, datetime]) -> None:
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

    @translated
    async def state(self, owner: Owner) -> LedgerState:
        last = await self._changes.find_one(ledger_of(owner), sort=_LAST_CHANGE_FIRST)
        if last is None:
            return LedgerState(0, 0)
        if not last["applied"]:
            await self._carry_out(owner, last)
        return LedgerState(last["epoch"], last["version"])

    @translated
    async def apply(self, owner: Owner, change: MemoryChange, expected: LedgerState) -> LedgerState | None:
        if await self.state(owner) != expected:
            return None
        state = LedgerState(expected.epoch, expected.version + 1)
        return state if await self._commit(owner, _document(owner, change, state)) else None

    @translated
    async def changes(
        self, owner: Owner, limit: int, *, memory_id: str | None = None, before: int | None = None
    ) -> list[MemoryChange]:
        wanted: Document = {**ledger_of(owner), "action": {"$ne": _ERASED}, "entries.0": {"$exists": True}}
        if before is not None:
            wanted["version"] = {"$lt": before}
        if memory_id is not None:
            wanted["entries.memory"] = memory_id
        found = self._changes.find(wanted).sort(_LAST_CHANGE_FIRST).limit(limit)
        return [_change(owner, document, memory_id) async for document in found]

    @translated
    async def erase(self, owner: Owner) -> int:
        count = await self._memories.count_documents(of_owner(owner))
        while True:
            epoch, version = await self.state(owner)
            mark = {**ledger_of(owner), "epoch": epoch + 1, "version": version + 1, "action": _ERASED}
            mark["at"] = to_microseconds(await self._database.now())
            if await self._commit(owner, {**mark, "entries": [], "applied": False}):
                return count

    @translated
    async def erased(self, owners: Collection[Owner]) -> dict[Owner, timedelta]:
        if not owners:
            return {}
        names = {(owner.tenant, ledger_name(owner)): owner for owner in owners}
        wanted: Document = {"$or": [*map(ledger_of, owners)], "action": _ERASED, "at": {"$ne": None}}
        marks = self._changes.find(wanted).sort("version", 1)
        times = {(mark["tenant"], mark["ledger"]): mark["at"] async for mark in marks}
        now = to_microseconds(await self._database.now()) if times else 0
        return {names[name]: timedelta(microseconds=now - at) for name, at in times.items()}

    async def _commit(self, owner: Owner, document: Document) -> bool:
        try:
            with writing():
                await self._changes.insert_one(document)
        except DuplicateKeyError:  # of another's change, or of ours, which the driver sends again when no answer comes
            with writing(is_begun=True):
                if await self._changes.find_one({"_id": document["_id"]}, {"_id": 1}) is None:
                    return False
        with writing(is_begun=True):
            await self._carry_out(owner, document)
            later = {**ledger_of(owner), "version": {"$gt": document["version"]}}
            # what we wrote late, they had the last word on
            async for other in self._changes.find(later).sort("version", 1):
                await self._carry_out(owner, other)
        return True

    async def _carry_out(self, owner: Owner, document: Document) -> None:
        version = document["version"]
        if document["action"] == _ERASED:
            older = {"$or": [{"version": {"$lt": version}}, {"version": None}]}
            await self._memories.delete_many({**of_owner(owner), **older})
            await self._changes.delete_many({**ledger_of(owner), "version": {"$lt": version}})
        for entry in document["entries"]:
            await self._write(owner, entry, version)
        if document.get("undoes") is not None:
            undone = {**ledger_of(owner), "version": document["undoes"]}
            await self._changes.update_one(undone, {"$set": {"undone": True}})
        mine = {**ledger_of(owner), "version": version}
        await self._changes.update_one(mine, {"$set": {"applied": True}})
        if document["action"] in FORGETTING:
            gone = [entry["memory"] for entry in document["entries"]]
            pull = {"$pull": {"entries": {"memory": {"$in": gone}}}}
            await self._changes.update_many({**ledger_of(owner), "entries.memory": {"$in": gone}}, pull)

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
        **ledger_of(owner),
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
        entries=[entry_of(owner, document["version"], entry["before"], entry["after"]) for entry in entries],
        undoes=document["undoes"],
        undone=document["undone"],
    )

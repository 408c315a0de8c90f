"""Documents of memories in MongoDB."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec
from pymongo.errors import DuplicateKeyError

from recuerdo.adapters.mongodb.connection import Document
from recuerdo.adapters.mongodb.failures import speaking_recuerdo, writes_recuerdo
from recuerdo.adapters.mongodb.ledger import MongoLedger
from recuerdo.adapters.mongodb.memory_documents import address, document_of, holding, memory_of, of_owner
from recuerdo.adapters.mongodb.owners import owners_in
from recuerdo.adapters.ranking import rank
from recuerdo.adapters.times import to_microseconds
from recuerdo.core.errors import InvalidInput
from recuerdo.core.memories import Attribute, Embedding, Memory, MemoryHit, MemoryQuery, in_order
from recuerdo.core.memory_ports import MemoryWithVector
from recuerdo.core.scope import Owner, owner_of

_LATEST_FIRST = [("created_at", -1), ("id", 1)]
_WITHOUT_VECTOR = {"vector": 0}


class MongoMemories(MongoLedger):
    """The MemoryLedger over a MongoDB database."""

    @writes_recuerdo
    async def save(self, memory: Memory, embedding: Embedding | None) -> None:
        """See MemoryRepository."""
        query, document = address(memory.owner, memory.id), document_of(memory, embedding)
        try:
            await self._memories.replace_one(query, document, upsert=True)
        except DuplicateKeyError:  # another one inserted it at the same moment, so now it is there to be replaced
            await self._memories.replace_one(query, document, upsert=True)

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

    @writes_recuerdo
    async def delete(self, owner: Owner, memory_id: str) -> bool:
        """See MemoryRepository."""
        return (await self._memories.delete_one(address(owner, memory_id))).deleted_count == 1

    @speaking_recuerdo
    async def search(
        self, owner: Owner, text: str, embedding: Embedding | None, limit: int, at: datetime | None = None
    ) -> list[MemoryHit]:
        """See MemoryRepository."""
        found = self._memories.find({"$and": [of_owner(owner), *holding(at)]}).sort(_LATEST_FIRST)
        return rank(text, embedding, [_stocked(owner, document) async for document in found], limit)

    @speaking_recuerdo
    async def unembedded(self, owner: Owner, model: str, limit: int) -> list[Memory]:
        """See MemoryRepository."""
        wanted = {"tenant": owner.tenant, "user": owner.user, "embedder": {"$ne": model}}
        found = self._memories.find(wanted, _WITHOUT_VECTOR).sort(_LATEST_FIRST).limit(limit)
        return [memory_of(owner, document) async for document in found]

    @speaking_recuerdo
    async def embed(self, memory: Memory, embedding: Embedding) -> bool:
        """See MemoryRepository."""
        query = {**address(memory.owner, memory.id), "text": memory.text}
        vector = {"embedder": embedding.model, "vector": embedding.vector}
        return (await self._memories.update_one(query, {"$set": vector})).matched_count == 1

    @speaking_recuerdo
    async def owners(self, tenant: str | None, limit: int, after: Owner | None = None) -> list[Owner]:
        """See MemoryHoldings."""
        found = await owners_in(self._memories, {}, tenant, limit, after)
        return [owner_of(*each) for each in found]

    @speaking_recuerdo
    async def list_with_vectors(self, owner: Owner, limit: int, after: str | None = None) -> list[MemoryWithVector]:
        """See MemoryHoldings."""
        wanted = of_owner(owner) | ({"id": {"$gt": after}} if after is not None else {})
        return [_stocked(owner, document) async for document in self._memories.find(wanted).sort("id", 1).limit(limit)]

    @speaking_recuerdo
    async def get_many(self, owner: Owner, ids: Sequence[str]) -> list[MemoryWithVector]:
        """See MemoryHoldings."""
        found = self._memories.find(of_owner(owner) | {"id": {"$in": list(ids)}})
        return [_stocked(owner, document) async for document in found]

    @speaking_recuerdo
    async def expired(self, at: datetime, limit: int) -> Sequence[tuple[Owner, str]]:
        """See MemoryHoldings."""
        wanted = {"expires_at": {"$ne": None, "$lte": to_microseconds(at)}}
        found = self._memories.find(wanted, {"tenant": 1, "user": 1, "id": 1}).sort("expires_at", 1).limit(limit)
        return [(owner_of(each["tenant"], each["user"]), each["id"]) async for each in found]

    @speaking_recuerdo
    async def postpone(self, owner: Owner, expiries: Mapping[str, datetime]) -> None:
        """See MemoryHoldings."""
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


def _stocked(owner: Owner, document: Document) -> MemoryWithVector:
    embedder = document["embedder"]
    return MemoryWithVector(memory_of(owner, document), Embedding(embedder, document["vector"]) if embedder else None)

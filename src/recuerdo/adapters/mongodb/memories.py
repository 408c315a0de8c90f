"""Documents of memories in MongoDB."""

import re
from collections.abc import Sequence
from datetime import datetime

import msgspec
from pymongo.errors import DuplicateKeyError

from recuerdo.adapters.mongodb.connection import Document
from recuerdo.adapters.mongodb.failures import speaking_recuerdo
from recuerdo.adapters.mongodb.ledger import MongoLedger
from recuerdo.adapters.mongodb.memory_documents import address, document_of, holding, memory_of, of_owner
from recuerdo.adapters.ranking import Candidate, rank
from recuerdo.core.errors import InvalidInput
from recuerdo.core.memories import Attribute, Embedding, Memory, MemoryHit, MemoryQuery, in_order
from recuerdo.core.scope import Owner

_LATEST_FIRST = [("created_at", -1), ("id", 1)]
_WITHOUT_VECTOR = {"vector": 0}


class MongoMemories(MongoLedger):
    """The MemoryLedger over a MongoDB database."""

    @speaking_recuerdo
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
        wanted: Document = {"tenant": owner.tenant, "user": owner.user}
        if query.kind is not None:
            wanted["kind"] = query.kind
        if query.attribute is not None:
            wanted["attribute"] = query.attribute
        if query.status is not None:
            wanted["status"] = query.status
        if query.thread is not None:
            wanted["source"] = {"$regex": f'"thread":{re.escape(msgspec.json.encode(query.thread).decode())}[,}}]'}
        if query.holding_at is not None:
            wanted["$and"] = holding(query.holding_at)
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
    async def delete(self, owner: Owner, memory_id: str) -> bool:
        """See MemoryRepository."""
        return (await self._memories.delete_one(address(owner, memory_id))).deleted_count == 1

    @speaking_recuerdo
    async def search(
        self, owner: Owner, text: str, embedding: Embedding | None, limit: int, at: datetime | None = None
    ) -> list[MemoryHit]:
        """See MemoryRepository."""
        found = self._memories.find({"$and": [of_owner(owner), *holding(at)]}).sort(_LATEST_FIRST)
        return rank(text, embedding, [_candidate(owner, document) async for document in found], limit)

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

    async def _behind(self, owner: Owner, memory_id: str) -> list[Document]:
        last = await self._memories.find_one(address(owner, memory_id), {"created_at": 1})
        if last is None:
            raise InvalidInput("before", f"there is no memory {memory_id!r} any more; start again without it")
        time = last["created_at"]
        return [{"created_at": {"$lt": time}}, {"created_at": time, "id": {"$gt": memory_id}}]


def _candidate(owner: Owner, document: Document) -> Candidate:
    embedder = document["embedder"]
    return memory_of(owner, document), Embedding(embedder, document["vector"]) if embedder else None

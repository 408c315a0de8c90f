"""Documents of memories in MongoDB."""

from collections.abc import Sequence
from typing import Any

import msgspec
from pymongo.errors import DuplicateKeyError

from recuerdo.adapters.mongodb.connection import Document, MongoDatabase
from recuerdo.adapters.mongodb.failures import speaking_recuerdo
from recuerdo.adapters.ranking import Candidate, rank
from recuerdo.adapters.times import from_microseconds, to_microseconds
from recuerdo.core.errors import InvalidInput
from recuerdo.core.memories import Attribute, Embedding, Memory, MemoryHit, MemoryQuery, Source, in_order
from recuerdo.core.scope import Owner

_LATEST_FIRST = [("created_at", -1), ("id", 1)]
_WITHOUT_VECTOR = {"vector": 0}


class MongoMemories:
    """The MemoryRepository over a MongoDB database."""

    def __init__(self, database: MongoDatabase) -> None:
        self._memories = database.memories

    @speaking_recuerdo
    async def save(self, memory: Memory, embedding: Embedding | None) -> None:
        """See MemoryRepository."""
        query, document = _address(memory.owner, memory.id), _document(memory, embedding)
        try:
            await self._memories.replace_one(query, document, upsert=True)
        except DuplicateKeyError:  # another one inserted it at the same moment, so now it is there to be replaced
            await self._memories.replace_one(query, document, upsert=True)

    @speaking_recuerdo
    async def get(self, owner: Owner, memory_id: str) -> Memory | None:
        """See MemoryRepository."""
        document = await self._memories.find_one(_address(owner, memory_id), _WITHOUT_VECTOR)
        return _memory(document) if document else None

    @speaking_recuerdo
    async def select(self, owner: Owner, query: MemoryQuery) -> list[Memory]:
        """See MemoryRepository."""
        wanted: Document = {"tenant": owner.tenant, "user": owner.user}
        if query.kind is not None:
            wanted["kind"] = query.kind
        if query.attribute is not None:
            wanted["attribute"] = query.attribute
        if query.before is not None:
            wanted["$or"] = await self._behind(owner, query.before)
        found = self._memories.find(wanted, _WITHOUT_VECTOR).sort(_LATEST_FIRST).limit(query.limit)
        return [_memory(document) async for document in found]

    @speaking_recuerdo
    async def latest(self, owner: Owner, attributes: Sequence[Attribute]) -> list[Memory]:
        """See MemoryRepository."""
        wanted = {"tenant": owner.tenant, "user": owner.user, "attribute": {"$in": list(attributes)}}
        found = self._memories.find(wanted, _WITHOUT_VECTOR).sort(_LATEST_FIRST)
        return in_order([_memory(document) async for document in found], attributes)

    @speaking_recuerdo
    async def delete(self, owner: Owner, memory_id: str) -> bool:
        """See MemoryRepository."""
        return (await self._memories.delete_one(_address(owner, memory_id))).deleted_count == 1

    @speaking_recuerdo
    async def search(self, owner: Owner, text: str, embedding: Embedding | None, limit: int) -> list[MemoryHit]:
        """See MemoryRepository."""
        found = self._memories.find({"tenant": owner.tenant, "user": owner.user}).sort(_LATEST_FIRST)
        return rank(text, embedding, [_candidate(document) async for document in found], limit)

    @speaking_recuerdo
    async def unembedded(self, owner: Owner, model: str, limit: int) -> list[Memory]:
        """See MemoryRepository."""
        wanted = {"tenant": owner.tenant, "user": owner.user, "embedder": {"$ne": model}}
        found = self._memories.find(wanted, _WITHOUT_VECTOR).sort(_LATEST_FIRST).limit(limit)
        return [_memory(document) async for document in found]

    async def _behind(self, owner: Owner, memory_id: str) -> list[Document]:
        last = await self._memories.find_one(_address(owner, memory_id), {"created_at": 1})
        if last is None:
            raise InvalidInput("before", f"there is no memory {memory_id!r} any more; start again without it")
        time = last["created_at"]
        return [{"created_at": {"$lt": time}}, {"created_at": time, "id": {"$gt": memory_id}}]


def _address(owner: Owner, memory_id: str) -> Document:
    return {"tenant": owner.tenant, "user": owner.user, "id": memory_id}


def _document(memory: Memory, embedding: Embedding | None) -> Document:
    return {
        **_address(memory.owner, memory.id),
        "kind": memory.kind,
        "attribute": memory.attribute,
        "value": memory.value,
        "text": memory.text,
        "source": msgspec.json.encode(memory.source).decode(),
        "trust": memory.trust,
        "created_at": to_microseconds(memory.created_at),
        "updated_at": to_microseconds(memory.updated_at),
        "embedder": embedding and embedding.model,
        "vector": embedding and embedding.vector,
    }


def _memory(document: dict[str, Any]) -> Memory:
    return Memory(
        id=document["id"],
        owner=Owner(document["tenant"], document["user"]),
        kind=document["kind"],
        attribute=document["attribute"],
        value=document["value"],
        text=document["text"],
        source=msgspec.json.decode(document["source"], type=Source),
        trust=document["trust"],
        created_at=from_microseconds(document["created_at"]),
        updated_at=from_microseconds(document["updated_at"]),
    )


def _candidate(document: Document) -> Candidate:
    embedder = document["embedder"]
    return _memory(document), Embedding(embedder, document["vector"]) if embedder else None

"""Documents of the library in MongoDB, and their chunks.

A document's chunks belong to one edition of it, which the document names: so a reader finds the whole document of
before or of after, also between the steps of a change, and after a process that was killed in one.
"""

from collections.abc import Callable, Collection, Coroutine, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import msgspec
from bson import ObjectId
from pymongo.errors import DuplicateKeyError

from recuerdo.adapters.mongodb.connection import MongoDatabase, translated, translated_write
from recuerdo.adapters.mongodb.transactions import Document, Exclusive, Session
from recuerdo.adapters.rows import chunk_of, to_microseconds
from recuerdo.core.graph_ports import LibraryRepository
from recuerdo.core.library import LibraryDocument, StoredChunk, read_library_document

_T = TypeVar("_T")


class MongoLibrary(LibraryRepository):
    """The LibraryRepository over a MongoDB database."""

    def __init__(self, database: MongoDatabase) -> None:
        self.timeout = database.timeout
        self._transactions = database.transactions
        self._documents = database.library_documents
        self._chunks = database.document_chunks
        self._versions = database.library_versions

    @translated
    async def version(self, tenant: str) -> int:
        found = await self._versions.find_one({"tenant": tenant})
        return found["version"] if found else 0

    @translated_write
    async def put(self, tenant: str, document: LibraryDocument, chunks: Sequence[StoredChunk]) -> None:
        place = {"tenant": tenant, "id": document.id}

        async def put(session: Session) -> None:
            edition = ObjectId()
            if chunks:
                rows = [_chunk(tenant, edition, each) for each in chunks]
                await self._chunks.insert_many(rows, session=session)
            body = msgspec.json.encode(document).decode()
            row = {**place, "created_at": to_microseconds(document.created_at), "body": body, "edition": edition}
            await self._documents.replace_one(place, row, upsert=True, session=session)
            await self._changed(tenant, session)
            former = {"tenant": tenant, "document": document.id, "edition": {"$ne": edition}}
            await self._chunks.delete_many(former, session=session)

        await self._alone(tenant, put)

    @translated_write
    async def remove(self, tenant: str, document_id: str) -> bool:
        async def removed(session: Session) -> bool:
            gone = await self._documents.delete_one({"tenant": tenant, "id": document_id}, session=session)
            await self._chunks.delete_many({"tenant": tenant, "document": document_id}, session=session)
            if gone.deleted_count:
                await self._changed(tenant, session)
            return gone.deleted_count > 0

        return await self._alone(tenant, removed)

    @translated
    async def select(self, tenant: str) -> list[LibraryDocument]:
        found = self._documents.find({"tenant": tenant}, {"body": 1}).sort([("created_at", -1), ("id", 1)])
        return [read_library_document(each["body"]) async for each in found]

    @translated
    async def chunks(self, tenant: str, documents: Collection[str]) -> list[StoredChunk]:
        there = self._documents.find({"tenant": tenant, "id": {"$in": [*documents]}}, {"edition": 1})
        editions = [each["edition"] async for each in there]
        found = self._chunks.find({"tenant": tenant, "edition": {"$in": editions}})
        ordered = found.sort([("document", 1), ("number", 1)])
        return [chunk_of([each[name] for name in ("document", "body", "model", "vector")]) async for each in ordered]

    async def _alone(self, tenant: str, work: Callable[[Session], Coroutine[Any, Any, _T]]) -> _T:
        place: Document = {"tenant": tenant}
        with suppress(DuplicateKeyError):  # another process makes it at this moment
            await self._versions.update_one(place, {"$setOnInsert": {"version": 0}}, upsert=True)

        async def worked(turn: Exclusive) -> _T:
            return await work(turn.session)

        return await self._transactions.alone(self._versions, place, worked)

    async def _changed(self, tenant: str, session: Session) -> None:
        await self._versions.update_one({"tenant": tenant}, {"$inc": {"version": 1}}, session=session)


def _chunk(tenant: str, edition: ObjectId, stored: StoredChunk) -> Document:
    model, vector = stored.embedding or (None, None)
    return {
        "tenant": tenant,
        "document": stored.document,
        "edition": edition,
        "number": stored.chunk.number,
        "body": msgspec.json.encode(stored.chunk).decode(),
        "model": model,
        "vector": vector,
    }

"""Documents in MongoDB, changed in groups without transactions.

A change is one compare-and-set of its group's own document, which names the revision that was read: it takes the
change along as `pending`, and that is its commit. After it the documents are written, each with that revision, and
`pending` is taken away. A pending change is completed by the next writer that finds it, so a killed writer blocks
no other; and as a document never goes back to an older revision, a slow writer changes nothing that came later. A
removed document stays as an empty tombstone for an hour.

A reader may see a part of a change for the moment in which it is written.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple, TypeVar
from weakref import WeakValueDictionary

import msgspec
from bson import ObjectId
from bson.binary import Binary
from pymongo import ReplaceOne
from pymongo.errors import BulkWriteError, DuplicateKeyError

from recuerdo.adapters.mongodb.conflicts import contended, pauses
from recuerdo.adapters.mongodb.connection import Document as Stored
from recuerdo.adapters.mongodb.connection import MongoDatabase, of_owner, raise_unless_duplicates, translated, writing
from recuerdo.adapters.rows import from_microseconds, to_microseconds
from recuerdo.core.documents import Decision, Document, DocumentKey, DocumentKind, DocumentQuery, fitting
from recuerdo.core.graph_ports import DocumentRepository, Signals
from recuerdo.core.scope import Owner, owner_of

_T = TypeVar("_T")
_LATE = 5_000_000  # microseconds after which any process completes a pending change
_MOST_LATE = 100


class _GroupRead(NamedTuple):
    """A group as it was read, with nothing pending. An absent one has the revision 0."""

    key: str
    revision: int
    erasures: int


class _Created(msgspec.Struct):
    created_at: object = None


_created = msgspec.json.Decoder(_Created).decode


class MongoDocuments(DocumentRepository):
    """The DocumentRepository over a MongoDB database."""

    def __init__(self, database: MongoDatabase, signals: Signals) -> None:
        self.timeout = database.timeout
        self._documents = database.documents
        self._groups = database.document_groups
        self._signals = signals
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @translated
    async def get(self, owner: Owner, key: DocumentKey) -> bytes | None:
        found = await self._documents.find_one({"_id": document_key(owner, key)}, {"body": 1})
        return bytes(found["body"]) if found and "body" in found else None

    @translated
    async def select(self, owner: Owner, kind: DocumentKind, query: DocumentQuery) -> list[bytes]:
        wanted = self._documents.find(_matching(owner, kind, query))
        if query.where or query.like or query.sort_by != "created_at":
            found = fitting([_document(each) async for each in wanted], query)
            return [document.body for document in found[query.offset : query.offset + query.limit]]
        direction = -1 if query.descending else 1
        ordered = wanted.sort([("created_at", direction), ("id", direction)]).skip(query.offset).limit(query.limit)
        return [bytes(each["body"]) async for each in ordered] if query.limit else []

    @translated
    async def count(self, owner: Owner, kind: DocumentKind, query: DocumentQuery) -> int:
        wanted = _matching(owner, kind, query)
        if query.where or query.like:
            return len(fitting([_document(each) async for each in self._documents.find(wanted)], query))
        return await self._documents.count_documents(wanted)

    @translated
    async def change(
        self,
        owner: Owner,
        group: str,
        keys: Sequence[DocumentKey],
        decide: Callable[[Sequence[Document]], Decision[_T]],
    ) -> _T:
        async with self._turns.setdefault(_group_key(owner, group), asyncio.Lock()):  # two would only spoil their turns
            for pause in pauses():
                read = await self._read(owner, group)
                named = {"_id": {"$in": [document_key(owner, key) for key in keys]}}
                seen: Stored = {"$or": [{**of_owner(owner), "group": group, "open": True}, named]}
                found = [each async for each in self._documents.find(seen)]
                decision = decide([_document(each) for each in found if "body" in each])
                gone = [document_key(owner, key) for key in decision.delete]
                if decision.erase:
                    rest = self._documents.find({**of_owner(owner), "group": group}, {"_id": 1})
                    gone += [each["_id"] async for each in rest]
                revision = max([read.revision, *(each["rev"] for each in found), time.time_ns() // 1000]) + 1
                put = [_stored(owner, each, revision) for each in decision.put]
                gone = [*{*gone} - {each["_id"] for each in put}]
                if (put or gone) and not await self._commit(owner, read, revision, put, gone):
                    await asyncio.sleep(pause)
                    continue
                for signal in decision.signals:
                    self._signals.publish(signal)
                return decision.result
            raise contended()

    @translated
    async def erase(self, owner: Owner) -> int:
        with writing():
            await self._groups.update_many(
                of_owner(owner), {"$inc": {"rev": 1, "erasures": 1}, "$unset": {"pending": ""}}
            )
            erased = await self._documents.count_documents({**of_owner(owner), "body": {"$exists": True}})
            await self._documents.delete_many(of_owner(owner))
        return erased

    @translated
    async def due(self, kind: DocumentKind, now: datetime, limit: int) -> list[tuple[Owner, Document]]:
        late = self._groups.find({"pending.since": {"$lt": time.time_ns() // 1000 - _LATE}}).limit(_MOST_LATE)
        for each in await late.to_list():
            await self._complete(each)
        found = self._documents.find(_due(kind, now)).sort("due", 1).limit(limit)
        return [(owner_of(each["tenant"], each["user"]), _document(each)) async for each in found]

    @translated
    async def count_due(self, kind: DocumentKind, now: datetime) -> int:
        return await self._documents.count_documents(_due(kind, now))

    async def _read(self, owner: Owner, group: str) -> _GroupRead:
        key = _group_key(owner, group)
        found = await self._groups.find_one({"_id": key})
        if found is None:
            return _GroupRead(key, 0, 0)
        await self._complete(found)
        return _GroupRead(key, found["rev"], found["erasures"])

    async def _commit(
        self, owner: Owner, read: _GroupRead, revision: int, put: Sequence[Stored], gone: Sequence[str]
    ) -> bool:
        """Make the change pending, and complete it. False when others have changed the group since it was read."""
        pending = {"since": time.time_ns() // 1000, "put": put, "gone": gone}
        after: Stored = {**of_owner(owner), "rev": revision, "pending": pending, "erasures": read.erasures}
        mine = {"_id": read.key, "by": ObjectId()}
        with writing():
            if read.revision:
                known = {"_id": read.key, "rev": read.revision}
                written = await self._groups.update_one(known, {"$set": {**mine, **after}, "$unset": {"at": ""}})
                is_made = written.matched_count == 1
            else:
                try:
                    await self._groups.insert_one({**mine, **after})
                    is_made = True
                except DuplicateKeyError:
                    is_made = False
        with writing(is_begun=True):
            # the driver sends a write again whose answer was lost, and then it is in its own way
            if not is_made and await self._groups.find_one(mine, {"_id": 1}) is None:
                return False
            await self._complete({"_id": read.key, **after})
        return True

    async def _complete(self, group: Stored) -> None:
        """Write what is pending; it may be done twice, and by several at once."""
        pending, revision = group.get("pending"), group["rev"]
        if pending is None:
            return
        older = {"rev": {"$lt": revision}}
        tombstone: Stored = {"tenant": group["tenant"], "user": group["user"], "rev": revision}
        tombstone |= {"gone_at": datetime.now(UTC)}
        # what moves from one kind to another is at its new place before it leaves the former one
        works = [ReplaceOne({"_id": each["_id"], **older}, each, upsert=True) for each in pending["put"]]
        works += [ReplaceOne({"_id": key, **older}, tombstone) for key in pending["gone"]]
        try:
            await self._documents.bulk_write(works, ordered=False)
        except BulkWriteError as error:
            raise_unless_duplicates(error)  # those have this revision, or a later one
        known = {"_id": group["_id"], "rev": revision}
        now = await self._groups.find_one_and_update(
            known, {"$unset": {"pending": ""}, "$set": {"at": datetime.now(UTC)}}
        )
        now = now or await self._groups.find_one({"_id": group["_id"]})
        if now is None or now["erasures"] != group["erasures"]:  # the owner was erased while this was written
            ids = [each["_id"] for each in pending["put"]]
            await self._documents.delete_many({"_id": {"$in": ids}, "rev": revision})


def _group_key(owner: Owner, group: str) -> str:
    """Tenant and user stand after their lengths, so that no two groups have the same."""
    return f"{len(owner.tenant)}:{owner.tenant}{len(owner.user)}:{owner.user}{group}"


def document_key(owner: Owner, key: DocumentKey) -> str:
    """The `_id` of the owner's document."""
    return _group_key(owner, f"{key.kind} {key.id}")


def _matching(owner: Owner, kind: DocumentKind, query: DocumentQuery) -> Stored:
    wanted: Stored = {**of_owner(owner), "kind": kind}
    if query.group is not None:
        wanted["group"] = query.group
    if query.ids is not None:
        wanted["id"] = {"$in": [*query.ids]}
    return wanted


def _due(kind: DocumentKind, now: datetime) -> Stored:
    return {"kind": kind, "due": {"$lte": to_microseconds(now)}}


def _stored(owner: Owner, document: Document, revision: int) -> Stored:
    stored: Stored = {
        "_id": document_key(owner, document.key),
        **of_owner(owner),
        "kind": document.kind,
        "id": document.id,
        "group": document.group,
        "open": document.open,
        "created_at": _created(document.body).created_at,
        "body": Binary(document.body),
        "rev": revision,
    }
    return stored if document.due is None else {**stored, "due": to_microseconds(document.due)}


def _document(stored: Stored) -> Document:
    due = stored.get("due")
    time = from_microseconds(due) if due is not None else None
    return Document(stored["kind"], stored["id"], stored["group"], bytes(stored["body"]), stored["open"], time)

"""Several documents changed as one.

Replica sets and sharded clusters have transactions, and there a change is all or nothing. A single server has none:
there changes are written step by step, in an order that leaves a reader with something whole, and a process that is
killed in between leaves a part of one behind. A writer that must be alone locks the document that all writers of the
place go through; the lock of a process that was killed ends after `_LOCKED_SECONDS`.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from itertools import groupby
from typing import Any, NamedTuple, TypeVar

import pymongo
from bson import ObjectId
from pymongo import AsyncMongoClient, DeleteMany, InsertOne, ReadPreference, ReplaceOne, UpdateMany, UpdateOne
from pymongo.asynchronous.client_session import AsyncClientSession
from pymongo.asynchronous.collection import AsyncCollection
from pymongo.errors import ClientBulkWriteException, DuplicateKeyError, PyMongoError
from pymongo.read_concern import ReadConcern
from pymongo.results import ClientBulkWriteResult
from pymongo.write_concern import WriteConcern

from recuerdo.adapters.mongodb.conflicts import contended, pauses
from recuerdo.adapters.rows import this_microsecond

Document = dict[str, Any]
Collection = AsyncCollection[Document]

T = TypeVar("T")
Guarded = Callable[["Exclusive"], Coroutine[Any, Any, T]]

Operation = InsertOne[Document] | UpdateOne | UpdateMany | ReplaceOne[Document] | DeleteMany


class CollectionWrite(NamedTuple):
    """One write to a collection, which `make` makes; it may be given the `namespace` of the collection."""

    collection: Collection
    make: Callable[..., Operation]


WRITES_TOGETHER = 25
"""The wire version from which a server takes writes to several collections in one command: that of MongoDB 8.0."""

Session = AsyncClientSession | None
"""A transaction that operations name; None where there are none."""

DUPLICATE_KEY = 11000

DURABLE = WriteConcern("majority", j=True)

_SNAPSHOT = ReadConcern("snapshot")
_NONE = ReadConcern()
_LOCKED_SECONDS = 30
_ALONE_SECONDS = 20
"""Work under a lock ends before the lock does."""


class Exclusive(NamedTuple):
    """Being alone at a place: its document as it was found, None where there is none yet.

    A new document of the place takes the fields of `lock` along.
    """

    session: Session
    found: Document | None
    lock: Document


class Transactions:
    """The transactions of a server, or what stands in their place."""

    def __init__(self, client: AsyncMongoClient[Document], *, are_there: bool, wire_version: int) -> None:
        self._client = client
        self.are_there = are_there
        self.write_together = are_there and wire_version >= WRITES_TOGETHER
        """Whether the writes of a transaction are one command."""

    async def run(self, work: Callable[[Session], Coroutine[Any, Any, T]], *, reads: bool = True) -> T:
        """The result of `work`: what it writes is all there or nothing is. It may be called again.

        Work that only writes needs no snapshot: writes look at the newest documents, and conflict with each other.
        Without transactions it is called once, with None, and what it has written stays whatever it raises.
        """
        if not self.are_there:
            return await work(None)
        concern = _SNAPSHOT if reads else _NONE
        async with self._client.start_session(causal_consistency=reads) as session:
            return await session.with_transaction(work, concern, DURABLE, ReadPreference.PRIMARY)

    async def write(self, writes: Sequence[CollectionWrite], session: Session) -> list[int]:
        """Do the writes in their order, and return how many documents the updates in each collection found or made.

        Writes to one collection stand together. Raises DuplicateKeyError or another PyMongoError.
        """
        if session is not None and self.write_together and writes:
            return await self._write_together(writes, session)
        found: list[int] = []
        for collection, some in groupby(writes, lambda write: write.collection):
            done = await collection.bulk_write([write.make() for write in some], session=session)
            found.append(done.matched_count + done.upserted_count)
        return found

    async def _write_together(self, writes: Sequence[CollectionWrite], session: AsyncClientSession) -> list[int]:
        client: Any = self._client
        operations = [write.make(namespace=write.collection.full_name) for write in writes]
        try:
            done: ClientBulkWriteResult = await client.bulk_write(operations, session=session, verbose_results=True)
        except ClientBulkWriteException as error:
            raise _cause(error) from error
        results = [done.update_results.get(number) for number in range(len(writes))]
        made = [0 if each is None else each.matched_count + each.did_upsert for each in results]
        together = groupby(zip(writes, made, strict=True), lambda each: each[0].collection)
        return [sum(count for _, count in some) for _, some in together]

    async def alone(self, guards: Collection, place: Document, work: Guarded[T]) -> T:
        """Like `run`, while holding the place's lock, its document in `guards`.

        Raises DatabaseUnavailable when others are there all the time.
        """
        if not self.are_there:
            return await self._locked(guards, place, work)

        async def entered(session: Session) -> T:
            found = await guards.find_one_and_update(place, {"$inc": {"turns": 1}}, session=session)
            return await work(Exclusive(session, found, {}))

        return await self.run(entered)

    async def _locked(self, guards: Collection, place: Document, work: Guarded[T]) -> T:
        by = ObjectId()
        for pause in pauses():
            now = this_microsecond()
            lock = {"lock": {"by": by, "until": now + _LOCKED_SECONDS * 1_000_000}}
            free = {"$or": [{"lock": {"$exists": False}}, {"lock.until": {"$lt": now}}]}
            found: Document | None = await guards.find_one_and_update({**place, **free}, {"$set": lock})
            if found is None and await guards.find_one(place, {"_id": 1}) is not None:
                await asyncio.sleep(pause)
                continue
            try:
                with pymongo.timeout(_ALONE_SECONDS):
                    return await work(Exclusive(None, found, lock))
            finally:
                with suppress(PyMongoError):  # the lock ends in any case
                    await guards.update_one({**place, "lock.by": by}, {"$unset": {"lock": ""}})
        raise contended()


def _cause(error: ClientBulkWriteException) -> PyMongoError:
    """The failure of a command or of one of its writes, in the terms of other operations.

    The failure of a command knows whether its transaction may be tried again.
    """
    if isinstance(error.error, PyMongoError):
        return error.error
    failures: list[Document] = error.details["writeErrors"]
    if failures and failures[0]["code"] == DUPLICATE_KEY:
        return DuplicateKeyError(failures[0]["errmsg"], DUPLICATE_KEY)
    return error

"""Documents of store items in MongoDB: each holds what its item is found by, so that a write to one item is atomic."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

from pymongo import DeleteOne, UpdateOne
from pymongo.errors import DuplicateKeyError

from recuerdo.adapters.mongodb.connection import MongoDatabase, of_owner, owners_in, translated, translated_write
from recuerdo.adapters.mongodb.transactions import Document, Exclusive
from recuerdo.adapters.rows import from_microseconds, item_of, to_microseconds
from recuerdo.adapters.similarity import Compared, page_of_hits, scores
from recuerdo.core.graph_ports import ItemRepository
from recuerdo.core.items import (
    Item,
    ItemAddress,
    ItemHit,
    ItemQuery,
    Namespace,
    Put,
    StoreScope,
    bounds_of,
    read_namespace,
    write_namespace,
)

_MINUTE = 60_000_000
_FIELDS = ("namespace", "key", "value", "created_at", "updated_at", "ttl")
_LATEST_FIRST = [("updated_at", -1), ("namespace", 1), ("key", 1)]


class MongoItems(ItemRepository):
    """The ItemRepository over a MongoDB database. Items are compared one by one in the process."""

    def __init__(self, database: MongoDatabase) -> None:
        self.timeout = database.timeout
        self._transactions = database.transactions
        self._items = database.store_items
        self._guards = database.store_owners

    @translated_write
    async def write(self, scope: StoreScope, puts: Sequence[Put], at: datetime) -> None:
        latest = {put.place: put for put in puts}
        works = [_work(scope, latest[place], to_microseconds(at)) for place in sorted(latest)]

        async def written(turn: Exclusive) -> None:
            await self._items.bulk_write(works, session=turn.session)

        if len(works) == 1:
            await self._items.bulk_write(works)
        elif works:
            with suppress(DuplicateKeyError):  # another process makes it at this moment
                await self._guards.update_one(of_owner(scope), {"$setOnInsert": {"turns": 0}}, upsert=True)
            await self._transactions.alone(self._guards, of_owner(scope), written)

    @translated
    async def read(
        self, scope: StoreScope, places: Sequence[ItemAddress], alive_at: datetime | None
    ) -> list[Item | None]:
        found = self._items.find(_at(scope, places, _alive(alive_at)), {"entries": 0}) if places else None
        items = {item.place: item for each in await found.to_list() if (item := _item(each))} if found else {}
        return [items.get(place) for place in places]

    @translated_write
    async def refresh(self, scope: StoreScope, places: Sequence[ItemAddress], at: datetime) -> None:
        if not places:
            return
        lasting = self._items.find(_at(scope, places, {"ttl": {"$ne": None}}), {"ttl": 1})
        works = [
            UpdateOne({**of_owner(scope), "_id": each["_id"], "ttl": each["ttl"]}, {"$set": {"expires_at": expiry}})
            async for each in lasting
            if (expiry := _expiry(each["ttl"], to_microseconds(at)))
        ]
        if works:
            await self._items.bulk_write(works, ordered=False)

    @translated
    async def search(self, scope: StoreScope, query: ItemQuery) -> list[ItemHit]:
        is_compared = bool(query.vector or query.words)
        found = self._items.find(
            {**_below(scope, query.prefix), **_alive(query.alive_at)}, None if is_compared else {"entries": 0}
        ).sort(_LATEST_FIRST)
        if not is_compared and not query.conditions:
            page = found.skip(query.offset).limit(query.limit)
            return [ItemHit(_item(each)) async for each in page] if query.limit else []
        documents = await found.to_list()
        items = {item.place: item for item in map(_item, documents)}
        entries = [
            Compared(place, entry["words"], entry["vector"])
            for place, each in zip(items, documents, strict=True)
            for entry in each.get("entries", ())
        ]
        best = scores(query, entries) if is_compared else {}
        return page_of_hits(query, best, items.get, items.values())

    @translated
    async def namespaces(self, scope: StoreScope, below: Namespace, alive_at: datetime | None) -> list[Namespace]:
        found = await self._items.distinct("namespace", {**_below(scope, below), **_alive(alive_at)})
        return sorted(map(read_namespace, found))

    @translated
    async def expired(self, at: datetime, limit: int) -> list[StoreScope]:
        return [StoreScope(*each) for each in await owners_in(self._items, _gone(at), None, limit, None)]

    @translated_write
    async def erase(self, scope: StoreScope) -> int:
        erased = await self._items.delete_many(of_owner(scope))
        await self._guards.delete_one(of_owner(scope))
        return erased.deleted_count

    @translated_write
    async def sweep(self, scope: StoreScope, at: datetime) -> int:
        return (await self._items.delete_many({**of_owner(scope), **_gone(at)})).deleted_count


def _here(place: ItemAddress) -> Document:
    return {"namespace": write_namespace(place.namespace), "key": place.key}


def _at(scope: StoreScope, places: Sequence[ItemAddress], more: Document) -> Document:
    return {**of_owner(scope), "$and": [{"$or": [_here(place) for place in dict.fromkeys(places)]}, more]}


def _below(scope: StoreScope, prefix: Namespace) -> Document:
    low, high = bounds_of(prefix)
    return {**of_owner(scope), "namespace": {"$gte": low, "$lt": high}}


def _alive(at: datetime | None) -> Document:
    return {} if at is None else {"$or": [{"expires_at": None}, {"expires_at": {"$gt": to_microseconds(at)}}]}


def _gone(at: datetime) -> Document:
    return {"expires_at": {"$lte": to_microseconds(at)}}


def _expiry(ttl: float | None, at: int) -> int | None:
    return None if ttl is None else at + int(ttl * _MINUTE)


def _work(scope: StoreScope, put: Put, at: int) -> UpdateOne | DeleteOne:
    here = {**of_owner(scope), **_here(put.place)}
    if put.value is None:
        return DeleteOne(here)
    entries = [entry._asdict() for entry in put.entries]
    written = {"value": put.value, "updated_at": at, "ttl": put.ttl, "expires_at": _expiry(put.ttl, at)}
    return UpdateOne(here, {"$set": {**written, "entries": entries}, "$setOnInsert": {"created_at": at}}, upsert=True)


def _item(document: Document) -> Item:
    return item_of([document[name] for name in _FIELDS], from_microseconds)

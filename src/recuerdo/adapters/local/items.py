"""ItemRepository over dicts."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import NamedTuple

from recuerdo.adapters.similarity import Compared, page_of_hits, scores
from recuerdo.core.graph_ports import ItemRepository
from recuerdo.core.items import IndexEntry, Item, ItemAddress, ItemHit, ItemQuery, Namespace, Put, StoreScope


class StoredItem(NamedTuple):
    """An item, what it is found by, and when it expires."""

    item: Item
    entries: Sequence[IndexEntry]
    expires_at: datetime | None

    def is_alive(self, at: datetime | None) -> bool:
        return at is None or self.expires_at is None or self.expires_at > at


class LocalItems(ItemRepository):
    """The items of LangGraph's stores, in this process."""

    def __init__(self) -> None:
        self._items: dict[StoreScope, dict[ItemAddress, StoredItem]] = {}

    async def write(self, scope: StoreScope, puts: Sequence[Put], at: datetime) -> None:
        items = self._items.setdefault(scope, {})
        for put in puts:
            prior = items.pop(put.place, None)
            if put.value is not None:
                created_at = prior.item.created_at if prior else at
                item = Item(put.place, put.value, created_at, at, put.ttl)
                items[put.place] = StoredItem(item, put.entries, _expiry(put.ttl, at))

    async def read(
        self, scope: StoreScope, places: Sequence[ItemAddress], alive_at: datetime | None
    ) -> list[Item | None]:
        items = self._items.get(scope, {})
        found = (items.get(place) for place in places)
        return [stored.item if stored and stored.is_alive(alive_at) else None for stored in found]

    async def refresh(self, scope: StoreScope, places: Sequence[ItemAddress], at: datetime) -> None:
        items = self._items.get(scope, {})
        for place in places:
            if stored := items.get(place):
                items[place] = stored._replace(expires_at=_expiry(stored.item.ttl, at))

    async def search(self, scope: StoreScope, query: ItemQuery) -> list[ItemHit]:
        items = {stored.item.place: stored for stored in self._below(scope, query.prefix, query.alive_at)}
        entries = [
            Compared(place, entry.words, entry.vector) for place, stored in items.items() for entry in stored.entries
        ]
        rest = sorted((stored.item for stored in items.values()), key=lambda item: item.place)
        rest.sort(key=lambda item: item.updated_at, reverse=True)
        best = scores(query, entries) if query.vector or query.words else {}
        return page_of_hits(query, best, lambda place: items[place].item, rest)

    async def namespaces(self, scope: StoreScope, below: Namespace, alive_at: datetime | None) -> list[Namespace]:
        return sorted({stored.item.place.namespace for stored in self._below(scope, below, alive_at)})

    async def expired(self, at: datetime, limit: int) -> list[StoreScope]:
        stores = (
            scope for scope, items in self._items.items() if not all(each.is_alive(at) for each in items.values())
        )
        return list(islice(stores, limit))

    async def erase(self, scope: StoreScope) -> int:
        return len(self._items.pop(scope, {}))

    async def sweep(self, scope: StoreScope, at: datetime) -> int:
        items = self._items.get(scope, {})
        expired = [place for place, stored in items.items() if not stored.is_alive(at)]
        for place in expired:
            del items[place]
        return len(expired)

    def _below(self, scope: StoreScope, prefix: Namespace, alive_at: datetime | None) -> Iterator[StoredItem]:
        return (
            stored
            for place, stored in self._items.get(scope, {}).items()
            if place.namespace[: len(prefix)] == prefix and stored.is_alive(alive_at)
        )


def _expiry(ttl: float | None, at: datetime) -> datetime | None:
    return None if ttl is None else at + timedelta(minutes=ttl)

"""What the items of LangGraph's stores need from outside; see `recuerdo.core.ports`."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from recuerdo.core.items import Item, ItemAddress, ItemHit, ItemQuery, Namespace, Put, StoreScope


class ItemRepository(Protocol):
    """The items of LangGraph's stores: JSON values under namespaces and keys, found by place, filter or likeness."""

    async def write(self, scope: StoreScope, puts: Sequence[Put], at: datetime) -> None:
        """Write, replace and delete the items and what they are found by, in one transaction and in their order.

        An item that is replaced keeps the time when it was created.
        """
        ...

    async def read(
        self, scope: StoreScope, places: Sequence[ItemAddress], alive_at: datetime | None
    ) -> list[Item | None]:
        """The items at the places; None where none is, or one that had expired before `alive_at`."""
        ...

    async def refresh(self, scope: StoreScope, places: Sequence[ItemAddress], at: datetime) -> None:
        """Let the items that have a ttl expire that long after `at`."""
        ...

    async def search(self, scope: StoreScope, query: ItemQuery) -> list[ItemHit]:
        """The items that match; see ItemQuery. Conditions decide as `core.conditions.meets` does."""
        ...

    async def namespaces(self, scope: StoreScope, below: Namespace, alive_at: datetime | None) -> list[Namespace]:
        """The namespaces at and below `below` that have an item, in order."""
        ...

    async def expired(self, at: datetime, limit: int) -> list[StoreScope]:
        """Stores of all tenants that have an item which expired before, as many at most."""
        ...

    async def erase(self, scope: StoreScope) -> int:
        """Remove all items of the store, and what they are found by. Returns how many."""
        ...

    async def sweep(self, scope: StoreScope, at: datetime) -> int:
        """Delete the items that expired before, and what they were found by. Returns how many."""
        ...

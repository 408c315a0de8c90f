"""Entries that are one value of a closed type, as JSON. Nothing that a cache holds is ever run."""

from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Generic, TypeVar

import msgspec

from recuerdo.core.cache_ports import CacheTier
from recuerdo.core.caches import CacheKey, Items
from recuerdo.core.errors import CacheUnavailable

T = TypeVar("T")


class TypedCache(Generic[T]):
    """Values of one type in a CacheTier. What does not fit the type, as of another version, counts as absent."""

    def __init__(self, tier: CacheTier, type_: type[T]) -> None:
        self._tier = tier
        self._decoder = msgspec.json.Decoder(type_)

    async def get(self, key: CacheKey, *, refresh: bool = False) -> T | None:
        """See CacheTier."""
        items = await self._tier.get(key, refresh=refresh)
        return None if items is None else self._decode(items)

    async def load(self, key: CacheKey, load: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """See CacheTier. A value of another type is replaced by what `load` says."""

        async def load_items() -> Items:
            return _encode(await load())

        value = self._decode(await self._tier.load(key, load_items))
        if value is None:
            with suppress(CacheUnavailable):
                await self._tier.delete(key)
            value = self._decode(await self._tier.load(key, load_items))
        return await load() if value is None else value

    async def forget(self, tenant: str, group: str) -> None:
        """See CacheTier."""
        await self._tier.forget(tenant, group)

    async def remove(self, tenant: str, prefix: str) -> int:
        """See CacheTier."""
        return await self._tier.remove(tenant, prefix)

    async def set(self, key: CacheKey, value: T) -> None:
        """See CacheTier."""
        await self._tier.set(key, _encode(value))

    async def update(self, key: CacheKey, change: Callable[[T], T]) -> T | None:
        """See CacheTier. A value of another type stays as it is, and None is returned."""

        def change_items(items: Items) -> Items:
            value = self._decode(items)
            return items if value is None else _encode(change(value))

        items = await self._tier.update(key, change_items)
        return None if items is None else self._decode(items)

    async def delete(self, *keys: CacheKey) -> None:
        """See CacheTier."""
        await self._tier.delete(*keys)

    def _decode(self, items: Items) -> T | None:
        try:
            return self._decoder.decode(items[0])
        except (msgspec.MsgspecError, IndexError):
            return None


def _encode(value: object) -> Items:
    return (msgspec.json.encode(value),)

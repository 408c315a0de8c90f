"""Cache entries of any kind in this process: the authority where there is no other, or copies of another's."""

import secrets
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from recuerdo.concurrency.lru import LruCache
from recuerdo.core.cache_ports import CacheEntries, CacheTier
from recuerdo.core.caches import LIVES, WHOLE, CacheHit, CacheKey, CacheMiss, DataType, Items, Life, Unchanged
from recuerdo.core.checks import UNREADABLE
from recuerdo.core.errors import CacheUnavailable

DEFAULT_BYTES = 16 * 2**20

LEASE_SECONDS = 5.0
"""How long one reader may take to compute an entry before another may try."""

SWEEP_SECONDS = 60.0
"""How often expired entries that are no longer read are removed."""


def size_of(key: CacheKey, items: Items) -> int:
    """About how many bytes the entry takes in memory."""
    return 300 + len(key.tenant) + len(key.resource) + sum(len(item) + 40 for item in items)


class _CachedEntry(NamedTuple):
    stamp: str
    items: Items
    expires: float
    ends: float
    generations: str


class _EntryLease(NamedTuple):
    token: str
    ends: float
    generations: str


class LocalEntries(CacheEntries):
    """The CacheEntries of one process. Times are those of a monotonic clock."""

    def __init__(self, lives: Mapping[DataType, Life] = LIVES, clock: Callable[[], float] = time.monotonic) -> None:
        self._entries: LruCache[CacheKey, _CachedEntry] = LruCache(DEFAULT_BYTES)
        self._leases: LruCache[CacheKey, _EntryLease] = LruCache(DEFAULT_BYTES)
        self._generations: LruCache[tuple[str, str], str] = LruCache(DEFAULT_BYTES)
        self._lives = lives
        self._clock = clock
        self._next_sweep = clock() + SWEEP_SECONDS

    async def read(
        self,
        key: CacheKey,
        *,
        known: str | None = None,
        refresh: bool = False,
        lease: bool = False,
        part: slice = WHOLE,
    ) -> CacheHit | Unchanged | CacheMiss:
        entry = self._living(key)
        if entry is None:
            return CacheMiss(self._lease(key) if lease else None)
        if refresh:
            expires = min(self._clock() + self._lives[key.data].ttl, entry.ends)
            self._entries.replace(key, entry._replace(expires=expires))
        return Unchanged() if entry.stamp == known else CacheHit(entry.stamp, entry.items[part])

    async def write(
        self, key: CacheKey, items: Items, token: str | None = None, *, instead_of: str | None = None
    ) -> str | None:
        old = self._living(key)
        if instead_of is not None and (old is None or old.stamp != instead_of):
            return None
        if token is not None and not self._holds(key, token):
            return None
        self._leases.pop(key)
        self._sweep()
        now, life = self._clock(), self._lives[key.data]
        ends = old.ends if instead_of is not None and old is not None else now + life.longest
        entry = _CachedEntry(secrets.token_hex(8), items, min(now + life.ttl, ends), ends, self._generations_of(key))
        self._put(key, entry)
        return entry.stamp

    async def extend(self, key: CacheKey, items: Items) -> bool:
        self._leases.pop(key)
        entry = self._living(key)
        if entry is None:
            return False
        self._put(key, entry._replace(stamp=secrets.token_hex(8), items=entry.items + items))
        return True

    async def delete(self, keys: Sequence[CacheKey]) -> None:
        for key in keys:
            self._entries.pop(key)
            self._leases.pop(key)

    async def forget(self, tenant: str, group: str) -> None:
        self._generations.pop((tenant, group))

    async def remove(self, tenant: str, prefix: str) -> int:
        before = len(self._entries)
        for kept in (self._entries, self._leases):
            kept.drop_if(lambda key, _: key.tenant == tenant and key.resource.startswith(prefix))
        return before - len(self._entries)

    def _living(self, key: CacheKey) -> _CachedEntry | None:
        entry = self._entries.get(key)
        if entry is None:
            return None
        if entry.expires <= self._clock() or entry.generations != self._generations_of(key):
            self._entries.pop(key)
            return None
        return entry

    def _lease(self, key: CacheKey) -> str | None:
        lease, generations = self._leases.get(key), self._generations_of(key)
        if lease is not None and self._clock() < lease.ends and lease.generations == generations:
            return None
        lease = _EntryLease(secrets.token_hex(8), self._clock() + LEASE_SECONDS, generations)
        self._leases.put(key, lease, size_of(key, ()))
        return lease.token

    def _holds(self, key: CacheKey, token: str) -> bool:
        lease = self._leases.get(key)
        return lease is not None and lease.token == token and lease.generations == self._generations_of(key)

    def _generations_of(self, key: CacheKey) -> str:
        """The generation of the key's groups, which changes whenever one of them is forgotten."""
        return "".join([self._generation(key.tenant, group) for group in key.groups]) if key.groups else ""

    def _generation(self, tenant: str, group: str) -> str:
        known = self._generations.get((tenant, group))
        if known is None:
            known = secrets.token_hex(8)
            self._generations.put((tenant, group), known, 300 + len(tenant) + len(group))
        return known

    def _sweep(self) -> None:
        now = self._clock()
        if now >= self._next_sweep:
            self._next_sweep = now + SWEEP_SECONDS
            self._entries.drop_if(lambda _, entry: entry.expires <= now)
            self._leases.drop_if(lambda _, lease: lease.ends <= now)

    def _put(self, key: CacheKey, entry: _CachedEntry) -> None:
        self._entries.put(key, entry, size_of(key, entry.items))


T = TypeVar("T")


class TypedCache(Generic[T]):
    """Values of one type in a CacheTier. A value of another version that does not fit counts as absent."""

    def __init__(self, tier: CacheTier, type_: type[T]) -> None:
        self._tier = tier
        self._decoder = msgspec.json.Decoder(type_)
        self.forget = tier.forget
        self.remove = tier.remove
        self.delete = tier.delete

    async def get(self, key: CacheKey, *, refresh: bool = False) -> T | None:
        items = await self._tier.get(key, refresh=refresh)
        return None if items is None else self._decode(items)

    async def load(self, key: CacheKey, load: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """A value of another type is replaced by what `load` says."""

        async def load_items() -> Items:
            return _encode(await load())

        value = self._decode(await self._tier.load(key, load_items))
        if value is None:
            with suppress(CacheUnavailable):
                await self._tier.delete(key)
            value = self._decode(await self._tier.load(key, load_items))
        return await load() if value is None else value

    async def set(self, key: CacheKey, value: T) -> None:
        await self._tier.set(key, _encode(value))

    async def update(self, key: CacheKey, change: Callable[[T], T]) -> T | None:
        """A value of another type stays as it is, and None is returned."""

        def change_items(items: Items) -> Items:
            value = self._decode(items)
            return items if value is None else _encode(change(value))

        items = await self._tier.update(key, change_items)
        return None if items is None else self._decode(items)

    def _decode(self, items: Items) -> T | None:
        try:
            return self._decoder.decode(items[0])
        except (*UNREADABLE, IndexError):
            return None


def _encode(value: object) -> Items:
    return (msgspec.json.encode(value),)

"""Entries of any kind in this process: the authority where there is no other, and copies of another's."""

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from recuerdo.core.caches import LIVES, WHOLE, Absent, CacheKey, DataType, Found, Items, Life, Unchanged

DEFAULT_BYTES = 16 * 2**20

LEASE_SECONDS = 5.0
"""How long one reader may take to find out what an entry should be, before another may try."""

T = TypeVar("T")


class Room(Generic[T]):
    """Things by key in a bounded number of bytes; the least recently used leave first."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._things: OrderedDict[CacheKey, tuple[int, T]] = OrderedDict()

    def get(self, key: CacheKey) -> T | None:
        """The thing, now the most recently used."""
        if key not in self._things:
            return None
        self._things.move_to_end(key)
        return self._things[key][1]

    def put(self, key: CacheKey, thing: T, size: int) -> None:
        """Keep the thing instead of the key's old one."""
        self.drop(key)
        self._things[key] = (size, thing)
        self._bytes += size
        while self._bytes > self._most_bytes:
            _, (evicted, _) = self._things.popitem(last=False)
            self._bytes -= evicted

    def drop(self, key: CacheKey) -> None:
        """Forget the thing."""
        if key in self._things:
            self._bytes -= self._things.pop(key)[0]


def size_of(key: CacheKey, items: Items) -> int:
    """About how many bytes the entry takes in memory."""
    return 300 + len(key.tenant) + len(key.resource) + sum(len(item) + 40 for item in items)


class _Entry(NamedTuple):
    stamp: str
    items: Items
    expires: float
    ends: float


class _Lease(NamedTuple):
    token: str
    ends: float


class LocalEntries:
    """The CacheEntries of one process. Times are those of a clock that never steps."""

    def __init__(
        self,
        most_bytes: int = DEFAULT_BYTES,
        lives: Mapping[DataType, Life] = LIVES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._entries: Room[_Entry] = Room(most_bytes)
        self._leases: Room[_Lease] = Room(most_bytes)
        self._lives = lives
        self._clock = clock

    async def read(
        self,
        key: CacheKey,
        *,
        known: str | None = None,
        refresh: bool = False,
        lease: bool = False,
        part: slice = WHOLE,
    ) -> Found | Unchanged | Absent:
        """See CacheEntries."""
        entry = self._living(key)
        if entry is None:
            return Absent(self._lease(key) if lease else None)
        if refresh:
            expires = min(self._clock() + self._lives[key.data].ttl, entry.ends)
            self._put(key, entry._replace(expires=expires))
        return Unchanged() if entry.stamp == known else Found(entry.stamp, entry.items[part])

    async def write(self, key: CacheKey, items: Items, token: str | None = None) -> str | None:
        """See CacheEntries."""
        lease = self._leases.get(key)
        if token is not None and (lease is None or lease.token != token):
            return None
        self._leases.drop(key)
        now, life = self._clock(), self._lives[key.data]
        entry = _Entry(secrets.token_hex(8), items, now + life.ttl, now + life.longest)
        self._put(key, entry)
        return entry.stamp

    async def extend(self, key: CacheKey, items: Items) -> bool:
        """See CacheEntries."""
        self._leases.drop(key)
        entry = self._living(key)
        if entry is None:
            return False
        self._put(key, entry._replace(stamp=secrets.token_hex(8), items=entry.items + items))
        return True

    async def delete(self, keys: Sequence[CacheKey]) -> None:
        """See CacheEntries."""
        for key in keys:
            self._entries.drop(key)
            self._leases.drop(key)

    def _living(self, key: CacheKey) -> _Entry | None:
        entry = self._entries.get(key)
        if entry is not None and entry.expires <= self._clock():
            self._entries.drop(key)
            return None
        return entry

    def _lease(self, key: CacheKey) -> str | None:
        lease = self._leases.get(key)
        if lease is not None and self._clock() < lease.ends:
            return None
        lease = _Lease(secrets.token_hex(8), self._clock() + LEASE_SECONDS)
        self._leases.put(key, lease, size_of(key, ()))
        return lease.token

    def _put(self, key: CacheKey, entry: _Entry) -> None:
        self._entries.put(key, entry, size_of(key, entry.items))

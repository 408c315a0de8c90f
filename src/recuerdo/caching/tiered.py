"""The general cache: copies in this process, over the entries of an authority that all replicas share.

The entries that this process keeps are the authority where there is no other.
"""

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Generic, Literal, NamedTuple, TypeVar

import msgspec

from recuerdo.caching.guard import DEADLINE
from recuerdo.concurrency.breaker import Breaker
from recuerdo.concurrency.coalescer import RequestCoalescer
from recuerdo.concurrency.lru import LruCache
from recuerdo.concurrency.tasks import AnswerTimeout
from recuerdo.core.cache_ports import CacheEntries, CacheTier
from recuerdo.core.caches import LIVES, CacheHit, CacheKey, CacheMiss, DataType, Items, Life, Unchanged
from recuerdo.core.checks import UNREADABLE
from recuerdo.core.errors import CacheUnavailable

T = TypeVar("T")

DEFAULT_BYTES = 16 * 2**20

LEASE_SECONDS = 5.0
"""How long one reader may take to compute an entry before another may try."""

SWEEP_SECONDS = 60.0
"""How often expired entries that are no longer read are removed."""

RETRY_SECONDS = 1.0
"""Seconds that a reader waits for another replica that computes the entry."""

SECONDS_TO_FORGET = 1.0
"""Forgetting a group is not optional, unlike a read, and may take longer."""

_SECONDS_TO_REMOVE = 60.0
"""How long an erasure may go through all keys."""

_PAUSE = 0.02
_AWAY = CacheMiss()
"""It is unknown whether there is an entry."""

Tier = Literal["local", "shared"]
Count = Callable[[CacheKey, Tier, bool], None]
Load = Callable[[], Coroutine[Any, Any, Items]]


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
        self, key: CacheKey, *, known: str | None = None, refresh: bool = False, lease: bool = False
    ) -> CacheHit | Unchanged | CacheMiss:
        entry = self._living(key)
        if entry is None:
            return CacheMiss(self._lease(key) if lease else None)
        if refresh:
            expires = min(self._clock() + self._lives[key.data].ttl, entry.ends)
            self._entries.replace(key, entry._replace(expires=expires))
        return Unchanged() if entry.stamp == known else CacheHit(entry.stamp, entry.items)

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
        self._entries.put(key, entry, size_of(key, entry.items))
        return entry.stamp

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
        generations = ""
        for group in key.groups:
            known = self._generations.get((key.tenant, group))
            if known is None:
                known = secrets.token_hex(8)
                self._generations.put((key.tenant, group), known, 300 + len(key.tenant) + len(group))
            generations += known
        return generations

    def _sweep(self) -> None:
        now = self._clock()
        if now >= self._next_sweep:
            self._next_sweep = now + SWEEP_SECONDS
            self._entries.drop_if(lambda _, entry: entry.expires <= now)
            self._leases.drop_if(lambda _, lease: lease.ends <= now)


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


def uncounted(key: CacheKey, tier: Tier, found: bool) -> None:
    """Counts nothing."""


class _Copy(NamedTuple):
    stamp: str
    items: Items
    trusted_until: float


class _Loading(NamedTuple):
    token: str | None
    task: asyncio.Task[Items]


class TieredCache(CacheTier):
    """The CacheTier. A copy is used when the authority says that it is still the entry: a small question, no bytes.

    With `trust` a copy is also used without asking, for that many seconds after the last question. Changes take as much
    longer: they return when no replica can use an older copy any more. Clocks need not agree on the time, only on the
    length of a second. `count` is called with each lookup in a tier, and whether it was a hit.
    """

    def __init__(
        self,
        entries: CacheEntries,
        *,
        local_bytes: int = DEFAULT_BYTES,
        trust: float = 0.0,
        deadline: float = DEADLINE,
        breaker: Breaker | None = None,
        count: Count = uncounted,
        alone: bool = False,
        retry_seconds: float = RETRY_SECONDS,
    ) -> None:
        """`alone`: the entries are this process's own, so that no timeout is needed."""
        self._entries = entries
        self._copies: LruCache[CacheKey, _Copy] = LruCache(local_bytes)
        self._trust = trust
        self._deadline = deadline
        self._breaker = breaker or Breaker()
        self._count = count
        self._alone = alone
        self._retry_seconds = retry_seconds
        self._look: RequestCoalescer[Items | CacheMiss] = RequestCoalescer()
        self._loading: dict[CacheKey, _Loading] = {}

    async def get(self, key: CacheKey, *, refresh: bool = False) -> Items | None:
        found = await self._find(key, refresh=refresh)
        return None if isinstance(found, CacheMiss) else found

    async def load(self, key: CacheKey, load: Load) -> Items:
        """While the shared cache is away, callers share loads in each process."""
        trusted = self._trusted(key)
        if trusted is not None:
            return trusted
        until, find = None, partial(self._find, key, refresh=True, lease=True)
        while isinstance(found := await (find() if self._alone else self._look.ask(key, find)), CacheMiss):
            loading = self._loading.get(key)
            if found is _AWAY or found.token is not None:
                # another token's load began before the last change
                is_ours = loading is not None and (found is _AWAY or loading.token == found.token)
                return await (asyncio.shield(loading.task) if loading and is_ours else self._begin(key, found, load))
            until = until or time.monotonic() + self._retry_seconds
            if loading is not None:
                await asyncio.shield(loading.task)
            elif time.monotonic() > until:
                return await self._begin(key, found, load)
            else:
                await asyncio.sleep(_PAUSE)
        return found

    async def set(self, key: CacheKey, items: Items) -> None:
        await self._change([key], lambda: self._entries.write(key, items))

    async def update(self, key: CacheKey, change: Callable[[Items], Items]) -> Items | None:
        while isinstance(found := await self._in_time(lambda: self._entries.read(key)), CacheHit):
            items, stamp = change(found.items), found.stamp
            replace = partial(self._entries.write, key, items, instead_of=stamp)
            if items == found.items or await self._change([key], replace) is not None:
                return items
        return None

    async def delete(self, *keys: CacheKey) -> None:
        await self._change(keys, lambda: self._entries.delete(keys))

    async def forget(self, tenant: str, group: str) -> None:

        def drop() -> None:
            self._copies.drop_if(lambda key, _: key.tenant == tenant and group in key.groups)

        await self._change_behind(drop, lambda: self._entries.forget(tenant, group), SECONDS_TO_FORGET)

    async def remove(self, tenant: str, prefix: str) -> int:

        def drop() -> None:
            self._copies.drop_if(lambda key, _: key.tenant == tenant and key.resource.startswith(prefix))

        return await self._change_behind(drop, lambda: self._entries.remove(tenant, prefix), _SECONDS_TO_REMOVE)

    def _trusted(self, key: CacheKey) -> Items | None:
        copy = self._copies.get(key) if self._trust else None
        if copy is None or time.monotonic() >= copy.trusted_until:
            return None
        self._count(key, "local", True)
        return copy.items

    async def _find(self, key: CacheKey, *, refresh: bool, lease: bool = False) -> Items | CacheMiss:
        trusted = self._trusted(key)
        if trusted is not None:
            return trusted
        copy = self._copies.get(key)
        asked = time.monotonic()
        try:
            known = copy.stamp if copy else None
            answer = await self._in_time(lambda: self._entries.read(key, known=known, refresh=refresh, lease=lease))
        except CacheUnavailable:
            self._copies.pop(key)
            return _AWAY
        if isinstance(answer, CacheMiss):
            self._count(key, "shared", False)
            self._copies.pop(key)
            return answer
        found = answer if isinstance(answer, CacheHit) else copy
        assert found is not None  # noqa: S101 - without a copy no stamp was asked about
        self._count(key, "local" if found is copy else "shared", True)
        if not self._alone:
            self._copies.put(key, _Copy(found.stamp, found.items, asked + self._trust), size_of(key, found.items))
        return found.items

    async def _begin(self, key: CacheKey, absent: CacheMiss, load: Load) -> Items:
        """Load for all waiting callers; cancelling one cancels the load for no other."""
        task = asyncio.create_task(self._fill(key, absent.token, load))
        loading = self._loading[key] = _Loading(absent.token, task)
        task.add_done_callback(lambda _: self._loading.pop(key) if self._loading.get(key) is loading else None)
        return await asyncio.shield(task)

    async def _fill(self, key: CacheKey, token: str | None, load: Load) -> Items:
        """The result of `load`, kept if the key was not changed since the token was given."""
        try:
            items = await load()
        except BaseException:
            if token is not None:  # let the next reader try at once
                with suppress(CacheUnavailable):
                    await self._in_time(lambda: self._entries.delete([key]))
            raise
        if token is not None:
            with suppress(CacheUnavailable):
                await self._in_time(lambda: self._entries.write(key, items, token))
        return items

    async def _change(self, keys: Sequence[CacheKey], change: Callable[[], Awaitable[T]]) -> T:
        """Change the entries, and return when every replica sees it."""

        def drop() -> None:
            for key in keys:
                self._copies.pop(key)

        return await self._change_behind(drop, change)

    async def _change_behind(
        self, drop: Callable[[], None], change: Callable[[], Awaitable[T]], at_least: float = 0.0
    ) -> T:
        drop()
        try:
            result = await self._in_time(change, at_least)
        finally:
            drop()  # a read of this replica may have come in between
        await asyncio.sleep(self._trust)
        return result

    async def _in_time(self, ask: Callable[[], Awaitable[T]], at_least: float = 0.0) -> T:
        if self._alone:
            return await ask()
        if not self._breaker.admits():
            raise CacheUnavailable("The shared cache has not answered for a while; it is tried again soon.")
        try:
            async with AnswerTimeout(max(self._deadline, at_least)):
                result = await ask()
        except (CacheUnavailable, TimeoutError) as error:
            self._breaker.failed()
            raise CacheUnavailable("The shared cache does not answer in time. Try again.") from error
        self._breaker.succeeded()
        return result

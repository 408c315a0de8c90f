"""The general cache: copies in this process, over the entries of an authority that all replicas share."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Literal, NamedTuple, TypeVar

from recuerdo.caching.entries import DEFAULT_BYTES, size_of
from recuerdo.caching.guard import DEADLINE
from recuerdo.concurrency.breaker import Breaker
from recuerdo.concurrency.coalescer import RequestCoalescer
from recuerdo.concurrency.lru import LruCache
from recuerdo.concurrency.tasks import AnswerTimeout
from recuerdo.core.cache_ports import CacheEntries, CacheTier
from recuerdo.core.caches import CacheHit, CacheKey, CacheMiss, Items
from recuerdo.core.errors import CacheUnavailable

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

T = TypeVar("T")


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

    With `trust` a copy is also used without asking, for so many seconds after the last question. Changes take as much
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

    async def range(self, key: CacheKey, first: int = 0, last: int | None = None) -> Items | None:
        part = slice(first, last)
        if self._copies.get(key) is not None:
            items = await self.get(key)
            return None if items is None else items[part]
        found: object = None
        with suppress(CacheUnavailable):
            found = await self._in_time(lambda: self._entries.read(key, part=part))
        self._count(key, "shared", isinstance(found, CacheHit))
        return found.items if isinstance(found, CacheHit) else None

    async def load(self, key: CacheKey, load: Load) -> Items:
        """While the shared cache is away, callers share loads in each process."""
        trusted = self._trusted(key)
        if trusted is not None:
            return trusted
        until = None
        while isinstance(found := await self._find_or_lease(key), CacheMiss):
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

    async def append(self, key: CacheKey, items: Items) -> bool:
        return await self._change([key], lambda: self._entries.extend(key, items))

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
        return self._interpret(key, copy, answer, asked)

    def _interpret(self, key: CacheKey, copy: _Copy | None, answer: object, asked: float) -> Items | CacheMiss:
        """Interpret the authority's answer."""
        if isinstance(answer, CacheMiss):
            self._count(key, "shared", False)
            self._copies.pop(key)
            return answer
        if isinstance(answer, CacheHit):
            self._count(key, "shared", True)
            self._keep(key, answer.stamp, answer.items, asked)
            return answer.items
        assert copy is not None  # noqa: S101 - without one no stamp was asked about
        self._count(key, "local", True)
        self._keep(key, copy.stamp, copy.items, asked)
        return copy.items

    def _keep(self, key: CacheKey, stamp: str, items: Items, asked: float) -> None:
        if self._alone:
            return
        self._copies.put(key, _Copy(stamp, items, asked + self._trust), size_of(key, items))

    async def _find_or_lease(self, key: CacheKey) -> Items | CacheMiss:
        if self._alone:
            return await self._find(key, refresh=True, lease=True)
        return await self._look.ask(key, lambda: self._find(key, refresh=True, lease=True))

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

"""Entries of any kind in Redis: one list each, whose first item tells the stamp, the latest end, and whose it is.

Each group of entries has a generation beside them, a random text. The first item tells the generations under which the
entry was written, too: with another one it counts as absent.
"""

import secrets
from collections.abc import Mapping, Sequence
from functools import lru_cache

from recuerdo.adapters.redis import scripts
from recuerdo.adapters.redis.connection import Call, RedisCache, translated
from recuerdo.caching.tiered import LEASE_SECONDS
from recuerdo.core.cache_ports import CacheEntries
from recuerdo.core.caches import (
    GENERATION_SECONDS,
    LIVES,
    CacheHit,
    CacheKey,
    CacheMiss,
    DataType,
    Items,
    Life,
    Unchanged,
)
from recuerdo.core.identifiers import digest, measured

_KEYS_AT_A_TIME = 1000


class RedisEntries(CacheEntries):
    """The CacheEntries over Redis, a Valkey or a cluster: all replicas see the same."""

    def __init__(self, cache: RedisCache, lives: Mapping[DataType, Life] = LIVES, lease: float = LEASE_SECONDS) -> None:
        self._client = cache.client
        generations = scripts.load("entry_generations")
        self._read, self._write = (
            cache.script(generations + scripts.load(name)) for name in ("entry_read", "entry_write")
        )
        self._purge, self._forget = (cache.script(scripts.load(name)) for name in ("purge", "entry_forget"))
        self._lives = {data: tuple(int(seconds * 1000) for seconds in life) for data, life in lives.items()}
        self._lease = int(lease * 1000)

    async def read(
        self, key: CacheKey, *, known: str | None = None, refresh: bool = False, lease: bool = False
    ) -> CacheHit | Unchanged | CacheMiss:
        token, ttl = secrets.token_hex(8) if lease else "", self._lives[key.data][0]
        arguments = (*_generation(key), _owner(key), known or "", ttl if refresh else "", token, self._lease)
        answer = await self._read.run(Call(_keys(key), arguments))
        match answer[0]:
            case b"same":
                return Unchanged()
            case b"hit":
                return CacheHit(answer[1].decode(), tuple(answer[2]))
            case b"lease":
                return CacheMiss(token)
            case _:
                return CacheMiss()

    async def write(
        self, key: CacheKey, items: Items, token: str | None = None, *, instead_of: str | None = None
    ) -> str | None:
        stamp = secrets.token_hex(8)
        arguments = (
            *_generation(key),
            *(token or "", instead_of or "", stamp, _owner(key), *self._lives[key.data], *items),
        )
        return stamp if await self._write.run(Call(_keys(key), arguments)) else None

    async def delete(self, keys: Sequence[CacheKey]) -> None:
        await self._purge.run_all([Call(_keys(key)[:2], ()) for key in keys])

    async def forget(self, tenant: str, group: str) -> None:
        call = Call((_group(digest(tenant), group),), (secrets.token_hex(8), int(GENERATION_SECONDS * 1000)))
        await self._forget.run(call)

    async def remove(self, tenant: str, prefix: str) -> int:
        removed, wanted = 0, (measured(tenant), prefix.encode())
        with translated():
            async for key in self._client.scan_iter(match="recuerdo:*:entry", count=_KEYS_AT_A_TIME):
                head = await self._client.lindex(key, 0) or b""
                if all(part in head for part in wanted):
                    removed += await self._client.delete(key)
        return removed


@lru_cache(10_000)
def _keys(key: CacheKey) -> tuple[str, ...]:
    """The entry, its lease, and the generations of its groups, all in one slot."""
    name = digest(key.tenant, key.data, key.resource)
    if not key.groups:
        return f"recuerdo:{{{name}}}:entry", f"recuerdo:{{{name}}}:entry-lease"
    slot = digest(key.tenant)
    generations = [_group(slot, group) for group in key.groups]
    return f"recuerdo:{{{slot}}}:{name}:entry", f"recuerdo:{{{slot}}}:{name}:entry-lease", *generations


def _group(slot: str, group: str) -> str:
    return f"recuerdo:{{{slot}}}:{digest(group)}:generation"


def _generation(key: CacheKey) -> tuple[str, int]:
    """A generation in case one has to begin with this call, and its lifetime in milliseconds."""
    return secrets.token_hex(8) if key.groups else "", int(GENERATION_SECONDS * 1000)


@lru_cache(10_000)
def _owner(key: CacheKey) -> bytes:
    """The entry's owner, compared at every read, so that not even a collision of digests mixes tenants up."""
    return measured(key.tenant, key.data, key.resource)

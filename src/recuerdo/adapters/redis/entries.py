"""Entries of any kind in Redis: one list each, whose first item tells the stamp, the latest end, and whose it is."""

import secrets
from collections.abc import Mapping, Sequence

from recuerdo.adapters.redis import scripts
from recuerdo.adapters.redis.connection import Call, RedisCache
from recuerdo.caching.entries import LEASE_SECONDS
from recuerdo.caching.keys import digest
from recuerdo.core.caches import LIVES, WHOLE, Absent, CacheKey, DataType, Found, Items, Life, Unchanged


class RedisEntries:
    """The CacheEntries over Redis, a Valkey or a cluster: all replicas see the same."""

    def __init__(self, cache: RedisCache, lives: Mapping[DataType, Life] = LIVES, lease: float = LEASE_SECONDS) -> None:
        self._read, self._write, self._extend, self._purge = (
            cache.script(scripts.load(name)) for name in ("entry_read", "entry_write", "entry_extend", "purge")
        )
        self._lives = {data: tuple(int(seconds * 1000) for seconds in life) for data, life in lives.items()}
        self._lease = int(lease * 1000)

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
        token, ttl = secrets.token_hex(8) if lease else "", self._lives[key.data][0]
        first, last = part.start or 0, -1 if part.stop is None else part.stop - 1
        if part.stop == 0:
            first, last = 1, 0
        arguments = (_owner(key), known or "", ttl if refresh else "", first, last, token, self._lease)
        answer = await self._read.run(Call(_keys(key), arguments))
        match answer[0]:
            case b"same":
                return Unchanged()
            case b"hit":
                return Found(answer[1].decode(), tuple(answer[2]))
            case b"lease":
                return Absent(token)
            case _:
                return Absent()

    async def write(self, key: CacheKey, items: Items, token: str | None = None) -> str | None:
        """See CacheEntries."""
        stamp = secrets.token_hex(8)
        call = Call(_keys(key), (token or "", stamp, _owner(key), *self._lives[key.data], *items))
        return stamp if await self._write.run(call) else None

    async def extend(self, key: CacheKey, items: Items) -> bool:
        """See CacheEntries."""
        return bool(await self._extend.run(Call(_keys(key), (secrets.token_hex(8), _owner(key), *items))))

    async def delete(self, keys: Sequence[CacheKey]) -> None:
        """See CacheEntries."""
        await self._purge.run_all([Call(_keys(key), ()) for key in keys])


def _keys(key: CacheKey) -> tuple[str, str]:
    slot = digest(key.tenant, key.data, key.resource)
    return f"recuerdo:{{{slot}}}:entry", f"recuerdo:{{{slot}}}:entry-lease"


def _owner(key: CacheKey) -> bytes:
    """Whose the entry is: compared at every read, so that not even a collision of digests mixes tenants up."""
    return b"".join(b"%d:%b" % (len(part), part) for part in map(str.encode, (key.tenant, key.data, key.resource)))

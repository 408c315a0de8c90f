"""From a cache URL to a cache for anything: not in the registry, since most programs never ask for one."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from recuerdo.adapters.registry import open_shared_cache
from recuerdo.caching.entries import LocalEntries
from recuerdo.caching.guard import DEADLINE
from recuerdo.caching.tiered import Count, TieredCache, uncounted


@asynccontextmanager
async def open_cache_tier(
    url: str | None, *, trust: float = 0.0, deadline: float = DEADLINE, count: Count = uncounted
) -> AsyncGenerator[TieredCache]:
    """The cache for anything; see TieredCache. Without a URL it is this process's own.

    The URLs are those of `open_history_cache`. Raises ConfigurationError and MissingExtra.
    """
    if url is None:
        yield TieredCache(LocalEntries(), local_bytes=0, count=count, alone=True)
        return
    async with open_shared_cache(url) as shared:
        yield TieredCache(shared.entries, trust=trust, deadline=deadline, count=count)

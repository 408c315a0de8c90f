"""What Redis says of itself."""

from typing import Any

from redis.asyncio import RedisCluster

from recuerdo.adapters.redis.connection import RedisCache, translated
from recuerdo.adapters.redis.history import ENTRIES
from recuerdo.caching.statistics import CacheStatistics

_KEYS_AT_A_TIME = 1000


async def statistics(cache: RedisCache) -> CacheStatistics:
    """Counts of the server, or of all masters of a cluster. Goes through all keys. Raises CacheUnavailable."""
    with translated():
        nodes = await _information(cache)
        threads = 0
        async for _ in cache.client.scan_iter(match=ENTRIES, count=_KEYS_AT_A_TIME):
            threads += 1
    return CacheStatistics(
        threads=threads,
        used_bytes=_total(nodes, "used_memory"),
        most_bytes=_total(nodes, "maxmemory"),
        hits=_total(nodes, "keyspace_hits"),
        misses=_total(nodes, "keyspace_misses"),
        evicted=_total(nodes, "evicted_keys"),
        expired=_total(nodes, "expired_keys"),
        nodes=len(nodes),
    )


async def _information(cache: RedisCache) -> list[dict[str, Any]]:
    if isinstance(cache.client, RedisCluster):
        client: Any = cache.client
        return list((await client.info(target_nodes=RedisCluster.PRIMARIES)).values())
    return [await cache.client.info()]


def _total(nodes: list[dict[str, Any]], name: str) -> int:
    return sum(int(node.get(name, 0)) for node in nodes)

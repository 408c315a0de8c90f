"""Connections to a Redis Cluster, which redis-py opens as they are needed."""

import asyncio

from recuerdo.adapters.redis import RedisCache


async def test_a_cluster_that_was_to_be_looked_at_anew_is_left_without_an_open_connection(redis_cluster_url: str):
    async with RedisCache.open(f"redis+cluster{redis_cluster_url.removeprefix('redis')}") as cache:
        await asyncio.gather(*[cache.get(f"key-{number}") for number in range(30)])
        nodes = [*cache.client.nodes_manager.nodes_cache.values()]
        opened = [connection for node in nodes for connection in node._connections]
        cache.client._initialize = True  # as behind a failure
    assert len(opened) >= 3
    assert not [connection for connection in opened if connection.is_connected]

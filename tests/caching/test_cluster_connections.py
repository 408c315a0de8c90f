"""The client of a Redis Cluster whose connections are closed under way, as redis-py does where one node fails."""

import asyncio

from recuerdo.adapters.redis import RedisCache


async def test_a_command_is_answered_though_the_cluster_is_looked_at_anew_beside_it(redis_cluster_url):
    for steps in range(40):
        async with RedisCache.open(f"redis+cluster{redis_cluster_url.removeprefix('redis')}") as cache:
            await cache.run(("GET", "first"))
            commands = [cache.run(("SET", f"key {number}", "value")) for number in range(5)]
            assert await asyncio.gather(_looks_anew(cache, steps), *commands) == [None, *[True] * 5]


async def _looks_anew(cache, steps):
    for _ in range(steps):
        await asyncio.sleep(0)
    await cache.client.aclose()

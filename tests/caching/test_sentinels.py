"""A cache whose address Sentinels tell, and whose master changes."""

import asyncio
import time

import pytest

from recuerdo import Message, MessageWindow, Recuerdo
from recuerdo.adapters.redis import RedisCache
from recuerdo.core.errors import CacheUnavailable, ConfigurationError
from servers.patience import PATIENCE
from servers.valkey import running_sentinel, running_valkey


@pytest.mark.parametrize("direct", [True, False])
async def test_the_replica_that_sentinels_promote_is_used_without_a_new_start(direct: bool) -> None:
    with (
        running_valkey() as master,
        running_valkey(replicaof=f"127.0.0.1 {master.port}") as replica,
        running_sentinel(master) as sentinel,
    ):
        async with RedisCache.open(sentinel.url, direct=direct) as cache:
            await cache.set("key", b"1")
            assert await cache.run(("GET", "key")) == b"1"
            deadline = time.monotonic() + PATIENCE
            while not sentinel.knows_a_replica():
                assert time.monotonic() < deadline
                await asyncio.sleep(0.05)
            master.kill()
            while not await _is_set(cache):
                assert time.monotonic() < deadline
                await asyncio.sleep(0.05)
            assert await cache.run(("GET", "key")) == b"2"
        with replica.client() as client:
            assert client.get("key") == "2"


async def _is_set(cache: RedisCache) -> bool:
    try:
        await cache.set("key", b"2")
    except CacheUnavailable:
        return False
    return True


async def test_a_window_is_cached_through_sentinels() -> None:
    with running_valkey() as master, running_sentinel(master) as sentinel:
        async with Recuerdo.open("memory://", cache=sentinel.url, embeddings="none") as memory:
            thread = memory.thread(tenant="acme", user="emi", thread="t-1")
            await thread.append(Message.user("hola"))
            assert [each.text for each in await thread.window(MessageWindow(5))] == ["hola"]
        with master.client() as client:
            assert client.keys("recuerdo:*")


@pytest.mark.parametrize("url", ["redis+sentinel://localhost", "redis+sentinel://a:b/n", "redis+sentinel://a/n?x=1"])
async def test_a_url_without_a_name_or_with_unknown_options_is_refused_by_an_error_that_shows_one(url: str) -> None:
    with pytest.raises(ConfigurationError, match="host:26379,host:26379/master/0"):
        async with RedisCache.open(url):
            pass

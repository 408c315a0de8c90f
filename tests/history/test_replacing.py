"""A conversation is replaced as a whole, for every replica and over HTTP."""

import asyncio

import pytest

from recuerdo.adapters.local import LocalDatabase, LocalHistory
from recuerdo.adapters.redis import RedisCache, RedisHistory
from recuerdo.caching.history import CachedHistory, HistoryTiers, LocalTier
from recuerdo.core.threads import MessageQuery
from recuerdo.testing.samples import fresh_scope, request, said, say, texts


@pytest.mark.parametrize("is_shared", [True, False], ids=["shared cache", "own caches"])
async def test_two_replicas_read_one_conversation_whole(redis_url: str, is_shared: bool) -> None:
    """While one replaces it, the other reads the old or the new one, and the new one once it is acknowledged."""
    scope = fresh_scope()
    async with RedisCache.open(redis_url) as client:
        database = LocalHistory(LocalDatabase())
        writer, reader = (
            CachedHistory(database, HistoryTiers(LocalTier(), RedisHistory(client) if is_shared else None))
            for _ in range(2)
        )
        await say(writer, scope, *["0"] * 3)
        for n in range(1, 8):
            async with asyncio.TaskGroup() as group:
                replacing = group.create_task(writer.replace(request(scope, *[said(str(n)) for _ in range(3 + n)])))
                is_over = False
                while not is_over:
                    is_over = replacing.done()
                    found = texts((await reader.page(scope, MessageQuery())).records)
                    assert found in ([str(n - 1)] * (2 + n), [str(n)] * (3 + n))
                    await asyncio.sleep(0)
            version = replacing.result().version
            assert texts((await reader.page(scope, MessageQuery())).records) == [str(n)] * (3 + n)
            assert texts((await reader.cached_tail(scope, 50, version)).records) == [str(n)] * (3 + n)

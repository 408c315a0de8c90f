"""Cached reads take from a shared cache what they need, and no more."""
# pyright: basic

import pytest

from recuerdo.adapters.local import LocalDatabase, LocalHistory
from recuerdo.adapters.redis import RedisCache, RedisHistory
from recuerdo.caching.history import MOST_RECORDS, CachedHistory, HistoryTiers, LocalTier
from recuerdo.core.threads import NOWHERE, MessageQuery
from recuerdo.testing.samples import fill, fresh_scope, say, seqs, texts


class AskedCache(RedisHistory):
    """A Redis cache that writes down how many messages it is asked for."""

    asked: list[int]

    async def read(self, scope, at_least, wanted, head=None):
        self.asked.append(wanted)
        return await super().read(scope, at_least, wanted, head)


class SilentHistory(LocalHistory):
    """A database that can be told to answer no more."""

    is_silent = False

    async def head(self, scope):
        assert not self.is_silent
        return await super().head(scope)

    async def tail(self, scope, limit, **bounds):
        assert not self.is_silent
        return await super().tail(scope, limit, **bounds)

    async def page(self, scope, query):
        assert not self.is_silent
        return await super().page(scope, query)


@pytest.fixture
def database():
    return SilentHistory(LocalDatabase())


@pytest.fixture
async def shared(redis_url):
    async with RedisCache.open(redis_url) as client:
        cache = AskedCache(client)
        cache.asked = []
        yield cache


@pytest.fixture
def history(database, shared):
    return CachedHistory(database, HistoryTiers(LocalTier(), shared))


async def warm(history, scope, shared, database):
    """Let the shared cache know the thread, and the database answer no more."""
    await history.cached_page(scope, MessageQuery(), NOWHERE)
    shared.asked.clear()
    database.is_silent = True


async def test_a_short_read_takes_little(history, shared, database):
    """A window of five asks the cache for six messages, however many it has: one more tells that there are more."""
    scope = fresh_scope()
    await fill(history, scope, 60)
    await warm(history, scope, shared, database)
    tail = await history.cached_tail(scope, 5, NOWHERE)
    page = await history.cached_page(scope, MessageQuery(limit=5), NOWHERE)
    assert (seqs(tail.records), tail.complete) == ([56, 57, 58, 59, 60], False)
    assert (seqs(page.records), page.more) == ([56, 57, 58, 59, 60], True)
    assert shared.asked == [6, 6]


async def test_a_read_that_needs_more_takes_all(history, shared, database):
    """Where the newest messages are archived, the cache is asked for everything it has before the database is."""
    scope = fresh_scope()
    await fill(history, scope, 60)
    await history.archive(scope, 51, 60, True)
    await warm(history, scope, shared, database)
    tail = await history.cached_tail(scope, 5, NOWHERE)
    page = await history.cached_page(scope, MessageQuery(limit=5), NOWHERE)
    assert seqs(tail.records) == seqs(page.records) == [46, 47, 48, 49, 50]
    assert shared.asked == [6, MOST_RECORDS, 6, MOST_RECORDS]


@pytest.mark.parametrize("said", [("",), ("ñandú", "a\nb", '"', "x" * 70_000), ()])
async def test_messages_come_back_byte_by_byte(history, shared, database, said):
    """Messages of any length and signs are told apart where the cache joins them."""
    scope = fresh_scope()
    await say(history, scope, "first", *said)
    await warm(history, scope, shared, database)
    page = await history.cached_page(scope, MessageQuery(limit=10), NOWHERE)
    assert texts(page.records) == ["first", *said]
    assert seqs(page.records) == list(range(1, len(said) + 2))

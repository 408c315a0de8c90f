"""The guard of the shared cache over a real Redis that goes away for a while."""
# pyright: basic

import asyncio
import time

import pytest

from recuerdo.adapters.local import LocalDatabase, LocalHistory
from recuerdo.adapters.redis import RedisCache, RedisHistory
from recuerdo.caching.guard import DEADLINE, GuardedCache
from recuerdo.caching.history import CachedHistory, HistoryTiers, LocalTier
from recuerdo.core.errors import DatabaseUnavailable
from recuerdo.core.threads import NOWHERE, Lease, Snapshot
from recuerdo.testing.samples import fresh_scope, say, texts

NO_ROOM = 0
MOST_STALE = 3


@pytest.fixture
async def guard(proxy):
    async with RedisCache.open(f"redis://127.0.0.1:{proxy.port}/0") as cache:
        guard = GuardedCache(RedisHistory(cache), deadline=5, most_stale=MOST_STALE)
        yield guard
        await guard.aclose()


@pytest.fixture
def history(guard):
    return CachedHistory(LocalHistory(LocalDatabase()), HistoryTiers(LocalTier(NO_ROOM), guard))


async def shown(history, scope):
    return texts((await history.cached_tail(scope, 10, NOWHERE)).records)


@pytest.mark.parametrize("threads", [MOST_STALE, MOST_STALE + 1])
async def test_what_an_outage_made_stale_is_never_shown_and_purged_behind_it(history, guard, proxy, threads):
    """Thread by thread, or all that there is when too many threads are stale to be kept in mind."""
    scopes = [fresh_scope() for _ in range(threads)]
    for scope in scopes:
        await say(history, scope, "before")
        await shown(history, scope)
    proxy.cut()
    for scope in scopes:
        await say(history, scope, "meanwhile")
    assert guard.stale_threads == MOST_STALE
    proxy.heal()
    for scope in scopes:
        assert await shown(history, scope) == ["before", "meanwhile"]
    while guard.stale_threads:  # noqa: ASYNC110 - the guard tells nobody when it is done
        await asyncio.sleep(0.05)
    for scope in scopes:
        assert await shown(history, scope) == ["before", "meanwhile"]


async def test_a_cache_that_refuses_is_told_once_and_why(history, guard, valkey, caplog):
    """Nothing else would say that all reads go to the database, for as long as it lasts."""
    caplog.set_level("INFO", "recuerdo.caching.guard")
    with valkey.client() as client:
        client.execute_command("ACL", "SETUSER", "default", "-evalsha")
        try:
            for number in range(10):
                await say(history, fresh_scope(), f"m{number}")
        finally:
            client.execute_command("ACL", "SETUSER", "default", "+evalsha")
    while guard.stale_threads:  # noqa: ASYNC110 - the guard tells nobody when it is done
        await asyncio.sleep(0.05)
    refused, healed = caplog.messages
    assert "NOPERM" in refused
    assert "answers again" in healed


async def test_purging_all_leaves_no_entry_and_no_lease(history, guard, valkey):
    """Nothing that a reader has read before can be filled in behind it."""
    scope = fresh_scope()
    await say(history, scope, "m1")
    lease = await guard.read(scope, NOWHERE, 10)
    snapshot = await history.snapshot(scope, 10)
    other = fresh_scope()
    await say(history, other, "m1")
    await shown(history, other)
    await guard.purge_all()
    with valkey.client() as client:
        assert client.dbsize() == 0
    assert not await guard.fill(scope, lease, snapshot)


@pytest.fixture
async def quick(proxy):
    """The guard with the deadline of a server."""
    async with RedisCache.open(f"redis://127.0.0.1:{proxy.port}/0") as cache:
        guard = GuardedCache(RedisHistory(cache))
        yield guard
        await guard.aclose()


class Away(LocalHistory):
    """A database that can be away."""

    is_away = False

    async def head(self, scope):
        if self.is_away:
            raise DatabaseUnavailable("away")
        return await super().head(scope)


async def _known(guard):
    """A history whose thread the cache has, the thread, and the database behind."""
    database, scope = Away(LocalDatabase()), fresh_scope()
    history = CachedHistory(database, HistoryTiers(LocalTier(NO_ROOM), guard))
    while not await _is_in_cache(guard, scope):  # the machine may be busy
        await say(history, scope, "before") if not (await history.head(scope)).version.seq else None
        await shown(history, scope)
    return history, scope, database


async def _is_in_cache(guard, scope):
    return not isinstance(await guard.read(scope, NOWHERE, 10), Lease)


async def test_an_update_that_comes_late_leaves_the_thread_in_the_cache(quick, proxy):
    """While the database is away nobody could fill it in again: a chat would forget its thread."""
    history, scope, database = await _known(quick)
    proxy.slow(0.1)
    await say(history, scope, "late")
    assert quick.stale_threads == 1
    proxy.slow(0)
    database.is_away = True
    assert await shown(history, scope) == ["before", "late"]


async def test_a_cache_that_is_slow_for_a_moment_answers_when_nobody_else_can(quick, proxy):
    """It is asked again, though not for longer than a moment."""
    history, scope, database = await _known(quick)
    database.is_away = True
    proxy.slow(0.1)
    asyncio.get_running_loop().call_later(0.15, proxy.slow, 0)
    assert await shown(history, scope) == ["before"]


async def test_an_answer_that_is_there_counts_though_the_loop_is_late(quick):
    """The server was busy, and not the cache."""
    _, scope, _ = await _known(quick)
    asked = asyncio.create_task(quick.read(scope, NOWHERE, 10))
    await asyncio.sleep(0)
    time.sleep(4 * DEADLINE)  # noqa: ASYNC251 - what else keeps the event loop busy
    assert isinstance(await asked, Snapshot)

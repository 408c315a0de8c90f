"""Sessions are bound to threads, to users and to tenants, the same on every replica."""

import asyncio

import pytest

from recuerdo.adapters.redis import RedisCache, RedisEntries
from recuerdo.caching.tiered import TieredCache
from recuerdo.contexts import Sessions
from recuerdo.core.errors import InvalidInput, NotFound
from recuerdo.core.identifiers import new_id
from recuerdo.core.scope import Owner
from servers.proxy import running_proxy

EMI = Owner("acme", "emi")


@pytest.fixture
async def replicas(redis_url):
    async with RedisCache.open(redis_url) as one, RedisCache.open(redis_url) as two:
        yield [Sessions(TieredCache(RedisEntries(each), deadline=5.0)) for each in (one, two)]


@pytest.fixture
def session():
    return f"s-{new_id()}"


async def test_a_session_stays_in_its_thread_on_every_replica_until_it_is_moved(replicas, session):
    here, there = replicas
    assert (await here.bind(EMI, session, "t-1", "support")).thread == "t-1"
    found = await there.bind(EMI, session)
    assert (found.thread, found.assistant_id) == ("t-1", "support")
    assert (await there.bind(EMI, session, "t-2")).thread == "t-2"
    found = await here.bind(EMI, session)
    assert (found.thread, found.assistant_id) == ("t-2", "support")


async def test_a_session_without_a_thread_gets_one_of_its_own(replicas, session):
    here, there = replicas
    found = await here.bind(EMI, session)
    assert found == await there.bind(EMI, session)
    assert found.thread != (await here.bind(EMI, f"{session}-2")).thread


@pytest.mark.parametrize("foreign", [Owner("acme", "ana"), Owner("zeta", "emi"), Owner("acme", "anonymous")])
async def test_a_session_of_another_user_or_tenant_is_not_found(replicas, session, foreign):
    here, there = replicas
    await here.bind(EMI, session, "t-1")
    for replica in (here, there):
        with pytest.raises(NotFound):
            await replica.bind(foreign, session, "t-1")
    assert (await there.bind(EMI, session)).thread == "t-1"


async def test_of_those_who_come_at_the_same_moment_one_has_the_session(replicas, session):
    owners = [Owner("acme", f"u-{number}") for number in range(20)]
    found = await asyncio.gather(
        *[replicas[n % 2].bind(owner, session) for n, owner in enumerate(owners)], return_exceptions=True
    )
    assert sum(not isinstance(each, NotFound) for each in found) == 1


async def test_without_the_shared_cache_a_session_goes_on_in_the_thread_that_it_names(redis_url, session):
    port = int(redis_url.rpartition(":")[2].partition("/")[0])
    with running_proxy(port) as proxy:
        async with RedisCache.open(f"redis://127.0.0.1:{proxy.port}/0") as cache:
            sessions = Sessions(TieredCache(RedisEntries(cache), deadline=0.5))
            await sessions.bind(EMI, session, "t-1")
            proxy.cut()
            assert (await sessions.bind(EMI, session, "t-2")).thread == "t-2"


async def test_what_can_be_no_session_is_refused(replicas):
    for wrong in ("", "x" * 256, "a\nb"):
        with pytest.raises(InvalidInput, match="session_id"):
            await replicas[0].bind(EMI, wrong)

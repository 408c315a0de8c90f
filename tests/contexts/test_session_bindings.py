"""Sessions are bound to threads, to users and to tenants, the same on every replica, whatever the cache remembers."""

import asyncio
from contextlib import AsyncExitStack
from datetime import timedelta
from urllib.parse import urlsplit

import pytest

from recuerdo import Recuerdo
from recuerdo.adapters.local import LocalDatabase, LocalSessions
from recuerdo.adapters.postgres import PostgresDatabase, PostgresSessions
from recuerdo.adapters.redis import RedisCache, RedisEntries
from recuerdo.app.graphs import hosting
from recuerdo.caching.tiered import LocalEntries, TieredCache
from recuerdo.concurrency.tasks import in_background
from recuerdo.contexts import Sessions
from recuerdo.core.errors import DatabaseUnavailable, InvalidInput, NotFound
from recuerdo.core.identifiers import new_id
from recuerdo.core.retention import RetentionPolicy
from recuerdo.core.scope import ANONYMOUS, Owner
from recuerdo.testing import FakeClock
from servers.patience import PATIENCE
from servers.proxy import running_proxy

EMI = Owner("acme", "emi")
MINUTE = timedelta(minutes=1)


@pytest.fixture(params=["sqlite", "postgres", "mongodb"])
def database(request, tmp_path):
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/a.db"
    url = request.getfixturevalue(f"{request.param}_url")
    return f"{url}sessions" if request.param == "mongodb" else url


@pytest.fixture
async def opened(database, redis_url):
    """Two replicas, each a whole Recuerdo."""
    async with AsyncExitStack() as stack:
        yield [
            await stack.enter_async_context(Recuerdo.open(database, cache=redis_url, embeddings="none")) for _ in "12"
        ]


@pytest.fixture
async def replicas(opened, redis_url):
    async with AsyncExitStack() as stack:
        yield [(await stack.enter_async_context(hosting(memory))).sessions for memory in opened]


@pytest.fixture
def session():
    return f"s-{new_id()}"


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def alone(clock):
    """Sessions of one process whose clock stands still."""
    return Sessions(LocalSessions(LocalDatabase()), TieredCache(LocalEntries()), clock, shared=True)


async def test_a_session_stays_in_its_thread_on_every_replica_until_it_is_moved(replicas, session):
    here, there = replicas
    assert (await here.bind(EMI, session, "t-1", "support")).thread == "t-1"
    found = await there.bind(EMI, session)
    assert (found.thread, found.assistant_id) == ("t-1", "support")
    assert (await there.bind(EMI, session, "t-2")).thread == "t-2"
    found = await here.bind(EMI, session)
    assert (found.thread, found.assistant_id) == ("t-2", "support")


async def test_without_a_shared_cache_replicas_agree_too(database, session):
    async with (
        Recuerdo.open(database, embeddings="none") as one,
        Recuerdo.open(database, embeddings="none") as two,
    ):
        for number, replica in enumerate((one, two, one, two)):
            expected = f"t-{number - 1}" if number else (await replica.sessions.bind(EMI, session, "t--1")).thread
            assert (await replica.sessions.bind(EMI, session)).thread == expected
            assert (await replica.sessions.bind(EMI, session, f"t-{number}")).thread == f"t-{number}"


async def test_an_empty_cache_gives_nobody_the_session_of_another(replicas, redis_url, session):
    """It was an anonymous visitor's, in the thread that it was in, and it still is."""
    here, there = replicas
    visitor = Owner("acme", ANONYMOUS)
    await here.bind(visitor, session, "t-1")
    async with RedisCache.open(redis_url) as cache:
        await cache.client.flushall()
    with pytest.raises(NotFound):
        await there.bind(EMI, session)
    assert (await there.bind(visitor, session)).thread == "t-1"


async def test_a_session_without_a_thread_gets_one_of_its_own(replicas, session):
    here, there = replicas
    found = await here.bind(EMI, session)
    assert found == await there.bind(EMI, session)
    assert found.thread != (await here.bind(EMI, f"{session}-2")).thread


async def test_tenants_have_sessions_of_the_same_id_and_know_nothing_of_each_other(replicas, session):
    here, there = replicas
    foreign = Owner("zeta", "emi")
    assert (await here.bind(EMI, session, "t-1")).thread == "t-1"
    assert (await there.bind(foreign, session, "t-2")).thread == "t-2"
    assert [(await there.bind(owner, session)).thread for owner in (EMI, foreign)] == ["t-1", "t-2"]


@pytest.mark.parametrize("foreign", [Owner("acme", "ana"), Owner("acme", ANONYMOUS)])
async def test_a_session_of_another_user_is_not_found(replicas, session, foreign):
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


async def test_an_erased_user_has_no_sessions(opened, replicas, session):
    """Neither in the database nor in the cache: the id is anybody's, at once and at every replica."""
    here, there = replicas
    user = Owner("acme", f"u-{new_id()}")
    for replica in replicas:
        await replica.bind(user, session, "t-1")
    receipt = await opened[0].user(tenant=user.tenant, user=user.user).erase()
    assert (receipt.complete, receipt.others["sessions"]) == (True, 1)
    assert (await there.bind(EMI, session)).owner == EMI
    with pytest.raises(NotFound):
        await here.bind(user, session)


async def test_a_session_lives_an_hour_from_when_it_was_last_used(alone, clock):
    """A connection renews it with what it hears, and not with each message in the database."""
    bound = used = await alone.bind(EMI, "s", "t-1")
    stamps = set()
    for _ in range(200):
        clock.advance(MINUTE)
        used = await alone.renew(used)
        stamps.add(used.stamp)
    assert used.expires_at >= clock() + 60 * MINUTE
    assert len(stamps) < 200 / 4
    clock.advance(59 * MINUTE)
    with pytest.raises(NotFound):
        await alone.bind(Owner("acme", "ana"), "s")
    clock.advance(10 * MINUTE)
    assert (await alone.bind(Owner("acme", "ana"), "s")).user == "ana"
    with pytest.raises(NotFound):
        await alone.renew(bound)


async def test_a_session_lives_a_day_in_all(alone, clock):
    used = await alone.bind(EMI, "s", "t-1")
    for _ in range(24 * 2 - 1):
        clock.advance(30 * MINUTE)
        used = await alone.renew(used)
    assert used.expires_at == clock() + 30 * MINUTE
    clock.advance(30 * MINUTE)
    assert (await alone.bind(Owner("acme", "ana"), "s")).user == "ana"


async def test_a_renewal_moves_nothing(alone, clock):
    """A connection that is left open does not take the session back from the thread that a newer one named."""
    older = await alone.bind(EMI, "s", "t-1")
    await alone.bind(EMI, "s", "t-2")
    clock.advance(10 * MINUTE)
    await alone.renew(older)
    assert (await alone.bind(EMI, "s")).thread == "t-2"


async def test_what_has_expired_is_removed(database, clock):
    owner = Owner(f"acme-{new_id()}", "emi")
    async with Recuerdo.open(database, embeddings="none", clock=clock) as memory:
        sessions = [f"s-{new_id()}" for _ in range(3)]
        for each in sessions:
            await memory.sessions.bind(owner, each)
        clock.advance(70 * MINUTE)
        repository = memory.sessions._repository
        async with asyncio.timeout(PATIENCE), in_background(memory.maintenance.run(RetentionPolicy())):
            while any([await repository.find(owner.tenant, each) for each in sessions]):  # noqa: ASYNC110
                await asyncio.sleep(0.01)


async def test_without_the_shared_cache_sessions_are_found_in_the_database(redis_url, session, clock):
    port = urlsplit(redis_url).port
    with running_proxy(port) as proxy:
        async with RedisCache.open(f"redis://127.0.0.1:{proxy.port}/0") as cache:
            tier = TieredCache(RedisEntries(cache), deadline=0.5)
            sessions = Sessions(LocalSessions(LocalDatabase()), tier, clock, shared=True)
            await sessions.bind(EMI, session, "t-1")
            proxy.cut()
            assert (await sessions.bind(EMI, session)).thread == "t-1"
            assert (await sessions.bind(EMI, session, "t-2")).thread == "t-2"


@pytest.mark.usefixtures("usual_limits_of_postgres")
@pytest.mark.parametrize("shared", [True, False])
async def test_without_the_database_the_cache_answers_for_sessions_that_it_knows(
    postgres_url, redis_url, session, clock, shared
):
    with running_proxy(urlsplit(postgres_url).port) as proxy:
        away = urlsplit(postgres_url)
        netloc = away.netloc.replace(f":{away.port}", f":{proxy.port}")
        async with (
            PostgresDatabase.open(away._replace(netloc=netloc).geturl()) as database,
            RedisCache.open(redis_url) as cache,
        ):
            entries = RedisEntries(cache) if shared else LocalEntries()
            sessions = Sessions(PostgresSessions(database), TieredCache(entries, deadline=5.0), clock, shared=shared)
            bound = await sessions.bind(EMI, session, "t-1")
            proxy.cut()
            clock.advance(30 * MINUTE)  # a renewal is due
            assert (await sessions.bind(EMI, session)).thread == "t-1"
            assert (await sessions.renew(bound)).thread == "t-1"
            with pytest.raises(NotFound):
                await sessions.bind(Owner("acme", "ana"), session)
            with pytest.raises(DatabaseUnavailable):
                await sessions.bind(EMI, f"{session}-unknown")


async def test_what_can_be_no_session_is_refused(alone):
    for wrong in ("", "x" * 256, "a\nb"):
        with pytest.raises(InvalidInput, match="session_id"):
            await alone.bind(EMI, wrong)

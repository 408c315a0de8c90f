"""The contract of the cache for anything, over each choice of tiers, and two replicas against a plain dict."""

import asyncio
from contextlib import AsyncExitStack

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from recuerdo.adapters.redis import RedisCache, RedisEntries, entries
from recuerdo.adapters.registry import open_cache_tier
from recuerdo.caching.tiered import LocalEntries, TieredCache, TypedCache
from recuerdo.core.caches import CacheKey, Life
from recuerdo.core.errors import CacheUnavailable
from recuerdo.core.identifiers import new_id
from recuerdo.testing import CacheTierContract
from servers.proxy import running_proxy

NO_ROOM = 0
DEADLINE = 60.0
SECOND = Life(1.0, 2.5)


def a_key(resource="t-1"):
    return CacheKey(f"tenant-{new_id()}", "context", resource)


async def replicas(stack, url, *, local_bytes=2**20, trust=0.0):
    """Two processes' tiers, each with a connection of its own, which wait for a load however busy the machine is."""
    caches = [await stack.enter_async_context(RedisCache.open(url)) for _ in range(2)]
    how = {"local_bytes": local_bytes, "trust": trust, "deadline": DEADLINE, "retry_seconds": DEADLINE}
    return [TieredCache(RedisEntries(cache, lease=DEADLINE), **how) for cache in caches]


@pytest.fixture(params=["in process", "redis", "both", "trusting", "cluster"])
async def tiers(request):
    async with AsyncExitStack() as stack:
        if request.param == "in process":
            alone = TieredCache(LocalEntries(), local_bytes=NO_ROOM, alone=True)
            yield alone, alone
            return
        name = "redis_cluster_url" if request.param == "cluster" else "redis_url"
        url = request.getfixturevalue(name)
        if request.param == "cluster":
            url = f"redis+cluster{url.removeprefix('redis')}"
        room = NO_ROOM if request.param == "redis" else 2**20
        yield await replicas(stack, url, local_bytes=room, trust=0.05 if request.param == "trusting" else 0.0)


@pytest.fixture
def tier(tiers):
    return tiers[0]


@pytest.fixture
def other(tiers):
    return tiers[1]


class TestCacheTiers(CacheTierContract):
    """See CacheTierContract."""


async def test_a_url_opens_a_tier_that_replicas_share_and_none_opens_ones_own(redis_url):
    key = a_key()
    async with (
        open_cache_tier(redis_url, deadline=DEADLINE) as here,
        open_cache_tier(redis_url, deadline=DEADLINE) as there,
    ):
        await here.set(key, (b"kept",))
        assert await there.get(key) == (b"kept",)
        async with open_cache_tier(None) as alone:
            assert await alone.get(key) is None
            await alone.set(key, (b"mine",))
            assert await alone.get(key) == (b"mine",)
            assert await here.get(key) == (b"kept",)


KEYS = st.integers(0, 1)
ITEMS = st.lists(st.binary(max_size=3), max_size=3).map(tuple)
REPLICA = st.integers(0, 1)


class ReplicasMachine(RuleBasedStateMachine):
    """Two replicas over one Redis are one dict; readers that were overtaken leave nothing behind."""

    url = ""

    def __init__(self):
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.stack = AsyncExitStack()
        self.tiers = self.do(replicas(self.stack, self.url))
        self.keys = [a_key(str(number)) for number in range(2)]
        self.model = {}
        self.loading = []

    def do(self, coroutine):
        return self.loop.run_until_complete(coroutine)

    @rule(replica=REPLICA, key=KEYS, items=ITEMS)
    def set(self, replica, key, items):
        self.do(self.tiers[replica].set(self.keys[key], items))
        self.model[key] = items

    @rule(replica=REPLICA, key=KEYS)
    def delete(self, replica, key):
        self.do(self.tiers[replica].delete(self.keys[key]))
        self.model.pop(key, None)

    @rule(replica=REPLICA, key=KEYS, refresh=st.booleans())
    def get(self, replica, key, refresh):
        assert self.do(self.tiers[replica].get(self.keys[key], refresh=refresh)) == self.model.get(key)

    @rule(key=KEYS, items=ITEMS)
    def begin_a_slow_load(self, key, items):
        """Of an entry that another replica may change before it ends; one at a time."""
        if key in self.model or self.loading:
            return
        loaded, begun = self.loop.create_future(), asyncio.Event()

        async def load():
            begun.set()
            return await loaded

        task = self.loop.create_task(self.tiers[0].load(self.keys[key], load))
        self.do(asyncio.wait([task, self.loop.create_task(begun.wait())], return_when=asyncio.FIRST_COMPLETED))
        self.loading.append((key, items, loaded, task))

    @rule()
    def finish_the_slow_load(self):
        """The loaded value is kept when nothing has changed the key since."""
        for key, items, loaded, task in self.loading:
            loaded.set_result(items)
            self.do(task)
            kept = self.do(self.tiers[1].get(self.keys[key]))
            if key in self.model:
                assert kept == self.model[key]
            elif kept is not None:
                assert kept == items
                self.model[key] = items
        self.loading.clear()

    def teardown(self):
        self.finish_the_slow_load()
        self.do(self.stack.aclose())
        self.loop.close()


def test_two_replicas_are_one_dict(redis_url):
    class Machine(ReplicasMachine):
        url = redis_url

    run_state_machine_as_test(Machine, settings=settings(max_examples=40, stateful_step_count=30))


async def test_a_refresh_lengthens_a_life_within_its_longest(redis_url):
    """In Redis, whose own clock it is."""
    async with RedisCache.open(redis_url) as cache:
        tier = TieredCache(RedisEntries(cache, lives={"context": Life(60.0, 61.0)}), deadline=DEADLINE)
        key = a_key()
        await tier.set(key, (b"a",))
        entry, _ = entries._keys(key)
        await cache.client.pexpire(entry, 30_000)
        assert await tier.get(key) == (b"a",)
        assert await cache.client.pttl(entry) <= 30_000
        await asyncio.sleep(1.2)
        assert await tier.get(key, refresh=True) == (b"a",)
        assert 30_000 < await cache.client.pttl(entry) <= 59_800, "until 61 seconds after it was set"
        await cache.client.delete(entry)
        assert await tier.get(key, refresh=True) is None


async def test_an_entry_of_this_process_ends_with_its_time():
    """Refreshed it lives on, but not beyond its longest life."""
    now = [0.0]
    tier = TieredCache(LocalEntries(lives={"context": SECOND}, clock=lambda: now[0]), local_bytes=NO_ROOM)
    key = a_key()
    await tier.set(key, (b"a",))
    for now[0] in (0.9, 1.8, 2.4):
        assert await tier.get(key, refresh=True) == (b"a",)
    now[0] = 2.6
    assert await tier.get(key, refresh=True) is None


async def test_without_an_answer_nothing_is_found_and_no_change_is_acknowledged(redis_url):
    """A copy at hand is no answer: another replica may have changed the entry. Loads go on, and keep nothing."""
    port = int(redis_url.rpartition(":")[2].partition("/")[0])
    with running_proxy(port) as proxy:
        async with AsyncExitStack() as stack:
            [away, _] = await replicas(stack, f"redis://127.0.0.1:{proxy.port}/0")
            [there, _] = await replicas(stack, redis_url)
            key = a_key()
            await away.set(key, (b"old",))
            assert await away.get(key) == (b"old",)
            proxy.cut()
            await there.set(key, (b"new",))
            assert await away.get(key) is None
            for change in (away.set(key, (b"x",)), away.delete(key)):
                with pytest.raises(CacheUnavailable):
                    await change

            async def load():
                return (b"loaded",)

            assert await away.load(key, load) == (b"loaded",)
            proxy.heal()
            while (found := await away.get(key)) is None:  # noqa: ASYNC110 - nobody tells when the breaker closes
                await asyncio.sleep(0.05)
            assert found == (b"new",)


class Context(msgspec.Struct, frozen=True):
    agent: str
    limit: int = 5


async def test_values_of_a_type_come_back_and_others_count_as_absent(tier):
    """An entry that another version wrote is loaded anew, and replaced."""
    key, contexts = a_key(), TypedCache(tier, Context)
    await contexts.set(key, Context("support"))
    assert await contexts.get(key, refresh=True) == Context("support")
    await tier.set(key, (b'{"agent": 7}',))
    assert await contexts.get(key) is None

    async def load():
        return Context("sales", limit=7)

    assert await contexts.load(key, load) == Context("sales", limit=7)
    assert await contexts.get(key) == Context("sales", limit=7)
    await contexts.delete(key)
    assert await contexts.get(key) is None


async def test_looks_are_counted_by_data_and_tier(redis_url):
    counts = {}

    def count(key, tier, found):
        counts[key.data, tier, found] = counts.get((key.data, tier, found), 0) + 1

    async with RedisCache.open(redis_url) as cache:
        tier = TieredCache(RedisEntries(cache), deadline=DEADLINE, count=count)
        key = a_key()
        await tier.get(key)
        await tier.set(key, (b"a",))
        await tier.get(key)
        await tier.get(key)
    assert counts == {("context", "shared", False): 1, ("context", "shared", True): 1, ("context", "local", True): 1}


class SentTwice(RedisCache):
    """Sends each command again, as the client of a cluster does whose answer was lost."""

    async def run(self, parts):
        await super().run(parts)
        return await super().run(parts)


async def test_a_change_that_is_sent_again_because_its_answer_was_lost_is_made_once(redis_url):
    async with SentTwice.open(redis_url) as cache:
        tier, key = TieredCache(RedisEntries(cache), local_bytes=NO_ROOM, deadline=DEADLINE), a_key()
        await tier.set(key, (b"0",))
        assert await tier.update(key, lambda items: (b"%d" % (int(items[0]) + 1),)) == (b"1",)
        assert await tier.get(key) == (b"1",)

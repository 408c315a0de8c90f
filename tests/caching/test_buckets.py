"""Token buckets: in one process, shared by replicas, and without the cache that they share."""

import asyncio

import pytest

from recuerdo.adapters.redis import RedisBuckets, RedisCache
from recuerdo.caching.buckets import LocalBuckets, SharedBuckets
from recuerdo.core.errors import CacheUnavailable
from recuerdo.core.identifiers import new_id
from recuerdo.core.quotas import Quota

FEW = Quota(3, 1)


class Now:
    def __init__(self):
        self.seconds = 100.0

    def __call__(self):
        return self.seconds


class Away:
    asked = 0

    async def take(self, key, cost, quota):
        self.asked += 1
        raise CacheUnavailable("away")


async def grants(buckets, key, times, quota=FEW, cost=1):
    return [(await buckets.take(key, cost, quota)).granted for _ in range(times)]


async def test_a_bucket_gives_what_it_has_and_fills_again():
    now = Now()
    buckets = LocalBuckets(now)
    assert await grants(buckets, "a", 4) == [True, True, True, False]
    refused = await buckets.take("a", 1, FEW)
    assert (refused.granted, refused.left, refused.wait) == (False, 0, 1)
    assert await grants(buckets, "b", 1) == [True]
    now.seconds += 2
    assert await grants(buckets, "a", 3) == [True, True, False]
    now.seconds += 1000
    assert await grants(buckets, "a", 4) == [True, True, True, False]


async def test_what_is_larger_than_the_bucket_takes_all_of_it():
    buckets = LocalBuckets(Now())
    assert await grants(buckets, "a", 2, cost=100) == [True, False]


async def test_what_is_given_back_is_there_again_and_fills_no_bucket_beyond_its_size():
    now = Now()
    for buckets in (LocalBuckets(now), SharedBuckets(LocalBuckets(now), now)):
        assert await grants(buckets, "a", 3) == [True, True, True]
        await buckets.take("a", -1, FEW)
        assert await grants(buckets, "a", 2) == [True, False]
        await buckets.take("b", -1, FEW)
    assert await grants(LocalBuckets(now), "b", 4) == [True, True, True, False]


async def test_replicas_share_a_bucket(redis_url):
    async with RedisCache.open(redis_url) as one, RedisCache.open(redis_url) as two:
        replicas = [SharedBuckets(RedisBuckets(cache)) for cache in (one, two)]
        key, slow = new_id(), Quota(100, 0.001)
        granted = 0
        for _ in range(100):
            for replica in replicas:
                granted += (await replica.take(key, 1, slow)).granted
        assert granted == 100
        refused = await replicas[0].take(key, 1, slow)
        assert (refused.granted, refused.wait > 500) == (False, True)


async def test_redis_takes_nothing_for_a_wish_that_it_refuses(redis_url):
    async with RedisCache.open(redis_url) as cache:
        buckets, key, slow = RedisBuckets(cache), new_id(), Quota(10, 0.001)
        assert (await buckets.take(key, 7, slow)).granted
        assert not (await buckets.take(key, 7, slow)).granted
        taken = await buckets.take(key, 3, slow)
        assert (taken.granted, round(taken.left)) == (True, 0)


async def test_a_replica_asks_the_shared_cache_for_many_requests_at_once():
    class Counting(LocalBuckets):
        asked = 0

        async def take(self, key, cost, quota):
            self.asked += 1
            return await super().take(key, cost, quota)

    shared = Counting(Now())
    buckets = SharedBuckets(shared, Now())
    assert all(await grants(buckets, "a", 99, Quota(5000, 1)))
    assert shared.asked == 1
    taken = await buckets.take("a", 1, Quota(5000, 1))
    assert taken.left == 4900  # of all that there is, not of what was taken in advance


@pytest.mark.parametrize("again", [False, True])
async def test_without_the_shared_cache_each_replica_has_buckets_of_its_own(again):
    now, away = Now(), Away()
    buckets = SharedBuckets(away, now)
    assert await grants(buckets, "a", 4) == [True, True, True, False]
    assert away.asked == 1
    if again:  # it is tried again soon
        now.seconds += 6
        assert await grants(buckets, "a", 1) == [True]
        assert away.asked == 2


class Late:
    """The shared cache, of which some answers come too late."""

    def __init__(self, now):
        self.buckets = LocalBuckets(now)
        self.is_late = False

    async def take(self, key, cost, quota):
        if self.is_late:
            raise CacheUnavailable("late")
        return await self.buckets.take(key, cost, quota)


async def test_an_answer_of_the_shared_cache_that_is_late_fills_no_bucket_again():
    now, slow = Now(), Quota(100, 1)
    late = Late(now)
    replicas = [SharedBuckets(late, now) for _ in range(2)]
    for _ in range(45):
        assert [await grants(replica, "a", 1, slow) for replica in replicas] == [[True], [True]]
    late.is_late = True
    granted = [sum(await grants(replica, "a", 100, slow)) for replica in replicas]
    assert max(granted) <= 10 + 4, "what was left, and what was taken in advance"
    late.is_late, now.seconds = False, now.seconds + 6
    assert sum([(await replica.take("a", 1, slow)).granted for _ in range(50) for replica in replicas]) <= 20


async def test_what_callers_take_in_advance_at_the_same_time_is_not_lost():
    class Distant(LocalBuckets):
        async def take(self, key, cost, quota):
            await asyncio.sleep(0)
            return await super().take(key, cost, quota)

    now, slow = Now(), Quota(100, 1)
    buckets = SharedBuckets(Distant(now), now)
    granted = await asyncio.gather(*(buckets.take("a", 1, slow) for _ in range(30)))
    assert all(each.granted for each in granted)
    assert sum(await grants(buckets, "a", 100, slow)) == 70

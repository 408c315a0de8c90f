"""The events of runs: in one process, and over Redis for the listeners of every replica."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing
from itertools import pairwise
from typing import Any

import pytest

from recuerdo.adapters.local import LocalRunEvents
from recuerdo.adapters.local import events as local_events
from recuerdo.adapters.redis import RedisCache, RedisEventLog
from recuerdo.adapters.run_events import open_run_events
from recuerdo.concurrency.tasks import stop
from recuerdo.core.errors import CacheUnavailable
from recuerdo.core.graph_ports import RunEvents
from recuerdo.core.runs import RunEvent
from recuerdo.core.scope import Owner
from servers.valkey import ValkeyServer

SECONDS = 60


@pytest.fixture
def run_id() -> str:
    return str(uuid.uuid4())


@pytest.fixture(params=["one process", "redis", "cluster"])
def cache_url(request: pytest.FixtureRequest) -> str | None:
    if request.param == "one process":
        return None
    if request.param == "redis":
        return request.getfixturevalue("redis_url")
    return "redis+cluster" + request.getfixturevalue("redis_cluster_url").removeprefix("redis")


@pytest.fixture
async def replicas(cache_url: str | None) -> AsyncIterator[tuple[RunEvents, RunEvents]]:
    """The process that executes the run and one that listens: the same, where there is one process."""
    async with AsyncExitStack() as stack:
        here = await stack.enter_async_context(open_run_events(cache_url))
        yield here, here if cache_url is None else await stack.enter_async_context(open_run_events(cache_url))


async def heard(events: RunEvents, run_id: str, after: str = "", came: list[RunEvent] | None = None) -> list[RunEvent]:
    """All that is told of the run; `came` has each event as soon as it is heard."""
    came = [] if came is None else came
    async with asyncio.timeout(SECONDS), aclosing(events.follow(run_id, after)) as told:
        async for event in told:
            came.append(event)
    return came


async def tell(events: RunEvents, run_id: str, first: int, last: int, token: int = 0) -> None:
    for number in range(first, last):
        await events.publish(run_id, "updates", b"%d" % number, token)


def said(events: list[RunEvent]) -> list[int]:
    return [int(event.data) for event in events]


async def test_every_listener_hears_everything_in_order(replicas: tuple[RunEvents, RunEvents], run_id: str):
    here, there = replicas
    listening = [asyncio.create_task(heard(events, run_id)) for events in (here, there, there)]
    await tell(here, run_id, 0, 300)
    await here.end(run_id)
    first, second, third = await asyncio.gather(*listening)
    assert said(first) == [*range(300)]
    assert first == second == third


async def test_a_listener_goes_on_behind_what_it_has_heard_on_any_replica(
    replicas: tuple[RunEvents, RunEvents], run_id: str
):
    here, there = replicas
    await tell(here, run_id, 0, 50)
    await here.end(run_id)
    everything = await heard(there, run_id)
    for events in (here, there):
        assert await heard(events, run_id, everything[19].id) == everything[20:]
        assert await heard(events, run_id, everything[-1].id) == []


async def test_events_of_two_runs_never_mix(replicas: tuple[RunEvents, RunEvents], run_id: str):
    here, there = replicas
    other = str(uuid.uuid4())
    await tell(here, run_id, 0, 10)
    await tell(here, other, 10, 20)
    for each in (run_id, other):
        await here.end(each)
    assert said(await heard(there, run_id)) == [*range(10)]
    assert said(await heard(there, other)) == [*range(10, 20)]


async def test_texts_that_are_no_ascii_come_through(replicas: tuple[RunEvents, RunEvents], run_id: str):
    here, there = replicas
    data = '{"ñ": "ação — 你好"}'.encode()
    await here.publish(run_id, "values|subgrafo:ñ", data)
    await here.end(run_id)
    assert [(event.name, event.data) for event in await heard(there, run_id)] == [("values|subgrafo:ñ", data)]


async def test_sealed_events_are_gone_and_none_come_after_them(replicas: tuple[RunEvents, RunEvents]):
    """Of the owner, or one thread; also of a run that has begun but told nothing yet, and for those who listen."""
    here, there = replicas
    owner = Owner("acme", str(uuid.uuid4()))
    told, silent, other = (str(uuid.uuid4()) for _ in range(3))
    for run_id, thread in ((told, "t"), (silent, "t"), (other, "u")):
        await here.begin(owner, thread, run_id)
    for run_id in (told, other):
        await tell(here, run_id, 0, 3)
    await here.end(other)
    assert said(await heard(there, other)) == [0, 1, 2]
    came: list[RunEvent] = []
    listening = asyncio.create_task(heard(here, told, came=came))
    async with asyncio.timeout(SECONDS):
        while len(came) < 3:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)
    await there.seal(owner, "t")
    for run_id in (told, silent):
        assert await here.is_sealed(run_id)
        await tell(here, run_id, 3, 6)
        await here.end(run_id)
        for events in replicas:
            assert not await events.knows(run_id)
            assert await heard(events, run_id) == []
    assert said(await listening) == [0, 1, 2]
    assert said(await heard(there, other)) == [0, 1, 2]
    await there.seal(owner)
    assert not await here.knows(other)


async def test_whoever_takes_a_run_over_goes_on_behind_the_others_events(redis_url: str, run_id: str):
    async with open_run_events(redis_url) as first, open_run_events(redis_url) as second:
        listening = asyncio.create_task(heard(second, run_id))
        await tell(first, run_id, 0, 5, token=1)
        await until_written(redis_url, run_id, 5)
        await tell(second, run_id, 5, 10, token=2)
        await second.end(run_id, 2)
        everything = await listening
        assert said(everything) == [*range(10)]
        places = [[*map(int, event.id.split("-"))] for event in everything]
        assert all(one < next_one for one, next_one in pairwise(places))
        assert await heard(second, run_id) == everything


async def test_what_a_run_tells_after_it_was_taken_over_is_not_heard(redis_url: str, run_id: str):
    async with open_run_events(redis_url) as first, open_run_events(redis_url) as second:
        listening = asyncio.create_task(heard(first, run_id))
        await tell(first, run_id, 0, 2, token=1)
        await until_written(redis_url, run_id, 2)
        await tell(second, run_id, 2, 4, token=2)
        await until_written(redis_url, run_id, 4)
        await tell(first, run_id, 100, 103, token=1)
        await listening  # it was let go, and comes back for the rest
        await second.end(run_id, 2)
        assert said(await heard(first, run_id)) == said(await heard(second, run_id)) == [0, 1, 2, 3]


async def test_without_redis_those_on_the_same_replica_hear_everything(valkey_server: ValkeyServer, run_id: str):
    async with open_run_events(valkey_server.url) as here, open_run_events(valkey_server.url) as there:
        listening = asyncio.create_task(heard(here, run_id))
        await tell(here, run_id, 0, 5)
        valkey_server.kill()
        try:
            await tell(here, run_id, 5, 10)
            await here.end(run_id)
            assert said(await listening) == [*range(10)]
        finally:
            valkey_server.start()
        later = said(await heard(there, run_id))
        assert later in ([*range(10)], [*range(5, 10)])  # a Valkey without a disk forgets what it had


async def test_what_redis_has_missed_of_an_erased_user_never_comes_to_it(valkey_server: ValkeyServer, run_id: str):
    """Neither from the replica that erases, nor from one that wakes up behind an erasure that is complete."""
    mine, theirs, owner = str(uuid.uuid4()), run_id, Owner("acme", str(uuid.uuid4()))
    async with open_run_events(valkey_server.url) as here, open_run_events(valkey_server.url) as there:
        valkey_server.kill()
        try:
            for events, each in ((here, mine), (there, theirs)):
                await events.begin(owner, "t", each)
                await tell(events, each, 0, 3)
            with pytest.raises(CacheUnavailable):
                await here.seal(owner)
            assert await heard(here, mine) == []
            late: Any = there
            await stop(late._writer)  # as a process that is paused
        finally:
            valkey_server.start()
        await until_sealed(here, owner)
        late._writer = asyncio.create_task(late._write())
        late._news.set()
        async with asyncio.timeout(SECONDS):
            while not await there.is_sealed(theirs):  # noqa: ASYNC110 - a task writes in the background
                await asyncio.sleep(0.05)
        async with RedisCache.open(valkey_server.url) as cache:
            log = RedisEventLog(cache)
            assert [await log.last(each) for each in (mine, theirs)] == ["", ""]
        await here.begin(owner, "t", anew := str(uuid.uuid4()))
        await tell(here, anew, 0, 1)
        await here.end(anew)
        assert said(await heard(there, anew)) == [0]


async def until_sealed(events: RunEvents, owner: Owner) -> None:
    async with asyncio.timeout(SECONDS):
        while True:
            try:
                return await events.seal(owner)
            except CacheUnavailable:
                await asyncio.sleep(0.05)


async def test_events_that_are_written_twice_are_kept_once(redis_url: str, run_id: str):
    events = [RunEvent(f"{1000 + number}-0", "updates", b"%d" % number) for number in range(3)]
    async with RedisCache.open(redis_url) as cache:
        log = RedisEventLog(cache)
        assert await log.last(run_id) == ""
        assert await log.add(run_id, 1, events[:2]) == "written"
        assert await log.add(run_id, 1, events) == "written"
        assert await log.read(run_id, "", 1) == events
        assert await log.last(run_id) == events[-1].id
        assert await log.add(run_id, 0, [RunEvent("9000-0", "updates", b"9")]) == "refused"
        assert await log.read(run_id, events[-1].id, 0.01) == []


@pytest.mark.parametrize("is_erased", [False, True])
async def test_a_log_that_lost_everything_finds_the_runs_that_go_on(
    valkey_server: ValkeyServer, run_id: str, is_erased: bool
):
    """An erasure afterwards seals them, and one whose seal was lost with everything else is asked for."""
    owner, stands = Owner("acme", str(uuid.uuid4())), not is_erased

    async def asked() -> bool:
        return stands

    async with open_run_events(valkey_server.url) as here, open_run_events(valkey_server.url) as there:
        await here.begin(owner, "t", run_id, asked)
        with valkey_server.client() as client:
            client.flushall()  # pyright: ignore[reportUnknownMemberType]
        await tell(here, run_id, 0, 1)
        if stands:
            await until_written(valkey_server.url, run_id, 1)
            await there.seal(owner)
        async with asyncio.timeout(SECONDS):
            while not await here.is_sealed(run_id):  # noqa: ASYNC110 - a task writes in the background
                await asyncio.sleep(0.01)
        await tell(here, run_id, 1, 2)
        async with RedisCache.open(valkey_server.url) as cache:
            assert [event for event in await RedisEventLog(cache).read(run_id, "", 0.1) if event.name] == []


@pytest.mark.parametrize("stands", [False, True])
async def test_a_run_that_the_log_has_lost_is_asked_for_before_it_tells_anything(
    valkey_server: ValkeyServer, run_id: str, stands: bool
):
    """Listeners beside the run hear an event before it is written down, and the log may have lost a seal."""

    async def asked() -> bool:
        return stands

    async with open_run_events(valkey_server.url) as here:
        await here.begin(Owner("acme", str(uuid.uuid4())), "t", run_id, asked)
        with valkey_server.client() as client:
            client.flushall()  # pyright: ignore[reportUnknownMemberType]
        assert await here.is_sealed(run_id) is not stands


async def test_a_finished_run_is_forgotten_and_not_waited_for(run_id: str):
    events = LocalRunEvents()
    await tell(events, run_id, 0, 3)
    events.drop(run_id)
    assert not events.holds(run_id)
    await events.end(run_id)
    assert await heard(events, run_id) == []


async def test_runs_are_forgotten_when_nobody_listens_any_more(run_id: str, monkeypatch: pytest.MonkeyPatch):
    """Those that were followed in vain at once, those that have ended after a while: also when no other run ends."""
    monkeypatch.setattr(local_events, "SECONDS_KEPT", 0.01)
    events = LocalRunEvents()
    listening = [asyncio.create_task(heard(events, "elsewhere")) for _ in range(2)]
    await asyncio.sleep(0)
    listening[0].cancel()
    await asyncio.wait(listening[:1])
    assert events.holds("elsewhere"), "somebody still listens"
    listening[1].cancel()
    await asyncio.wait(listening)
    assert not events.holds("elsewhere")
    await tell(events, run_id, 0, 3)
    await events.end(run_id)
    async with asyncio.timeout(SECONDS):
        while events.holds(run_id):  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def until_written(redis_url: str, run_id: str, count: int) -> None:
    async with RedisCache.open(redis_url) as cache, asyncio.timeout(SECONDS):
        while len(await RedisEventLog(cache).read(run_id, "", 0.01)) < count:  # noqa: ASYNC110
            await asyncio.sleep(0.01)

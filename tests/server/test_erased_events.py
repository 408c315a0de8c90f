"""The events of runs and of sessions' turns are gone with an erasure, from the shared cache and every replica."""

import asyncio
from contextlib import asynccontextmanager

import httpx
import pytest
import redis
from serving import ObedientModel, serving
from talking import hear, hear_until, say, talk

from recuerdo import Recuerdo
from recuerdo.adapters.run_events import open_run_events
from recuerdo.agents.chat import Chat
from recuerdo.agents.events import Started
from recuerdo.app.graphs import hosting
from recuerdo.core.contexts import ExecutionContext
from recuerdo.core.identifiers import new_id
from recuerdo.core.scope import Scope
from recuerdo.history.history import utc_now
from recuerdo.server.streaming import turns
from servers.patience import PATIENCE

CANARY = "Kanarienhahn"
SAID = f"Hola, me llamo {CANARY}"


class WaitingChat(Chat):
    """Waits before it says that a turn has started, while it is told to."""

    waits = False
    is_waiting = False

    async def stream(self, *arguments, **more):
        async for event in super().stream(*arguments, **more):
            while self.waits and isinstance(event, Started):
                self.is_waiting = True
                await asyncio.sleep(0.005)
            yield event


@asynccontextmanager
async def replica(database, cache, chats):
    async with Recuerdo.open(database, cache=cache, embeddings="none") as memory:
        memory.chat = WaitingChat(memory.history, memory.memories, ObedientModel())
        chats.append(memory.chat)
        async with hosting(memory) as hosted:
            yield hosted


@pytest.fixture(scope="module")
def replicas(tmp_path_factory, redis_url):
    """Two servers over one database and one cache, and their chats."""
    database, chats = f"sqlite:///{tmp_path_factory.mktemp('erased')}/a.db", []
    with serving(replica(database, redis_url, chats)) as one, serving(replica(database, redis_url, chats)) as two:
        yield one, two, chats


@pytest.fixture
def user():
    return f"emi-{new_id()}"


def cached(redis_url):
    """Everything that the cache has."""
    with redis.Redis.from_url(redis_url) as cache:
        keys = [(key, cache.type(key)) for key in cache.scan_iter()]
        read = {b"hash": cache.hgetall, b"string": cache.get, b"stream": cache.xrange}
        return " ".join(f"{key} {read[kind](key) if kind in read else ''}" for key, kind in keys)


async def until_cached(redis_url):
    async with asyncio.timeout(PATIENCE):
        while f'"content":"{SAID}"' not in cached(redis_url):  # noqa: ASYNC110 - another process has it
            await asyncio.sleep(0.05)


def post(url, user, path, body):
    found = httpx.post(f"{url}{path}", json=body, headers={"X-Recuerdo-User": user})
    return found.raise_for_status().json()


def erase(url, user):
    assert post(url, user, "/v1/erase", {"everything": True})["complete"]


def places(urls, session):
    return [f"ws{url.removeprefix('http')}/ws/{session}" for url in urls]


async def test_what_was_told_before_an_erasure_is_told_to_nobody(replicas, redis_url, user):
    one, two, _ = replicas
    session = new_id()
    async with talk(places([one], session)[0], user) as socket:
        await hear(socket)
        await say(socket, SAID, id="m-1")
        frames = await hear_until(socket, "done")
    body = {"assistant_id": "recuerdo", "input": {"messages": [{"role": "user", "content": SAID}]}}
    post(one, user, "/runs/wait", body)
    await until_cached(redis_url)
    erase(two, user)
    assert CANARY not in cached(redis_url)
    for place in places([one, two], session):
        async with talk(f"{place}?last_frame_id={frames[0]['id']}", user) as socket:
            await hear(socket)
            assert (await hear(socket))["type"] == "lost"
            await say(socket, "¿Cómo me llamo?", id=new_id())
            assert CANARY not in str(await hear_until(socket, "done"))
    assert CANARY not in cached(redis_url)


def empty_logs(redis_url):
    """The cache loses all events, whose they are, and what was sealed."""
    with redis.Redis.from_url(redis_url) as cache:
        for pattern in ("recuerdo:events:*", "recuerdo:logs:*"):
            for key in cache.scan_iter(pattern):
                cache.delete(key)


@pytest.mark.parametrize("is_emptied", [False, True])
@pytest.mark.parametrize("thread_only", [False, True])
async def test_a_turn_that_began_before_an_erasure_tells_nothing_after_it(
    replicas, redis_url, user, thread_only, is_emptied
):
    """Also when the cache has lost by then that the turn was erased."""
    one, two, chats = replicas
    thread = new_id()
    async with talk(f"{places([one], new_id())[0]}?thread_id={thread}", user) as socket:
        await hear(socket)
        await say(socket, SAID)
        await hear_until(socket, "done")
        chats[0].is_waiting, chats[0].waits = False, True
        try:
            await say(socket, f"Soy {CANARY}, ¿cómo me llamo?", id="m-2")
            while not chats[0].is_waiting:  # noqa: ASYNC110 - the server is in another thread
                await asyncio.sleep(0.01)
            if thread_only:
                post(two, user, f"/v1/threads/{thread}/clear", None)
            else:
                erase(two, user)
            if is_emptied:
                empty_logs(redis_url)
        finally:
            chats[0].waits = False
        assert (await hear(socket))["type"] == "lost"
        await asyncio.sleep(1)
        events = cached(redis_url)
        assert f"Soy {CANARY}" not in events if thread_only else CANARY not in events
        await say(socket, "Hola", id="m-3")
        assert (await hear_until(socket, "done"))[-1]["data"]["reply"]["content"]


async def test_a_turn_that_tells_that_it_is_alive_may_still_have_been_erased(valkey_server, monkeypatch):
    """Its sign of life goes to a log that has lost the erasure with everything else."""
    monkeypatch.setattr(turns, "ALIVE_SECONDS", 0.02)
    turn = turns.SessionTurn(Scope("acme", "emi", "t-1"), "s-1", "m-1", SAID)
    context = ExecutionContext(
        tenant="acme", user="emi", thread="t-1", assistant_id="recuerdo", assistant_version=1, created_at=utc_now()
    )

    async def find_context():
        return context

    async with (
        Recuerdo.open("memory://", embeddings="none") as memory,
        open_run_events(valkey_server.url) as events,
    ):
        chat = WaitingChat(memory.history, memory.memories, ObedientModel())
        chat.waits = True
        running = asyncio.create_task(turns.TurnRunner(lambda: chat, events).run(turn, turn.log("1"), find_context))
        while not chat.is_waiting:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)
        await memory.history.clear(turn.scope)
        empty_logs(valkey_server.url)
        await asyncio.sleep(0.3)
        assert not await events.is_sealed(turn.log("1"))
        chat.waits = False
        assert await running == "error"
        assert await events.is_sealed(turn.log("1"))
        assert CANARY not in cached(valkey_server.url)

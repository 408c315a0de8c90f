"""Sessions whose connections break, and that go on at another replica."""

import asyncio
import json
import time
from contextlib import asynccontextmanager, contextmanager

import psycopg
import pytest
from serving import serving
from talking import PausingModel, closing, hear, hear_until, say, stored, talk

from recuerdo import Recuerdo
from recuerdo.adapters.run_events import open_run_events
from recuerdo.agents.chat import Chat
from recuerdo.app.graphs import hosting
from recuerdo.core.identifiers import new_id
from recuerdo.core.scope import Owner
from recuerdo.server.streaming import turns
from recuerdo.server.streaming.turns import SessionTurn


@asynccontextmanager
async def replica(database, cache, model):
    async with Recuerdo.open(database, cache=cache, embeddings="none") as memory:
        memory.chat = Chat(memory.history, memory.memories, model)
        async with hosting(memory) as hosted:
            yield hosted


@pytest.fixture(scope="module")
def speaker():
    return PausingModel()


@contextmanager
def two_replicas(database, redis_url, speaker):
    with (
        serving(replica(database, redis_url, speaker)) as one,
        serving(replica(database, redis_url, speaker)) as two,
    ):
        yield one, two


@contextmanager
def listening_replicas(database, redis_url, speaker):
    """Two replicas over a PostgreSQL that hear each other's signals already."""
    with two_replicas(database, redis_url, speaker) as urls, psycopg.connect(database, autocommit=True) as connection:
        while connection.execute(_LISTENERS).fetchone() != (2,):
            time.sleep(0.02)
        yield urls


_LISTENERS = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND query LIKE 'LISTEN %' AND state = 'idle'"""


@pytest.fixture(scope="module")
def urls(tmp_path_factory, redis_url, speaker):
    """Two replicas over one database and one cache."""
    with two_replicas(f"sqlite:///{tmp_path_factory.mktemp('replicas')}/a.db", redis_url, speaker) as urls:
        yield urls


@pytest.fixture
def model(speaker):
    speaker.reset()
    yield speaker
    speaker.pauses_at = None


@pytest.fixture
def places(urls, model):
    """Where one new session is, at both replicas."""
    session = new_id()
    return [f"ws{url.removeprefix('http')}/ws/{session}" for url in urls]


def text_of(heard):
    return "".join(frame["data"]["text"] for frame in heard if frame["type"] == "token")


async def test_a_session_goes_on_at_another_replica_behind_the_last_frame(places, model):
    """Nothing comes twice, nothing is missing, and the model is asked once; the thread is the session's there, too."""
    here, there = places
    model.pieces = [f"{number} " for number in range(20)]
    model.pauses_at = 7
    thread = new_id()
    async with talk(f"{here}?thread_id={thread}") as socket:
        await hear(socket)
        await say(socket, "cuenta", id="m:1")
        heard = [await hear(socket) for _ in range(5)]
    async with talk(f"{there}?last_frame_id={heard[-1]['id']}") as socket:
        assert (await hear(socket))["thread_id"] == thread
        heard += [await hear(socket) for _ in range(3)]
        model.pauses_at = None
        heard += await hear_until(socket, "done")
    assert text_of(heard) == "".join(model.pieces)
    assert len({frame["id"] for frame in heard}) == len(heard)
    async with talk(f"{there}?last_frame_id={heard[-3]['id']}") as socket:
        assert (await hear_until(socket, "done"))[1:] == heard[-2:], "also when the answer is over"
        await say(socket, "y otra", id="m:2")
        await hear_until(socket, "done")
    assert model.asked == 2
    assert stored(here, thread)[0::2] == ["cuenta", "y otra"]


async def test_a_foreign_frame_id_leads_nowhere(places, urls):
    async with talk(places[0]) as socket:
        await hear(socket)
        await say(socket, "un secreto", id="m-1")
        frame_id = (await hear_until(socket, "done"))[0]["id"]
    foreign = f"ws{urls[1].removeprefix('http')}/ws/{new_id()}?last_frame_id={frame_id}"
    async with talk(foreign, user="ana") as socket:
        assert [frame["type"] for frame in await hear_until(socket, "lost", "start", "done")] == ["ready", "lost"]


async def test_an_answer_whose_replica_has_died_is_lost_and_can_be_asked_for_again(
    places, urls, redis_url, monkeypatch
):
    monkeypatch.setattr(turns, "SILENCE_SECONDS", 3.0)
    thread, session = new_id(), places[0].rpartition("/")[2]
    turn = SessionTurn(Owner("default", "emi").thread(thread), session, "m-1", "")
    async with open_run_events(redis_url) as told:  # of a process that ends here
        await told.publish(turn.log("try"), "start", b"{}")
        await told.publish(turn.log("try"), "token", json.dumps({"text": "Hol"}).encode())
        while told._outboxes:  # noqa: ASYNC110 - written down by a task of its own
            await asyncio.sleep(0.01)
    async with talk(f"{places[1]}?thread_id={thread}&last_frame_id=0-1:try:m-1") as socket:
        heard = await hear_until(socket, "lost")
        assert [frame["type"] for frame in heard] == ["ready", "start", "token", "lost"]
        monkeypatch.undo()
        await say(socket, "hola", id="m-1")
        assert (await hear_until(socket, "done"))[-1]["data"]["reply"]["content"] == "Hola, Emiliano"
    assert stored(places[0], thread) == ["hola", "Hola, Emiliano"]


async def is_alive_for(valkey_server, seconds):
    """Wait until the log has a sign of life from so many seconds behind now; ids begin with milliseconds."""
    until = 1000 * (time.time() + seconds)
    with valkey_server.client() as cache:
        while not any(  # noqa: ASYNC110 - another process writes it
            told["name"] == turns.ALIVE and int(event_id.partition("-")[0]) > until
            for stream in cache.scan_iter("recuerdo:events:*}", _type="stream")
            for event_id, told in cache.xrevrange(stream, count=1)
        ):
            await asyncio.sleep(0.02)


async def test_an_answer_that_takes_its_time_is_not_lost(places, model, valkey_server, monkeypatch):
    """The replica that is working says so."""
    monkeypatch.setattr(turns, "SILENCE_SECONDS", 4.0)
    monkeypatch.setattr(turns, "ALIVE_SECONDS", 0.05)
    model.pauses_at = 1
    async with talk(f"{places[0]}?thread_id=t-1") as socket:
        await hear(socket)
        await say(socket, "hola")
        frame_id = (await hear_until(socket, "token"))[-1]["id"]
        async with talk(f"{places[1]}?last_frame_id={frame_id}") as other:
            await hear(other)
            await is_alive_for(valkey_server, 1.1 * turns.SILENCE_SECONDS)
            model.pauses_at = None
            assert [frame["type"] for frame in await hear_until(other, "done")] == ["token", "token", "done"]


async def test_an_answer_is_stopped_from_another_replica(empty_postgres_url, redis_url, model):
    """The client continued there, and does not know which replica answers."""
    model.pieces = ["Uno ", "dos ", "tres"]
    model.pauses_at = 1
    with listening_replicas(empty_postgres_url, redis_url, model) as urls:
        here, there = [f"ws{url.removeprefix('http')}/ws/stopped" for url in urls]
        async with talk(f"{here}?thread_id=t-1") as socket:
            await hear(socket)
            await say(socket, "cuenta")
            frame_id = (await hear_until(socket, "token"))[-1]["id"]
        async with talk(f"{there}?last_frame_id={frame_id}") as socket:
            await socket.send('{"type": "stop"}')
            assert (await hear_until(socket, "stopped", "done"))[-1]["type"] == "stopped"
        assert stored(there, "t-1") == ["cuenta", "Uno"]


async def test_a_client_that_has_just_come_back_can_stop_the_answer_and_ends_its_older_connection(
    empty_postgres_url, redis_url, model
):
    """Both at another replica, with the first frame that it sends there."""
    with listening_replicas(empty_postgres_url, redis_url, model) as urls:
        here, there = [f"ws{url.removeprefix('http')}/ws" for url in urls]
        model.pieces = ["Uno ", "dos ", "tres"]
        model.pauses_at = 1
        async with talk(f"{here}/back?thread_id=t-1") as older:
            await hear(older)
            await say(older, "cuenta")
            frame_id = (await hear_until(older, "token"))[-1]["id"]
            async with talk(f"{there}/back?last_frame_id={frame_id}") as socket:
                await socket.send('{"type": "stop"}')
                assert (await hear_until(socket, "stopped", "done"))[-1]["type"] == "stopped"
                assert (await closing(older))[0] == 4409

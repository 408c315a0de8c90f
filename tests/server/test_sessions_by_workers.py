"""Sessions that workers answer: two servers, two workers and a cache, in processes of their own, which are killed."""

import asyncio
from contextlib import ExitStack, asynccontextmanager, suppress
from typing import NamedTuple

import httpx
import pytest
from talking import PATIENCE, hear, hear_until, say, stored, talk
from websockets.exceptions import ConnectionClosed

from recuerdo.core.identifiers import new_id
from recuerdo.core.scope import Owner
from recuerdo.server.streaming.turns import SessionTurn
from servers.openai_server import OpenAIServer
from servers.postgres import fresh_database
from servers.process import free_port
from servers.recuerdo import RecuerdoServer, running_recuerdo
from servers.valkey import ValkeyServer, running_valkey
from servers.worker import running_worker

SHORT = "2"
"""Seconds after which a session of the impatient server gives up."""


class Deployment(NamedTuple):
    """Two servers that answer no session themselves, and one more that soon gives up."""

    servers: tuple[RecuerdoServer, RecuerdoServer, RecuerdoServer]
    cache: ValkeyServer
    workers: dict[str, str]
    model_port: int

    def worker(self):
        return running_worker(**self.workers, queues="agent")

    @asynccontextmanager
    async def model(self):
        async with OpenAIServer(self.model_port) as model:
            yield model


class Client:
    """A user's requests over HTTP to one server, beside what they say in a session."""

    def __init__(self, server, user):
        self._url = server.url
        self._more = {"headers": {"X-Recuerdo-User": user}, "timeout": PATIENCE}

    def get(self, path):
        return httpx.get(f"{self._url}{path}", **self._more)

    def post(self, path, body=None):
        return httpx.post(f"{self._url}{path}", json=body or {}, **self._more).raise_for_status().json()

    async def until_handed_over(self, user, session, message_id):
        """The servers' part of a message is done: workers have the rest."""
        turn = SessionTurn(Owner("default", user).thread(session), session, message_id, "")
        while self.get(f"/v1/actions/{turn.key}").status_code != 200:  # noqa: ASYNC110 - another process has it
            await asyncio.sleep(0.02)

    def append(self, thread, text):
        self.post(f"/v1/threads/{thread}/messages", {"messages": [{"role": "user", "content": text}]})


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def deployment(request, tmp_path_factory):
    with ExitStack() as stack:
        if request.param == "sqlite":
            url = f"sqlite:///{tmp_path_factory.mktemp('sessions')}/a.db"
        else:
            url = stack.enter_context(fresh_database(request.getfixturevalue("postgres_server").url))
        cache, port = stack.enter_context(running_valkey()), free_port()
        shared = {"database_url": url, "cache_url": cache.url, "embeddings": "none"}
        model = {"model": "openai:test", "model_base_url": f"http://127.0.0.1:{port}/v1", "model_api_key": "sk-test"}
        waits = [str(PATIENCE), str(PATIENCE), SHORT]
        servers = [
            stack.enter_context(
                running_recuerdo(**shared, **model, queues="none", sessions_by="workers", sessions_wait=wait)
            )
            for wait in waits
        ]
        yield Deployment(tuple(servers), cache, {**shared, **model}, port)


@pytest.fixture
async def model(deployment):
    async with deployment.model() as model:
        yield model


@pytest.fixture
def session():
    return new_id()


def place(server, session, **parameters):
    asked = "&".join(f"{name}={value}" for name, value in parameters.items())
    return f"ws{server.url.removeprefix('http')}/ws/{session}?{asked}"


def text_of(frames):
    """The answer in pieces, as far as it came from the worker that began last."""
    began = max(number for number, frame in enumerate(frames) if frame["type"] == "start")
    return "".join(frame["data"]["text"] for frame in frames[began:] if frame["type"] == "token")


async def until_closed(socket):
    frames = []
    with suppress(ConnectionClosed):
        while True:
            frames.append(await hear(socket))
    return frames


async def until_error(socket):
    frames = [await hear(socket)]
    while frames[-1]["type"] != "error":
        frames.append(await hear(socket))
    return frames[-1]


async def test_workers_answer_the_messages_of_sessions_at_any_server(deployment, model, session):
    """The frames are those of a server that answers itself, and the context is the server's. A client that reconnects
    at the other server goes on behind the last frame; a message that is sent again there asks the model no more.
    """
    here, there, _ = deployment.servers
    with deployment.worker(), deployment.worker():
        model.say("Hola, Emiliano. ¿Cómo estás?", pause=0.05)
        async with talk(place(here, session, thread_id=session)) as socket:
            assert (await hear(socket))["thread_id"] == session
            await say(socket, "Me llamo Emiliano", id="m-1", headers={"X-Recuerdo-Temperature": "0.25"})
            heard = await hear_until(socket, "token")
        async with talk(place(there, session, last_frame_id=heard[-1]["id"])) as socket:
            await hear(socket)
            heard += await hear_until(socket, "done")
            await say(socket, "Me llamo Emiliano", id="m-1")
            again = await hear_until(socket, "done")
            await say(socket, "Me llamo Ana", id="m-1")
            assert (await until_error(socket))["status"] == 409
            await say(socket, "¿Quién soy?", id="m-2")
            assert (await hear_until(socket, "done"))[0]["type"] == "start"
        assert [frame["type"] for frame in heard[:2]] == ["start", "token"]
        assert text_of(heard) == heard[-1]["data"]["reply"]["content"] == "Hola, Emiliano. ¿Cómo estás?"
        assert again == heard
        assert [request.get("temperature") for request in model.requests] == [0.25, 0.25]
        assert stored(place(here, session), session)[:2] == ["Me llamo Emiliano", "Hola, Emiliano. ¿Cómo estás?"]


async def test_a_worker_does_with_the_settings_of_a_message_whatever_the_cache_has_forgotten(
    deployment, model, session
):
    here, *_ = deployment.servers
    async with talk(place(here, session, thread_id=session)) as socket:
        await hear(socket)
        await say(socket, "hola", id="m-1", headers={"X-Recuerdo-Temperature": "0.25"})
        await Client(here, "emi").until_handed_over("emi", session, "m-1")
        with deployment.cache.client() as client:
            client.delete(*client.scan_iter("recuerdo:*:entry"))
        with deployment.worker():
            await hear_until(socket, "done")
    assert [request.get("temperature") for request in model.requests] == [0.25]


async def test_another_worker_goes_on_with_what_a_killed_one_was_answering(deployment, model, session):
    """kill -9 in the middle: a second `start` says that the answer begins anew, and everything is stored once."""
    here, *_ = deployment.servers
    with deployment.worker() as first:
        model.say("Nunca llega al final " * 200, pause=0.2)
        async with talk(place(here, session, thread_id=session)) as socket:
            await hear(socket)
            await say(socket, "cuenta", id="m-1")
            heard = await hear_until(socket, "token")
            model.say("Ya está")
            with deployment.worker():
                first.kill()
                heard += await hear_until(socket, "done")
        assert [frame["type"] for frame in heard].count("start") == 2
        assert text_of(heard) == "Ya está"
        assert stored(place(here, session), session) == ["cuenta", "Ya está"]


async def test_a_session_goes_on_at_the_other_server_when_its_own_is_killed(deployment, model, session):
    here, there, _ = deployment.servers
    with deployment.worker():
        model.say("Uno dos tres cuatro cinco", pause=0.5)
        async with talk(place(here, session, thread_id=session)) as socket:
            await hear(socket)
            await say(socket, "cuenta", id="m-1")
            heard = await hear_until(socket, "token")
            here.kill()
            heard += await until_closed(socket)
        try:
            async with talk(place(there, session, last_frame_id=heard[-1]["id"])) as socket:
                assert (await hear(socket))["thread_id"] == session
                heard += await hear_until(socket, "done")
        finally:
            here.start()
        assert text_of(heard) == "Uno dos tres cuatro cinco"
        assert len({frame["id"] for frame in heard}) == len(heard)
        assert stored(place(there, session), session) == ["cuenta", "Uno dos tres cuatro cinco"]


async def test_without_a_worker_a_session_says_what_to_do_and_keeps_nothing(deployment, model, session):
    """And the same message is answered as soon as there is one."""
    _, there, impatient = deployment.servers
    async with talk(place(impatient, session, thread_id=session)) as socket:
        await hear(socket)
        await say(socket, "hola", id="m-1")
        error = await until_error(socket)
        assert (error["status"], error["code"], error["message_id"]) == (503, "worker_unavailable", "m-1")
        assert "recuerdo worker --queues agent" in error["detail"]
        assert Client(impatient, "emi").get(f"/v1/threads/{session}/messages").status_code == 404
    with deployment.worker():
        async with talk(place(there, session)) as socket:
            await hear(socket)
            await say(socket, "hola", id="m-1")
            await hear_until(socket, "done")
    assert stored(place(impatient, session), session) == ["hola", "hola"]


async def test_an_answer_is_stopped_wherever_a_worker_generates_it(deployment, model, session):
    """The part that was said is stored, and an answer that waits for a worker is not begun."""
    here, there, _ = deployment.servers
    with deployment.worker():
        model.say("Uno dos tres " * 400, pause=0.1)
        async with talk(place(here, session, thread_id=session)) as socket:
            await hear(socket)
            await say(socket, "cuenta", id="m-1")
            heard = await hear_until(socket, "token")
        async with talk(place(there, session, last_frame_id=heard[-1]["id"])) as socket:
            await hear(socket)
            await hear(socket)
            await socket.send('{"type": "stop"}')
            last = (await hear_until(socket, "stopped", "done", "error"))[-1]
            assert last["type"] == "stopped", last
    said = stored(place(here, session), session)
    assert said[0] == "cuenta"
    assert said[1].startswith("Uno")
    async with talk(place(here, session)) as socket:
        await hear(socket)
        await say(socket, "otra", id="m-2")
        await socket.send('{"type": "stop"}')
        assert (await hear_until(socket, "stopped"))[-1]["message_id"] == "m-2"


@pytest.mark.parametrize("what", ["cleared", "erased"])
async def test_what_waits_for_a_worker_is_gone_with_an_erasure(deployment, model, session, what):
    """A message of before is neither stored nor answered behind it: epochs hold, however late a worker comes."""
    here, *_ = deployment.servers
    user = f"emi-{session}"
    client = Client(here, user)
    client.append(session, "antes")
    async with talk(place(here, session, thread_id=session), user=user) as socket:
        await hear(socket)
        await say(socket, "demasiado tarde", id="m-1")
        await client.until_handed_over(user, session, "m-1")
        if what == "cleared":
            client.post(f"/v1/threads/{session}/clear")
        else:
            assert client.post("/v1/erase", {"everything": True})["complete"]
        with deployment.worker():
            client.append(session, "después")
            await say(socket, "y ahora", id="m-2")
            frames = [await hear(socket)]
            while frames[-1]["type"] != "done":
                frames.append(await hear(socket))
    assert stored(place(here, session), session, user) == ["después", "y ahora", "y ahora"]
    assert not [frame for frame in frames if frame.get("message_id") == "m-1" and frame["type"] == "start"]


async def test_while_the_cache_is_away_a_session_waits_and_then_says_so(deployment, model, session):
    """A cache that comes back in time is not noticed."""
    here, _, impatient = deployment.servers
    with deployment.worker():
        async with talk(place(here, session, thread_id=session)) as socket:
            await hear(socket)
            deployment.cache.kill()
            try:
                async with talk(place(impatient, f"{session}-2", thread_id=f"{session}-2")) as other:
                    await hear(other)
                    await say(other, "hola", id="m-1")
                    error = await until_error(other)
                    assert (error["status"], error["code"]) == (503, "cache_unavailable")
                    assert "with its id" in error["detail"]
                await say(socket, "hola", id="m-1")
            finally:
                deployment.cache.start()
            assert (await hear_until(socket, "done"))[-1]["data"]["reply"]["content"] == "hola"
    assert stored(place(here, session), session) == ["hola", "hola"]

"""Sessions over WebSockets, spoken to by a real client."""

import asyncio
import base64
import contextlib
import threading
from datetime import timedelta

import httpx
import pytest
from serving import Backend, serving
from talking import PATIENCE, PausingModel, closing, hear, hear_until, say, stored, talk
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from recuerdo import Recuerdo
from recuerdo.adapters.local import LocalApiKeys, LocalDatabase
from recuerdo.app.graphs import hosting
from recuerdo.core.api_keys import issue
from recuerdo.core.errors import ModelUnavailable
from recuerdo.core.identifiers import new_id
from recuerdo.core.scope import Owner
from recuerdo.history.history import utc_now
from recuerdo.server import ServerOptions
from recuerdo.server.auth.options import AuthOptions
from recuerdo.server.routes import sessions
from recuerdo.server.streaming import frames
from recuerdo.testing import FakeClock


@pytest.fixture(scope="module")
def talking_backend():
    return Backend(PausingModel())


@pytest.fixture(scope="module")
def talking_url(talking_backend):
    with serving(talking_backend.opened()) as url:
        yield url


@pytest.fixture
def model(talking_backend):
    talking_backend.reset()
    return talking_backend.model


@pytest.fixture
def place(talking_url, model):
    """Where a session is; each test has its own."""
    return f"ws{talking_url.removeprefix('http')}/ws/{new_id()}"


async def test_a_message_is_answered_in_frames_and_both_are_stored(place):
    async with talk(f"{place}?thread_id=t-1&assistant_id=recuerdo") as socket:
        ready = await hear(socket)
        assert (ready["type"], ready["thread_id"], ready["assistant_id"]) == ("ready", "t-1", "recuerdo")
        await say(socket, "hola", id="m-1")
        frames = await hear_until(socket, "done")
    assert [frame["type"] for frame in frames] == ["start", "token", "token", "token", "done"]
    assert "".join(frame["data"]["text"] for frame in frames[1:-1]) == "Hola, Emiliano"
    assert frames[-1]["data"]["reply"]["content"] == "Hola, Emiliano"
    assert {frame["message_id"] for frame in frames} == {"m-1"}
    assert stored(place, "t-1") == ["hola", "Hola, Emiliano"]


async def test_a_session_is_renewed_by_its_messages():
    """Over a connection that stays open for hours it does not become anybody's."""
    clock = FakeClock()

    @contextlib.asynccontextmanager
    async def hosted():
        async with Recuerdo.open("memory://", embeddings="none", clock=clock) as memory, hosting(memory) as services:
            yield services

    with serving(hosted()) as url:
        place = f"ws{url.removeprefix('http')}/ws/{new_id()}"
        async with talk(f"{place}?thread_id=t-1") as socket:
            await hear(socket)
            for number in range(4):
                clock.advance(timedelta(minutes=25))
                await say(socket, "hola", id=f"m-{number}")
                await hear_until(socket, "done")
        clock.advance(timedelta(minutes=25))
        async with talk(place, user="ana") as socket:
            assert (await closing(socket))[0] == frames.NOT_FOUND
        async with talk(place) as socket:
            assert (await hear(socket))["thread_id"] == "t-1"


async def test_messages_are_answered_one_after_the_other(place):
    async with talk(f"{place}?thread_id=t-1") as socket:
        await hear(socket)
        for number in range(5):
            await say(socket, f"m{number}", id=str(number))
        done = [(await hear_until(socket, "done"))[-1] for _ in range(5)]
    assert [frame["message_id"] for frame in done] == list("01234")
    assert stored(place, "t-1")[::2] == [f"m{number}" for number in range(5)]


async def test_a_ping_gets_a_pong_also_while_an_answer_is_under_way(place, model):
    model.pauses_at = 1
    async with talk(place) as socket:
        await hear(socket)
        await say(socket, "hola")
        await hear_until(socket, "token")
        await socket.send('{"type": "ping"}')
        assert await hear(socket) == {"type": "pong"}
        model.pauses_at = None
        await hear_until(socket, "done")


async def test_a_session_goes_on_behind_the_last_frame_that_was_heard(place, model):
    """While nobody listens the answer goes on; nothing of it comes twice, and nothing is missing."""
    model.pieces = [f"{number} " for number in range(20)]
    model.pauses_at = 7
    async with talk(f"{place}?thread_id=t-1") as socket:
        await hear(socket)
        await say(socket, "cuenta", id="m-1")
        heard = [await hear(socket) for _ in range(5)]
    model.pauses_at = None
    async with talk(f"{place}?last_frame_id={heard[-1]['id']}") as socket:
        assert (await hear(socket))["thread_id"] == "t-1"
        heard += await hear_until(socket, "done")
        text = "".join(frame["data"]["text"] for frame in heard if frame["type"] == "token")
        assert text == "".join(model.pieces)
        await say(socket, "otra", id="m-2")
        await hear_until(socket, "done")
    async with talk(f"{place}?last_frame_id={heard[-2]['id']}") as socket:
        assert [frame["type"] for frame in await hear_until(socket, "done")] == ["ready", "done"]
    assert len(stored(place, "t-1")) == 4


async def test_a_message_that_is_sent_again_is_answered_once(place, model):
    for _ in range(2):
        async with talk(f"{place}?thread_id=t-1") as socket:
            await hear(socket)
            await say(socket, "hola", id="m-1")
            assert (await hear_until(socket, "done"))[-1]["data"]["reply"]["content"] == "Hola, Emiliano"
    assert model.asked == 1
    assert stored(place, "t-1") == ["hola", "Hola, Emiliano"]


async def test_another_text_with_a_used_id_is_refused_and_stored_nowhere(place, model):
    async with talk(f"{place}?thread_id=t-1") as socket:
        await hear(socket)
        await say(socket, "hola", id="m-1")
        await hear_until(socket, "done")
        await say(socket, "adiós", id="m-1")
        refused = await hear(socket)
        assert (refused["type"], refused["status"], refused["code"]) == ("error", 409, "idempotency_conflict")
    assert stored(place, "t-1") == ["hola", "Hola, Emiliano"]


async def test_nothing_follows_the_last_frame_of_an_answer(place):
    async with talk(f"{place}?thread_id=t-1") as socket:
        await hear(socket)
        await say(socket, "hola", id="m-1")
        done = (await hear_until(socket, "done"))[-1]
    async with talk(f"{place}?last_frame_id={done['id']}") as socket:
        assert (await hear(socket))["type"] == "ready"
        await say(socket, "hola", id="m-2")
        assert (await hear(socket))["type"] == "start"


async def test_an_answer_that_is_not_known_any_more_is_said_to_be_lost(place):
    async with talk(f"{place}?last_frame_id=7-1:x:m-9") as socket:
        assert [frame["type"] for frame in await hear_until(socket, "lost")] == ["ready", "lost"]
        await say(socket, "hola", id="m-9")
        await hear_until(socket, "done")
    async with talk(f"{place}?last_frame_id=nonsense") as socket:
        assert (await closing(socket))[0] == 4400


async def test_what_fails_is_a_frame_and_the_session_goes_on(place, model):
    model.fails_at, model.error = 0, ModelUnavailable("The model is away. Try again.")
    async with talk(f"{place}?thread_id=t-1") as socket:
        await hear(socket)
        await say(socket, "hola", id="m-1")
        failed = (await hear_until(socket, "error"))[-1]
        assert failed["data"] == {"status": 502, "detail": "The model is away. Try again.", "code": "model_unavailable"}
        await say(socket, " ", id="m-2")
        assert (await hear_until(socket, "error"))[-1]["data"]["status"] == 422
        await say(socket, "hola", id="x" * 300)
        assert (await hear(socket))["status"] == 422
        model.fails_at = None
        await say(socket, "hola", id="m-1")
        await hear_until(socket, "done")
    assert stored(place, "t-1") == ["hola", "Hola, Emiliano"]


async def test_an_answer_can_be_stopped_and_is_stored_as_far_as_it_came(place, model):
    model.pauses_at = 1
    async with talk(f"{place}?thread_id=t-1") as socket:
        await hear(socket)
        await say(socket, "hola")
        await hear_until(socket, "token")
        await socket.send('{"type": "stop"}')
        assert (await hear_until(socket, "stopped"))[-1]["type"] == "stopped"
    assert stored(place, "t-1") == ["hola", "Hola"]


async def test_a_message_that_is_stopped_as_soon_as_it_is_sent_is_stopped(place, model):
    """And the next one is answered."""
    model.pauses_at = 0
    async with talk(place) as socket:
        await hear(socket)
        await say(socket, "cuenta", id="m-1")
        await socket.send('{"type": "stop"}')
        assert (await hear_until(socket, "stopped"))[-1]["message_id"] == "m-1"
        model.pauses_at = None
        await say(socket, "otra", id="m-2")
        assert (await hear_until(socket, "done"))[-1]["message_id"] == "m-2"


@pytest.mark.parametrize(
    "frame",
    [
        "nonsense",
        '{"type": "message"}',
        '{"type": "shout", "text": "x"}',
        '{"type": "message", "text": "x", "user": "ana"}',
        '{"type": "message", "text": "x", "tenant": "acme"}',
        "[" * 10_000,
    ],
)
async def test_a_frame_that_is_none_is_refused_also_one_that_names_a_user(place, model, frame):
    async with talk(place) as socket:
        await hear(socket)
        await socket.send(frame)
        refused = await hear(socket)
        assert (refused["type"], refused["status"]) == ("error", 422)
    assert model.asked == 0


async def test_somebody_elses_session_is_not_found(place):
    async with talk(f"{place}?thread_id=t-1") as mine:
        await hear(mine)
        for user in ("ana", ""):
            async with talk(f"{place}?thread_id=t-1", user=user) as foreign:
                assert (await closing(foreign))[0] == 4404
        await say(mine, "hola")
        await hear_until(mine, "done")


async def test_a_slash_in_the_id_of_a_session_is_written_as_an_escape(place):
    async with talk(f"{place}%2Fb?thread_id=t-1") as socket:
        assert (await hear(socket))["session_id"].endswith("/b")


async def test_an_assistant_that_is_not_there_is_not_found(place):
    async with talk(f"{place}?assistant_id=nobody") as socket:
        assert (await closing(socket))[0] == 4404


@pytest.mark.parametrize(
    ("frames", "code"),
    [
        (["x" * (sessions.MOST_BYTES + 1)], 1009),
        (["ñ" * (sessions.MOST_BYTES // 2 + 1)], 1009),
        ([b"{}"], 1003),
        (['{"type": "ping"}'] * (sessions.BURST + 50), 4429),
        (['{"type": "message", "text": "x"}'] * (sessions.MOST_WAITING + 3), 4429),
    ],
    ids=["large", "large in UTF-8", "binary", "flood", "queue"],
)
async def test_who_goes_beyond_a_limit_is_told_by_a_code(place, model, frames, code):
    model.pauses_at = 0
    async with talk(place) as socket:
        await hear(socket)
        with contextlib.suppress(ConnectionClosed):
            for frame in frames:
                await socket.send(frame)
        told, reason = await closing(socket)
        assert told == code
        assert reason
    model.pauses_at = None


async def test_a_newer_connection_of_the_session_takes_it_over(place):
    async with talk(place) as older:
        await hear(older)
        async with talk(place) as newer:
            await hear(newer)
            assert (await closing(older))[0] == 4409
            await say(newer, "hola")
            await hear_until(newer, "done")


async def test_a_reader_that_does_not_read_is_let_go_and_its_answer_is_stored(place, model, monkeypatch):
    close, is_closing = frames._close, threading.Event()

    async def tell_and_close(*arguments):
        is_closing.set()
        await close(*arguments)

    monkeypatch.setattr(frames, "_close", tell_and_close)
    monkeypatch.setattr(frames, "SEND_SECONDS", 0.5)
    model.pieces = ["x" * 100_000] * 200
    async with talk(f"{place}?thread_id=t-1", max_queue=1, ping_interval=None, compression=None) as socket:
        await hear(socket)
        await say(socket, "cuenta")
        for _ in range(int(PATIENCE / 0.05)):
            await asyncio.sleep(0.05)
            with contextlib.suppress(httpx.HTTPStatusError):
                if "cuenta" not in stored(place, "t-1"):  # the reply fills a page
                    break
        assert await asyncio.to_thread(is_closing.wait, PATIENCE)
        code, _ = await closing(socket)
        assert code in (4408, 1006), "where not even the close can be sent the connection is cut"
    assert [*map(len, stored(place, "t-1"))] == [20_000_000]


async def test_many_sessions_idle_and_active_at_once(talking_url, model):
    base = f"ws{talking_url.removeprefix('http')}/ws"
    async with contextlib.AsyncExitStack() as stack:
        places = [f"{base}/{new_id()}?thread_id=t-{number}" for number in range(60)]
        sockets = [await stack.enter_async_context(talk(place)) for place in places]
        for socket in sockets:
            await hear(socket)

        async def chat(number):
            for turn in range(3):
                await say(sockets[number], f"hola {turn}", id=str(turn))
                assert (await hear_until(sockets[number], "done"))[-1]["data"]["thread_id"] == f"t-{number}"

        await asyncio.gather(*[chat(number) for number in range(15)])
        for socket in sockets:
            await socket.send('{"type": "ping"}')
        assert [await hear(socket) for socket in sockets] == [{"type": "pong"}] * len(sockets)


@pytest.fixture(scope="module")
def keys():
    return LocalApiKeys(LocalDatabase())


@pytest.fixture(scope="module")
def guarded_place(keys):
    options = ServerOptions(auth=AuthOptions(api_keys=True), api_keys=keys)
    with serving(Backend(PausingModel()).opened(), options) as url:
        yield f"ws{url.removeprefix('http')}/ws"


async def secret_of(keys, tenant, user):
    issued = issue(Owner(tenant, user), utc_now())
    await keys.add(issued.key)
    return issued.secret


async def test_with_authentication_the_credential_says_whose_a_session_is(keys, guarded_place):
    place = f"{guarded_place}/{new_id()}?thread_id=t-1"
    mine, other_user, other_tenant = [
        await secret_of(keys, tenant, user) for tenant, user in (("acme", "emi"), ("acme", "ana"), ("zeta", "emi"))
    ]
    async with connect(place, additional_headers={"x-api-key": mine}) as socket:
        await hear(socket)
        await say(socket, "hola")
        await hear_until(socket, "done")
    async with connect(place, additional_headers={"Authorization": f"Bearer {other_user}"}) as socket:
        assert (await closing(socket))[0] == 4404
    async with connect(place, additional_headers={"Authorization": f"Bearer {other_tenant}"}) as socket:
        ready = await hear(socket)  # its own session of that id, on its own thread of that id, and not the other's
        assert (ready["type"], ready["session_id"]) == ("ready", place.partition("?")[0].rpartition("/")[2])
    for headers in ({}, {"x-api-key": "recuerdo_wrong"}, {"X-Recuerdo-User": "emi"}):
        async with connect(place, additional_headers=headers) as socket:
            assert (await closing(socket))[0] == 4401


async def test_a_browser_sends_its_credential_as_a_subprotocol(keys, guarded_place):
    secret = await secret_of(keys, "acme", "browser")
    carried = base64.urlsafe_b64encode(secret.encode()).decode().rstrip("=")
    place = f"{guarded_place}/{new_id()}"
    async with connect(place, subprotocols=["recuerdo", f"recuerdo.bearer.{carried}"]) as socket:
        assert (await hear(socket))["type"] == "ready"
        assert socket.subprotocol == "recuerdo"
    async with connect(place, subprotocols=["recuerdo", "recuerdo.bearer.x"]) as socket:
        assert (await closing(socket))[0] in (4400, 4401)


async def test_a_message_has_headers_of_its_own_beside_those_of_the_connection(talking_url, model):
    place = f"ws{talking_url.removeprefix('http')}/ws/{new_id()}?thread_id={(thread := new_id())}"

    def context():
        url = f"{talking_url}/v1/contexts/{thread}"
        return httpx.get(url, headers={"X-Recuerdo-User": "emi"}).json()["context"]

    headers = {"X-Recuerdo-User": "emi", "X-Recuerdo-Window": "9"}
    async with connect(place, additional_headers=headers, open_timeout=PATIENCE) as socket:
        await hear(socket)
        await say(socket, "hola", headers={"x-recuerdo-window": "7", "X-Recuerdo-Locale": "es"})
        await hear_until(socket, "done")
        told = await asyncio.to_thread(context)
        assert (told["limits"], told["metadata"]["locale"]) == ({"window": 7}, "es")
        await say(socket, "hola", headers={"X-Recuerdo-Window": "none"})
        while (frame := await hear(socket))["type"] != "error":
            pass
        assert frame["status"] == 422
        await say(socket, "hola")
        await hear_until(socket, "done")
        assert (await asyncio.to_thread(context))["limits"] == {"window": 9}

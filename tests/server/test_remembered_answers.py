"""Windows and states that are asked for again: the same bytes without making them anew, and never older ones."""

import asyncio
import gc
import uuid
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import APIRouter, FastAPI
from serving import Backend

from recuerdo import Recuerdo
from recuerdo.app.graphs import Hosted, hosting
from recuerdo.server import create_app
from recuerdo.server.answers import JsonResponse
from recuerdo.server.requests import NoAuth
from recuerdo.server.response_cache import CachedResponseRoute, ResponseCache

GRAPHS = Path(__file__).parents[1] / "api" / "graphs" / "langgraph.json"
THREAD = str(uuid.UUID(int=7))
WINDOW = f"/v1/threads/{THREAD}/window"
MESSAGES = f"/v1/threads/{THREAD}/messages"
STATE = f"/threads/{THREAD}/state"


def client_of(app: FastAPI, user: str = "emi") -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app)
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers={"X-Recuerdo-User": user})


def application(hosted: Hosted) -> FastAPI:
    app = create_app(nullcontext(hosted))
    app.state.services = hosted
    return app


@pytest.fixture(params=["sqlite", "postgres"])
async def replicas(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[list[FastAPI]]:
    """Two applications over one database, as in two processes."""
    url = f"sqlite:///{tmp_path / 'all.db'}"
    if request.param == "postgres":
        url = request.getfixturevalue("empty_postgres_url")
    async with AsyncExitStack() as stack:
        memories = [await stack.enter_async_context(Recuerdo.open(url, embeddings="none")) for _ in range(2)]
        yield [application(await stack.enter_async_context(hosting(memory, GRAPHS))) for memory in memories]


def said(*texts: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text} for text in texts]}


async def test_a_window_is_never_older_than_what_another_replica_did(replicas: list[FastAPI]) -> None:
    """Whatever changes a thread, the replica that knows the answer to the question gives a new one."""
    asked, other = map(client_of, replicas)
    changes: list[Callable[[], Awaitable[httpx.Response]]] = [
        lambda: other.post(MESSAGES, json=said("a", "b")),
        lambda: asked.post(MESSAGES, json=said("c")),
        lambda: other.post(f"/v1/threads/{THREAD}/archive", json={"first": 1, "last": 1}),
        lambda: other.post(f"/v1/threads/{THREAD}/archive", json={"first": 1, "last": 1, "archived": False}),
        lambda: other.post(f"/v1/threads/{THREAD}/clear"),
        lambda: other.post(MESSAGES, json=said("d")),
        lambda: other.delete(f"/v1/threads/{THREAD}"),
        lambda: other.post(MESSAGES, json=said("e")),
    ]
    seen: list[tuple[int, str]] = []
    for change in changes:
        (await change()).raise_for_status()
        fresh = await client_of(application(replicas[1].state.services)).get(WINDOW)
        for _ in range(3):
            answer = await asked.get(WINDOW)
            assert (answer.status_code, answer.text) == (fresh.status_code, fresh.text)
        seen.append((answer.status_code, answer.text))
    assert len(set(seen)) == len(changes) - 1, "all differ, but that what was archived came back"


async def test_a_state_is_never_older_than_what_another_replica_did(replicas: list[FastAPI]) -> None:
    """Runs, written states, metadata and erasure: the next question is answered with them."""
    asked, other = map(client_of, replicas)
    run = {"assistant_id": "stepping", "input": {"items": ["x"]}, "if_not_exists": "create"}
    changes: list[Callable[[], Awaitable[httpx.Response]]] = [
        lambda: other.post("/threads", json={"thread_id": THREAD}),
        lambda: other.post(f"/threads/{THREAD}/runs/wait", json=run),
        lambda: other.post(STATE, json={"values": {"items": ["y"]}}),
        lambda: asked.post(f"/threads/{THREAD}/runs/wait", json=run),
        lambda: other.post("/threads/prune", json={"thread_ids": [THREAD], "strategy": "keep_latest"}),
        lambda: other.delete(f"/threads/{THREAD}"),
        lambda: other.post("/threads", json={"thread_id": THREAD}),
    ]
    seen: list[str] = []
    for change in changes:
        (await change()).raise_for_status()
        fresh = await client_of(application(replicas[1].state.services)).get(STATE)
        for _ in range(3):
            answer = await asked.get(STATE)
            assert (answer.status_code, answer.text) == (fresh.status_code, fresh.text)
        seen.append(answer.text)
    assert len(set(seen)) >= 5


async def test_a_state_that_came_between_is_not_sent_again_after_it_was_erased(replicas: list[FastAPI]) -> None:
    """A run ends between two steps of a read; later the thread is erased, begun again, and has no state as before."""
    asked, other = map(client_of, replicas)
    run = {"assistant_id": "stepping", "input": {"items": ["x"]}, "if_not_exists": "create"}
    for begin in (
        lambda: other.post(MESSAGES, json=said("a")),
        lambda: other.post("/threads", json={"thread_id": THREAD, "graph_id": "stepping"}),
    ):
        (await begin()).raise_for_status()
        with paused_before_the_state(replicas[0]) as (reached, go_on):
            reading = asyncio.create_task(asked.get(STATE))
            await reached.wait()
            (await other.post(f"/threads/{THREAD}/runs/wait", json=run)).raise_for_status()
            go_on.set()
        assert (await reading).json()["values"]["items"]
        (await other.post("/v1/erase", json={"everything": True})).raise_for_status()
        (await begin()).raise_for_status()
        assert not (await asked.get(STATE)).json()["values"]
        (await other.post("/v1/erase", json={"everything": True})).raise_for_status()


@contextmanager
def paused_before_the_state(app: FastAPI) -> Iterator[tuple[asyncio.Event, asyncio.Event]]:
    """The next state is read only when the second event is set; the first one says that it is about to be."""
    threads, reached, go_on = app.state.services.runs.threads, asyncio.Event(), asyncio.Event()
    read = threads.state

    async def wait(*asked: Any, **options: Any) -> Any:
        reached.set()
        await go_on.wait()
        return await read(*asked, **options)

    threads.state = wait
    yield reached, go_on
    threads.state = read


async def test_what_one_user_may_see_is_not_sent_to_another(replicas: list[FastAPI]) -> None:
    app = replicas[0]
    await client_of(app).post(MESSAGES, json=said("mine"))
    assert "mine" in (await client_of(app).get(WINDOW)).text
    assert (await client_of(app, "ana").get(WINDOW)).status_code == 404
    assert "mine" in (await client_of(app).get(WINDOW)).text


async def test_other_parameters_are_another_question(replicas: list[FastAPI]) -> None:
    client = client_of(replicas[0])
    await client.post(MESSAGES, json=said("a", "b"))
    lengths = [len((await client.get(WINDOW, params=asked)).json()["messages"]) for asked in ({}, {"messages": 1}, {})]
    assert lengths == [2, 1, 2]
    assert (await client.get(WINDOW, params={"messages": 0})).status_code == 422


def test_a_database_that_is_away_is_said_to_be_away(client: httpx.Client, backend: Backend) -> None:
    """Nobody knows whether the answer still holds."""
    client.post(MESSAGES, json=said("a")).raise_for_status()
    assert client.get(WINDOW).status_code == 200
    backend.messages.down = True
    assert client.get(WINDOW).status_code == 503
    backend.messages.down = False
    assert client.get(WINDOW).status_code == 200


class Counted:
    """An endpoint that counts how often it made its answer, which holds as long as `holds`."""

    def __init__(self, most_bytes: int = 10_000, seconds: float = 60) -> None:
        self.made = self.looks = 0
        self.holds = True
        self.answers: list[weakref.ref[JsonResponse]] = []
        self.pause: asyncio.Event | None = None
        router = APIRouter(route_class=CachedResponseRoute)
        router.get("/{name}")(self._answer)
        app = FastAPI()
        app.state.authenticator, app.state.answers = NoAuth(), ResponseCache(most_bytes, seconds)
        app.include_router(router)
        self.client = client_of(app)

    async def _answer(self, name: str) -> JsonResponse:
        self.made += 1

        async def holds() -> bool:
            self.looks += 1
            found = self.holds
            if self.pause is not None:
                await self.pause.wait()
            return found

        answer = JsonResponse({"name": name}, holds=holds)
        self.answers.append(weakref.ref(answer))
        return answer


async def test_an_answer_that_holds_is_made_once() -> None:
    counted = Counted()
    answers = [await counted.client.get("/a") for _ in range(3)]
    assert counted.made == 1
    assert len({(answer.text, str(answer.headers)) for answer in answers}) == 1
    counted.holds = False
    await counted.client.get("/a")
    assert counted.made == 2


async def test_those_who_ask_at_the_same_moment_share_a_look_that_begins_after_they_came() -> None:
    counted = Counted()
    await counted.client.get("/a")
    counted.pause = asyncio.Event()
    early = asyncio.create_task(counted.client.get("/a"))
    while not counted.looks:  # noqa: ASYNC110
        await asyncio.sleep(0)
    late = [asyncio.create_task(counted.client.get("/a")) for _ in range(5)]
    for _ in range(200):
        await asyncio.sleep(0)
    counted.holds = False
    counted.pause.set()
    await early
    assert (counted.made, counted.looks) == (1, 1), "who came before the change may be told what was true before"
    await asyncio.gather(*late)
    assert 2 <= counted.looks <= 3, "one for all of them, or two where some came late"
    assert counted.made > 1


async def test_answers_take_a_bounded_room() -> None:
    counted = Counted(most_bytes=2500)
    for name in "ab", "cd", "ef", "ef", "ab":
        await counted.client.get(f"/{name}")
    assert counted.made == 4, "the first made room for the third"


async def test_answers_that_made_room_for_others_are_gone() -> None:
    """Nothing else holds them: who is asked for much would hold a minute's answers in memory."""
    counted = Counted(most_bytes=2500)
    for number in range(20):
        await counted.client.get(f"/{number}")
    gc.collect()
    assert len([each for each in counted.answers if each() is not None]) <= 3


async def test_what_was_erased_does_not_stay_in_memory() -> None:
    """Also when nobody asks again."""
    counted = Counted(seconds=0.01)
    await counted.client.get("/a")
    await asyncio.sleep(0.05)
    await counted.client.get("/a")
    assert counted.made == 2

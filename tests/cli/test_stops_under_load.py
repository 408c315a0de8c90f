"""A server that is told to stop under load finishes what it has begun, and sends everybody else away in words."""

import asyncio
import json
import os
import signal
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx
import pytest
from command import Server, serving
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from recuerdo.concurrency.tasks import stop
from recuerdo.core.identifiers import new_id
from servers.patience import PATIENCE

STOPS = int(os.environ.get("RECUERDO_TEST_STOPS", "1"))
SOCKETS = 2
SLOW_GRAPH = """
import asyncio
from langgraph.graph import END, START, MessagesState, StateGraph

async def think(state):
    await asyncio.sleep(3600)

graph = StateGraph(MessagesState).add_node(think).add_edge(START, "think").add_edge("think", END).compile()
"""
HEADERS = {"X-Recuerdo-User": "emi"}


class Clients:
    """The answers that each of them got: `said` counts them, `wrong` lists errors, `begun` counts streams."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.said: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.ready: list[int] = []
        self.begun = 0

    async def for_ever(self, name: str, ask: Callable[[httpx.AsyncClient], Awaitable[None]]) -> None:
        """Ask over one connection that is kept alive, until nobody listens any more."""
        async with httpx.AsyncClient(base_url=self.url, headers=HEADERS) as client:
            while True:
                try:
                    await ask(client)
                except httpx.ConnectError:
                    return
                except httpx.HTTPError as error:
                    self.wrong.append(f"{name}: {error!r}")
                    return

    def note(self, response: httpx.Response, text: str) -> None:
        if response.status_code == 503:
            self.said["503"] += 1
            asked = response.request.url.path
            if response.headers.get("connection") != "close" or "retry-after" not in response.headers:
                self.wrong.append(f"{asked}: {response.headers}")
            if not json.loads(text)["detail"].startswith("The server"):
                self.wrong.append(f"{asked}: {text}")
        else:
            self.said["answered"] += 1
            if response.status_code >= 300:
                self.wrong.append(f"{response.request.url.path}: {response.status_code} {text}")

    async def read(self, client: httpx.AsyncClient) -> None:
        response = await client.get("/v1/threads")
        self.note(response, response.text)

    async def append(self, client: httpx.AsyncClient) -> None:
        body = {"messages": [{"role": "user", "content": "hola"}]}
        response = await client.post(f"/v1/threads/{new_id()}/messages", json=body)
        self.note(response, response.text)

    async def listen_to_chat(self, client: httpx.AsyncClient) -> None:
        """A stream that has begun ends with its answer, or says that there is none."""
        async with client.stream("POST", "/v1/chat/stream", json={"message": "hola"}) as response:
            text = (await response.aread()).decode()
        if response.status_code == 200 and "\nevent: done\n" not in text and "\nevent: error\n" not in text:
            self.wrong.append(f"half a stream: {text[-200:]}")
        self.note(response, text)

    async def wait_for_run(self, client: httpx.AsyncClient) -> None:
        """It takes longer than the server waits."""
        response = await client.post("/runs/wait", json={"assistant_id": "slow", "input": {"messages": []}})
        self.note(response, response.text)
        self.said["waited"] += 1

    async def listen_to_run(self, client: httpx.AsyncClient) -> None:
        """It ends without an `end`, so that LangGraph's clients ask for the run and join it again."""
        asked = {"assistant_id": "slow", "input": {"messages": []}, "stream_resumable": True}
        async with client.stream("POST", "/runs/stream", json=asked) as response:
            self.begun += response.status_code == 200
            text = (await response.aread()).decode()
        self.note(response, text)
        self.said["listened"] += response.status_code == 200

    async def watch(self) -> None:
        """/ready, for a balancer that keeps its connection."""
        async with httpx.AsyncClient(base_url=self.url) as client:
            while True:
                try:
                    self.ready.append((await client.get("/ready")).status_code)
                except httpx.ConnectError:
                    return
                await asyncio.sleep(0.01)

    async def converse(self) -> None:
        """Over WebSockets: each question is answered, or the connection is closed with words."""
        place = f"ws{self.url.removeprefix('http')}/ws/{new_id()}"
        try:
            async with connect(place, additional_headers=HEADERS, open_timeout=PATIENCE) as socket:
                self.begun += 1
                while True:
                    await socket.send(json.dumps({"type": "message", "text": "hola"}))
                    while json.loads(await socket.recv())["type"] != "done":
                        pass
                    await asyncio.sleep(0.3)  # it takes five frames a second
        except ConnectionClosed as end:
            code = end.rcvd.code if end.rcvd else None
            self.said[f"closed with {code}"] += 1
            if code != 1012:
                self.wrong.append(f"WebSocket: {end!r}")
        except InvalidStatus as refused:
            self.said[f"refused with {refused.response.status_code}"] += 1


async def stopped_under_load(server: Server) -> Clients:
    clients = Clients(server.url)
    work = [clients.for_ever("read", clients.read) for _ in range(4)]
    work += [clients.for_ever("append", clients.append) for _ in range(4)]
    work += [clients.for_ever("chat", clients.listen_to_chat) for _ in range(2)]
    work += [clients.for_ever("wait", clients.wait_for_run), clients.for_ever("run", clients.listen_to_run)]
    work += [*[clients.converse() for _ in range(SOCKETS)], clients.watch()]
    tasks = [asyncio.create_task(each) for each in work]
    try:
        async with asyncio.timeout(PATIENCE):
            while clients.said["answered"] < 50 or not clients.ready or clients.begun < 1 + SOCKETS:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        status, printed = await asyncio.to_thread(server.end, signal.SIGTERM)
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*tasks)
    finally:
        await stop(*tasks)
    assert status == 0, printed
    assert "Traceback" not in printed, printed
    if sorted(clients.ready) != clients.ready or set(clients.ready) != {200, 503}:
        clients.wrong.append(f"/ready: {clients.ready}")
    return clients


@pytest.mark.timeout(120 * (STOPS + 1))
async def test_a_stop_under_load_tears_nothing(tmp_path: Path) -> None:
    """No 500 and no connection that breaks: answers, 503s that say when to come again, and closed doors."""
    (tmp_path / "slow.py").write_text(SLOW_GRAPH)
    (tmp_path / "langgraph.json").write_text('{"graphs": {"slow": "./slow.py:graph"}}')
    said: Counter[str] = Counter()
    for _ in range(STOPS):
        with serving(tmp_path, "--embeddings", "none", "--config", "langgraph.json") as server:
            clients = await stopped_under_load(server)
        assert not clients.wrong, clients.wrong
        said += clients.said
    assert said["503"] >= STOPS, said
    assert min(said["waited"], said["listened"]) >= STOPS, said
    assert said["closed with 1012"] + said["refused with 503"] == SOCKETS * STOPS, said

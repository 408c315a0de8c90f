"""In which order a connection of the thread-centric protocol hears things, whatever comes first in the server."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from starlette.websockets import WebSocket

from recuerdo.runs.thread_stream import ThreadEvent
from recuerdo.server.routes.langgraph.protocol import ThreadSocket

VALUES, WORDS, END = (
    ThreadEvent(seq, f"e{seq}", method, b'{"namespace":[]}')
    for seq, method in ((1, "values"), (2, "messages"), (3, "lifecycle"))
)


class Client:
    """The other end of a connection whose server's events come when `let` says so: `let[n]` are the n-th follower's."""

    def __init__(self) -> None:
        self._frames: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._heard: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.let: list[asyncio.Queue[ThreadEvent | None]] = []
        self._frames.put_nowait({"type": "websocket.connect"})
        self.socket = WebSocket({"type": "websocket"}, self._frames.get, self._heard.put)  # pyright: ignore[reportArgumentType]

    async def follow(self, _: int | None) -> AsyncGenerator[ThreadEvent | None]:
        events: asyncio.Queue[ThreadEvent | None] = asyncio.Queue()
        self.let.append(events)
        while True:
            yield await events.get()

    def subscribe(self, number: int, *channels: str, since: int | None = None) -> None:
        params = {"channels": channels, "since": since}
        self.send({"id": number, "method": "subscription.subscribe", "params": params})

    def send(self, command: dict[str, Any]) -> None:
        self._frames.put_nowait({"type": "websocket.receive", "text": json.dumps(command)})

    async def subscribe_and_hear(self, channel: str, event: ThreadEvent) -> None:
        self.subscribe(1, channel)
        await self.settle()
        self.let[0].put_nowait(event)
        await self.settle()

    def leave(self) -> None:
        self._frames.put_nowait({"type": "websocket.disconnect", "code": 1000})

    async def settle(self) -> list[str | int]:
        """The messages received since: the ids of events, and the numbers of the commands that were answered."""
        for _ in range(50):
            await asyncio.sleep(0)
        heard = [self._heard.get_nowait() for _ in range(self._heard.qsize())]
        frames = [json.loads(each["text"]) for each in heard if each["type"] == "websocket.send"]
        return [frame["event_id"] if frame["type"] == "event" else frame["id"] for frame in frames]


@asynccontextmanager
async def connected() -> AsyncGenerator[Client]:
    client = Client()

    async def answer(number: int, _: str, __: dict[str, Any]) -> dict[str, Any]:
        return {"type": "success", "id": number, "result": {}}

    await client.socket.accept()
    running = asyncio.create_task(ThreadSocket(client.socket, answer, client.follow).run())
    try:
        yield client
    finally:
        client.leave()
        await running


async def test_a_subscription_hears_what_came_before_it_ahead_of_its_answer_and_of_what_is_newer() -> None:
    """A client for which the run's end has come takes nothing older any more."""
    async with connected() as client:
        client.subscribe(1, "messages", "lifecycle")
        assert await client.settle() == [1]
        first = client.let[0]
        first.put_nowait(VALUES)
        first.put_nowait(WORDS)
        assert await client.settle() == ["e2"]
        client.subscribe(2, "values", "lifecycle")
        first.put_nowait(END)
        assert await client.settle() == [], "the end overtook the values"
        client.let[1].put_nowait(VALUES)
        assert await client.settle() == ["e1"]
        client.let[1].put_nowait(WORDS)
        assert await client.settle() == [2, "e3"]


async def test_a_subscription_that_goes_on_behind_what_its_connection_has_heard_is_answered_at_once() -> None:
    async with connected() as client:
        await client.subscribe_and_hear("messages", WORDS)
        client.subscribe(2, "values", since=WORDS.seq)
        assert await client.settle() == [2]


async def test_a_subscription_whose_past_has_gone_is_answered_when_there_is_nothing_more() -> None:
    """Its runs may have been taken back in between."""
    async with connected() as client:
        await client.subscribe_and_hear("lifecycle", WORDS)
        client.subscribe(2, "values")
        await client.settle()
        client.let[0].put_nowait(END)
        client.let[1].put_nowait(None)
        assert await client.settle() == [2, "e3"]


async def test_a_command_is_answered_while_a_subscription_catches_up() -> None:
    async with connected() as client:
        await client.subscribe_and_hear("lifecycle", END)
        client.subscribe(2, "values")
        client.send({"id": 3, "method": "state.get"})
        assert await client.settle() == [3]

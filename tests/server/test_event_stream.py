"""The event stream below HTTP: what a slow socket, a reader who leaves and a failure do to it."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from events import read_events

from recuerdo.server.streaming.sse import EventStream, encode
from servers.patience import PATIENCE


async def numbers(count: int) -> AsyncGenerator[bytes, None]:
    for number in range(count):
        yield encode("token", number)


async def silence() -> dict[str, Any]:
    await asyncio.Event().wait()
    raise AssertionError


class Socket:
    """Takes what is sent, slowly."""

    def __init__(self, delay: float = 0) -> None:
        self.sent: list[dict[str, Any]] = []
        self._delay = delay

    async def send(self, message: Any) -> None:
        await asyncio.sleep(self._delay)
        self.sent.append(message)

    @property
    def body(self) -> str:
        return b"".join(message.get("body", b"") for message in self.sent).decode()


async def test_a_slow_socket_loses_nothing_and_gets_few_large_pieces() -> None:
    socket = Socket(delay=0.002)
    await EventStream(numbers(3000))({}, silence, socket.send)
    assert [event.data for event in read_events(socket.body)] == list(range(3000))
    assert len(socket.sent) < 300
    assert [message.get("more_body") for message in socket.sent[-2:]] == [True, False]


@pytest.mark.parametrize("count", [255, 256, 257])
async def test_an_end_that_meets_a_full_queue_is_told(count: int) -> None:
    socket = Socket()
    async with asyncio.timeout(PATIENCE):
        await EventStream(numbers(count))({}, silence, socket.send)
    assert len(read_events(socket.body)) == count


async def test_a_reader_who_leaves_while_the_socket_is_stuck_ends_the_events() -> None:
    left = asyncio.Event()
    closed = asyncio.Event()

    async def endless() -> AsyncGenerator[bytes, None]:
        try:
            while True:
                yield encode("token", "x")
        finally:
            closed.set()

    async def stuck(_message: Any) -> None:
        left.set()
        await asyncio.Event().wait()

    async def receive() -> dict[str, Any]:
        await left.wait()
        return {"type": "http.disconnect"}

    async with asyncio.timeout(PATIENCE):
        await EventStream(endless())({}, receive, stuck)
    assert closed.is_set()


async def test_a_failure_before_the_first_event_is_raised_and_nothing_is_sent() -> None:
    async def failing() -> AsyncGenerator[bytes, None]:
        raise ValueError("no")
        yield b""

    socket = Socket()
    with pytest.raises(ValueError, match="no"):
        await EventStream(failing(), heartbeat=0.001)({}, silence, socket.send)
    assert socket.sent == []


async def test_no_heartbeat_comes_before_the_first_event() -> None:
    async def slow() -> AsyncGenerator[bytes, None]:
        await asyncio.sleep(0.1)
        yield encode("token", "x")

    socket = Socket()
    await EventStream(slow(), heartbeat=0.01)({}, silence, socket.send)
    assert socket.body == 'event: token\ndata: "x"\n\n'


async def test_an_empty_stream_does_not_hang() -> None:
    async with asyncio.timeout(PATIENCE):
        await EventStream(numbers(0))({}, silence, Socket().send)


@pytest.mark.parametrize("name", ["a\nb", "a\rb", "a\0b"])
def test_a_name_or_an_id_can_not_break_out_of_its_line(name: str) -> None:
    with pytest.raises(ValueError, match="one line"):
        encode(name, {})
    with pytest.raises(ValueError, match="one line"):
        encode("token", {}, name)


def test_an_event_with_an_id_is_one_frame() -> None:
    assert encode("token", {"a": "\n"}, "7-0") == b'id: 7-0\nevent: token\ndata: {"a":"\\n"}\n\n'

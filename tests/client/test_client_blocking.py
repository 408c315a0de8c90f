"""The synchronous client, whose connection blocks: outside and inside of a running event loop."""

from collections.abc import Iterator

import httpx
import pytest

from recuerdo.client import Client


class Events(httpx.SyncByteStream):
    """The events of a run, and whether their reader has closed the stream."""

    def __init__(self) -> None:
        self.is_closed = False

    def __iter__(self) -> Iterator[bytes]:
        for number in range(9):
            yield b'event: values\ndata: {"number": %d}\n\n' % number

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def events() -> Events:
    return Events()


@pytest.fixture
def client(events: Events) -> Iterator[Client]:
    """A client of a server that answers everything with the events."""
    answer = httpx.Response(200, headers={"Content-Type": "text/event-stream"}, stream=events)
    with Client(http=httpx.Client(transport=httpx.MockTransport(lambda _: answer))) as client:
        yield client


def test_a_stream_yields_each_event_as_it_comes(client: Client) -> None:
    assert [event.data["number"] for event in client.runs.stream("t")] == list(range(9))


async def test_a_stream_that_its_reader_leaves_is_closed_at_once(client: Client, events: Events) -> None:
    stream = client.runs.stream("t")
    assert next(stream).data == {"number": 0}
    assert not events.is_closed
    stream.close()
    assert events.is_closed

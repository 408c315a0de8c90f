"""The events of a thread on the wire of the thread-centric protocol, and who hears which of them."""

from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import aclosing
from typing import NamedTuple

import msgspec

from recuerdo.core.runs import RunEvent
from recuerdo.runs.thread_stream import ThreadEvent
from recuerdo.server.streaming.sse import encode

_OPEN = b": thread\n\n"
"""The first frame: the stream is open."""

_CHANNELS = {"input.requested": "input"}


class EventFilter(NamedTuple):
    """Events of the channels, at or below one of the namespaces, `depth` levels at most."""

    channels: Collection[str]
    namespaces: Sequence[Sequence[str]] | None = None
    depth: int | None = None

    def passes(self, event: ThreadEvent) -> bool:
        """Whether the event is one of them."""
        channel = _CHANNELS.get(event.method, event.method)
        wanted = channel in self.channels or (channel == "custom" and f"custom:{event.name}" in self.channels)
        return wanted and (not self.namespaces or any(self._is_below(prefix, event) for prefix in self.namespaces))

    def _is_below(self, prefix: Sequence[str], event: ThreadEvent) -> bool:
        further = len(event.namespace) - len(prefix)
        if further < 0 or (self.depth is not None and further > self.depth):
            return False
        return all(map(_is_step, event.namespace, prefix))


def _is_step(step: str, wanted: str) -> bool:
    """A step is named by its node, or exactly: by the node and the task."""
    return wanted in (step, step.partition(":")[0])


def event_json(event: ThreadEvent) -> bytes:
    """The event as JSON."""
    return msgspec.json.encode(
        {
            "type": "event",
            "event_id": event.event_id,
            "seq": event.seq,
            "method": event.method,
            "params": msgspec.Raw(event.params),
        }
    )


async def joined_frames(events: AsyncGenerator[RunEvent]) -> AsyncGenerator[bytes, None]:
    """The events of a thread's runs as server-sent events."""
    yield _OPEN
    async with aclosing(events):
        async for event in events:
            yield encode(event.name, msgspec.Raw(event.data), event.id)


async def thread_frames(events: AsyncGenerator[ThreadEvent | None], chosen: EventFilter) -> AsyncGenerator[bytes, None]:
    """The chosen events as server-sent events."""
    yield _OPEN
    async with aclosing(events):
        async for event in events:
            if event is not None and chosen.passes(event):
                yield encode(event.method, msgspec.Raw(event_json(event)), event.event_id)

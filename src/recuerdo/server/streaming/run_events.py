"""The events of runs and of threads as streams that readers can resume."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Coroutine, Sequence
from contextlib import aclosing
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec
from starlette.types import Receive

from recuerdo.concurrency.tasks import stop
from recuerdo.core.runs import Run, RunEvent
from recuerdo.core.scope import Owner
from recuerdo.runs.runs import Runs
from recuerdo.runs.thread_stream import ThreadEvent
from recuerdo.server.streaming.sse import disconnected, encode

EVERYTHING = "-1"
"""The Last-Event-ID of a reader who wants to hear a run from its beginning."""

_ALWAYS = ("metadata", "error")


_OPEN = b": thread\n\n"
"""The first frame: the stream is open."""

_CHANNELS = {"input.requested": "input"}


def run_headers(run: Run, way: str | None = None) -> dict[str, str]:
    """The path of a run, and with `way` (`stream`, `join`) of its events or its result."""
    place = f"/threads/{quote(run.thread_id, safe='')}/runs/{run.run_id}"
    shown = f"/runs/{run.run_id}" if run.kwargs.temporary else place
    return {"Content-Location": shown, **({"Location": f"{place}/{way}"} if way else {})}


async def result_unless_gone(receive: Receive, waiting: Coroutine[Any, Any, Any]) -> tuple[Any] | None:
    """The result of `waiting`, in a tuple; None when the client goes away before."""
    result, gone = asyncio.create_task(waiting), asyncio.create_task(disconnected(receive))
    try:
        await asyncio.wait([result, gone], return_when=asyncio.FIRST_COMPLETED)
        return (result.result(),) if result.done() else None
    finally:
        await stop(result, gone)


async def frames(
    runs: Runs,
    owner: Owner,
    run: Run,
    *,
    after: str = "",
    modes: Collection[str] | None = None,
    abandoned: Callable[[], Awaitable[object]] | None = None,
) -> AsyncGenerator[bytes, None]:
    """The run's events, encoded; of a run that tells everything only those of the modes.

    Events have ids where the run was made to be resumed. When the reader leaves, `abandoned` is called.
    """
    yield b": run\n\n"  # the client gets the run's address at once
    try:
        async with aclosing(runs.follow(owner, run, "" if after == EVERYTHING else after)) as events:
            async for event in events:
                if modes is None or _is_of(event, modes):
                    yield encode(event.name, msgspec.Raw(event.data), event.id if run.kwargs.resumable else None)
    except (asyncio.CancelledError, GeneratorExit):
        if abandoned is not None:
            await asyncio.shield(abandoned())
        raise


def _is_of(event: RunEvent, modes: Collection[str]) -> bool:
    kind = event.name.partition("|")[0].partition("/")[0]
    return kind in _ALWAYS or kind in modes or (kind == "messages" and "messages-tuple" in modes)


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

"""Server-sent events: the wire format, a response that ends when its reader has left, and the events of runs in it.

The format is the one of https://html.spec.whatwg.org/multipage/server-sent-events.html.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Coroutine, Sequence
from contextlib import aclosing
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

import msgspec
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from recuerdo.concurrency.tasks import stop
from recuerdo.core.runs import Run, RunEvent
from recuerdo.core.scope import Owner
from recuerdo.runs.runs import Runs
from recuerdo.runs.thread_stream import ThreadEvent
from recuerdo.server.errors import code_of, detail_of, status_of
from recuerdo.server.guards import CUT, CUT_CODE, PARTING
from recuerdo.server.requests import HEARTBEAT_SECONDS

HEARTBEAT = b": heartbeat\n\n"

_MOST_WAITING = 256
_HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no", "X-Content-Type-Options": "nosniff"}

EVERYTHING = "-1"
"""The Last-Event-ID of a reader who wants to hear a run from its beginning."""

_ALWAYS = ("metadata", "error")


_OPEN = b": thread\n\n"
"""The first frame: the stream is open."""

_CHANNELS = {"input.requested": "input"}


_log = logging.getLogger(__name__)
T = TypeVar("T")


def encode(event: str, data: object, event_id: str | None = None) -> bytes:
    """One event with its data as JSON, which never holds a line break.

    Raises ValueError for a name or an id that would break out of its line.
    """
    for line in (event, event_id or ""):
        if "\n" in line or "\r" in line or "\0" in line:
            raise ValueError(f"{line!r} can't be the name or the id of an event: it must be one line without NUL")
    identity = f"id: {event_id}\n" if event_id else ""
    return b"%bevent: %b\ndata: %b\n\n" % (identity.encode(), event.encode(), msgspec.json.encode(data))


class EventStream(Response):
    """Sends encoded events as they come, and a comment after `heartbeat` seconds of silence.

    Events that wait while the socket is busy go out in one piece. When the reader disconnects, the generator is
    cancelled at once, wherever it waits. Nothing is sent before the first event: an error until then is raised, so
    that it gets a status of its own. `parting` ends it when the server stops before it is over.
    """

    media_type = "text/event-stream"

    def __init__(
        self, events: AsyncGenerator[bytes, None], heartbeat: float = HEARTBEAT_SECONDS, parting: bytes = b""
    ) -> None:
        super().__init__(status_code=200, headers=_HEADERS)
        del self.headers["content-length"]
        self._events = events
        self._heartbeat = heartbeat
        self._parting = parting

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope.get(PARTING, []).append(self._parting)
        waiting: asyncio.Queue[bytes | None] = asyncio.Queue(_MOST_WAITING)
        tasks = [
            asyncio.create_task(_pump(self._events, waiting)),
            asyncio.create_task(self._write(waiting, send)),
            asyncio.create_task(disconnected(receive)),
        ]
        try:
            done, _ = await asyncio.wait(tasks[1:], return_when=asyncio.FIRST_COMPLETED)
        finally:
            await stop(*tasks)
        for task in (tasks[0], *done):
            if not task.cancelled():
                task.result()

    async def _write(self, waiting: asyncio.Queue[bytes | None], send: Send) -> None:
        piece, ended = await _next_piece(waiting, None)
        if not piece:  # it failed before its first event
            return
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        await send({"type": "http.response.body", "body": piece, "more_body": not ended})
        while not ended:
            piece, ended = await _next_piece(waiting, self._heartbeat)
            await send({"type": "http.response.body", "body": piece, "more_body": not ended})


async def _next_piece(waiting: asyncio.Queue[bytes | None], seconds: float | None) -> tuple[bytes, bool]:
    """Everything that waits, and whether it is the end; a heartbeat when nothing comes for `seconds` seconds."""
    try:
        async with asyncio.timeout(seconds):
            frames = [await waiting.get()]
    except TimeoutError:
        return HEARTBEAT, False
    while not waiting.empty():
        frames.append(waiting.get_nowait())
    return b"".join(filter(None, frames)), frames[-1] is None


async def _pump(events: AsyncGenerator[bytes, None], waiting: asyncio.Queue[bytes | None]) -> None:
    """Queue the events, then None. Not in a `finally`: after a cancellation there is no reader left."""
    failure: Exception | None = None
    try:
        async with contextlib.aclosing(events):
            async for frame in events:
                await waiting.put(frame)
    except Exception as error:
        failure = error
    await waiting.put(None)
    if failure is not None:
        raise failure


async def disconnected(receive: Receive) -> None:
    """Wait until the client has gone. The request's body must have been read."""
    while (await receive())["type"] != "http.disconnect":
        pass


STOPPED = encode("error", {"detail": CUT, "status": 503, "code": CUT_CODE})
"""The last event of a chat's stream when the server stops before the answer is whole."""


async def until_failure(
    stream: AsyncGenerator[T], encoded: Callable[[T], bytes], request: HTTPConnection
) -> AsyncGenerator[bytes, None]:
    """The stream's events, encoded, and after them an `error` if it fails.

    A failure before the first event is raised: nothing was sent yet, and the error can have its own status.
    """
    begun = False
    try:
        async with aclosing(stream) as events:
            async for event in events:
                yield encoded(event)
                begun = True
    except Exception as error:
        if not begun:
            raise
        if status_of(error) == 500:
            _log.exception("a chat stream failed")
        told = {"detail": detail_of(error, request), "status": status_of(error), "code": code_of(error)}
        yield encode("error", told)


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

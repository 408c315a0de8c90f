"""Server-sent events: the wire format, and a response that ends when its reader has left.

The format is the one of https://html.spec.whatwg.org/multipage/server-sent-events.html.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import TypeVar

import msgspec
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from recuerdo.concurrency.tasks import stop
from recuerdo.server.errors import code_of, detail_of, status_of
from recuerdo.server.guards import CUT, CUT_CODE, PARTING
from recuerdo.server.requests import HEARTBEAT_SECONDS

HEARTBEAT = b": heartbeat\n\n"

_MOST_WAITING = 256
_HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no", "X-Content-Type-Options": "nosniff"}


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
    return b"".join(frame for frame in frames if frame), frames[-1] is None


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
    """The stream's events, encoded, and behind them an `error` if it fails.

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

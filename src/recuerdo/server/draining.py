"""What a server answers while it stops: what is under way is finished, and everything else is sent elsewhere."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from recuerdo.server.responses import JsonResponse

PARTING = "recuerdo.parting"
"""The name of the list in a scope where a stream leaves what it ends with when the server stops before it is over."""

STILL_ANSWERED = frozenset({"/ok", "/healthz", "/info", "/metrics"})
"""What says how this process is. It is alive until it has stopped."""

_PAUSE = 0.02
_SECONDS_TO_READ = 2.0
_CLOSE = (b"connection", b"close")
_HEADERS = {"Connection": "close", "Retry-After": "1"}
_REFUSED = "The server is stopping and has not taken up this request. Send it again: another replica answers it."
CUT = (
    "The server has stopped before this was done. Whether it took effect is unknown: send it again, with the same "
    "idempotency key if it had one."
)


class Drain:
    """Whether the server stops, and how much is still under way."""

    def __init__(self) -> None:
        self.is_stopping = False
        self.began = asyncio.Event()
        """Set soon behind `is_stopping`, which a signal handler may set."""
        self.is_cut = False
        self._requests: set[asyncio.Task[Any]] = set()
        self._others = 0

    def begin(self) -> None:
        """Take up nothing any more."""
        self.is_stopping = True
        self.began.set()

    @property
    def is_idle(self) -> bool:
        """Whether nothing is under way."""
        return not self._requests and not self._others

    async def finished(self, seconds: float) -> bool:
        """Wait until nothing is under way, so long at most. Returns whether that is so."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while not self.is_idle and loop.time() < end:  # noqa: ASYNC110
            await asyncio.sleep(_PAUSE)
        return self.is_idle

    def cut(self) -> None:
        """Stop the requests under way. Each gets an answer that says so."""
        self.is_cut = True
        for task in self._requests:
            task.cancel()

    @contextmanager
    def working(self) -> Generator[None]:
        """Something is under way inside the block, and is waited for."""
        self._others += 1
        try:
            yield
        finally:
            self._others -= 1

    def enter(self, task: asyncio.Task[Any]) -> None:
        """The task answers a request: it is what `cut` cancels."""
        self._requests.add(task)

    def leave(self, task: asyncio.Task[Any]) -> None:
        """The task has answered."""
        self._requests.discard(task)


class Draining:
    """Refuses what comes while the server stops with a 503, and lets go of the connections of what is answered."""

    def __init__(self, app: ASGIApp, drain: Drain) -> None:
        self._app = app
        self._drain = drain

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        kind = scope["type"]
        if kind == "lifespan" or (kind == "websocket" and not self._drain.is_stopping):
            await self._app(scope, receive, send)
        elif kind == "websocket":
            await WebSocket(scope, receive, send).send_denial_response(_answer(_REFUSED))
        elif self._drain.is_stopping and scope["path"] not in STILL_ANSWERED:
            await _read_to_the_end(receive)
            await _answer(_REFUSED)(scope, receive, send)
        else:
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        drain, started, ended = self._drain, False, False
        parting: list[bytes] = []
        scope[PARTING] = parting

        async def send_noted(message: Message) -> None:
            nonlocal started, ended
            if message["type"] == "http.response.start":
                started = True
                if drain.is_stopping:
                    others = [header for header in message.get("headers", ()) if header[0].lower() != _CLOSE[0]]
                    message = {**message, "headers": [*others, _CLOSE]}
            else:
                ended = not message.get("more_body", False)
            await send(message)

        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a coroutine runs in a task
        drain.enter(task)
        try:
            await self._app(scope, receive, send_noted)
        except asyncio.CancelledError:
            if not drain.is_cut:
                raise
            task.uncancel()
        finally:
            drain.leave(task)
        if not drain.is_cut or ended:
            return
        if started:
            await send({"type": "http.response.body", "body": b"".join(parting)})
        else:
            await _answer(CUT)(scope, receive, send)


def _answer(detail: str) -> JsonResponse:
    return JsonResponse({"detail": detail}, 503, _HEADERS)


async def _read_to_the_end(receive: Receive) -> None:
    """A connection that is closed with something unread in it is reset, and the client may never see the answer."""
    try:
        async with asyncio.timeout(_SECONDS_TO_READ):
            while (message := await receive())["type"] == "http.request" and message.get("more_body", False):
                pass
    except TimeoutError:
        return

"""Frames of JSON over a WebSocket, why a connection is closed, and credentials that come as subprotocols.

A browser's page can set no headers: it opens `new WebSocket(url, ["recuerdo", "recuerdo.bearer." + base64url(token)])`,
or names a user by `recuerdo.user.` and their tenant by `recuerdo.tenant.`, or sends a visitor's token by
`recuerdo.visitor.`. The server answers with the subprotocol `recuerdo` alone.
"""

import asyncio
import base64
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress

from starlette.datastructures import Headers
from starlette.websockets import WebSocket, WebSocketDisconnect

from recuerdo.core.errors import InvalidInput, RecuerdoError
from recuerdo.server.errors import plain_detail_of
from recuerdo.server.requests import TENANT_HEADER, USER_HEADER, VISITOR_HEADER

SEND_SECONDS = 30.0
"""How long one frame may take to be taken by a reader."""

UNSUPPORTED, TOO_LARGE, FAILED, RESTARTING = 1003, 1009, 1011, 1012
"""RFC 6455, section 7.4.1, and the registry that it names."""

MALFORMED, UNKNOWN_CALLER, FORBIDDEN, NOT_FOUND, SLOW, REPLACED, FLOOD, AWAY = (
    *(4400, 4401, 4403, 4404, 4408, 4409, 4429, 4503),
)

_MOST_REASON_BYTES = 123

_log = logging.getLogger(__name__)


class Closing(Exception):
    """The connection must be closed, for this reason."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class Frames:
    """The frames of one connection, both ways."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._sending = asyncio.Lock()

    async def receive(self) -> str | None:
        """The next frame; None when the client has gone. Raises Closing for one that is not text."""
        received = await self._socket.receive()
        if received["type"] == "websocket.disconnect":
            return None
        frame: str | None = received.get("text")
        if frame is None:
            raise Closing(UNSUPPORTED, "frames are JSON texts")
        return frame

    async def send(self, frame: bytes) -> None:
        """Send one frame after the others. Raises Closing for a reader who is too slow, and WebSocketDisconnect."""
        try:
            async with asyncio.timeout(SEND_SECONDS), self._sending:
                await self._socket.send_text(frame.decode())
        except TimeoutError:
            raise Closing(SLOW, f"a frame was not read for {SEND_SECONDS:g} seconds") from None
        except RuntimeError as error:  # what Starlette raises when the connection is over
            raise WebSocketDisconnect(1006) from error


@asynccontextmanager
async def closed_with_reason(socket: WebSocket, code_of: Callable[[RecuerdoError], int]) -> AsyncGenerator[None]:
    """Close the connection for whatever the block raises, and tell the client why if it is still there."""
    try:
        yield
    except Closing as closing:
        await _close(socket, closing)
    except WebSocketDisconnect:
        pass
    except RecuerdoError as error:
        await _close(socket, Closing(code_of(error), plain_detail_of(error)))
    except Exception:
        _log.exception("a WebSocket failed")
        await _close(socket, Closing(FAILED, "something went wrong in the server; its log says what"))


async def _close(socket: WebSocket, closing: Closing) -> None:
    reason = closing.reason.encode()[:_MOST_REASON_BYTES].decode("utf-8", "ignore")
    with suppress(RuntimeError, WebSocketDisconnect, TimeoutError):
        async with asyncio.timeout(SEND_SECONDS):
            await socket.close(closing.code, reason)


PROTOCOL = "recuerdo"
"""The subprotocol that a browser names beside its credential."""

_CREDENTIALS = {
    "recuerdo.bearer.": "Authorization",
    "recuerdo.user.": USER_HEADER,
    "recuerdo.tenant.": TENANT_HEADER,
    "recuerdo.visitor.": VISITOR_HEADER,
}


async def accept(socket: WebSocket) -> None:
    """Open the connection. A client that offers subprotocols must be answered with one of them."""
    await socket.accept(PROTOCOL if PROTOCOL in socket.scope.get("subprotocols", ()) else None)


def headers_of(socket: WebSocket) -> Headers:
    """Those of the request, and of a browser's subprotocols. Raises InvalidInput."""
    raw = list(socket.headers.raw)
    for protocol in socket.scope.get("subprotocols", ()):
        for prefix, name in _CREDENTIALS.items():
            if protocol.startswith(prefix):
                value = _credential_in(protocol.removeprefix(prefix))
                raw.append((name.lower().encode(), b"Bearer " + value if name == "Authorization" else value))
    return Headers(raw=raw)


def _credential_in(text: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        raise InvalidInput("Sec-WebSocket-Protocol", "must carry the credential in base64url") from None

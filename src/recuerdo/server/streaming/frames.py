"""Frames of JSON over a WebSocket, and why a connection is closed."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress

from starlette.websockets import WebSocket, WebSocketDisconnect

from recuerdo.core.errors import RecuerdoError
from recuerdo.server.errors import plain_detail_of

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
    """The connection ends, and this is why."""

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
        """The next frame; None when the client has gone. Raises Closing for one that is no text."""
        received = await self._socket.receive()
        if received["type"] == "websocket.disconnect":
            return None
        frame: str | None = received.get("text")
        if frame is None:
            raise Closing(UNSUPPORTED, "frames are JSON texts")
        return frame

    async def send(self, frame: bytes) -> None:
        """Send one frame behind the others. Raises Closing for a reader who is too slow, and WebSocketDisconnect."""
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

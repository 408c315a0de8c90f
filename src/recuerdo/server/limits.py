"""How much a request may send: counted on the wire, with and without a Content-Length."""

from fastapi import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recuerdo.server.responses import JsonResponse

MOST_BODY_BYTES = 2**20
"""The largest request body: 1 MB."""


class BodyLimit:
    """Answers 413 to a request whose body is longer than `limit` bytes, before anything is done with it."""

    def __init__(self, app: ASGIApp, limit: int = MOST_BODY_BYTES) -> None:
        self._app = app
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif _announced_length(scope) > self._limit:
            await JsonResponse({"detail": self._complaint}, 413)(scope, receive, send)
        else:
            await self._app(scope, self._counting(receive), send)

    @property
    def _complaint(self) -> str:
        return f"The body is longer than {self._limit} bytes. Send it in several requests."

    def _counting(self, receive: Receive) -> Receive:
        received = 0

        async def receive_counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._limit:
                raise HTTPException(413, self._complaint)
            return message

        return receive_counted


def _announced_length(scope: Scope) -> int:
    length = dict(scope["headers"]).get(b"content-length", b"0")
    return int(length) if length.isdigit() else 0

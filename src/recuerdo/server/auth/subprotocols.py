"""WebSockets of browsers, whose pages can set no headers: what stands in them comes as subprotocols instead.

A page opens `new WebSocket(url, ["recuerdo", "recuerdo.bearer." + base64url(token)])`, or names a user by
`recuerdo.user.`; the server answers with the subprotocol `recuerdo` alone.
"""

import base64

from starlette.datastructures import Headers
from starlette.websockets import WebSocket

from recuerdo.core.errors import InvalidInput
from recuerdo.server.auth.principal import USER_HEADER

PROTOCOL = "recuerdo"
"""The subprotocol that a browser names beside its credential."""

_CREDENTIALS = {"recuerdo.bearer.": "Authorization", "recuerdo.user.": USER_HEADER}


async def accept(socket: WebSocket) -> None:
    """Open the connection. Whoever offers subprotocols has to be answered with one of them."""
    await socket.accept(PROTOCOL if PROTOCOL in socket.scope.get("subprotocols", ()) else None)


def headers_of(socket: WebSocket) -> Headers:
    """Those of the request, and what a browser says by subprotocols. Raises InvalidInput."""
    raw = list(socket.headers.raw)
    for protocol in socket.scope.get("subprotocols", ()):
        for prefix, name in _CREDENTIALS.items():
            if protocol.startswith(prefix):
                value = _decoded(protocol.removeprefix(prefix))
                raw.append((name.lower().encode(), b"Bearer " + value if name == "Authorization" else value))
    return Headers(raw=raw)


def _decoded(text: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        raise InvalidInput("Sec-WebSocket-Protocol", "must carry the credential in base64url") from None

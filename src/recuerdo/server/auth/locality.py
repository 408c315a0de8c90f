"""Without credentials, only this machine's own callers: neither rebound names nor other sites' pages."""

import ipaddress
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from recuerdo.server.responses import JsonResponse

_READING = frozenset({"GET", "HEAD", "OPTIONS"})


class LocalOnly:
    """Refuses what a browser can be tricked into sending to a server that trusts its loopback.

    A Host that is neither a loopback name nor allowed gets a 421: a foreign name that was rebound to 127.0.0.1 shows
    itself there. A changing request (or a WebSocket) with the Origin of another site gets a 403.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str] = (), origins: Collection[str] = ()) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)
        self._origins = frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope) if scope["type"] in ("http", "websocket") else None
        if refusal is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            status, detail = refusal
            await JsonResponse({"detail": detail}, status)(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008, "reason": "other host or site"})

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._is_known(host):
            return 421, (
                "This server answers to its loopback names only (localhost, 127.0.0.1, [::1]), because no "
                "authentication is configured. Use one of them in the URL."
            )
        origin = headers.get("origin")
        if origin is not None and scope.get("method") not in _READING and not self._is_own(origin, host):
            return 403, "A page of another site may not change anything here. Open this server's own page instead."
        return None

    def _is_known(self, host: str) -> bool:
        name = _host_name(host)
        return is_loopback(name) or name in self._hosts

    def _is_own(self, origin: str, host: str) -> bool:
        return origin in self._origins or origin.lower() in (f"http://{host.lower()}", f"https://{host.lower()}")


def is_loopback(name: str) -> bool:
    """Whether a host name or an address can only mean this machine."""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _host_name(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""

"""Which requests are listened to at all: neither rebound names nor other sites' pages."""

import ipaddress
from collections.abc import Collection
from functools import lru_cache
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

from recuerdo.server.responses import JsonResponse

_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_CREDENTIALS = (b"authorization", b"x-api-key")


class _Refusing:
    """Answers what `refusal` says instead of the application: a status and a detail."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self.refusal(scope) if scope["type"] in ("http", "websocket") else None
        if refusal is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            status, detail = refusal
            await JsonResponse({"detail": detail}, status)(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008, "reason": "other host or site"})

    def refusal(self, scope: Scope) -> tuple[int, str] | None:
        raise NotImplementedError


class LocalOnly(_Refusing):
    """Without credentials, only this machine's own callers.

    A Host that is neither a loopback name nor allowed gets a 421: a foreign name that was rebound to 127.0.0.1 shows
    itself there.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str] = ()) -> None:
        super().__init__(app)
        self._hosts = frozenset(host.lower() for host in hosts)

    def refusal(self, scope: Scope) -> tuple[int, str] | None:
        name = _host_name(_header(scope, b"host") or "")
        if is_loopback(name) or name in self._hosts:
            return None
        return 421, (
            "This server answers to its loopback names only (localhost, 127.0.0.1, [::1]), because no "
            "authentication is configured. Use one of them in the URL."
        )


class OwnSiteOnly(_Refusing):
    """Refuses what the page of another site can make a browser send: a changing request, or a WebSocket, gets a 403.

    With `authenticated` a request that carries a credential is let through: a browser adds none of its own accord, and
    a page that adds one has it from its user.
    """

    def __init__(self, app: ASGIApp, origins: Collection[str] = (), *, authenticated: bool = False) -> None:
        super().__init__(app)
        self._origins = frozenset(origins)
        self._authenticated = authenticated

    def refusal(self, scope: Scope) -> tuple[int, str] | None:
        origin = _header(scope, b"origin")
        if origin is None or scope.get("method") in _READING or self._is_own(origin, _header(scope, b"host") or ""):
            return None
        if self._authenticated and any(_header(scope, name) is not None for name in _CREDENTIALS):
            return None
        return 403, "A page of another site may not change anything here. Open this server's own page instead."

    def _is_own(self, origin: str, host: str) -> bool:
        return origin in self._origins or origin.lower() in (f"http://{host.lower()}", f"https://{host.lower()}")


@lru_cache(1000)
def is_loopback(name: str) -> bool:
    """Whether a host name or an address can only mean this machine."""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def is_loopback_url(url: str) -> bool:
    """Whether what is asked of the address can't leave this machine."""
    return url.startswith("http://") and is_loopback(_host_name(url.partition("://")[2].partition("/")[0]))


def _header(scope: Scope, name: bytes) -> str | None:
    """The first header of the name. Starlette's Headers would take a tenth of a small request's time."""
    for each, value in scope["headers"]:
        if each == name:
            return value.decode("latin-1")
    return None


@lru_cache(1000)
def _host_name(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""

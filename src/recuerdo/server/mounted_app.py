"""`http.app` of a langgraph.json: an application of somebody's own, served beside the API."""

from typing import Any, NamedTuple

from starlette.applications import Starlette
from starlette.authentication import AuthCredentials
from starlette.requests import HTTPConnection, Request
from starlette.routing import Match
from starlette.types import ASGIApp, Receive, Scope, Send

from recuerdo.core.errors import ConfigurationError, RecuerdoError
from recuerdo.server.auth.principal import find_ruled_principal
from recuerdo.server.errors import answer_to

OURS = frozenset({"/ok", "/healthz", "/ready", "/info", "/metrics", "/docs", "/openapi.json"})
"""Paths that no other application takes over."""


class MountedApp(NamedTuple):
    """The application. With `guarded` whoever calls it has to be authenticated as for ours."""

    app: Starlette
    guarded: bool = False

    @classmethod
    def checked(cls, app: object, guarded: bool) -> "MountedApp":
        """The same, if it is an application. Raises ConfigurationError."""
        if not isinstance(app, Starlette):
            raise ConfigurationError(f"`http.app` names a {type(app).__name__}. Let it name a Starlette or a FastAPI.")
        return cls(app, guarded)


class MountedAppMiddleware:
    """Asks the other application first: where one of its routes fits, it answers, whatever we have there."""

    def __init__(self, app: ASGIApp, beside: MountedApp) -> None:
        self._app = app
        self._beside = beside

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._is_theirs(scope):
            return await self._app(scope, receive, send)
        if not self._beside.guarded:
            return await self._beside.app(scope, receive, send)
        try:
            about_caller = await _about_caller(HTTPConnection(scope))
        except RecuerdoError as error:
            if scope["type"] == "websocket":
                return await send({"type": "websocket.close", "code": 1008})
            return await answer_to(error, Request(scope))(scope, receive, send)
        return await self._beside.app({**scope, **about_caller}, receive, send)

    def _is_theirs(self, scope: Scope) -> bool:
        if scope["type"] not in ("http", "websocket") or scope["path"] in OURS:
            return False
        return any(route.matches(scope)[0] is Match.FULL for route in self._beside.app.routes)


async def _about_caller(connection: HTTPConnection) -> dict[str, Any]:
    """What Starlette shows as `request.user` and `request.auth`."""
    principal = await find_ruled_principal(connection)
    if principal.access is None:
        return {"user": principal, "auth": AuthCredentials()}
    caller = principal.access.caller
    return {"user": caller.user, "auth": AuthCredentials(list(caller.permissions))}

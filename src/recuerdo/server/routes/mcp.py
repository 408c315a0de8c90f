"""MCP under `/mcp`: who asks is found out before the protocol's own library sees the request."""

from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from recuerdo.core.errors import InvalidInput
from recuerdo.server.auth.principal import find_principal

PATH = "/mcp"


class _Mcp:
    """An endpoint of Starlette's: a class, so that it is given the request as it comes."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        principal = await find_principal(request)
        if principal.is_anonymous:
            raise InvalidInput("user", "the anonymous user has no long-term memory; say who the user is")
        await request.app.state.mcp.handle(principal.owner, scope, receive, send)


route = Route(PATH, _Mcp(), methods=["GET", "POST", "DELETE"], include_in_schema=False)

"""Every route says which scopes of an API key it needs: one that does not is closed to keys with scopes."""

from contextlib import nullcontext
from typing import Any, cast

import pytest
from fastapi.routing import APIRoute, APIWebSocketRoute

from recuerdo.core.api_keys import checked_scopes
from recuerdo.core.errors import Forbidden
from recuerdo.server import Services, create_app
from recuerdo.server.scopes import WANTED, check_scopes

ABOUT_NOBODY = {
    *("/ok", "/healthz", "/ready", "/info", "/", "/ui", "/ui/{name}"),
    *("/auth/login", "/auth/callback", "/auth/renew", "/auth/logout"),
}
"""Paths that ask for no credential."""

OTHERS = {"GET /mcp", "POST /mcp", "DELETE /mcp"}
"""Routes that are none of FastAPI's."""


def test_every_route_declares_its_scopes() -> None:
    app = create_app(cast(Any, nullcontext(cast(Services, None))))
    found = set(OTHERS)
    for route in app.routes:
        if isinstance(route, APIWebSocketRoute):
            found.add(f"WS {route.path}")
        elif isinstance(route, APIRoute) and route.path not in ABOUT_NOBODY:
            found |= {f"{method} {route.path}" for method in set(route.methods or ()) - {"HEAD"}}
    assert found == set(WANTED), "name the route in recuerdo/server/scopes.py, with the scopes that it needs"


@pytest.mark.parametrize("method", ["GET", "POST", "HEAD"])
def test_a_route_that_declares_nothing_is_closed_to_keys_with_scopes(method: str) -> None:
    connection: Any = {"type": "http", "method": method, "path": "/v1/undeclared"}
    for scopes in (("read",), ("write",), ("memories:admin", "threads:admin")):
        with pytest.raises(Forbidden, match="closed to keys"):
            check_scopes(scopes, connection)


def test_the_scopes_of_routes_are_scopes() -> None:
    for scopes in WANTED.values():
        assert not scopes or checked_scopes(scopes) == tuple(sorted(scopes))

"""Which methods a path has. Of `/threads/{thread_id}` and `/threads/count` the second is meant by `/threads/count`."""

from collections.abc import Iterable
from typing import Any

from fastapi.routing import APIRoute
from starlette.requests import HTTPConnection


def allowed(request: HTTPConnection) -> list[str]:
    """The methods of the most particular of our routes that the path fits; none when it fits none."""
    found: dict[str, set[str]] = {}
    for route in _flat(request.app.routes):
        if route.path_regex.match(request.scope["path"]):
            found.setdefault(route.path, set()).update(route.methods or ())
    meant = max(found, key=_literals, default=None)
    return sorted(found[meant]) if meant is not None else []


def _literals(path: str) -> int:
    return sum(not segment.startswith("{") for segment in path.split("/"))


def _flat(routes: Iterable[Any]) -> Iterable[APIRoute]:
    for route in routes:
        if isinstance(route, APIRoute):
            yield route
        else:  # newer versions of FastAPI keep included routers whole
            yield from _flat(getattr(getattr(route, "original_router", None), "routes", ()))

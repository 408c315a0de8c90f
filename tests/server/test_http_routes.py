"""Every route stands in the table below with its answers; a route that does not is a failing test."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from fastapi.routing import APIRoute
from serving import Backend

from recuerdo.server import create_app
from recuerdo.server.auth.principal import principal

MESSAGE = {"messages": [{"role": "user", "content": "x"}]}

# (method, path): (body, status for what exists, status for what doesn't)
TABLE: dict[tuple[str, str], tuple[Any, int, int | None]] = {
    ("GET", "/ok"): (None, 200, None),
    ("GET", "/healthz"): (None, 200, None),
    ("GET", "/ready"): (None, 200, None),
    ("GET", "/info"): (None, 200, None),
    ("GET", "/metrics"): (None, 200, None),
    ("GET", "/v1/principal"): (None, 200, None),
    ("GET", "/"): (None, 200, None),
    ("GET", "/ui"): (None, 308, None),
    ("GET", "/ui/{name}"): (None, 200, 404),
    ("POST", "/v1/chat"): ({"message": "hola"}, 200, None),
    ("POST", "/v1/chat/stream"): ({"message": "hola"}, 200, None),
    ("GET", "/v1/threads"): (None, 200, None),
    ("GET", "/v1/threads/{thread_id}"): (None, 200, 404),
    ("DELETE", "/v1/threads/{thread_id}"): (None, 204, 404),
    ("POST", "/v1/threads/{thread_id}/clear"): (None, 200, 404),
    ("POST", "/v1/threads/{thread_id}/fork"): ({}, 201, 404),
    ("POST", "/v1/threads/{thread_id}/messages"): (MESSAGE, 201, 201),
    ("GET", "/v1/threads/{thread_id}/messages"): (None, 200, 404),
    ("GET", "/v1/threads/{thread_id}/window"): (None, 200, 404),
    ("POST", "/v1/threads/{thread_id}/archive"): ({}, 200, 404),
    ("GET", "/v1/memories"): (None, 200, None),
    ("POST", "/v1/memories"): ({"text": "x"}, 201, None),
    ("POST", "/v1/memories/search"): ({"query": "x"}, 200, None),
    ("GET", "/v1/memories/{memory_id}"): (None, 200, 404),
    ("PATCH", "/v1/memories/{memory_id}"): ({"text": "y"}, 200, 404),
    ("DELETE", "/v1/memories/{memory_id}"): (None, 204, 404),
}


def one_of_each(client: httpx.Client) -> dict[str, str]:
    """Something for each parameter of a path, made by the client: its user has it, and nobody else."""
    client.post("/v1/threads/t/messages", json=MESSAGE).raise_for_status()
    memory = client.post("/v1/memories", json={"text": "x"}).raise_for_status().json()["id"]
    return {"thread_id": "t", "memory_id": memory, "name": "app.js"}


def all_routes(routes: Any = None) -> Iterator[APIRoute]:
    for route in create_app(Backend().opened()).routes if routes is None else routes:
        if isinstance(route, APIRoute):
            yield route
        else:  # newer versions of FastAPI keep included routers whole
            yield from all_routes(getattr(getattr(route, "original_router", None), "routes", ()))


def test_every_route_stands_in_the_table() -> None:
    found = {(method, route.path) for route in all_routes() for method in route.methods or () if method != "HEAD"}
    assert found == set(TABLE)


def test_every_route_to_data_depends_on_the_principal() -> None:
    for route in all_routes():
        if route.path.startswith("/v1"):
            assert principal in [dependency.call for dependency in route.dependant.dependencies], route.path


@pytest.mark.parametrize(("method", "path"), TABLE)
def test_a_route_answers_with_its_statuses(client: httpx.Client, method: str, path: str) -> None:
    body, existing, missing = TABLE[method, path]
    here = path.format_map(one_of_each(client))
    assert client.request(method, here, json=body).status_code == existing
    if missing is not None:
        absent = path.format_map(defaultdict(lambda: "absent"))
        assert client.request(method, absent, json=body).status_code == missing


def test_the_openapi_document_describes_every_route_and_its_errors(client: httpx.Client) -> None:
    document = client.get("/openapi.json").json()
    operations = {
        (method.upper(), path): operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }
    assert set(operations) == {key for key in TABLE if key[1] not in ("/", "/ui", "/ui/{name}")}
    for key, operation in operations.items():
        _, existing, missing = TABLE[key]
        assert {str(existing), "403", "413", "421", "422", "500", "503"} <= set(operation["responses"]), key
        if missing == 404:
            assert "404" in operation["responses"], key


def test_operation_ids_are_the_names_of_the_functions(client: httpx.Client) -> None:
    document = client.get("/openapi.json").json()
    ids = [operation["operationId"] for methods in document["paths"].values() for operation in methods.values()]
    assert len(ids) == len(set(ids))
    assert {"chat", "chat_stream", "append_messages", "list_messages", "thread_window", "search_memories"} <= set(ids)


def test_every_reference_of_the_openapi_document_leads_somewhere(client: httpx.Client) -> None:
    document = client.get("/openapi.json").json()
    schemas = document["components"]["schemas"]

    names = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(document)))
    assert names <= set(schemas)
    assert {"ChatAnswer", "MessagePage", "Problem", "Invalid"} <= names


def test_answers_are_json_that_nobody_keeps(client: httpx.Client) -> None:
    for path in ("/ok", "/info", "/v1/threads", "/v1/memories", "/v1/threads/absent"):
        response = client.get(path)
        assert response.headers["content-type"] == "application/json"
        assert response.headers["cache-control"] == "no-store"


def test_info_says_what_this_server_is(client: httpx.Client) -> None:
    info = client.get("/info").json()
    assert info["version"].count(".") == 2
    assert (info["model"], info["offline"], info["auth"], info["local_user"]) == ("offline", True, "none", "local")
    assert info["flags"]["streaming"] is True

"""Every route stands in the table below with its answers; a route that does not is a failing test."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from serving import Backend

from recuerdo.server import create_app
from recuerdo.server.requests import current_call, ruled_call

MESSAGE = {"messages": [{"role": "user", "content": "x"}]}
LINE = {"id": "m-1", "text": "x", "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"}
RUN = {"assistant_id": "recuerdo", "input": {"messages": [{"role": "user", "content": "hola"}]}}
COMMAND: dict[str, Any] = {"id": 1, "method": "state.get", "params": {"namespace": []}}
ACTION = {"type": "query", "thread_id": "t-1", "action_id": "a-1", "fields": {"text": "x"}}
CRON = {"assistant_id": "recuerdo", "schedule": "0 0 1 1 *"}
THREAD, ABSENT = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"

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
    ("POST", "/api/v1/chatbot/stream"): ({"message": "hola"}, 200, None),
    ("POST", "/v1/chat"): ({"message": "hola"}, 200, None),
    ("POST", "/v1/chat/stream"): ({"message": "hola"}, 200, None),
    ("GET", "/v1/threads"): (None, 200, None),
    ("GET", "/v1/threads/{thread_id}"): (None, 200, 404),
    ("PATCH", "/v1/threads/{thread_id}"): ({"title": "x"}, 200, 404),
    ("DELETE", "/v1/threads/{thread_id}"): (None, 204, 404),
    ("POST", "/v1/threads/{thread_id}/clear"): (None, 200, 404),
    ("POST", "/v1/threads/{thread_id}/fork"): ({}, 201, 404),
    ("POST", "/v1/threads/{thread_id}/summarise"): (None, 200, 404),
    ("POST", "/v1/threads/{thread_id}/messages"): (MESSAGE, 201, 201),
    ("PUT", "/v1/threads/{thread_id}/messages"): (MESSAGE, 200, 200),
    ("GET", "/v1/threads/{thread_id}/messages"): (None, 200, 404),
    ("GET", "/v1/threads/{thread_id}/window"): (None, 200, 404),
    ("GET", "/v1/threads/{thread_id}/messages/{seq}/why"): (None, 404, 404),
    ("POST", "/v1/threads/{thread_id}/archive"): ({}, 200, 404),
    ("GET", "/v1/messages"): (None, 200, None),
    ("POST", "/v1/search"): ({"query": "x"}, 200, None),
    ("POST", "/v1/erase"): ({"everything": True}, 200, None),
    ("GET", "/v1/audit"): (None, 200, None),
    ("GET", "/v1/tenant/users"): (None, 200, None),
    ("GET", "/v1/tenant/users/{user_id}/threads"): (None, 200, None),
    ("GET", "/v1/tenant/users/{user_id}/messages"): (None, 200, None),
    ("POST", "/v1/tenant/users/{user_id}/search"): ({"query": "x"}, 200, None),
    ("DELETE", "/v1/tenant/users/{user_id}/threads/{thread_id}"): (None, 404, 404),  # test_http_conversations.py
    ("POST", "/v1/tenant/erase"): ({"everything": True, "tenant": "another"}, 422, None),
    ("GET", "/v1/erasures"): (None, 200, None),
    ("GET", "/v1/retention"): (None, 404, None),  # test_http_erasures.py asks a server that has a policy
    ("GET", "/v1/erasures/{erasure_id}"): (None, 404, 404),  # test_http_erasures.py asks for one that is there
    ("GET", "/v1/memories"): (None, 200, None),
    ("POST", "/v1/memories"): ({"text": "x"}, 201, None),
    ("POST", "/v1/memories/search"): ({"query": "x"}, 200, None),
    ("GET", "/v1/memories/export"): (None, 200, None),
    ("POST", "/v1/memories/import"): (LINE, 200, None),
    ("GET", "/v1/memories/audit"): (None, 200, None),
    ("GET", "/v1/entities"): (None, 200, None),
    ("GET", "/v1/memories/{memory_id}"): (None, 200, 404),
    ("PATCH", "/v1/memories/{memory_id}"): ({"text": "y"}, 200, 404),
    ("DELETE", "/v1/memories/{memory_id}"): (None, 204, 404),
    ("GET", "/v1/memories/{memory_id}/history"): (None, 200, None),
    ("POST", "/v1/memories/{memory_id}/undo"): (None, 200, 404),
    ("POST", "/v1/memories/{memory_id}/approve"): ({}, 200, 404),
    ("POST", "/v1/memories/{memory_id}/reject"): ({}, 200, 404),
    ("GET", "/v1/contexts/{thread_id}"): (None, 200, 200),
    ("PATCH", "/v1/contexts/{thread_id}"): (None, 200, 404),
    ("DELETE", "/v1/contexts/{thread_id}"): (None, 204, 204),
    ("POST", "/v1/contexts/invalidate"): ({}, 204, None),
    ("POST", "/v1/actions"): (ACTION, 202, None),
    ("GET", "/v1/actions/{action_id}"): (None, 200, 404),
    ("POST", "/v1/documents"): ({"source": "b.md", "content": "x"}, 201, None),
    ("GET", "/v1/documents"): (None, 200, None),
    ("POST", "/v1/documents/search"): ({"query": "x"}, 200, None),
    ("GET", "/v1/documents/{document_id}"): (None, 200, 404),
    ("DELETE", "/v1/documents/{document_id}"): (None, 204, 404),
    ("GET", "/auth/login"): (None, 404, None),  # test_sign_in.py has a server where people sign in
    ("GET", "/auth/callback"): (None, 404, None),
    ("POST", "/auth/renew"): (None, 404, None),
    ("POST", "/auth/session"): (None, 403, None),  # it wants an Origin: see test_credential_cookie.py
    ("POST", "/auth/logout"): (None, 200, None),
    ("POST", "/v1/visitors/claim"): (None, 403, None),  # test_visitors.py has a server with visitors
    ("POST", "/v1/keys"): ({"user": "emi"}, 404, None),  # test_http_keys.py has a server that takes keys
    ("GET", "/v1/keys"): (None, 404, None),
    ("POST", "/v1/keys/{key_id}/rotate"): ({}, 404, 404),
    ("DELETE", "/v1/keys/{key_id}"): (None, 404, 404),
    ("GET", "/v1/tenant/memories"): (None, 200, None),
    ("POST", "/v1/tenant/memories"): ({"text": "x"}, 201, None),
    ("GET", "/v1/tenant/memories/{shared_id}"): (None, 200, 404),
    ("DELETE", "/v1/tenant/memories/{shared_id}"): (None, 204, 404),
    ("GET", "/v1/tenant/memories/{shared_id}/history"): (None, 200, None),
    ("POST", "/v1/tenant/memories/{shared_id}/approve"): ({}, 200, 404),
    ("POST", "/v1/tenant/memories/{shared_id}/reject"): ({}, 200, 404),
    ("POST", "/assistants"): ({"graph_id": "recuerdo"}, 200, None),
    ("POST", "/assistants/search"): ({}, 200, None),
    ("POST", "/assistants/count"): ({}, 200, None),
    ("GET", "/assistants/{assistant_id}"): (None, 200, 404),
    ("PATCH", "/assistants/{assistant_id}"): ({"name": "x"}, 200, 404),
    ("DELETE", "/assistants/{assistant_id}"): (None, 204, 404),
    ("POST", "/assistants/{assistant_id}/versions"): ({}, 200, 404),
    ("POST", "/assistants/{assistant_id}/latest"): ({"version": 1}, 200, 404),
    ("GET", "/assistants/{assistant_id}/graph"): (None, 200, 404),
    ("GET", "/assistants/{assistant_id}/schemas"): (None, 200, 404),
    ("GET", "/assistants/{assistant_id}/subgraphs"): (None, 200, 404),
    ("GET", "/assistants/{assistant_id}/subgraphs/{namespace}"): (None, 200, 404),
    ("POST", "/threads"): ({}, 200, None),
    ("POST", "/threads/search"): ({}, 200, None),
    ("POST", "/threads/count"): ({}, 200, None),
    ("POST", "/threads/prune"): ({"thread_ids": []}, 200, None),
    ("GET", "/threads/{thread_id}"): (None, 200, 404),
    ("PATCH", "/threads/{thread_id}"): ({}, 200, 404),
    ("DELETE", "/threads/{thread_id}"): (None, 204, 404),
    ("POST", "/threads/{thread_id}/copy"): (None, 200, 404),
    ("POST", "/threads/{thread_id}/commands"): (COMMAND, 200, 404),
    ("GET", "/threads/{thread_id}/stream"): (None, 200, 404),
    ("POST", "/threads/{thread_id}/stream/events"): ({"channels": ["values"]}, 200, 404),
    ("GET", "/threads/{thread_id}/state"): (None, 200, 404),
    ("POST", "/threads/{thread_id}/state"): ({"values": {}, "as_node": "chat"}, 200, 404),
    ("GET", "/threads/{thread_id}/state/{checkpoint_id}"): (None, 200, 404),
    ("POST", "/threads/{thread_id}/state/checkpoint"): ({"checkpoint": {}}, 200, 404),
    ("POST", "/threads/{thread_id}/history"): ({}, 200, 404),
    ("POST", "/threads/{thread_id}/runs"): (RUN, 200, 404),
    ("GET", "/threads/{thread_id}/runs"): (None, 200, 404),
    ("POST", "/threads/{thread_id}/runs/stream"): (RUN, 200, 404),
    ("POST", "/threads/{thread_id}/runs/wait"): (RUN, 200, 404),
    ("GET", "/threads/{thread_id}/runs/{run_id}"): (None, 200, 404),
    ("DELETE", "/threads/{thread_id}/runs/{run_id}"): (None, 204, 404),
    ("POST", "/threads/{thread_id}/runs/{run_id}/cancel"): (None, 404, 404),  # what is over can't be stopped
    ("GET", "/threads/{thread_id}/runs/{run_id}/join"): (None, 200, 404),
    ("GET", "/threads/{thread_id}/runs/{run_id}/stream"): (None, 200, 404),
    ("POST", "/runs"): (RUN, 200, None),
    ("POST", "/runs/stream"): (RUN, 200, None),
    ("POST", "/runs/wait"): (RUN, 200, None),
    ("POST", "/runs/batch"): ([RUN], 200, None),
    ("POST", "/runs/cancel"): ({"thread_id": ABSENT, "run_ids": [ABSENT]}, 404, None),
    ("POST", "/runs/crons"): (CRON, 200, None),
    ("POST", "/threads/{thread_id}/runs/crons"): (CRON, 200, 404),
    ("POST", "/runs/crons/search"): ({}, 200, None),
    ("POST", "/runs/crons/count"): ({}, 200, None),
    ("PATCH", "/runs/crons/{cron_id}"): ({}, 200, 404),
    ("DELETE", "/runs/crons/{cron_id}"): (None, 204, 404),
    ("PUT", "/store/items"): ({"namespace": ["a"], "key": "k", "value": {}}, 204, None),
    ("GET", "/store/items?key=k"): (None, 200, None),
    ("DELETE", "/store/items"): ({"namespace": ["a"], "key": "k"}, 204, None),
    ("POST", "/store/items/search"): ({}, 200, None),
    ("POST", "/store/namespaces"): ({}, 200, None),
}


def one_of_each(client: httpx.Client, *, document: bool = True, run: bool = True) -> dict[str, str]:
    """Something for each parameter of a path, made by the client: its user has it, and nobody else.

    A document is read by a process of its own, and a run is a turn of a graph: they are left out where they make no
    difference.
    """
    client.post(f"/v1/threads/{THREAD}/messages", json=MESSAGE).raise_for_status()
    client.get(f"/v1/contexts/{THREAD}").raise_for_status()
    written: dict[str, Any] = (
        client.post("/v1/documents", json={"source": "a.md", "content": "x"}).json() if document else {}
    )
    memory = client.post("/v1/memories", json={"text": "x"}).raise_for_status().json()["id"]
    shared = client.post("/v1/tenant/memories", json={"text": "x"}).raise_for_status().json()["id"]
    ours = {
        "thread_id": THREAD,
        "memory_id": memory,
        "shared_id": shared,
        "name": "app.js",
        "action_id": client.post("/v1/actions", json=ACTION).json().get("action_id", ABSENT),
        "erasure_id": ABSENT,
        "key_id": ABSENT,
        "user_id": ABSENT,
        "seq": "1",
    }
    ours["document_id"] = written["document"]["id"] if "document" in written else ABSENT  # operators add documents
    return {**ours, **_what_runs_have_left(client)} if run else ours


def _what_runs_have_left(client: httpx.Client) -> dict[str, str]:
    client.post("/threads", json={"thread_id": THREAD}).raise_for_status()
    client.post(f"/threads/{THREAD}/runs/wait", json=RUN).raise_for_status()
    return {
        "run_id": client.get(f"/threads/{THREAD}/runs").json()[0]["run_id"],
        "checkpoint_id": client.get(f"/threads/{THREAD}/state").json()["checkpoint_id"],
        "assistant_id": client.post("/assistants", json={"graph_id": "recuerdo"}).json()["assistant_id"],
        "cron_id": client.post("/runs/crons", json=CRON).json()["cron_id"],
        "namespace": "none",
    }


def all_routes() -> Iterator[APIRoute]:
    return (route for route in create_app(Backend().opened()).routes if isinstance(route, APIRoute))


def test_every_route_stands_in_the_table() -> None:
    found = {(method, route.path) for route in all_routes() for method in route.methods or () if method != "HEAD"}
    assert found == {(method, path.partition("?")[0]) for method, path in TABLE}


def asks_for_the_principal(dependant: Dependant) -> bool:
    return any(
        each.call in (current_call, ruled_call) or asks_for_the_principal(each) for each in dependant.dependencies
    )


def test_every_route_to_data_depends_on_the_principal() -> None:
    for route in all_routes():
        if route.path.startswith(("/v1", "/assistants", "/threads", "/runs", "/store")):
            assert asks_for_the_principal(route.dependant), route.path


@pytest.mark.parametrize(("method", "path"), TABLE)
def test_a_route_answers_with_its_statuses(client: httpx.Client, method: str, path: str) -> None:
    body, existing, missing = TABLE[method, path]
    made = one_of_each(client, document="documents" in path, run=not path.startswith("/v1"))
    here = path.format_map(made)
    assert client.request(method, here, json=body).status_code == existing
    if missing is not None:
        absent = path.format_map(defaultdict[str, str](lambda: ABSENT, seq="1"))
        assert client.request(method, absent, json=body).status_code == missing


def test_the_openapi_document_describes_every_route_and_its_errors(client: httpx.Client) -> None:
    document = client.get("/openapi.json").json()
    operations = {
        (method.upper(), path): operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }
    table = {(method, path.partition("?")[0]): row for (method, path), row in TABLE.items()}
    assert set(operations) == {key for key in table if key[1] not in ("/", "/ui", "/ui/{name}")}
    for key, operation in operations.items():
        _, existing, missing = table[key]
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

"""The things that each role may do for others, by any route."""

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from langgraph_sdk import Auth
from serving import Backend, serving

from recuerdo.adapters.local import LocalApiKeys, LocalDatabase
from recuerdo.core.api_keys import issue
from recuerdo.core.scope import Owner
from recuerdo.observability.metrics import Metrics
from recuerdo.runs.rules import AuthRules
from recuerdo.server import ServerOptions
from recuerdo.server.auth.options import AuthOptions
from recuerdo.testing.clock import NOON

ROLES = ("user", "member", "analyst", "Admin", "editor", "admin", "operator")
"""Members, of whatever name, and then those who rank higher, in their order."""

EDITED: dict[str, Any] = {
    "POST /v1/documents": {"source": "a.md", "content": "x"},
    "POST /assistants": {"graph_id": "recuerdo", "visibility": "tenant"},
    "POST /v1/contexts/invalidate": {},
    "PATCH /v1/contexts/t": None,
}
DECIDED: dict[str, Any] = {
    "POST /v1/tenant/memories/{shared}/approve": {},
    "POST /v1/tenant/memories/{shared}/reject": {},
    "GET /v1/tenant/memories/{shared}/history": None,
}
OF_THE_SERVER: dict[str, Any] = {"GET /metrics": None}
DOORS = {
    **{door: ("editor", body) for door, body in EDITED.items()},
    **{door: ("admin", body) for door, body in DECIDED.items()},
    **{door: ("operator", body) for door, body in OF_THE_SERVER.items()},
}


@pytest.fixture(scope="module")
def people() -> Iterator[dict[str, httpx.Client]]:
    keys = LocalApiKeys(LocalDatabase())
    issued = {role: issue(Owner("acme", role), NOON, role=role) for role in ROLES}
    for each in issued.values():
        asyncio.run(keys.add(each.key))
    options = ServerOptions(auth=AuthOptions(api_keys=True), api_keys=keys, metrics=Metrics())
    with serving(Backend().opened(), options) as url:
        clients = {
            role: httpx.Client(base_url=url, headers={"x-api-key": each.secret}) for role, each in issued.items()
        }
        yield clients
        for client in clients.values():
            client.close()


@pytest.mark.parametrize(("highest", "status"), [("editor", 401), ("admin", 401), ("operator", 200)])
def test_handlers_of_a_graphs_file_give_no_higher_role_than_the_setting_says(highest: str, status: int) -> None:
    handlers = Auth()

    @handlers.authenticate
    async def authenticate() -> dict[str, Any]:  # pyright: ignore[reportUnusedFunction]
        return {"identity": "emi", "role": "operator"}

    auth = AuthOptions(rules=AuthRules(handlers), highest_role=highest)
    with serving(Backend().opened(), ServerOptions(auth=auth)) as url:
        answer = httpx.get(f"{url}/v1/principal")
        assert answer.status_code == status, answer.text


@pytest.mark.parametrize("door", DOORS)
def test_a_role_and_all_above_it_may(people: dict[str, httpx.Client], door: str) -> None:
    wanted, body = DOORS[door]
    method, path = door.split()
    shared = people["user"].post("/v1/tenant/memories", json={"text": "x"}).json()["id"]
    for role, client in people.items():
        client.get("/v1/contexts/t").raise_for_status()
        headers = {"X-Recuerdo-Max-Tokens": "9"} if method == "PATCH" else {}
        answer = client.request(method, path.format(shared=shared), json=body, headers=headers)
        assert (answer.status_code < 300) == (ROLES.index(role) >= ROLES.index(wanted)), (role, answer.text)
        if answer.status_code >= 300:
            assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
            assert wanted in answer.json()["detail"]

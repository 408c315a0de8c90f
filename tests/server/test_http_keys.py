"""API keys over HTTP: made, listed, rotated and revoked by admins, and never able to do more than their maker."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from fastapi import WebSocketDisconnect
from fastapi.testclient import TestClient
from serving import Backend, serving
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from test_http_routes import TABLE, one_of_each

from recuerdo import Recuerdo
from recuerdo.adapters.local import LocalApiKeys, LocalDatabase
from recuerdo.app.graphs import Hosted, hosting
from recuerdo.core.api_keys import digest_of, issue
from recuerdo.core.scope import Owner
from recuerdo.observability.metrics import Metrics
from recuerdo.server import ServerOptions, create_app
from recuerdo.server.auth.options import AuthOptions
from recuerdo.server.requests import MountedApp
from recuerdo.server.scopes import WANTED

ADA = Owner("acme", "ada")
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


class Keys(LocalApiKeys):
    """Keys in this process, and how often a use was noted."""

    def __init__(self) -> None:
        super().__init__(LocalDatabase())
        self.notes = 0

    async def mark_used(self, tenant: str, key_id: str, at: datetime) -> None:
        self.notes += 1
        await super().mark_used(tenant, key_id, at)


@pytest.fixture(scope="module")
def keys() -> Keys:
    return Keys()


@pytest.fixture(scope="module")
def keyed_url(keys: Keys) -> Iterator[str]:
    options = ServerOptions(auth=AuthOptions(api_keys=True), api_keys=keys, metrics=Metrics())
    with serving(Backend().opened(), options) as url:
        yield url


class Server:
    """Clients of the server, by what their keys may do."""

    def __init__(self, url: str, keys: Keys) -> None:
        self._url, self._keys = url, keys
        self._clients: list[httpx.Client] = []

    def made(self, owner: Owner = ADA, **fields: Any) -> httpx.Client:
        issued = issue(owner, LONG_AGO, **fields)
        asyncio.run(self._keys.add(issued.key))
        return self.using(issued.secret)

    def using(self, secret: str) -> httpx.Client:
        client = httpx.Client(base_url=self._url, headers={"x-api-key": secret})
        self._clients.append(client)
        return client

    def close(self) -> None:
        for client in self._clients:
            client.close()


@pytest.fixture
def server(keyed_url: str, keys: Keys) -> Iterator[Server]:
    server = Server(keyed_url, keys)
    yield server
    server.close()


@pytest.fixture
def admin(server: Server) -> Iterator[httpx.Client]:
    with server.made(role="admin") as client:
        yield client


def create(client: httpx.Client, **body: Any) -> httpx.Response:
    return client.post("/v1/keys", json={"user": "emi"} | body)


def status(client: httpx.Client) -> int:
    return client.get("/v1/principal").status_code


def test_an_admin_makes_a_key_for_a_user_of_the_tenant(server: Server, admin: httpx.Client) -> None:
    body = {"name": "laptop", "role": "editor", "tier": "gold", "scopes": ["write", "memories:read"], "ttl": 3600}
    answer = create(admin, **body)
    assert answer.status_code == 201, answer.text
    assert answer.headers["cache-control"] == "no-store"
    made = answer.json()["key"]
    assert (made["user"], made["name"], made["role"], made["tier"], made["state"]) == (
        *("emi", "laptop", "editor", "gold", "good"),
    )
    assert made["scopes"] == ["memories:read", "write"]
    life = datetime.fromisoformat(made["expires_at"]) - datetime.fromisoformat(made["created_at"])
    assert life == timedelta(hours=1)
    assert server.using(answer.json()["secret"]).get("/v1/principal").json() == {
        "tenant": "acme",
        "user": "emi",
        "role": "editor",
        "tier": "gold",
        "anonymous": False,
        "scopes": ["memories:read", "write"],
    }
    listed = admin.get("/v1/keys", params={"user": "emi"}).json()["keys"]
    assert made["id"] in [key["id"] for key in listed]
    assert answer.json()["secret"] not in admin.get("/v1/keys").text
    assert digest_of(answer.json()["secret"]).hex() not in admin.get("/v1/keys").text


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"scopes": []}, "scopes"),
        ({"scopes": ["rule"]}, "scopes"),
        ({"scopes": ["moon:read"]}, "scopes"),
        ({"scopes": ["memories:"]}, "scopes"),
        ({"scopes": ["read write"]}, "scopes"),
        ({"user": "anonymous"}, "user"),
        ({"user": ""}, "user"),
        ({"ttl": 0}, "ttl"),
        ({"expires_at": "2020-01-01T00:00:00Z"}, "expires_at"),
        ({"ttl": 1, "expires_at": "2100-01-01T00:00:00Z"}, "ttl"),
        ({"tenant": "zeta"}, "tenant"),
        ({"role": ""}, "role"),
        ({"name": "a\nb"}, "name"),
    ],
)
def test_what_can_be_no_key_is_refused_by_its_field(admin: httpx.Client, body: dict[str, Any], field: str) -> None:
    answer = create(admin, **body)
    assert answer.status_code == 422
    assert field in [part.lower() for part in answer.json()["detail"][0]["loc"]]


def test_keys_are_for_admins_of_their_tenant(server: Server, admin: httpx.Client) -> None:
    key = create(admin).json()["key"]["id"]
    for role in ("user", "editor", "anonymous", "Admin"):
        with server.made(role=role) as client:
            answers = (
                create(client),
                client.get("/v1/keys"),
                client.post(f"/v1/keys/{key}/rotate"),
                client.delete(f"/v1/keys/{key}"),
            )
            assert {answer.status_code for answer in answers} == {403}
    with server.made(Owner("zeta", "ada"), role="admin") as stranger:
        assert key not in stranger.get("/v1/keys").text
        assert stranger.post(f"/v1/keys/{key}/rotate").status_code == 404
        assert stranger.delete(f"/v1/keys/{key}").status_code == 404
        assert stranger.delete("/v1/keys/absent").text.replace("absent", key) == stranger.delete(f"/v1/keys/{key}").text


def test_a_key_never_grants_more_than_its_maker_has(server: Server, admin: httpx.Client) -> None:
    """Neither by its role nor by its scopes, neither new nor rotated; and an operator is made by none of them."""
    assert create(admin, role="admin").status_code == 201
    with server.made(role="operator") as operator:
        assert create(operator, role="admin").status_code == 201
        for maker in (admin, operator):
            refused = create(maker, role="operator")
            assert (refused.status_code, "recuerdo token create" in refused.text) == (403, True)
        theirs = operator.get("/v1/keys", params={"limit": 1000}).json()["keys"]
    of_operator = next(key["id"] for key in theirs if key["role"] == "operator")
    assert admin.post(f"/v1/keys/{of_operator}/rotate").status_code == 403
    assert admin.delete(f"/v1/keys/{of_operator}").status_code == 403
    of_admin = create(admin).json()["key"]["id"]
    with server.made(role="admin", scopes=["keys:admin", "memories:read"]) as narrow:
        assert create(narrow).json()["key"]["scopes"] == ["keys:admin", "memories:read"]
        assert create(narrow, scopes=["memories:read"]).status_code == 201
        for wider in (["admin"], ["read"], ["memories:write"], ["threads:read"], ["memories:read", "read"]):
            assert create(narrow, scopes=wider).status_code == 403, wider
        assert narrow.post(f"/v1/keys/{of_admin}/rotate").status_code == 403, "its successor would do more"
        assert narrow.delete(f"/v1/keys/{of_admin}").status_code == 204


def test_a_rotated_key_goes_on_for_a_while(server: Server, admin: httpx.Client) -> None:
    made = create(admin, name="billing", ttl=7200, scopes=["read"]).json()
    old = server.using(made["secret"])
    answer = admin.post(f"/v1/keys/{made['key']['id']}/rotate", json={"overlap": 600})
    assert answer.status_code == 201, answer.text
    new = answer.json()["key"]
    assert (status(old), status(server.using(answer.json()["secret"]))) == (200, 200)
    for same in ("user", "name", "role", "tier", "scopes"):
        assert new[same] == made["key"][same]
    life = datetime.fromisoformat(new["expires_at"]) - datetime.fromisoformat(new["created_at"])
    assert life == timedelta(hours=2)
    listed = {key["id"]: key for key in admin.get("/v1/keys").json()["keys"]}
    before = listed[made["key"]["id"]]
    assert before["replaced_by"] == new["id"]
    left = datetime.fromisoformat(before["expires_at"]) - datetime.fromisoformat(new["created_at"])
    assert left == timedelta(minutes=10)
    again = admin.post(f"/v1/keys/{made['key']['id']}/rotate")
    assert (again.status_code, new["id"] in again.json()["detail"]) == (409, True)


def test_a_key_without_an_overlap_ends_at_once(server: Server, admin: httpx.Client) -> None:
    made = create(admin).json()
    assert admin.post(f"/v1/keys/{made['key']['id']}/rotate", json={"overlap": 0}).status_code == 201
    assert status(server.using(made["secret"])) == 401


def test_a_revoked_key_is_refused_and_not_rotated(server: Server, admin: httpx.Client) -> None:
    made = create(admin).json()
    assert admin.delete(f"/v1/keys/{made['key']['id']}").status_code == 204
    assert status(server.using(made["secret"])) == 401
    assert admin.post(f"/v1/keys/{made['key']['id']}/rotate").status_code == 409
    states = {key["id"]: key["state"] for key in admin.get("/v1/keys").json()["keys"]}
    assert states[made["key"]["id"]] == "revoked"


def test_a_use_is_noted_once_a_minute(server: Server, admin: httpx.Client, keys: Keys) -> None:
    made = create(admin).json()
    assert made["key"]["last_used_at"] is None
    using, before = server.using(made["secret"]), keys.notes
    for _ in range(5):
        assert status(using) == 200
    listed = {key["id"]: key for key in admin.get("/v1/keys").json()["keys"]}
    assert listed[made["key"]["id"]]["last_used_at"] is not None
    assert keys.notes - before <= 2, "its own, and the admin's"


@pytest.fixture(scope="module")
def things(keyed_url: str, keys: Keys) -> dict[str, str]:
    server = Server(keyed_url, keys)
    try:
        return one_of_each(server.made(role="operator"))
    finally:
        server.close()


@pytest.mark.parametrize(("method", "path"), [key for key in TABLE if f"{key[0]} {key[1].partition('?')[0]}" in WANTED])
def test_a_route_is_open_to_the_scopes_that_it_wants_and_to_no_others(
    server: Server, things: dict[str, str], method: str, path: str
) -> None:
    """Whatever the role: a key with all other scopes is refused, and one with exactly these is not."""
    body, here = TABLE[method, path][0], path.format_map(things)
    wanted = WANTED[f"{method} {path.partition('?')[0]}"]
    others = {"threads", "runs", "memories", "documents", "assistants", "contexts", "store", "keys", "audit", "server"}
    for each in wanted:
        resource, _, level = each.rpartition(":")
        lower = {"read": [], "write": ["read"], "admin": ["write"]}[level]
        closed = [f"{other}:admin" for other in others - {resource}]
        closed += [f"{resource}:{below}" if resource else below for below in lower]
        with server.made(role="operator", scopes=closed) as client:
            refused = client.request(method, here, json=body)
            assert (refused.status_code, f"the scope {each}" in refused.text) == (403, True), refused.text
    with server.made(Owner("acme", "someone"), role="operator", scopes=wanted or ["store:read"]) as client:
        answer = client.request(method, here, json=body)
        assert "scope" not in answer.text or answer.status_code < 300, answer.text


def test_a_key_that_may_read_writes_nothing(server: Server) -> None:
    with server.made(scopes=["read"]) as reader, server.made() as writer:
        assert writer.post("/v1/memories", json={"text": "Emi lives in Rosario"}).status_code == 201
        assert reader.get("/v1/memories").status_code == 200
        assert reader.post("/v1/memories/search", json={"query": "Rosario"}).status_code == 200
        refusals: list[tuple[str, str, dict[str, Any]]] = [
            ("POST", "/v1/memories", {"text": "x"}),
            ("POST", "/v1/chat", {"message": "x"}),
            ("POST", "/v1/erase", {"everything": True}),
            ("PUT", "/store/items", {"namespace": ["a"], "key": "k", "value": {}}),
            ("POST", "/mcp", {}),
        ]
        for method, path, body in refusals:
            refused = reader.request(method, path, json=body)
            assert (refused.status_code, refused.json()["code"]) == (403, "forbidden"), path


@asynccontextmanager
async def opened() -> AsyncGenerator[Hosted]:
    async with Recuerdo.open("memory://", embeddings="none") as memory, hosting(memory) as hosted:
        yield hosted


def test_scopes_hold_at_sockets_and_at_a_mounted_application() -> None:
    async def theirs(request: Request) -> PlainTextResponse:
        return PlainTextResponse(request.user.owner.user)

    keys = LocalApiKeys(LocalDatabase())
    secrets: dict[str, str] = {}
    for scope in ("read", "write", "app:read", "threads:write", "threads:read"):
        issued = issue(Owner("acme", "emi"), LONG_AGO, scopes=[scope])
        asyncio.run(keys.add(issued.key))
        secrets[scope] = issued.secret
    mounted = MountedApp(Starlette(routes=[Route("/theirs", theirs, methods=["GET", "POST"])]), guarded=True)
    app = create_app(opened(), ServerOptions(auth=AuthOptions(api_keys=True), api_keys=keys, mounted=mounted))
    with TestClient(app) as client:

        def asked(method: str, scope: str) -> int:
            return client.request(method, "/theirs", headers={"x-api-key": secrets[scope]}).status_code

        assert [asked("GET", scope) for scope in ("read", "app:read", "threads:write")] == [200, 200, 403]
        assert [asked("POST", scope) for scope in ("write", "app:read", "read")] == [200, 403, 403]
        for scope in ("read", "threads:read"):
            with client.websocket_connect("/ws/s-1", headers={"x-api-key": secrets[scope]}) as socket:
                with pytest.raises(WebSocketDisconnect) as closed:
                    socket.receive_text()
                assert closed.value.code == 4403
        with client.websocket_connect("/ws/s-1", headers={"x-api-key": secrets["threads:write"]}) as socket:
            assert socket.receive_text()

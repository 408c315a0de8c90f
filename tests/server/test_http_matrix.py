"""Every route, and everybody who may ask: the answers follow from the table of routes.

A new route gets its row in the table of `test_http_routes.py`, and with it all of this. The exceptions from that are in
the tables below.
"""

import asyncio
import base64
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from fastapi.routing import APIRoute, APIWebSocketRoute
from serving import Backend, serving
from starlette.routing import BaseRoute, Mount, Route
from test_http_routes import TABLE, all_routes, asks_for_the_principal, one_of_each
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from recuerdo.adapters.local import LocalApiKeys, LocalAudit, LocalDatabase
from recuerdo.audit import AuditLog
from recuerdo.core.api_keys import issue
from recuerdo.core.identifiers import new_id
from recuerdo.core.scope import Owner
from recuerdo.history.history import utc_now
from recuerdo.observability.metrics import Metrics
from recuerdo.server import ServerOptions, create_app
from recuerdo.server.auth.options import AuthOptions, Issuer
from servers.identity_provider import AUDIENCE, IdentityProvider, running_provider
from servers.patience import PATIENCE

SECRET = "c0nfidential"

OWNER = Owner("acme", "emi")

NOT_THE_OWNERS: dict[tuple[str, str], int] = {
    ("GET", "/metrics"): 403,
    ("GET", "/v1/audit"): 403,
    ("GET", "/v1/retention"): 403,
    ("POST", "/v1/contexts/invalidate"): 403,
    ("POST", "/v1/documents"): 403,
    ("DELETE", "/v1/documents/{document_id}"): 403,
    ("GET", "/v1/documents/{document_id}"): 404,  # only editors make one
    ("POST", "/v1/tenant/erase"): 403,
    ("GET", "/v1/tenant/users"): 403,
    ("GET", "/v1/tenant/users/{user_id}/threads"): 403,
    ("GET", "/v1/tenant/users/{user_id}/messages"): 403,
    ("POST", "/v1/tenant/users/{user_id}/search"): 403,
    ("DELETE", "/v1/tenant/users/{user_id}/threads/{thread_id}"): 403,
    ("POST", "/v1/visitors/claim"): 403,
    ("POST", "/v1/keys"): 403,
    ("GET", "/v1/keys"): 403,
    ("POST", "/v1/keys/{key_id}/rotate"): 403,
    ("DELETE", "/v1/keys/{key_id}"): 403,
    ("GET", "/v1/tenant/memories/{shared_id}/history"): 403,
    ("POST", "/v1/tenant/memories/{shared_id}/approve"): 403,
    ("POST", "/v1/tenant/memories/{shared_id}/reject"): 403,
}
"""Routes for a role: what everybody else gets, the owner of data included."""

OPENED: dict[tuple[str, str], tuple[str, int, int]] = {
    ("POST", "/v1/contexts/invalidate"): ("editor", 204, 204),
    ("POST", "/v1/documents"): ("editor", 201, 201),
    ("DELETE", "/v1/documents/{document_id}"): ("editor", 404, 404),
    ("GET", "/v1/audit"): ("admin", 200, 200),
    ("POST", "/v1/tenant/erase"): ("admin", 422, 422),  # of another tenant than their own
    ("GET", "/v1/tenant/users"): ("admin", 200, 200),
    ("GET", "/v1/tenant/users/{user_id}/threads"): ("admin", 200, 200),
    ("GET", "/v1/tenant/users/{user_id}/messages"): ("admin", 200, 200),
    ("POST", "/v1/tenant/users/{user_id}/search"): ("admin", 200, 200),
    ("DELETE", "/v1/tenant/users/{user_id}/threads/{thread_id}"): ("admin", 404, 404),
    ("POST", "/v1/keys"): ("admin", 201, 201),
    ("GET", "/v1/keys"): ("admin", 200, 200),
    ("POST", "/v1/keys/{key_id}/rotate"): ("admin", 404, 404),
    ("DELETE", "/v1/keys/{key_id}"): ("admin", 404, 404),
    ("GET", "/v1/tenant/memories/{shared_id}"): ("admin", 200, 404),
    ("DELETE", "/v1/tenant/memories/{shared_id}"): ("admin", 204, 404),
    ("GET", "/v1/tenant/memories/{shared_id}/history"): ("admin", 200, 200),
    ("POST", "/v1/tenant/memories/{shared_id}/approve"): ("admin", 200, 404),
    ("POST", "/v1/tenant/memories/{shared_id}/reject"): ("admin", 200, 404),
    ("GET", "/metrics"): ("operator", 200, 200),
    ("GET", "/v1/retention"): ("operator", 404, 404),
}
"""Routes that a role and those above it open: what they get in the tenant of the data, and in another one."""

SHARED: dict[tuple[str, str], int] = {}
"""Routes to something that several principals have: what those get who have not made it."""

RANKED = ("editor", "admin", "operator")

TAKING_AWAY = {
    ("POST", "/v1/erase"),
    ("POST", "/v1/memories/{memory_id}/undo"),
    ("POST", "/v1/memories/{memory_id}/reject"),
}
"""Routes behind which something is gone, besides those that delete."""

SOCKETS = {"/ws/{session_id}", "/threads/{thread_id}/stream/events"}
"""WebSockets that ask who asks by themselves, to say it with a code: see test_sessions.py, test_thread_socket.py."""

BY_THEMSELVES = {"/mcp"}
"""Routes that hand on what they are asked, and ask who asks first: see test_mcp.py."""

UNROUTED = {"/openapi.json"}
"""The routes that the framework serves on its own."""


@pytest.fixture(scope="module")
def provider() -> Iterator[IdentityProvider]:
    with running_provider() as provider:
        yield provider


@pytest.fixture(scope="module")
def keys() -> LocalApiKeys:
    return LocalApiKeys(LocalDatabase())


@pytest.fixture(scope="module")
def matrix_url(provider: IdentityProvider, keys: LocalApiKeys) -> Iterator[str]:
    auth = AuthOptions((Issuer(provider.name, (AUDIENCE,), provider.jwks_url),), api_keys=True)
    audit = AuditLog(LocalAudit(LocalDatabase()), utc_now)
    with serving(Backend().opened(), ServerOptions(metrics=Metrics(), auth=auth, api_keys=keys, audit=audit)) as url:
        yield url


@pytest.fixture(scope="module")
def pool(matrix_url: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=matrix_url) as client:
        yield client


class Callers:
    """Everybody who may ask, by the headers that they send."""

    def __init__(self, provider: IdentityProvider, keys: LocalApiKeys) -> None:
        self._provider = provider
        self._keys = keys
        self.refused = {
            "no credential": {},
            "expired token": {"Authorization": f"Bearer {self._token(OWNER, exp=1_000_000_000)}"},
            "expired key": {"x-api-key": self._key(OWNER, expires_at=datetime(2001, 1, 1, tzinfo=UTC))},
            "a name alone": {"X-Recuerdo-User": OWNER.user},
        }
        self.owner = {"Authorization": f"Bearer {self._token(OWNER)}"}

    def strangers(self) -> dict[str, dict[str, str]]:
        """A caller that has done nothing yet: it made none of the things that it finds."""
        other_user, other_tenant = Owner(OWNER.tenant, new_id()), Owner(new_id(), OWNER.user)
        return {
            "other user": {"Authorization": f"Bearer {self._token(other_user)}"},
            "other user's key": {"x-api-key": self._key(Owner(OWNER.tenant, new_id())), "X-Recuerdo-User": OWNER.user},
            "other tenant": {"Authorization": f"Bearer {self._token(other_tenant)}"},
            "other tenant's key": {"x-api-key": self._key(Owner(new_id(), OWNER.user))},
        }

    def ranked(self) -> dict[tuple[str, str], dict[str, str]]:
        """Callers with a role, in the tenant of the data and in another one, that have done nothing yet."""
        tenants = {"same": OWNER.tenant, "other": new_id()}
        return {
            (role, where): {"x-api-key": self._key(Owner(tenant, new_id()), role=role)}
            for role in RANKED
            for where, tenant in tenants.items()
        }

    def somebody_new(self) -> dict[str, str]:
        return {"x-api-key": self._key(Owner("acme", new_id()))}

    def _token(self, owner: Owner, **claims: Any) -> str:
        return self._provider.token("ec-1", sub=owner.user, tenant=owner.tenant, **claims)

    def _key(self, owner: Owner, **fields: Any) -> str:
        issued = issue(owner, datetime(2000, 1, 1, tzinfo=UTC), **fields)
        asyncio.run(self._keys.add(issued.key))
        return issued.secret


@pytest.fixture(scope="module")
def callers(provider: IdentityProvider, keys: LocalApiKeys) -> Callers:
    return Callers(provider, keys)


@pytest.fixture(scope="module")
def owned(pool: httpx.Client, callers: Callers) -> dict[str, str]:
    return something_secret(pool, callers.owner)


def guarded() -> set[tuple[str, str]]:
    """The routes that ask who asks."""
    found = {
        (method, route.path)
        for route in all_routes()
        if asks_for_the_principal(route.dependant)
        for method in route.methods or ()
    }
    return {key for key in TABLE if (key[0], key[1].partition("?")[0]) in found} | NOT_THE_OWNERS.keys()


GUARDED = guarded()


def test_every_route_and_websocket_is_in_the_matrix() -> None:
    """Also those that are no routes of ours: an application that is mounted would not ask who asks."""
    unknown = [route.path for route in create_app(Backend().opened()).routes if not is_known(route)]
    assert not set(unknown) - UNROUTED, "see the top of this file"


def test_only_what_is_about_nobody_asks_nobody() -> None:
    about_nobody = {path for method, path in TABLE if (method, path) not in GUARDED}
    sign_in = {"/auth/login", "/auth/callback", "/auth/renew", "/auth/logout"}
    assert about_nobody == {"/ok", "/healthz", "/ready", "/info", "/", "/ui", "/ui/{name}"} | sign_in


@pytest.mark.parametrize(("method", "path"), TABLE)
def test_a_route_answers_everybody_as_it_should(
    pool: httpx.Client, callers: Callers, owned: dict[str, str], method: str, path: str
) -> None:
    body, existing, missing = TABLE[method, path]
    strangers = callers.strangers()
    answers = {
        who: pool.request(method, path.format_map(owned), json=body, headers=headers)
        for who, headers in (callers.refused | strangers).items()
    }
    is_guarded = (method, path) in GUARDED
    foreign = SHARED.get((method, path), existing if missing is None or not is_guarded else missing)
    expected = dict.fromkeys(callers.refused, 401 if is_guarded else existing)
    expected |= dict.fromkeys(strangers, NOT_THE_OWNERS.get((method, path), foreign))
    assert {who: answer.status_code for who, answer in answers.items()} == expected
    assert not [who for who, answer in answers.items() if SECRET in answer.text]


@pytest.mark.parametrize(("method", "path"), TABLE)
def test_a_role_opens_what_is_for_it_and_nothing_of_another_user(
    pool: httpx.Client, callers: Callers, owned: dict[str, str], method: str, path: str
) -> None:
    """An admin or an operator reads, changes and deletes as little of what others have as any user does."""
    body, existing, missing = TABLE[method, path]
    foreign = SHARED.get((method, path), existing if missing is None or (method, path) not in GUARDED else missing)
    closed = NOT_THE_OWNERS.get((method, path), foreign)
    wanted, in_tenant, elsewhere = OPENED.get((method, path), ("nobody", 0, 0))
    for (role, where), headers in callers.ranked().items():
        if wanted != "nobody" and "{shared_id}" in path:  # what is shared is changed by the first who may
            owned = something_secret(pool, callers.somebody_new())
        if path == "/v1/documents" and body:
            body = body | {"source": f"{new_id()}.md"}  # what is there already is answered otherwise
        answer = pool.request(method, path.format_map(owned), json=body, headers=headers)
        is_open = wanted in RANKED[: RANKED.index(role) + 1]
        expected = closed if not is_open else in_tenant if where == "same" else elsewhere
        assert answer.status_code == expected, (role, where, answer.text)
        assert SECRET not in answer.text, (role, where)


@pytest.mark.parametrize(("method", "path"), TABLE)
def test_a_route_answers_the_owner(
    pool: httpx.Client, callers: Callers, owned: dict[str, str], method: str, path: str
) -> None:
    """Callers that delete have things of their own, so that the other tests still have theirs."""
    body, existing, _ = TABLE[method, path]
    headers = callers.owner
    if method == "DELETE" or (method, path) in TAKING_AWAY:
        headers = callers.somebody_new()
        owned = something_secret(pool, headers)
    answer = pool.request(method, path.format_map(owned), json=body, headers=headers)
    assert answer.status_code == NOT_THE_OWNERS.get((method, path), existing)


@pytest.mark.parametrize("way", ["headers", "subprotocols"])
def test_the_websocket_of_a_thread_answers_everybody_as_it_should(
    matrix_url: str, callers: Callers, owned: dict[str, str], way: str
) -> None:
    """It says so with a code; a page names its credential as a subprotocol."""
    place = f"ws{matrix_url.removeprefix('http')}/threads/{owned['thread_id']}/stream/events"
    strangers = callers.strangers()
    expected = dict.fromkeys(callers.refused, 4401) | dict.fromkeys(strangers, 4404) | {"owner": None}
    everybody = callers.refused | strangers | {"owner": callers.owner}
    assert {who: refusal_code(place, headers, way) for who, headers in everybody.items()} == expected


def refusal_code(place: str, headers: dict[str, str], way: str) -> int | None:
    """With which code the connection is closed; None when a command is answered."""
    said: dict[str, Any] = {"additional_headers": headers}
    if way == "subprotocols":
        said = {"subprotocols": ["recuerdo", *(subprotocol(name, value) for name, value in headers.items())]}
    with connect(place, open_timeout=PATIENCE, **said) as socket:
        with suppress(ConnectionClosed):
            socket.send('{"id": 1, "method": "agent.getTree"}')
            assert SECRET not in str(socket.recv(PATIENCE))
        return socket.close_code


def subprotocol(name: str, value: str) -> str:
    kind = "user" if name == "X-Recuerdo-User" else "bearer"
    carried = base64.urlsafe_b64encode(value.removeprefix("Bearer ").encode()).decode().rstrip("=")
    return f"recuerdo.{kind}.{carried}"


def something_secret(client: httpx.Client, headers: dict[str, str]) -> dict[str, str]:
    """One of each thing, the owner's, with a word in it that nobody else may read."""
    with httpx.Client(base_url=client.base_url, headers=headers) as owner:
        made = one_of_each(owner)
        message = {"messages": [{"role": "user", "content": SECRET}]}
        owner.post(f"/v1/threads/{made['thread_id']}/messages", json=message).raise_for_status()
        owner.post("/v1/memories", json={"text": SECRET}).raise_for_status()
        return made


def is_known(route: BaseRoute) -> bool:
    if isinstance(route, APIRoute):
        listed = {(method, path.partition("?")[0]) for method, path in TABLE}
        return all((method, route.path) in listed for method in set(route.methods or ()) - {"HEAD"})
    if isinstance(route, APIWebSocketRoute):
        return route.path in SOCKETS or asks_for_the_principal(route.dependant)
    return isinstance(route, Route | Mount) and route.path in UNROUTED | BY_THEMSELVES

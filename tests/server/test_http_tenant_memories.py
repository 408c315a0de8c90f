"""Shared memories over HTTP: everybody proposes and reads, admins decide."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime

import httpx
import pytest
from serving import Backend, serving

from recuerdo.adapters.local import LocalApiKeys, LocalDatabase
from recuerdo.core.api_keys import issue
from recuerdo.core.scope import Owner
from recuerdo.server import ServerOptions
from recuerdo.server.auth.options import AuthOptions

SHARED = "/v1/tenant/memories"
HOURS = "The office opens from 9 to 5"


@pytest.fixture(scope="module")
def url_and_keys() -> Iterator[tuple[str, dict[str, str]]]:
    keys = LocalApiKeys(LocalDatabase())
    people = {
        "emi": issue(Owner("acme", "emi"), datetime(2000, 1, 1, tzinfo=UTC)),
        "eva": issue(Owner("acme", "eva"), datetime(2000, 1, 1, tzinfo=UTC)),
        "ada": issue(Owner("acme", "ada"), datetime(2000, 1, 1, tzinfo=UTC), role="admin"),
        "other": issue(Owner("other", "emi"), datetime(2000, 1, 1, tzinfo=UTC), role="admin"),
    }
    for issued in people.values():
        asyncio.run(keys.add(issued.key))
    options = ServerOptions(auth=AuthOptions(api_keys=True), api_keys=keys)
    with serving(Backend().opened(), options) as url:
        yield url, {name: issued.secret for name, issued in people.items()}


@pytest.fixture
def people(url_and_keys: tuple[str, dict[str, str]]) -> Iterator[dict[str, httpx.Client]]:
    url, keys = url_and_keys
    clients = {name: httpx.Client(base_url=url, headers={"x-api-key": key}) for name, key in keys.items()}
    yield clients
    for client in clients.values():
        client.close()


def test_an_admin_decides_what_all_users_of_the_tenant_are_shown(people: dict[str, httpx.Client]) -> None:
    proposed = people["emi"].post(SHARED, json={"text": HOURS}).json()
    one = f"{SHARED}/{proposed['id']}"
    assert (proposed["status"], proposed["source"]["by"], proposed["shared"]) == ("proposed", "emi", True)
    visible = {name: client.get(one).status_code for name, client in people.items()}
    assert visible == {"emi": 200, "eva": 404, "ada": 200, "other": 404}
    deciding = {name: people[name].post(f"{one}/approve", json={}).status_code for name in ("emi", "eva", "other")}
    assert deciding == {"emi": 403, "eva": 403, "other": 404}
    assert people["ada"].post(f"{one}/approve", json={"reason": "true"}).json()["review"]["by"] == "ada"

    found = people["eva"].post("/v1/memories/search", json={"query": "office"}).json()["hits"]
    assert [(hit["memory"]["text"], hit["memory"]["shared"]) for hit in found] == [(HOURS, True)]
    listed = {name: len(client.get(SHARED).json()["memories"]) for name, client in people.items()}
    assert listed == {"emi": 1, "eva": 1, "ada": 1, "other": 0}

    assert people["emi"].delete(one).status_code == 403
    assert people["eva"].get(SHARED, params={"status": "proposed"}).status_code == 403
    history = people["ada"].get(f"{one}/history").json()["changes"]
    assert [change["action"] for change in history] == ["approved", "proposed"]
    assert people["ada"].post(f"{one}/reject", json={}).json()["status"] == "rejected"
    assert people["eva"].post("/v1/memories/search", json={"query": "office"}).json()["hits"] == []


def test_who_proposed_a_memory_may_withdraw_it_while_it_waits(people: dict[str, httpx.Client]) -> None:
    one = f"{SHARED}/{people['emi'].post(SHARED, json={'text': 'tea at 4', 'ttl': 60}).json()['id']}"
    assert people["eva"].delete(one).status_code == 404
    assert people["emi"].delete(one).status_code == 204
    assert people["ada"].get(one).status_code == 404


def test_an_erasure_over_http_is_the_callers_own_and_says_what_was_removed(people: dict[str, httpx.Client]) -> None:
    for name in ("emi", "eva"):
        people[name].post("/v1/memories", json={"text": "likes tea"}).raise_for_status()
    assert people["emi"].post("/v1/erase", json={}).status_code == 422
    assert people["emi"].post("/v1/erase", json={"everything": True, "user": "eva"}).status_code == 422
    receipt = people["emi"].post("/v1/erase", json={"everything": True}).json()
    assert receipt["complete"] is True
    assert receipt["removed"]["memories"] == 1
    assert people["emi"].get("/v1/memories").json()["memories"] == []
    assert len(people["eva"].get("/v1/memories").json()["memories"]) == 1


def test_nobody_erases_the_anonymous_user() -> None:
    with serving(Backend().opened()) as url:
        assert httpx.post(f"{url}/v1/erase", json={"everything": True}).status_code == 422

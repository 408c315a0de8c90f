"""Assistants that all users of a tenant share: made and changed by its editors, used by everybody in it."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from serving import serving

from recuerdo import Recuerdo
from recuerdo.adapters.local import LocalApiKeys, LocalDatabase
from recuerdo.app.graphs import Hosted, hosting
from recuerdo.core.api_keys import issue
from recuerdo.core.identifiers import new_id
from recuerdo.core.scope import Owner
from recuerdo.runs.assistants import own_assistant
from recuerdo.server import ServerOptions
from recuerdo.server.auth.options import AuthOptions

OWN = own_assistant("recuerdo").assistant_id
NEW = {"graph_id": "recuerdo", "name": "Support", "context": {"system_prompt": "You are of the support."}}
People = dict[str, httpx.Client]


@pytest.fixture(scope="module", params=["sqlite", "postgres", "mongodb"])
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    if request.param == "postgres":
        return request.getfixturevalue("postgres_url")
    if request.param == "mongodb":
        return f"{request.getfixturevalue('mongodb_url')}assistants-{new_id()}?timeoutMS=60000"
    return f"sqlite:///{tmp_path_factory.mktemp('a')}/a.db"


@pytest.fixture(scope="module")
def url_and_keys(database: str) -> Iterator[tuple[str, dict[str, str]]]:
    keys = LocalApiKeys(LocalDatabase())
    now = datetime(2000, 1, 1, tzinfo=UTC)
    people = {
        "emi": issue(Owner("acme", "emi"), now),
        "eva": issue(Owner("acme", "eva"), now),
        "ada": issue(Owner("acme", "ada"), now, role="editor"),
        "other": issue(Owner("other", "emi"), now, role="editor"),
    }
    for issued in people.values():
        asyncio.run(keys.add(issued.key))

    @asynccontextmanager
    async def opened() -> AsyncGenerator[Hosted]:
        async with Recuerdo.open(database, embeddings="none") as memory, hosting(memory) as hosted:
            yield hosted

    with serving(opened(), ServerOptions(auth=AuthOptions(api_keys=True), api_keys=keys)) as url:
        yield url, {name: issued.secret for name, issued in people.items()}


@pytest.fixture
def people(url_and_keys: tuple[str, dict[str, str]]) -> Iterator[People]:
    url, keys = url_and_keys
    clients = {name: httpx.Client(base_url=url, headers={"x-api-key": key}) for name, key in keys.items()}
    yield clients
    for client in clients.values():
        client.close()


@pytest.fixture
def shared(people: People) -> Iterator[str]:
    made: str = people["ada"].post("/assistants", json={**NEW, "visibility": "tenant"}).json()["assistant_id"]
    yield made
    people["ada"].delete(f"/assistants/{made}")


def found(client: httpx.Client, **more: Any) -> list[str]:
    entries = client.post("/assistants/search", json={"limit": 100, **more}).json()
    assert client.post("/assistants/count", json=more).json() == len(entries)
    return [entry["assistant_id"] for entry in entries]


def test_users_of_a_company_talk_with_the_same_agent(people: People, shared: str, database: str) -> None:
    """In chats and in runs, on every database."""
    said = {"messages": [{"role": "user", "content": "Hola"}]}
    for name in ("emi", "eva"):
        assistant = people[name].get(f"/assistants/{shared}").json()
        assert (assistant["name"], assistant["visibility"]) == ("Support", "tenant")
        ran = people[name].post("/runs/wait", json={"assistant_id": shared, "input": said})
        assert ran.json()["messages"][0]["content"] == "Hola"
        body = {"message": "Hola", "assistant_id": shared, "thread_id": "t"}
        assert people[name].post("/v1/chat", json=body).status_code == 200
    assert people["other"].get(f"/assistants/{shared}").status_code == 404
    ran = people["other"].post("/runs/wait", json={"assistant_id": shared, "input": said})
    assert ran.status_code == 404


def test_only_editors_make_and_change_what_all_share(people: People, shared: str) -> None:
    emi, ada = people["emi"], people["ada"]
    assert emi.post("/assistants", json={**NEW, "visibility": "tenant"}).status_code == 403
    assert emi.patch(f"/assistants/{shared}", json={"name": "Mine"}).status_code == 403
    assert emi.delete(f"/assistants/{shared}").status_code == 403
    assert emi.post(f"/assistants/{shared}/latest", json={"version": 1}).status_code == 403
    assert people["other"].patch(f"/assistants/{shared}", json={"name": "Mine"}).status_code == 404
    assert ada.patch(f"/assistants/{shared}", json={"name": "Help"}).json()["version"] == 2
    assert [each["name"] for each in emi.post(f"/assistants/{shared}/versions", json={}).json()] == ["Help", "Support"]
    assert ada.post(f"/assistants/{shared}/latest", json={"version": 1}).json()["visibility"] == "tenant"
    assert emi.get(f"/assistants/{shared}").json()["name"] == "Support"
    assert ada.delete(f"/assistants/{shared}").status_code == 204
    assert emi.get(f"/assistants/{shared}").status_code == 404


def test_lists_have_what_is_private_what_is_shared_and_what_is_the_servers(people: People, shared: str) -> None:
    private = people["emi"].post("/assistants", json={**NEW, "name": "A private one"}).json()
    assert private["visibility"] == "private"
    assert {*found(people["emi"])} == {private["assistant_id"], shared, OWN}
    assert found(people["emi"], name="support") == [shared]
    assert found(people["emi"], sort_by="name", sort_order="asc", limit=100)[0] == private["assistant_id"]
    assert {*found(people["eva"])} == {shared, OWN}
    assert found(people["other"]) == [OWN]
    taken = people["emi"].post("/assistants", json={**NEW, "assistant_id": shared})
    assert taken.status_code == 409
    people["emi"].delete(f"/assistants/{private['assistant_id']}")


def test_a_tenant_has_a_default_of_its_own(people: People) -> None:
    """The graph's own assistant, which is meant where none is named: the user's counts more than the tenant's."""
    emi, eva, ada = people["emi"], people["eva"], people["ada"]
    one = f"/assistants/{OWN}"
    assert emi.patch(one, json={"name": "Ours", "visibility": "tenant"}).status_code == 403
    changed = ada.patch(one, json={"name": "Ours", "visibility": "tenant"}).json()
    assert (changed["name"], changed["visibility"]) == ("Ours", "tenant")
    assert emi.patch(one, json={"description": "mine"}).json()["name"] == "Ours"
    names = {name: client.get(one).json()["name"] for name, client in people.items()}
    assert names == {"emi": "Ours", "eva": "Ours", "ada": "Ours", "other": "recuerdo"}
    assert [client.get(one).json()["visibility"] for client in (emi, eva)] == ["private", "tenant"]
    for client in (emi, eva, ada):
        assert found(client) == [OWN]
    assert emi.delete(one).status_code == 204
    assert emi.get(one).json()["description"] != "mine"
    assert emi.delete(one).status_code == 403
    assert ada.delete(one).status_code == 204
    assert eva.get(one).json()["visibility"] == "server"


def test_an_editor_makes_one_of_the_shared_the_default(people: People, shared: str, database: str) -> None:
    """It answers where none is named, as it is at that moment, until it is gone or another one is the default."""
    emi, ada = people["emi"], people["ada"]

    def answers() -> str:
        return emi.get("/v1/contexts/t-default").json()["context"]["metadata"]["name"]

    one, ours = f"/assistants/{OWN}", {"visibility": "tenant", "stands_for": shared}
    assert emi.patch(one, json=ours).status_code == 403
    private = ada.post("/assistants", json=NEW).json()["assistant_id"]
    assert ada.patch(one, json={**ours, "stands_for": private}).status_code == 404, "nobody else sees it"
    for wrong in (ada.patch(one, json={**ours, "stands_for": OWN}), ada.patch(f"/assistants/{shared}", json=ours)):
        assert (wrong.status_code, wrong.json()["detail"][0]["loc"][-1]) == (422, "stands_for")
    ada.delete(f"/assistants/{private}")
    assert answers() == "recuerdo"
    assert ada.patch(one, json=ours).json()["stands_for"] == shared
    assert answers() == "Support"
    assert ada.patch(f"/assistants/{shared}", json={"name": "Help"}).status_code == 200
    assert answers() == "Help"
    work = {"assistant_id": "recuerdo", "input": {"messages": [{"role": "user", "content": "Hola"}]}}
    assert emi.post("/runs", json=work).json()["assistant_id"] == shared
    assert people["other"].get("/v1/contexts/t-default").json()["context"]["metadata"]["name"] == "recuerdo"
    assert ada.delete(f"/assistants/{shared}").status_code == 204
    assert answers() == "recuerdo"
    assert ada.get(one).json()["stands_for"] is None
    assert ada.delete(one).status_code == 204


def test_a_reply_is_explained_by_the_assistant_that_gave_it(people: People, shared: str) -> None:
    emi, said = people["emi"], {"message": "Hola", "thread_id": new_id(), "assistant_id": shared}
    reply = emi.post("/v1/chat", json=said).raise_for_status().json()["reply"]
    why = f"/v1/threads/{said['thread_id']}/messages/{reply['seq']}/why"
    told = emi.get(why).json()
    assert told["exact"]
    assert "You are of the support." in told["prompt"][0]["content"]
    people["ada"].delete(f"/assistants/{shared}")
    later = emi.get(why).json()
    assert not later["exact"]
    assert [each["content"] for each in later["prompt"]][1:] == [each["content"] for each in told["prompt"]][1:]


def test_an_editor_hands_an_assistant_over_to_all_with_its_versions(people: People) -> None:
    emi, ada = people["emi"], people["ada"]
    made = ada.post("/assistants", json=NEW).json()["assistant_id"]
    one = f"/assistants/{made}"
    assert ada.patch(one, json={"name": "Help"}).json()["version"] == 2
    assert emi.get(one).status_code == 404
    shared = ada.patch(one, json={"visibility": "tenant"}).json()
    assert (shared["visibility"], shared["version"]) == ("tenant", 2)
    versions = emi.post(f"{one}/versions", json={}).json()
    assert [(each["name"], each["visibility"]) for each in versions] == [("Help", "tenant"), ("Support", "tenant")]
    assert ada.patch(one, json={"visibility": "tenant", "name": "Desk"}).json()["version"] == 3
    private = emi.post("/assistants", json=NEW).json()["assistant_id"]
    assert emi.patch(f"/assistants/{private}", json={"visibility": "tenant"}).status_code == 403
    assert ada.patch(f"/assistants/{private}", json={"visibility": "tenant"}).status_code == 404
    assert {*found(ada)} == {made, OWN}
    assert [client.delete(path).status_code for client, path in ((ada, one), (emi, f"/assistants/{private}"))] == [
        204
    ] * 2

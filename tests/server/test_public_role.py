"""Callers with the role `public`, and items that the users of a tenant share."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from events import read_events
from serving import serving

from recuerdo import Recuerdo
from recuerdo.adapters.local import LocalApiKeys, LocalDatabase
from recuerdo.app.graphs import Hosted, hosting
from recuerdo.core.api_keys import issue
from recuerdo.core.scope import Owner
from recuerdo.server import ServerOptions
from recuerdo.server.auth.options import AuthOptions

PRIVATE = "# Márgenes\n\nEl margen de las botas es del 40 por ciento.\n"
QUESTION = "¿Cuál es el margen de las botas?"
ROLES = {"emi": "user", "pablo": "public", "ada": "editor"}
People = dict[str, httpx.Client]


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Iterator[People]:
    url = f"sqlite:///{tmp_path_factory.mktemp('public')}/a.db"
    config = Path(__file__).parents[2] / "langgraph.json"
    keys = LocalApiKeys(LocalDatabase())
    now = datetime(2000, 1, 1, tzinfo=UTC)
    issued = {user: issue(Owner("acme", user), now, role=role) for user, role in ROLES.items()}
    issued["other"] = issue(Owner("other", "emi"), now, role="editor")
    for each in issued.values():
        asyncio.run(keys.add(each.key))

    @asynccontextmanager
    async def opened() -> AsyncGenerator[Hosted]:
        async with Recuerdo.open(url, embeddings="none") as memory, hosting(memory, config) as hosted:
            await memory.library.add("acme", "margenes.md", PRIVATE.encode())
            yield hosted

    with serving(opened(), ServerOptions(auth=AuthOptions(api_keys=True), api_keys=keys)) as served:
        clients = {
            user: httpx.Client(base_url=served, headers={"x-api-key": each.secret}) for user, each in issued.items()
        }
        yield clients
        for client in clients.values():
            client.close()


def asked(client: httpx.Client) -> list[dict[str, Any]]:
    """The answers of both doors."""
    run = client.post("/runs/wait", json={"assistant_id": "rag", "input": {"message": QUESTION}})
    chat = client.post("/api/v1/chatbot/stream", json={"message": QUESTION})
    return [run.raise_for_status().json(), read_events(chat.raise_for_status().text)[-1].data["data"]["output"]]


def test_the_role_public_is_answered_by_the_public_agent_from_public_documents(people: People) -> None:
    for answer in asked(people["emi"]):
        assert (answer["current_agent"], answer["sources"][0]["title"]) == ("private_agent", "Márgenes")
        assert "40" in answer["response"]
        assert answer["retrieved_context"].startswith("[1] Márgenes: ")
        assert 0 < answer["relevance_score"] <= 1
    for answer in asked(people["pablo"]):
        assert (answer["current_agent"], answer["sources"], answer["relevance_score"]) == ("public_agent", [], 0)
        assert "40" not in answer["response"]


def test_nothing_is_remembered_of_the_role_public(people: People) -> None:
    for user, known in (("emi", ["Emi"]), ("pablo", [])):
        said = people[user].post("/v1/chat", json={"message": "Me llamo Emi", "thread_id": "t-1"}).json()
        assert [memory["value"] for memory in said["memories_saved"]] == known
        assert len(people[user].get("/v1/threads/t-1/messages").json()["messages"]) == 2
    assert people["pablo"].get("/v1/principal").json()["anonymous"] is True


def test_a_tenant_shares_the_items_of_a_namespace_that_editors_change(people: People) -> None:
    """Each other item stays its user's, and another tenant's name opens nothing."""
    shared = {"namespace": ["acme", "shared", "faq"], "key": "hours", "value": {"text": "9 a 18"}}
    assert people["emi"].put("/store/items", json=shared).status_code == 403
    assert people["ada"].put("/store/items", json=shared).status_code == 204
    found = people["emi"].post("/store/items/search", json={"namespace_prefix": ["acme", "shared"]}).json()["items"]
    assert [item["value"] for item in found] == [{"text": "9 a 18"}]
    listed = people["emi"].post("/store/namespaces", json={"prefix": ["acme", "shared"]}).json()
    assert listed["namespaces"] == [["acme", "shared", "faq"]]
    people["ada"].put("/store/items", json={**shared, "namespace": ["acme", "own"]}).raise_for_status()
    place = {"namespace": "acme.own", "key": "hours"}
    assert [people[user].get("/store/items", params=place).json() is None for user in ("emi", "ada")] == [True, False]
    place["namespace"] = "acme.shared.faq"
    assert people["other"].get("/store/items", params=place).json() is None
    gone = {name: shared[name] for name in ("namespace", "key")}
    assert people["emi"].request("DELETE", "/store/items", json=gone).status_code == 403
    assert people["ada"].request("DELETE", "/store/items", json=gone).status_code == 204
    assert people["emi"].get("/store/items", params=place).json() is None

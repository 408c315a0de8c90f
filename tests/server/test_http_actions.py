"""Actions over HTTP: handed over with the context of their thread, and done by workers."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import nullcontext
from typing import Any

import httpx
import pytest

from recuerdo import Recuerdo
from recuerdo.adapters.local import LocalApiKeys, LocalDatabase
from recuerdo.app.graphs import Hosted, hosting
from recuerdo.core.actions import ExecuteAgent
from recuerdo.core.api_keys import issue
from recuerdo.core.scope import Owner
from recuerdo.history.history import utc_now
from recuerdo.server import ServerOptions, create_app
from recuerdo.server.auth.options import AuthOptions
from servers.patience import PATIENCE

UNFINISHED = ("waiting", "working")


@pytest.fixture
async def hosted() -> AsyncGenerator[Hosted]:
    memory = Recuerdo.open("memory://", embeddings="none")
    async with memory as opened, hosting(opened, queues=["agent"]) as hosted:
        yield hosted


def client_of(
    hosted: Hosted, options: ServerOptions | None = None, headers: dict[str, str] | None = None
) -> httpx.AsyncClient:
    app = create_app(nullcontext(hosted), options)
    app.state.services = hosted
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://127.0.0.1", headers=headers, timeout=60
    )


async def until_over(client: httpx.AsyncClient, action_id: str) -> dict[str, Any]:
    async with asyncio.timeout(PATIENCE):
        while (found := (await client.get(f"/v1/actions/{action_id}")).json())["status"] in UNFINISHED:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    return found


async def test_an_action_is_done_in_the_context_of_its_thread(hosted: Hosted) -> None:
    body = {"type": "agent", "action_id": "a/1", "thread_id": "t-1", "fields": {"message": "Me llamo Emi"}}
    async with client_of(hosted, headers={"X-Recuerdo-User": "emi"}) as client:
        for _ in range(2):
            answer = await client.post("/v1/actions", json=body, headers={"X-Recuerdo-Window": "9"})
            assert (answer.status_code, answer.json()["queue"]) == (202, "agent")
        done = await until_over(client, "a%2F1")
        assert (done["status"], done["result"]["context"]) == ("done", "reference")
        said = (await client.get("/v1/threads/t-1/messages")).json()["messages"]
        assert [each["content"] for each in said] == ["Me llamo Emi", done["result"]["value"]["text"]]
        context = (await client.get("/v1/contexts/t-1")).json()["context"]
        assert context["limits"] == {"window": 9}
        other = await client.get("/v1/actions/a%2F1", headers={"X-Recuerdo-User": "ana"})
        assert other.status_code == 404


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"fields": {"text": "x"}}, "fields"),
        ({"fields": {"message": "x", "tenant": "globex"}}, "fields"),
        ({"fields": {"message": "x"}, "type": "memory", "queue": "memory"}, "type"),
        ({"fields": {"message": "x"}, "action_id": ""}, "action_id"),
    ],
)
async def test_an_action_that_no_worker_could_read_is_refused(hosted: Hosted, wrong: Any, named: str) -> None:
    async with client_of(hosted) as client:
        answer = await client.post("/v1/actions", json={"type": "agent", "thread_id": "t-1", **wrong})
        assert (answer.status_code, answer.json()["detail"][0]["loc"][-1]) == (422, named)


async def test_a_used_id_with_other_words_is_a_conflict_and_the_same_words_are_the_same_action(hosted: Hosted) -> None:
    async with client_of(hosted, headers={"X-Recuerdo-User": "emi"}) as client:
        body = {"type": "agent", "thread_id": "t-1", "action_id": "i-1"}
        for message, status in (("Vivo en Lima", 202), ("Tengo un gato", 409), ("Vivo en Lima", 202)):
            answer = await client.post("/v1/actions", json={**body, "fields": {"message": message}})
            assert answer.status_code == status
        elsewhere = {**body, "thread_id": "t-2", "fields": {"message": "Vivo en Lima"}}
        assert (await client.post("/v1/actions", json=elsewhere)).json()["code"] == "idempotency_conflict"


async def test_a_prompt_of_ones_own_is_for_editors(hosted: Hosted) -> None:
    """Also where the worker does not find the context: what the action itself says is then all that counts."""
    keys = LocalApiKeys(LocalDatabase())
    options = ServerOptions(auth=AuthOptions(api_keys=True), api_keys=keys)
    fields = {"message": "Hola", "system_prompt": "Be a pirate."}
    for role, status in (("user", 403), ("editor", 202)):
        issued = issue(Owner("acme", role), utc_now(), role=role)
        await keys.add(issued.key)
        async with client_of(hosted, options, {"x-api-key": issued.secret}) as client:
            body = {"type": "agent", "thread_id": "t-1", "action_id": "p-1"}
            answer = await client.post("/v1/actions", json={**body, "fields": fields})
            assert answer.status_code == status
            if status == 403:
                assert "system_prompt" in answer.json()["detail"]
            else:
                context = (await client.get("/v1/contexts/t-1")).json()["context"]
                assert context["prompts"] == {}
    found = await hosted.actions.find(Owner("acme", "editor"), "p-1")
    assert isinstance(found.payload, ExecuteAgent)
    assert found.payload.own_context.prompts.system == "Be a pirate."


async def test_an_action_knows_its_assistant_without_the_context(hosted: Hosted) -> None:
    """A worker that can't see the server's cache answers as the assistant that was named."""
    async with client_of(hosted, headers={"X-Recuerdo-User": "emi"}) as client:
        made = {"graph_id": "recuerdo", "name": "Brief", "context": {"prompts": {"system": "Be brief."}}}
        assistant = (await client.post("/assistants", json=made)).json()["assistant_id"]
        body = {"type": "agent", "thread_id": "t-1", "action_id": "b-1", "assistant_id": assistant}
        answer = await client.post("/v1/actions", json={**body, "fields": {"message": "Hola"}})
        assert answer.status_code == 202
    found = await hosted.actions.find(Owner("default", "emi"), "b-1")
    assert isinstance(found.payload, ExecuteAgent)
    own = found.payload.own_context
    assert (own.assistant_id, own.prompts.system) == (assistant, "Be brief.")


async def test_an_action_of_a_kind_of_ones_own_is_for_editors(hosted: Hosted) -> None:
    keys, body = LocalApiKeys(LocalDatabase()), {"type": "forecast", "queue": "query", "thread_id": "t-1"}
    options = ServerOptions(auth=AuthOptions(api_keys=True), api_keys=keys)
    for role, status in (("user", 403), ("editor", 202)):
        issued = issue(Owner("acme", "emi"), utc_now(), role=role)
        await keys.add(issued.key)
        async with client_of(hosted, options, {"x-api-key": issued.secret}) as client:
            answer = await client.post("/v1/actions", json={**body, "action_id": "f-1", "fields": {"city": "Lima"}})
            assert answer.status_code == status
    found = await hosted.actions.find(Owner("acme", "emi"), "f-1")
    assert (found.type, found.queue, found.payload.user) == ("forecast", "query", "emi")

"""Execution contexts over HTTP, and the chat that heeds them."""

from contextlib import nullcontext

import httpx
import pytest

from recuerdo import Recuerdo
from recuerdo.adapters.local import LocalApiKeys, LocalDatabase
from recuerdo.app.graphs import hosting
from recuerdo.core.api_keys import issue
from recuerdo.core.scope import Owner
from recuerdo.history.history import utc_now
from recuerdo.server import ServerOptions, create_app
from recuerdo.server.auth.options import AuthOptions
from servers.openai_server import OpenAIServer

SUPPORT = "5bd9c2a6-5b0f-4d3c-9d0f-0f2f8f6f1a01"


class App:
    """The application and clients of it, without a socket between."""

    def __init__(self, hosted, options=None):
        self.app = create_app(nullcontext(hosted), options)
        self.app.state.services = hosted

    def client(self, **headers):
        transport = httpx.ASGITransport(self.app)
        return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers)


@pytest.fixture
async def hosted():
    async with Recuerdo.open("memory://", embeddings="none") as memory, hosting(memory) as hosted:
        yield hosted


async def make_support(client, **context):
    body = {"graph_id": "recuerdo", "assistant_id": SUPPORT, "name": "Support", "context": context}
    (await client.post("/assistants", json=body)).raise_for_status()


async def test_a_thread_has_the_context_of_its_assistant(hosted):
    async with App(hosted).client(**{"X-Recuerdo-User": "emi"}) as client:
        await make_support(client, prompts={"system": "Be brief."})
        answer = await client.get(f"/v1/contexts/t-1?assistant_id={SUPPORT}", headers={"X-Recuerdo-Window": "9"})
        context = answer.raise_for_status().json()["context"]
        assert context["prompts"] == {"system": "Be brief."}
        assert context["limits"] == {"window": 9}
        assert (context["tenant"], context["user"], context["thread"]) == ("default", "emi", "t-1")


async def test_a_header_is_refused_with_a_status_that_says_why(hosted):
    async with App(hosted).client(**{"X-Recuerdo-User": "emi"}) as client:
        for path in ("/v1/contexts/t-1", "/v1/contexts/t-2"):
            await client.get(path)
            wrong = await client.patch(path, headers={"X-Recuerdo-Temperature": "hot"})
            assert (wrong.status_code, wrong.json()["detail"][0]["loc"]) == (422, ["header", "X-Recuerdo-Temperature"])


async def test_headers_for_editors_are_heeded_where_nobody_proves_who_they_are_and_refused_to_users(hosted):
    headers = {"X-Recuerdo-User": "emi", "X-Recuerdo-Max-Tokens": "9"}
    async with App(hosted).client(**headers) as client:
        context = (await client.get("/v1/contexts/t-1")).raise_for_status().json()["context"]
        assert context["model"] == {"max_tokens": 9}
        changed = await client.patch("/v1/contexts/t-1", headers={"X-Recuerdo-Max-Tokens": "8"})
        assert changed.json()["context"]["model"] == {"max_tokens": 8}
    keys = LocalApiKeys(LocalDatabase())
    user = issue(Owner("acme", "emi"), utc_now())
    await keys.add(user.key)
    app = App(hosted, ServerOptions(auth=AuthOptions(api_keys=True), api_keys=keys))
    async with app.client(**headers, **{"x-api-key": user.secret}) as client:
        assert (await client.get("/v1/contexts/t-1")).status_code == 403


async def test_an_editor_may_set_everything_and_invalidate_what_is_the_tenants(hosted):
    keys = LocalApiKeys(LocalDatabase())
    editor = issue(Owner("acme", "ops"), utc_now(), role="editor", tier="gold")
    await keys.add(editor.key)
    app = App(hosted, ServerOptions(auth=AuthOptions(api_keys=True), api_keys=keys))
    async with app.client(**{"x-api-key": editor.secret}) as client:
        set_it = await client.get("/v1/contexts/t-1", headers={"X-Recuerdo-Model": "openai:gpt-5"})
        assert set_it.json()["context"]["model"]["name"] == "openai:gpt-5"
        assert set_it.json()["context"]["tier"] == "gold"
        for body in ({"assistant_id": "recuerdo"}, {}):
            assert (await client.post("/v1/contexts/invalidate", json=body)).status_code == 204
            assert (await client.patch("/v1/contexts/t-1")).status_code == 404
            await client.get("/v1/contexts/t-1")


async def test_a_chat_and_a_run_heed_the_prompt_and_see_its_change_at_the_next_message():
    async with OpenAIServer() as model:
        opening = Recuerdo.open(
            "memory://", embeddings="none", model="openai:test", model_base_url=model.url, model_api_key="x"
        )
        async with (
            opening as memory,
            hosting(memory) as hosted,
            App(hosted).client(**{"X-Recuerdo-User": "emi"}) as client,
        ):
            await make_support(client, prompts={"system": "Answer like a pirate."}, limits={"window": 1})
            said = {"message": "hola", "thread_id": "t-1", "assistant_id": SUPPORT}
            for number, prompt in enumerate(["Answer like a pirate.", "Answer like a poet."]):
                (await client.post("/v1/chat", json=said)).raise_for_status()
                messages = model.requests[-1]["messages"]
                assert messages[0]["content"].startswith(prompt)
                assert len(messages) == 2 + (number > 0), "the system message, the window of one, and the message"
                change = {"context": {"prompts": {"system": "Answer like a poet."}, "limits": {"window": 1}}}
                (await client.patch(f"/assistants/{SUPPORT}", json=change)).raise_for_status()
            run = {"assistant_id": SUPPORT, "input": {"messages": [{"role": "user", "content": "hola"}]}}
            (await client.post("/runs/wait", json=run)).raise_for_status()
            assert model.requests[-1]["messages"][0]["content"].startswith("Answer like a poet.")
            missing = await client.post("/v1/chat", json={**said, "assistant_id": "nobody"})
            assert missing.status_code == 404

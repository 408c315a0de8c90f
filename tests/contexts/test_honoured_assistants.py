"""The configuration of an assistant is acted on, or refused when it is saved."""

from contextlib import AsyncExitStack, asynccontextmanager, nullcontext

import httpx
import pytest

from recuerdo import Recuerdo
from recuerdo.app.graphs import hosting
from recuerdo.core.contexts import ModelParameters
from recuerdo.core.errors import InvalidInput
from recuerdo.server import create_app

SUPPORT = "5bd9c2a6-5b0f-4d3c-9d0f-0f2f8f6f1a01"


@asynccontextmanager
async def speaking(config=None, **options):
    """A client of an application over a memory of its own, as the user emi."""
    async with AsyncExitStack() as stack:
        memory = await stack.enter_async_context(Recuerdo.open("memory://", **{"embeddings": "none", **options}))
        hosted = await stack.enter_async_context(hosting(memory, config))
        app = create_app(nullcontext(hosted))
        app.state.services = hosted
        transport = httpx.ASGITransport(app)
        headers = {"X-Recuerdo-User": "emi"}
        yield await stack.enter_async_context(
            httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers)
        )


async def make(client, graph_id="recuerdo", **context):
    return await client.post(
        "/assistants", json={"graph_id": graph_id, "assistant_id": SUPPORT, "context": context, "if_exists": "raise"}
    )


async def chat(client, message="hola"):
    body = {"message": message, "thread_id": "t-1", "assistant_id": SUPPORT}
    return (await client.post("/v1/chat", json=body)).raise_for_status().json()


async def test_the_model_and_its_parameters_reach_the_provider(openai_server):
    """From the next message on when they change; who wants nothing of it gets the server's own."""
    models = {"model": "openai:own", "models": ["openai:other"], "model_base_url": openai_server.url}
    async with speaking(**models) as client:
        parameters = {"temperature": 0.2, "top_p": 0.9, "max_tokens": 50}
        (await make(client, model={"name": "openai:other", **parameters})).raise_for_status()
        reply = (await chat(client))["reply"]
        assert reply["metadata"]["model"] == "openai:other"
        asked = openai_server.requests[-1]
        assert (asked["model"], asked["temperature"], asked["top_p"]) == ("other", 0.2, 0.9)
        assert 50 in (asked.get("max_tokens"), asked.get("max_completion_tokens"))
        change = await client.patch(f"/assistants/{SUPPORT}", json={"context": {"model": {"temperature": 1.5}}})
        change.raise_for_status()
        assert (await chat(client))["model"] == "openai:own"
        asked = openai_server.requests[-1]
        assert (asked["model"], asked["temperature"], asked.get("top_p")) == ("own", 1.5, None)
        (await client.post("/v1/chat", json={"message": "hola", "thread_id": "t-2"})).raise_for_status()
        assert "temperature" not in openai_server.requests[-1]


async def test_collections_count_threshold_and_ranking_reach_the_search(openai_server):
    async with speaking(model="openai:own", model_base_url=openai_server.url) as client:
        for source, text, collection in DOCUMENTS:
            body = {"source": source, "content": text, "collection": collection}
            (await client.post("/v1/documents", json=body)).raise_for_status()
        (await make(client)).raise_for_status()

        async def found(**retrieval):
            changed = await client.patch(f"/assistants/{SUPPORT}", json={"context": {"retrieval": retrieval}})
            changed.raise_for_status()
            answer = await chat(client, "¿Cuánto tarda el envío de las botas?")
            return [source["title"] for source in answer["reply"]["metadata"].get("sources", [])]

        assert await found(k=2) == ["Envíos", "Envíos otra vez"]
        assert await found(k=2, threshold=0.05, rerank="diverse") == ["Envíos", "Botas"]
        assert await found(threshold=0.05, collections=["tienda"]) == ["Botas"]
        assert await found(k=1) == ["Envíos"]
        assert await found(k=0) == []
        assert await found(threshold=1.0) == []


UNABLE = [
    ({"model": {"name": "openai:gpt-5"}}, "RECUERDO_MODELS"),
    ({"model": "anthropic:claude"}, "this server offers offline"),
    ({"model": {"temperature": 0.5}}, "offline model"),
    ({"model": {"temperature": 3}}, "<= 2"),
    ({"model": {"max_tokens": 0}}, ">= 1"),
    ({"model": {"nam": "offline"}}, "nam"),
    ({"retrieval": {"rerank": "magic"}}, "diverse"),
    ({"retrieval": {"k": 1000}}, "<= 100"),
    ({"retrieval": {"threshold": 7}}, "<= 1"),
    ({"embedding": {"model": "openai:text-embedding-3-small"}}, "RECUERDO_EMBEDDINGS"),
    ({"limits": {"window": 0}}, ">= 1"),
    ({"limits": {"memories": 101}}, "<= 100"),
    ({"prompts": {"orchestrator": "Choose."}}, "asks no model"),
]


@pytest.mark.parametrize(("context", "told"), UNABLE, ids=[str(context) for context, _ in UNABLE])
async def test_what_can_not_be_honoured_is_refused_when_it_is_saved(context, told):
    async with speaking() as client:
        refused = await make(client, **context)
        assert refused.status_code == 422
        assert told in refused.text
        (await make(client, prompts={"system": "Be brief."})).raise_for_status()
        assert (await client.patch(f"/assistants/{SUPPORT}", json={"context": context})).status_code == 422
        kept = (await client.get(f"/assistants/{SUPPORT}")).json()
        assert (kept["version"], kept["context"]) == (1, {"prompts": {"system": "Be brief."}})


async def test_the_vectors_of_an_assistant_are_those_of_the_server():
    async with speaking(embeddings="offline") as client:
        assert "512" in (await make(client, embedding={"dimensions": 64})).text
        (await make(client, embedding={"model": "usem3", "dimensions": 512})).raise_for_status()


async def test_what_an_assistant_of_ones_own_graph_is_configured_with_is_the_graphs_affair(tmp_path):
    (tmp_path / "mine.py").write_text("from langgraph.graph import MessagesState, StateGraph\ngraph = None\n", "utf-8")
    config = tmp_path / "langgraph.json"
    config.write_text('{"graphs": {"mine": "./mine.py:graph", "rag": "recuerdo.rag:agent"}}', "utf-8")
    async with speaking(config) as client:
        (await make(client, "mine", model={"provider": "anthropic"}, prompts=7)).raise_for_status()
        refused = await client.post("/assistants", json={"graph_id": "rag", "context": {"prompts": 7}})
        assert refused.status_code == 422


async def test_a_model_that_can_not_be_had_is_refused(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    async with speaking(models=["openai:gpt-5"]) as client:
        assert "API key" in (await make(client, model="openai:gpt-5")).text


async def test_the_key_and_the_address_of_one_provider_are_for_no_other(monkeypatch, openai_server):
    """Or an assistant could send the server's key to whom it likes."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    asked = []
    monkeypatch.setattr("recuerdo.adapters.models.chat.open_model", lambda spec, **how: asked.append((spec, how)))
    options = {"model_base_url": openai_server.url, "model_api_key": "sk-ours", "models": ["openai:b", "groq:c"]}
    async with Recuerdo.open("memory://", embeddings="none", model="openai:a", **options) as memory:
        for name in ("openai:b", "groq:c"):
            memory.chat._models(ModelParameters(name=name))
        with pytest.raises(InvalidInput):
            memory.chat._models(ModelParameters(name="groq:d"))
    keys = {spec: (how["base_url"], how["api_key"]) for spec, how in asked}
    assert keys == {**dict.fromkeys(("openai:a", "openai:b"), (openai_server.url, "sk-ours")), "groq:c": (None, None)}


DOCUMENTS = [
    ("envios.md", "# Envíos\n\nEl envío de las botas tarda tres días en llegar a casa.", "ayuda"),
    ("envios2.md", "# Envíos otra vez\n\nEl envío de las botas tarda tres días en llegar a casa siempre.", "ayuda"),
    ("botas.md", "# Botas\n\nCómo cuidar las botas de cuero: crema cada mes y nada de agua.", "tienda"),
]

"""Settings for every model, for one answer alone, and for how long things are kept."""

import asyncio
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from recuerdo import Owner, Recuerdo, Scope
from recuerdo.adapters.local import LocalApiKeys, LocalDatabase
from recuerdo.app.graphs import hosting
from recuerdo.app.settings import read_settings
from recuerdo.core.api_keys import issue
from recuerdo.core.caches import LIVES, Life
from recuerdo.core.contexts import Enrichment
from recuerdo.core.errors import ConfigurationError
from recuerdo.server import ServerOptions, create_app
from recuerdo.server.auth.options import AuthOptions
from recuerdo.testing import FakeClock
from servers.openai_server import OpenAIServer
from servers.patience import PATIENCE

OWNER = Owner("acme", "emi")


async def test_a_temperature_holds_for_all_and_a_chat_sets_its_own_for_one_answer() -> None:
    keys = LocalApiKeys(LocalDatabase())
    options = ServerOptions(auth=AuthOptions(api_keys=True), api_keys=keys)
    async with OpenAIServer() as model:
        opening = Recuerdo.open(
            "memory://",
            embeddings="none",
            model="openai:test",
            models=["openai:other"],
            model_base_url=model.url,
            model_api_key="x",
            temperature=0.25,
            max_tokens=99,
        )
        async with opening as memory, hosting(memory) as hosted:
            app = create_app(nullcontext(hosted), options)
            app.state.services = hosted

            async def ask(role: str, **fields: object) -> int:
                issued = issue(OWNER, datetime.now(UTC), role=role)
                await keys.add(issued.key)
                async with httpx.AsyncClient(
                    transport=httpx.ASGITransport(app),
                    base_url="http://127.0.0.1",
                    headers={"x-api-key": issued.secret},
                    timeout=60,
                ) as client:
                    body = {"message": "hola", "thread_id": "t-1", **fields}
                    return (await client.post("/v1/chat", json=body)).status_code

            def asked() -> tuple[object, ...]:
                last = model.requests[-1]
                tokens = last.get("max_completion_tokens") or last.get("max_tokens")
                return last["model"], last["temperature"], tokens

            assert await ask("user") == 200
            assert asked() == ("test", 0.25, 99)
            own = {"model": "openai:other", "max_tokens": 7, "system_prompt": "Answer like a pirate."}
            assert [await ask("user", **{name: value}) for name, value in own.items()] == [403, 403, 403]
            assert await ask("editor", temperature=1.5, **own) == 200
            assert asked() == ("other", 1.5, 7)
            assert model.requests[-1]["messages"][0]["content"].startswith("Answer like a pirate.")
            assert await ask("user", temperature=0.5) == 200
            assert asked() == ("test", 0.5, 99), "what was set for one answer is set no more"
            assert [await ask("editor", **wrong) for wrong in ({"temperature": 3}, {"model": "openai:none"})] == [
                422,
                422,
            ]


@pytest.mark.parametrize("path", ["/v1/chat", "/v1/chat/stream"])
@pytest.mark.parametrize(
    ("body", "headers", "place"),
    [
        ({"model": "openai:none"}, {}, ["body", "model"]),
        ({"temperature": 0.5}, {}, ["body", "temperature"]),
        ({}, {"X-Recuerdo-Model": "openai:none"}, ["header", "X-Recuerdo-Model"]),
        ({}, {"X-Recuerdo-Temperature": "0.5"}, ["header", "X-Recuerdo-Temperature"]),
    ],
)
async def test_a_refused_setting_is_named_as_its_caller_wrote_it(
    path: str, body: dict[str, object], headers: dict[str, str], place: list[str]
) -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory, hosting(memory) as hosted:
        app = create_app(nullcontext(hosted))
        app.state.services = hosted
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers) as client:
            refused = await client.post(path, json={"message": "hola", **body})
    assert refused.status_code == 422
    assert refused.json()["detail"][0]["loc"] == place
    assert refused.json()["message"].startswith(place[1])


async def test_contexts_and_sessions_live_as_long_as_they_are_told_to() -> None:
    asked: list[str] = []

    async def enrich(_: Owner, assistant_id: str) -> Enrichment:
        asked.append(assistant_id)
        return Enrichment(assistant_id=assistant_id)

    clock = FakeClock(datetime(2026, 11, 24, tzinfo=UTC))
    lives = {**LIVES, "context": Life(0.05, 0.1), "session": Life(60, 120)}
    async with Recuerdo.open("memory://", embeddings="none", clock=clock, enrich=enrich, lives=lives) as memory:
        async with asyncio.timeout(PATIENCE):
            while len(asked) < 2:
                await memory.contexts.get_or_create(Scope("acme", "emi", "t-1"), "support")
                await asyncio.sleep(0.01)
        session = await memory.sessions.bind(OWNER, "s-1")
        assert session.expires_at - clock() < timedelta(hours=1)


def test_settings_say_how_long_things_live(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECUERDO_CONTEXT_LIFE", "60")
    monkeypatch.setenv("RECUERDO_CONTEXT_LONGEST", "30")
    monkeypatch.setenv("RECUERDO_SESSION_LIFE", "90")
    lives = read_settings().lives
    assert (lives["context"], lives["session"]) == (Life(60, 60), Life(90, 86_400))
    monkeypatch.setenv("RECUERDO_CONTEXT_LIFE", "1e9")
    with pytest.raises(ConfigurationError, match="RECUERDO_CONTEXT_LIFE"):
        read_settings()

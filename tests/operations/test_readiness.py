"""`/ready` names the parts of a server, and why one of them fails."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from recuerdo import Recuerdo
from recuerdo.adapters.sqlite import migrations
from recuerdo.app.readiness import ReadinessProbe, WarmUp
from recuerdo.app.settings import read_settings
from recuerdo.core.health import PartHealth
from recuerdo.server.guards import Drain
from servers.process import free_port
from servers.recuerdo import running_recuerdo


def test_a_server_is_ready_without_its_cache_and_its_model_and_says_what_it_lacks() -> None:
    away = f"127.0.0.1:{free_port()}"
    with running_recuerdo(
        database_url="memory://",
        embeddings="none",
        cache_url=f"redis://{away}",
        model="openai:test",
        model_base_url=f"http://{away}/v1",
        model_api_key="none",
    ) as server:
        answer = httpx.get(f"{server.url}/ready")
        assert httpx.get(f"{server.url}/healthz").json() == {"ok": True}
    assert answer.status_code == 200, answer.text
    states = {name: part["state"] for name, part in answer.json()["parts"].items()}
    assert states.pop("warm_up") in ("ok", "degraded"), "it has just begun"
    assert states == {
        "draining": "ok",
        "database": "ok",
        "migrations": "ok",
        "cache": "degraded",
        "model": "degraded",
    }
    assert away in answer.json()["parts"]["model"]["reason"]


async def test_tables_that_lack_an_update_of_this_version_are_a_reason_not_to_be_ready(tmp_path: Path) -> None:
    url, last = f"sqlite:///{tmp_path}/a.db", migrations.pending(None)[-1]
    async with Recuerdo.open(url, embeddings="none") as memory:
        probe = ReadinessProbe(memory, read_settings(database_url=url))
        assert {part.state for part in (await probe.examine()).values()} == {"ok", "skipped"}
        with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
            connection.execute("DELETE FROM migrations WHERE name = ?", (last,))
            connection.commit()
        found = (await ReadinessProbe(memory, read_settings(database_url=url)).examine())["migrations"]
    assert found == PartHealth("failed", "1 updates of the tables are pending: run `recuerdo db upgrade`")


async def test_while_models_are_loaded_the_server_is_ready_and_says_how_far_it_is(tmp_path: Path) -> None:
    url, told = f"sqlite:///{tmp_path}/a.db", []

    async def step() -> None:
        told.append((await probe.examine())["warm_up"])

    async with Recuerdo.open(url, embeddings="none") as memory:
        warm_up = WarmUp(step, step)
        probe = ReadinessProbe(memory, read_settings(database_url=url), warm_up)
        await warm_up.run(Drain().finished)
        assert [(part.state, part.progress) for part in told] == [("degraded", 0.0), ("degraded", 0.5)]
        assert (await probe.examine())["warm_up"] == PartHealth("ok")


async def test_what_is_loaded_waits_for_requests_under_way_but_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    drain, loaded = Drain(), list[str]()

    async def load() -> None:
        loaded.append("a model")

    with drain.working():
        warming = asyncio.create_task(WarmUp(load).run(drain.finished))
        await asyncio.sleep(0.05)
        assert loaded == []
    await warming
    assert loaded == ["a model"]
    monkeypatch.setattr("recuerdo.app.readiness._TIMEOUT_SECONDS", 0.01)
    with drain.working():
        await WarmUp(load).run(drain.finished)
    assert loaded == ["a model"] * 2

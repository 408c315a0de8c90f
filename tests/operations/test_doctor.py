"""`recuerdo doctor`: what it finds, and what it says to do."""

import asyncio
import json
import socket
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from operations.operating import ran, run
from recuerdo.app import doctor
from recuerdo.app.settings import Settings
from servers.postgres import running_postgres
from servers.valkey import running_valkey


def _findings(folder: Path, *arguments: str, **settings: str) -> dict[str, dict[str, Any]]:
    done = run(folder, "doctor", "--json", "--embeddings", "none", *arguments, **settings)
    return {each["name"]: each for each in json.loads(done.stdout)}


def test_a_laptop_without_anything_is_well_and_nothing_is_left_behind(tmp_path: Path) -> None:
    findings = _findings(tmp_path, RECUERDO_PORT="0")
    assert {each["state"] for each in findings.values()} <= {"ok", "skipped"}, findings
    assert not ran(tmp_path, "threads", "list", "--tenant", "recuerdo-doctor", "--json").stdout.strip(b"[]\n ")


def test_postgresql_and_the_cache_are_examined(tmp_path: Path) -> None:
    with running_postgres() as database, running_valkey() as cache:
        settings = {"RECUERDO_DATABASE_URL": database.url, "RECUERDO_CACHE_URL": cache.url}
        before = _findings(tmp_path, **settings)
        assert before["tables"]["state"] == "warning"
        assert "db upgrade" in before["tables"]["advice"]
        after = _findings(tmp_path, **settings)
        assert after["tables"]["state"] == "ok"
        assert after["database"]["state"] in ("ok", "warning")
        assert after["clock"]["state"] == "ok"
        assert "limit of memory" in after["cache"]["detail"]


def test_what_cannot_be_reached_is_named_and_the_rest_is_examined_all_the_same(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        taken = busy.getsockname()[1]
        settings = {
            "RECUERDO_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none",
            "RECUERDO_CACHE_URL": "redis://127.0.0.1:1/0",
            "RECUERDO_MODEL": "openai:any",
            "RECUERDO_MODEL_API_KEY": "sk-secret",
            "RECUERDO_MODEL_BASE_URL": "http://127.0.0.1:1/v1",
            "RECUERDO_PORT": str(taken),
        }
        done = run(tmp_path, "doctor", "--embeddings", "none", **settings)
        findings = _findings(tmp_path, **settings)
    assert done.returncode == 1
    assert b"sk-secret" not in done.stdout + done.stderr
    failed = {name for name, each in findings.items() if each["state"] == "failed"}
    assert failed == {"tables", "database", "clock", "cache", "model"}
    assert findings["address"]["state"] == "warning"
    assert all(findings[name]["advice"] for name in failed)


def test_a_model_without_its_key_is_found_before_the_first_chat_is(tmp_path: Path) -> None:
    found = _findings(tmp_path, RECUERDO_DATABASE_URL="memory://", RECUERDO_MODEL="openai:any")["model"]
    assert (found["state"], found["detail"]) == ("failed", "openai:any has no API key")
    assert "OPENAI_API_KEY" in found["advice"]
    settings = {"RECUERDO_DATABASE_URL": "memory://", "RECUERDO_MODEL": "openai:any"}
    assert _findings(tmp_path, RECUERDO_MODEL_API_KEY="sk-secret", **settings)["model"]["state"] == "ok"


@pytest.mark.parametrize(("hours", "word"), [(1, "ahead of"), (-1, "behind")])
async def test_a_clock_that_differs_from_the_databases_is_found(
    monkeypatch: pytest.MonkeyPatch, postgres_url: str, hours: int, word: str
) -> None:
    monkeypatch.setattr(doctor, "utc_now", lambda: datetime.now(UTC) + timedelta(hours=hours))
    found = [each async for each in doctor.examine(Settings(database_url=postgres_url)) if each.name == "clock"]
    assert [(each.state, each.detail) for each in found] == [("warning", f"3600 s {word} the database's")]
    assert "NTP" in found[0].advice


async def test_the_clock_of_mongodb_is_compared(mongodb_url: str) -> None:
    found = [each async for each in doctor.examine(Settings(database_url=mongodb_url)) if each.name == "clock"]
    assert [each.state for each in found] == ["ok"]


async def test_a_machine_that_is_busy_for_a_moment_is_not_far_from_its_database() -> None:
    pauses = [2 * doctor._SLOW]

    async def ask() -> None:
        await asyncio.sleep(pauses.pop() if pauses else 0)

    seconds, _ = await doctor._quickest(ask)
    assert seconds <= doctor._SLOW


async def test_a_database_that_is_always_slow_is_far_away() -> None:
    seconds, _ = await doctor._quickest(lambda: asyncio.sleep(2 * doctor._SLOW))
    assert seconds > doctor._SLOW

"""Databases of earlier versions, upgraded: whatever they answered then, they answer now."""

import json
import subprocess
from pathlib import Path
from typing import Any, cast

import pytest

from servers import preloaded
from servers.recuerdo import running_recuerdo
from upgrades.recording import FILLING, FOLDER, READING, Answer, ask, load_postgres, load_sqlite

VERSIONS = sorted(folder.name for folder in FOLDER.iterdir() if (folder / "sqlite.sql").exists())


@pytest.fixture(params=["sqlite", "postgres"])
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def url(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/old.db" if kind == "sqlite" else request.getfixturevalue("empty_postgres_url")


@pytest.mark.parametrize("version", VERSIONS)
def test_an_upgraded_database_answers_what_it_answered_before(version: str, kind: str, url: str) -> None:
    """It is upgraded by the command, read as it was left, and then written to by the same requests that made it."""
    load(version, kind, url)
    run("db", "upgrade", "--database-url", url)
    run("db", "check", "--deep", "--database-url", url)
    recorded = [Answer(*each) for each in json.loads((FOLDER / version / f"{kind}.json").read_text())]
    with running_recuerdo(database_url=url, embeddings="offline") as server:
        for call, before in zip(READING, recorded, strict=True):
            now = ask(server.url, call)
            assert now.status == before.status, (call, now)
            assert leaves(before.body).items() <= leaves(now.body).items(), call
        for call in FILLING:
            written = ask(server.url, call)
            assert written.status < 300 or written.status == 409, (call, written)  # 409: an id that is there already


def run(*arguments: str) -> None:
    ended = subprocess.run([preloaded.command(), *arguments], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def load(version: str, kind: str, url: str) -> None:
    script = (FOLDER / version / f"{kind}.sql").read_text()
    if kind == "sqlite":
        load_sqlite(script, Path(url.removeprefix("sqlite:///")))
    else:
        load_postgres(script, url)


def leaves(value: Any, path: str = "") -> dict[str, Any]:
    """Each value by its place. New fields may come, and take nothing away."""
    if isinstance(value, dict):
        parts = cast(dict[str, Any], value).items()
    elif isinstance(value, list):
        entries = cast(list[Any], value)
        parts = [("length", len(entries)), *((str(n), each) for n, each in enumerate(entries))]
    else:
        return {path: value}
    return {place: leaf for name, part in parts for place, leaf in leaves(part, f"{path}.{name}").items()}

"""Processes that share a database see each other's documents."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from recuerdo.adapters.registry import open_repositories
from recuerdo.core.documents import Decision, Document, DocumentKey
from recuerdo.core.identifiers import new_id
from recuerdo.core.scope import Owner

NOW = datetime(2026, 1, 1, tzinfo=UTC)
EMI, ANA, ELSEWHERE = Owner("acme", "emi"), Owner("acme", "ana"), Owner("other", "emi")


@pytest.fixture(params=["memory", "sqlite", "postgres", "mongodb"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "mongodb":
        return f"{request.getfixturevalue('mongodb_url')}documents-{new_id()}?timeoutMS=60000"
    if request.param == "postgres":
        return request.getfixturevalue("empty_postgres_url")
    return {"memory": "memory://", "sqlite": f"sqlite:///{tmp_path / 'documents.db'}"}[request.param]


def row(
    document_id: str, group: str = "g", /, *, is_open: bool = False, due: datetime | None = None, **body: Any
) -> Document:
    return Document("run", document_id, group, msgspec.json.encode({"id": document_id, **body}), is_open, due)


async def test_words_are_told_of_decisions_that_hold(database_url: str) -> None:
    """In this process as soon as they are taken, and in others where those can hear."""
    async with open_repositories(database_url) as here, open_repositories(database_url) as there:
        assert here.documents is not None
        assert here.signals is not None
        assert there.signals is not None
        heard: list[str] = []
        listening, far = asyncio.Event(), asyncio.Event()
        there.signals.subscribe(lambda word: far.set() if word == "done" else listening.set())
        here.signals.subscribe(heard.append)
        if database_url.startswith(("postgres", "mongodb")):  # what was told before is not heard
            await asyncio.wait_for(listening.wait(), 30)
        with pytest.raises(ValueError, match="no"):
            await here.documents.change(EMI, "g", [], _refuse)
        await here.documents.change(EMI, "g", [], lambda _: Decision(None, [row("a")], signals=["done"]))
        assert [word for word in heard if word] == ["done"]
        if database_url.startswith(("postgres", "mongodb")):
            await asyncio.wait_for(far.wait(), 30)


def _refuse(_: Any) -> Decision[None]:
    raise ValueError("no")


async def test_what_another_process_changed_meanwhile_is_decided_on(database_url: str) -> None:
    """Though this process believes to know what is there, from what it has written itself."""
    if database_url == "memory://":
        pytest.skip("no other process sees its documents")
    async with open_repositories(database_url) as here, open_repositories(database_url) as there:
        key = DocumentKey("run", "n")

        def add_one(found: Any) -> Decision[int]:
            n = msgspec.json.decode(found[0].body)["n"] + 1 if found else 1
            return Decision(n, [row("n", is_open=True, n=n)])

        processes = [each.documents for each in (here, there) if each.documents is not None]
        numbers = await asyncio.gather(*(each.change(EMI, "g", [key], add_one) for each in processes * 20))
        assert sorted(numbers) == [*range(1, 41)]
        assert await processes[0].erase(EMI) == 1
        assert [await each.change(EMI, "g", [key], add_one) for each in processes] == [1, 2]

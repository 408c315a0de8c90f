"""Where assistants, threads, runs and schedules are kept: the same over every adapter."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from recuerdo.adapters.registry import open_repositories
from recuerdo.core.documents import Decision, Document, DocumentKey, DocumentQuery
from recuerdo.core.graph_ports import DocumentRepository
from recuerdo.core.scope import Owner

NOW = datetime(2026, 1, 1, tzinfo=UTC)
EMI, ANA, ELSEWHERE = Owner("acme", "emi"), Owner("acme", "ana"), Owner("other", "emi")


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgres":
        return request.getfixturevalue("empty_postgres_url")
    return {"memory": "memory://", "sqlite": f"sqlite:///{tmp_path / 'documents.db'}"}[request.param]


@pytest.fixture
async def documents(database_url: str) -> AsyncGenerator[DocumentRepository]:
    async with open_repositories(database_url) as repositories:
        assert repositories.documents is not None
        yield repositories.documents


def row(
    document_id: str, group: str = "g", /, *, is_open: bool = False, due: datetime | None = None, **body: Any
) -> Document:
    return Document("run", document_id, group, msgspec.json.encode({"id": document_id, **body}), is_open, due)


async def put(documents: DocumentRepository, owner: Owner, *rows: Document) -> None:
    await documents.change(owner, "g", [], lambda _: Decision(None, rows))


async def names(documents: DocumentRepository, owner: Owner = EMI, **query: Any) -> list[str]:
    found = await documents.select(owner, "run", DocumentQuery(**{"sort_by": "id", "descending": False, **query}))
    return [msgspec.json.decode(body)["id"] for body in found]


async def test_a_document_is_its_owners_alone(documents: DocumentRepository) -> None:
    await put(documents, EMI, row("a"))
    assert await documents.get(EMI, DocumentKey("run", "a")) == b'{"id":"a"}'
    for other in (ANA, ELSEWHERE):
        assert await documents.get(other, DocumentKey("run", "a")) is None
        assert await names(documents, other) == []
        await documents.change(other, "g", [], lambda _: Decision(None, erase=True))
    assert await names(documents) == ["a"]


async def test_documents_are_found_by_what_they_hold(documents: DocumentRepository) -> None:
    await put(documents, EMI, row("a", metadata={"x": 1, "y": [1, 2]}, name="Überall"), row("b", metadata={"x": 2}))
    await put(documents, EMI, row("c", "other", metadata={"x": True}))
    assert await names(documents, where={"metadata": {"x": 1}}) == ["a"], "true is not 1"
    assert await names(documents, where={"metadata": {"y": [2]}}) == ["a"]
    assert await names(documents, like={"name": "über"}) == ["a"]
    assert await names(documents, group="other") == ["c"]
    assert await names(documents, ids=["a", "c", "z"]) == ["a", "c"]
    assert await documents.count(EMI, "run", DocumentQuery(where={"metadata": {}}, limit=1)) == 3


async def test_a_text_is_found_where_it_stands_whatever_it_looks_like(documents: DocumentRepository) -> None:
    texts = {"a": "x", "b": '{"z":1}', "c": "", "d": "ü \"'\\\n😀", "e": "1", "f": "true"}
    await put(documents, EMI, *(row(name, metadata={"in": {"t": text, "s.p": text}}) for name, text in texts.items()))
    others = ({"in": {"t": 1, "s.p": True}}, {"in": {"t": {"z": 1}}}, {"in": "x"}, [{"in": {"t": "x"}}], None)
    await put(documents, EMI, *(row(f"other {number}", metadata=other) for number, other in enumerate(others)))
    for name, text in texts.items():
        for key in ("t", "s.p"):
            assert await names(documents, where={"metadata": {"in": {key: text}}}) == [name]
    assert await names(documents, where={"metadata": {"in": {"t": "x", "s.p": "y"}}}) == []
    assert await names(documents, where={"metadata": {"in": {"t": "x"}}}, like={"id": "A"}) == ["a"]
    assert await names(documents, where={"metadata": {"in": {"t": "x"}}}, like={"id": "b"}) == []
    many = {f"k{number}": "v" for number in range(2_000)}
    await put(documents, EMI, row("many", metadata=many), row("fewer", metadata={**many, "k1999": "w"}))
    assert await names(documents, where={"metadata": many}) == ["many"]


async def test_documents_come_in_order_and_in_parts(documents: DocumentRepository) -> None:
    await put(documents, EMI, row("a", created_at="2"), row("b", created_at="1"), row("c", created_at="1"))
    assert await names(documents, sort_by="created_at", descending=True) == ["a", "c", "b"]
    assert await names(documents, sort_by="created_at") == ["b", "c", "a"]
    assert await names(documents, limit=1, offset=1) == ["b"]


async def test_a_document_may_hold_any_text(documents: DocumentRepository) -> None:
    await put(documents, EMI, row("a", metadata={"x": "nul \0 and ' and \\ and \U0001f600"}))
    body = await documents.get(EMI, DocumentKey("run", "a"))
    assert body is not None
    assert msgspec.json.decode(body)["metadata"] == {"x": "nul \0 and ' and \\ and \U0001f600"}
    odd = row("ñ \x1f\n{\U0001f600", due=NOW - timedelta(days=30_000, microseconds=1), text="\U0001f600\u2028")
    await put(documents, EMI, odd)
    assert await documents.change(EMI, "g", [odd.key], lambda found: Decision([*found])) == [odd]


async def test_a_decision_sees_what_is_open_in_the_group_and_what_it_asks_for(documents: DocumentRepository) -> None:
    await put(documents, EMI, row("a", is_open=True), row("b"), row("c"), row("d", "other", is_open=True))

    def decide(found: Any) -> Decision[list[str]]:
        return Decision(sorted(document.id for document in found))

    seen = await documents.change(EMI, "g", [DocumentKey("run", "c"), DocumentKey("run", "z")], decide)
    assert seen == ["a", "c"]


async def test_a_decision_that_raises_changes_nothing(documents: DocumentRepository) -> None:
    await put(documents, EMI, row("a"))

    def decide(_: Any) -> Decision[None]:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await documents.change(EMI, "g", [], decide)
    assert await names(documents) == ["a"]


async def test_a_decision_removes_documents_or_the_whole_group(documents: DocumentRepository) -> None:
    await put(documents, EMI, row("a"), row("b"), row("c", "other"))
    await documents.change(EMI, "g", [], lambda _: Decision(None, delete=[DocumentKey("run", "a")]))
    assert await names(documents) == ["b", "c"]
    await documents.change(EMI, "g", [], lambda _: Decision(None, [row("new")], erase=True))
    assert await names(documents) == ["c", "new"]


async def test_decisions_on_a_group_come_one_after_the_other(documents: DocumentRepository) -> None:
    await put(documents, EMI, row("n", n=0))

    def add_one(found: Any) -> Decision[int]:
        n = msgspec.json.decode(found[0].body)["n"] + 1
        return Decision(n, [row("n", n=n)])

    key = DocumentKey("run", "n")
    numbers = await asyncio.gather(*(documents.change(EMI, "g", [key], add_one) for _ in range(20)))
    assert sorted(numbers) == [*range(1, 21)]


async def test_what_is_due_is_found_for_all_owners_the_longest_overdue_first(documents: DocumentRepository) -> None:
    await put(documents, EMI, row("late", due=NOW), row("later", due=NOW + timedelta(hours=1)), row("never"))
    await put(documents, ELSEWHERE, row("first", due=NOW - timedelta(hours=1)))
    found = await documents.due("run", NOW, 10)
    assert [(owner, document.id) for owner, document in found] == [(ELSEWHERE, "first"), (EMI, "late")]
    assert found[1][1] == row("late", due=NOW)
    assert len(await documents.due("run", NOW, 1)) == 1
    assert await documents.due("cron", NOW, 10) == []


async def test_words_are_told_of_decisions_that_hold(database_url: str) -> None:
    """In this process as soon as they are taken, and in others where those can hear."""
    async with open_repositories(database_url) as here, open_repositories(database_url) as there:
        assert here.documents is not None
        assert here.signals is not None
        assert there.signals is not None
        heard: list[str] = []
        listening, far = asyncio.Event(), asyncio.Event()
        there.signals.hear(lambda word: far.set() if word == "done" else listening.set())
        here.signals.hear(heard.append)
        if database_url.startswith("postgres"):  # what was told before is not heard
            await asyncio.wait_for(listening.wait(), 30)
        with pytest.raises(ValueError, match="no"):
            await here.documents.change(EMI, "g", [], _refuse)
        await here.documents.change(EMI, "g", [], lambda _: Decision(None, [row("a")], words=["done"]))
        assert [word for word in heard if word] == ["done"]
        if database_url.startswith("postgres"):
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

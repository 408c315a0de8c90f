"""The rules for every DocumentRepository."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
import pytest

from recuerdo.core.documents import Decision, Document, DocumentKey, DocumentQuery
from recuerdo.core.graph_ports import DocumentRepository
from recuerdo.core.scope import Owner, TenantOwner
from recuerdo.testing.clock import NOON
from recuerdo.testing.contracts import AsNewTenant
from recuerdo.testing.samples import fresh_owner

_MOST = 10_000


def row(
    document_id: str, group: str = "g", /, *, is_open: bool = False, due: datetime | None = None, **body: Any
) -> Document:
    """A document whose body has its id and these fields."""
    return Document("run", document_id, group, msgspec.json.encode({"id": document_id, **body}), is_open, due)


async def put(documents: DocumentRepository, owner: Owner, *rows: Document) -> None:
    """Write the documents."""
    await documents.change(owner, "g", [], lambda _: Decision(None, rows))


async def names(documents: DocumentRepository, owner: Owner, **query: Any) -> list[str]:
    """The ids of the owner's documents that match, in order."""
    given: dict[str, Any] = {"sort_by": "id", "descending": False, **query}
    found = await documents.select(owner, "run", DocumentQuery(**given))
    return [msgspec.json.decode(body)["id"] for body in found]


async def due(documents: DocumentRepository, tenant: str, now: datetime = NOON) -> list[tuple[Owner, Document]]:
    """The documents of one tenant that are due: others may use the same database."""
    return [each for each in await documents.due("run", now, _MOST) if each[0].tenant == tenant]


class DocumentContract(AsNewTenant):
    """Everything that a DocumentRepository must hold. Needs the fixture `documents`."""

    async def test_documents_are_their_owners(self, documents: DocumentRepository, owner: Owner) -> None:
        """A document is its owner's alone: a user's, or the tenant's own."""
        await put(documents, owner, row("a"))
        assert await documents.get(owner, DocumentKey("run", "a")) == b'{"id":"a"}'
        others = Owner(owner.tenant, "ana"), fresh_owner(), TenantOwner(owner.tenant)
        for other in others:
            assert await documents.get(other, DocumentKey("run", "a")) is None
            assert await names(documents, other) == []
            await documents.change(other, "g", [], lambda _: Decision(None, erase=True))
        assert await names(documents, owner) == ["a"]
        await put(documents, others[-1], row("shared"))
        assert await names(documents, others[-1]) == ["shared"]
        assert await names(documents, owner) == ["a"]

    async def test_documents_are_found_by_what_they_hold(self, documents: DocumentRepository, owner: Owner) -> None:
        """Objects are contained by their keys, lists by their elements, and texts whatever their case."""
        await put(documents, owner, row("a", metadata={"x": 1, "y": [1, 2]}, name="Überall"))
        await put(documents, owner, row("b", metadata={"x": 2}), row("c", "other", metadata={"x": True}))
        assert await names(documents, owner, where={"metadata": {"x": 1}}) == ["a"], "true is not 1"
        assert await names(documents, owner, where={"metadata": {"y": [2]}}) == ["a"]
        assert await names(documents, owner, like={"name": "über"}) == ["a"]
        assert await names(documents, owner, group="other") == ["c"]
        assert await names(documents, owner, ids=["a", "c", "z"]) == ["a", "c"]
        assert await documents.count(owner, "run", DocumentQuery(where={"metadata": {}}, limit=1)) == 3
        assert await documents.count(owner, "run", DocumentQuery(limit=1)) == 3

    async def test_documents_are_found_by_any_text(self, documents: DocumentRepository, owner: Owner) -> None:
        """A text is found where it stands, whatever it looks like."""
        texts = {"a": "x", "b": '{"z":1}', "c": "", "d": "ü \"'\\\n😀", "e": "1", "f": "true"}
        rows = (row(name, metadata={"in": {"t": text, "s.p": text}}) for name, text in texts.items())
        await put(documents, owner, *rows)
        others = ({"in": {"t": 1, "s.p": True}}, {"in": {"t": {"z": 1}}}, {"in": "x"}, [{"in": {"t": "x"}}], None)
        await put(documents, owner, *(row(f"other {number}", metadata=other) for number, other in enumerate(others)))
        for name, text in texts.items():
            for key in ("t", "s.p"):
                assert await names(documents, owner, where={"metadata": {"in": {key: text}}}) == [name]
        assert await names(documents, owner, where={"metadata": {"in": {"t": "x", "s.p": "y"}}}) == []
        assert await names(documents, owner, where={"metadata": {"in": {"t": "x"}}}, like={"id": "A"}) == ["a"]
        assert await names(documents, owner, where={"metadata": {"in": {"t": "x"}}}, like={"id": "b"}) == []
        many = {f"k{number}": "v" for number in range(2_000)}
        await put(documents, owner, row("many", metadata=many), row("fewer", metadata={**many, "k1999": "w"}))
        assert await names(documents, owner, where={"metadata": many}) == ["many"]

    async def test_documents_come_in_order(self, documents: DocumentRepository, owner: Owner) -> None:
        """They are ordered by a field, alike ones by their ids, and come in parts."""
        await put(documents, owner, row("a", created_at="2"), row("b", created_at="1"), row("c", created_at="1"))
        assert await names(documents, owner, sort_by="created_at", descending=True) == ["a", "c", "b"]
        assert await names(documents, owner, sort_by="created_at") == ["b", "c", "a"]
        assert await names(documents, owner, sort_by="created_at", limit=1, offset=1) == ["c"]
        assert await names(documents, owner, limit=1, offset=1) == ["b"]

    async def test_documents_hold_any_text(self, documents: DocumentRepository, owner: Owner) -> None:
        """Whatever is in a body or an id comes back as it was."""
        await put(documents, owner, row("a", metadata={"x": "nul \0 and ' and \\ and \U0001f600"}))
        body = await documents.get(owner, DocumentKey("run", "a"))
        assert body is not None
        assert msgspec.json.decode(body)["metadata"] == {"x": "nul \0 and ' and \\ and \U0001f600"}
        odd = row("ñ \x1f\n{\U0001f600", due=NOON - timedelta(days=30_000, microseconds=1), text="\U0001f600\u2028")
        await put(documents, owner, odd)
        assert await documents.change(owner, "g", [odd.key], lambda found: Decision([*found], delete=[odd.key])) == [
            odd
        ]

    async def test_documents_are_decided_on(self, documents: DocumentRepository, owner: Owner) -> None:
        """A decision sees what is open in its group, and what it asks for."""
        await put(documents, owner, row("a", is_open=True), row("b"), row("c"), row("d", "other", is_open=True))

        def decide(found: Sequence[Document]) -> Decision[list[str]]:
            return Decision(sorted(document.id for document in found))

        keys = [DocumentKey("run", "c"), DocumentKey("run", "z")]
        assert await documents.change(owner, "g", keys, decide) == ["a", "c"]

    async def test_documents_stay_where_a_decision_raises(self, documents: DocumentRepository, owner: Owner) -> None:
        """An error of a decision is raised, and then nothing is written."""
        await put(documents, owner, row("a"))

        def decide(_: Sequence[Document]) -> Decision[None]:
            raise ValueError("no")

        with pytest.raises(ValueError, match="no"):
            await documents.change(owner, "g", [], decide)
        assert await names(documents, owner) == ["a"]

    async def test_documents_are_removed(self, documents: DocumentRepository, owner: Owner) -> None:
        """One by one, or the whole group at once; and what was removed may come back."""
        await put(documents, owner, row("a"), row("b"), row("c", "other"))
        await documents.change(owner, "g", [], lambda _: Decision(None, delete=[DocumentKey("run", "a")]))
        assert await documents.get(owner, DocumentKey("run", "a")) is None
        assert await names(documents, owner) == ["b", "c"]
        await documents.change(owner, "g", [], lambda _: Decision(None, [row("b", n=1), row("new")], erase=True))
        assert await names(documents, owner) == ["b", "c", "new"]
        await documents.change(owner, "g", [], lambda _: Decision(None, erase=True))
        await put(documents, owner, row("a", n=2))
        assert await documents.get(owner, DocumentKey("run", "a")) == b'{"id":"a","n":2}'
        assert await names(documents, owner) == ["a", "c"]

    async def test_documents_change_one_after_the_other(self, documents: DocumentRepository, owner: Owner) -> None:
        """No decision on a group misses another one."""
        await put(documents, owner, row("n", n=0))

        def add_one(found: Sequence[Document]) -> Decision[int]:
            n = msgspec.json.decode(found[0].body)["n"] + 1
            return Decision(n, [row("n", n=n)])

        key = DocumentKey("run", "n")
        numbers = await asyncio.gather(*(documents.change(owner, "g", [key], add_one) for _ in range(20)))
        assert sorted(numbers) == [*range(1, 21)]

    async def test_documents_that_are_due(self, documents: DocumentRepository, owner: Owner) -> None:
        """They are found for all owners, the longest overdue first."""
        await put(documents, owner, row("late", due=NOON), row("later", due=NOON + timedelta(hours=1)), row("never"))
        other = Owner(owner.tenant, "ana")
        await put(documents, other, row("first", due=NOON - timedelta(hours=1)))
        found = await due(documents, owner.tenant)
        assert [(each, document.id) for each, document in found] == [(other, "first"), (owner, "late")]
        assert found[1][1] == row("late", due=NOON)
        assert len(await documents.due("run", NOON, 1)) == 1
        assert await documents.count_due("run", NOON) >= 2
        for each in (owner, other):
            await documents.erase(each)
        assert await due(documents, owner.tenant) == []

    async def test_documents_of_an_owner_are_erased(self, documents: DocumentRepository, owner: Owner) -> None:
        """All of an owner's go at once, those of others stay, and the owner may begin anew."""
        other = Owner(owner.tenant, "ana")
        for each in (owner, other):
            await put(documents, each, row("a"), row("b", "other"))
        await documents.change(owner, "g", [], lambda _: Decision(None, delete=[DocumentKey("run", "a")]))
        assert await documents.erase(owner) == 1
        assert await names(documents, owner) == []
        assert await names(documents, other) == ["a", "b"]
        await put(documents, owner, row("a", n=1))
        assert await documents.get(owner, DocumentKey("run", "a")) == b'{"id":"a","n":1}'
        assert await documents.erase(owner) == 1
        assert await documents.erase(owner) == 0

"""Searching memories: by words, by vectors, by both."""

from datetime import timedelta

import pytest

from recuerdo.core.memories import Embedding
from recuerdo.core.ports import MemoryRepository
from recuerdo.core.scope import Owner
from recuerdo.testing.clock import NOON
from recuerdo.testing.contracts.tenants import AsNewTenant
from recuerdo.testing.remembered import found, keep, remembered, vector

QUERIES = [
    "",
    " ",
    "?!",
    '"',
    "'",
    "tea AND",
    "tea NEAR coffee",
    "NOT",
    "tea*",
    "text:tea",
    "(tea",
    "-tea",
    "^tea",
    "100%",
    "a_b\\c",
    "👋",
    "ti\u0301o",
    "tea " * 5_000,
]


class SearchContract(AsNewTenant):
    """What `search` must hold. How good its order is beyond these plain cases is not a matter of contract."""

    async def test_search_by_words(self, memories: MemoryRepository, owner: Owner) -> None:
        """Without an embedding, the memory that shares most words with the text comes first."""
        texts = ["Trabajo en Data Oilers", "Me gusta el mate amargo", "Vivo en Buenos Aires", "I work at night"]
        await keep(memories, owner, texts)
        assert (await found(memories, owner, "¿Le gusta el mate?"))[0] == texts[1]
        assert (await found(memories, owner, "Buenos Aires"))[0] == texts[2]
        assert (await found(memories, owner, "data oilers"))[0] == texts[0]

    @pytest.mark.parametrize(
        ("text", "query"),
        [("Vive en BOGOTÁ", "bogota"), ("corazon", "CORAZÓN"), ("Ação", "acao"), ("tío", "ti\u0301o")],
    )
    async def test_search_case_and_accents(
        self, memories: MemoryRepository, owner: Owner, text: str, query: str
    ) -> None:
        """Words are found whatever their case, their accents and their Unicode form."""
        await keep(memories, owner, [text, "something else"])
        assert (await found(memories, owner, query))[0] == text

    @pytest.mark.parametrize("query", QUERIES, ids=lambda query: ascii(query)[:12])
    async def test_search_any_text(self, memories: MemoryRepository, owner: Owner, query: str) -> None:
        """Any text is a query: signs that mean something to a search engine are only signs."""
        await keep(memories, owner, ["likes tea", "likes coffee"])
        assert set(await found(memories, owner, query)) <= {"likes tea", "likes coffee"}
        await memories.search(owner, query, vector(1, 0), 5)

    async def test_search_nothing_in_common(self, memories: MemoryRepository, owner: Owner) -> None:
        """Without an embedding, a memory that shares nothing with the text is not found."""
        await keep(memories, owner, ["likes tea"])
        assert await found(memories, owner, "xyz") == []

    async def test_search_by_vectors(self, memories: MemoryRepository, owner: Owner) -> None:
        """With an embedding, the memory whose vector is nearest comes first, where no word tells anything."""
        for text, embedding in [("aa", vector(1, 0, 0)), ("bb", vector(0, 1, 0)), ("cc", vector(1, 1, 0))]:
            await memories.save(remembered(owner, text), embedding)
        assert (await found(memories, owner, "xyz", vector(1, 0.1, 0)))[:2] == ["aa", "cc"]
        assert (await found(memories, owner, "xyz", vector(0.1, 1, 0)))[:2] == ["bb", "cc"]

    async def test_search_by_both(self, memories: MemoryRepository, owner: Owner) -> None:
        """Of memories with equal vectors, the one with the words comes first."""
        for text in ("likes coffee", "likes tea", "likes water"):
            await memories.save(remembered(owner, text), vector(1, 0))
        assert (await found(memories, owner, "tea", vector(1, 0)))[0] == "likes tea"

    @pytest.mark.parametrize(
        "old", [vector(1, 0, model="model-0"), vector(1, 0, 0, model="model-0")], ids=["2-d", "3-d"]
    )
    async def test_search_another_models_vectors(
        self, memories: MemoryRepository, owner: Owner, old: Embedding
    ) -> None:
        """Vectors of another model's are not compared, whatever their size; such memories are found by words."""
        await memories.save(remembered(owner, "old tea"), old)
        await memories.save(remembered(owner, "new coffee"), vector(1, 0.1))
        assert await found(memories, owner, "xyz", vector(1, 0)) == ["new coffee"]
        assert "old tea" in await found(memories, owner, "tea", vector(0, 1))

    async def test_search_some_without_vectors(self, memories: MemoryRepository, owner: Owner) -> None:
        """A memory that has no vector yet is found by its words, among others that have."""
        await memories.save(remembered(owner, "likes tea"), None)
        await memories.save(remembered(owner, "likes coffee"), vector(0, 1))
        assert (await found(memories, owner, "tea", vector(1, 0)))[0] == "likes tea"

    async def test_search_the_limit(self, memories: MemoryRepository, owner: Owner) -> None:
        """At most `limit` memories are found, the best of all."""
        for number in range(20):
            await memories.save(remembered(owner, f"tea {number}"), vector(1, number))
        hits = await memories.search(owner, "tea", vector(1, 0), 3)
        assert [hit.memory.text for hit in hits] == ["tea 0", "tea 1", "tea 2"]

    async def test_search_scores(self, memories: MemoryRepository, owner: Owner) -> None:
        """Hits come by falling score, each memory once."""
        await keep(memories, owner, ["green tea", "tea", "green tea with milk", "coffee with milk"])
        hits = await memories.search(owner, "green tea with milk", None, 50)
        scores = [hit.score for hit in hits]
        assert scores == sorted(scores, reverse=True)
        assert len({hit.memory.id for hit in hits}) == len(hits)
        assert hits[0].memory.text == "green tea with milk"

    async def test_search_the_same_again(self, memories: MemoryRepository, owner: Owner) -> None:
        """The same search finds the same in the same order, ties included."""
        for number in range(10):
            await memories.save(remembered(owner, "tea", at=NOON + timedelta(minutes=number % 3)), vector(1, 0))
        first = await memories.search(owner, "tea", vector(1, 0), 5)
        assert await memories.search(owner, "tea", vector(1, 0), 5) == first

    async def test_search_a_changed_text(self, memories: MemoryRepository, owner: Owner) -> None:
        """After a change a memory is found by its new words and vector, and not by the old."""
        await memories.save(remembered(owner, "tea", id="m-1"), vector(1, 0))
        await memories.save(remembered(owner, "coffee", id="m-1"), vector(0, 1))
        assert await found(memories, owner, "tea") == []
        assert await found(memories, owner, "coffee") == ["coffee"]
        assert await found(memories, owner, "xyz", vector(1, 0)) == []
        assert await found(memories, owner, "xyz", vector(0, 1)) == ["coffee"]

"""The library's repository: what every LibraryRepository holds."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from recuerdo.core.graph_ports import LibraryRepository
from recuerdo.core.library import Chunk, LibraryDocument, StoredChunk
from recuerdo.core.memories import Embedding
from recuerdo.testing.contracts import AsNewTenant
from recuerdo.testing.samples import fresh_owner

_NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)


def _document(name: str, minutes: int = 0) -> LibraryDocument:
    return LibraryDocument(
        id=name,
        title=f"The {name}",
        source=f"{name}.md",
        digest="d" * 64,
        size=10,
        chunks=2,
        created_at=_NOON + timedelta(minutes=minutes),
    )


def _chunks(name: str, *texts: str) -> list[StoredChunk]:
    return [
        StoredChunk(
            name,
            Chunk(number=number, heading="Ñandú > \u0001", text=text, start=0, end=len(text)),
            Embedding("model", bytes(range(8))) if number % 2 else None,
        )
        for number, text in enumerate(texts)
    ]


class LibraryContract(AsNewTenant):
    """Needs the fixture `library`: a LibraryRepository."""

    @pytest.fixture
    def tenant(self) -> str:
        return fresh_owner().tenant

    async def test_library_of_nobody(self, library: LibraryRepository, tenant: str) -> None:
        """A tenant that has added nothing has nothing, at version 0."""
        assert await library.version(tenant) == 0
        assert await library.select(tenant) == []
        assert await library.chunks(tenant, ["a"]) == []
        assert not await library.remove(tenant, "a")
        assert await library.version(tenant) == 0

    async def test_library_put(self, library: LibraryRepository, tenant: str) -> None:
        """Documents come back as they were, the latest first, and chunks with their vectors, in their order."""
        await library.put(tenant, _document("b"), _chunks("b", "uno", "dos", "tres"))
        await library.put(tenant, _document("a", minutes=1), _chunks("a", "x"))
        await library.put(tenant, _document("c", minutes=1), [])
        assert await library.select(tenant) == [_document("a", minutes=1), _document("c", minutes=1), _document("b")]
        assert await library.chunks(tenant, ["b", "a"]) == [*_chunks("a", "x"), *_chunks("b", "uno", "dos", "tres")]
        assert await library.chunks(tenant, ["c", "a", "none"]) == _chunks("a", "x")

    async def test_library_replace(self, library: LibraryRepository, tenant: str) -> None:
        """A document that is put again has its new chunks alone."""
        await library.put(tenant, _document("a"), _chunks("a", "uno", "dos", "tres"))
        await library.put(tenant, _document("a", minutes=5), _chunks("a", "nuevo"))
        await library.put(tenant, _document("a", minutes=5), _chunks("a", "nuevo"))
        assert await library.select(tenant) == [_document("a", minutes=5)]
        assert await library.chunks(tenant, ["a"]) == _chunks("a", "nuevo")

    async def test_library_remove(self, library: LibraryRepository, tenant: str) -> None:
        """A document leaves with its chunks, and no other does."""
        for name in ("a", "b"):
            await library.put(tenant, _document(name), _chunks(name, "x"))
        assert await library.remove(tenant, "a")
        assert not await library.remove(tenant, "a")
        assert await library.select(tenant) == [_document("b")]
        assert await library.chunks(tenant, ["a", "b"]) == _chunks("b", "x")

    async def test_library_versions(self, library: LibraryRepository, tenant: str) -> None:
        """Every change has a version of its own."""
        versions = [await library.version(tenant)]
        for change in (
            lambda: library.put(tenant, _document("a"), _chunks("a", "x")),
            lambda: library.put(tenant, _document("a"), []),
            lambda: library.remove(tenant, "a"),
        ):
            await change()
            versions.append(await library.version(tenant))
        assert versions == sorted(set(versions))

    async def test_library_tenants(self, library: LibraryRepository, tenant: str) -> None:
        """No tenant sees, changes or removes another's documents, also of the same id."""
        other = fresh_owner().tenant
        await library.put(tenant, _document("a"), _chunks("a", "mine"))
        await library.put(other, _document("a", minutes=3), _chunks("a", "hers"))
        assert not await library.remove(fresh_owner().tenant, "a")
        assert await library.remove(other, "a")
        assert await library.select(tenant) == [_document("a")]
        assert await library.chunks(tenant, ["a"]) == _chunks("a", "mine")

    async def test_library_at_once(self, library: LibraryRepository, tenant: str) -> None:
        """Documents that are put at the same moment are all there, each whole."""
        names = [f"d{number}" for number in range(8)]
        await asyncio.gather(*[library.put(tenant, _document(name), _chunks(name, name, name)) for name in names])
        assert {each.id for each in await library.select(tenant)} == set(names)
        assert await library.chunks(tenant, names) == [chunk for name in names for chunk in _chunks(name, name, name)]
        assert await library.version(tenant) == len(names)

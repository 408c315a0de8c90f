"""LibraryRepository over dicts."""

from collections.abc import Collection, Sequence

from recuerdo.core.graph_ports import LibraryRepository
from recuerdo.core.library import LibraryDocument, StoredChunk


class LocalLibrary(LibraryRepository):
    """The library, in this process."""

    def __init__(self) -> None:
        self._documents: dict[str, dict[str, LibraryDocument]] = {}
        self._chunks: dict[tuple[str, str], list[StoredChunk]] = {}
        self._versions: dict[str, int] = {}

    async def version(self, tenant: str) -> int:
        return self._versions.get(tenant, 0)

    async def put(self, tenant: str, document: LibraryDocument, chunks: Sequence[StoredChunk]) -> None:
        self._documents.setdefault(tenant, {})[document.id] = document
        self._chunks[tenant, document.id] = [*chunks]
        self._versions[tenant] = self._versions.get(tenant, 0) + 1

    async def remove(self, tenant: str, document_id: str) -> bool:
        if self._documents.get(tenant, {}).pop(document_id, None) is None:
            return False
        del self._chunks[tenant, document_id]
        self._versions[tenant] += 1
        return True

    async def select(self, tenant: str) -> list[LibraryDocument]:
        found = sorted(self._documents.get(tenant, {}).values(), key=lambda each: each.id)
        return sorted(found, key=lambda each: each.created_at, reverse=True)

    async def chunks(self, tenant: str, documents: Collection[str]) -> list[StoredChunk]:
        ids = sorted(self._documents.get(tenant, {}).keys() & set(documents))
        return [chunk for each in ids for chunk in self._chunks[tenant, each]]

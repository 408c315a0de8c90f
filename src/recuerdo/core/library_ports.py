"""What the library needs from outside; see `recuerdo.core.ports`."""

from collections.abc import Collection, Sequence
from typing import Protocol

from recuerdo.core.library import LibraryDocument, StoredChunk


class LibraryRepository(Protocol):
    """The documents of tenants, and their chunks."""

    async def version(self, tenant: str) -> int:
        """A number that grows with every change of the tenant's library; 0 before the first."""
        ...

    async def put(self, tenant: str, document: LibraryDocument, chunks: Sequence[StoredChunk]) -> None:
        """Store the document with its chunks, instead of the one of its id, in one transaction."""
        ...

    async def remove(self, tenant: str, document_id: str) -> bool:
        """Remove the document and its chunks. False when there is none."""
        ...

    async def select(self, tenant: str) -> list[LibraryDocument]:
        """All the tenant's documents, the latest first and then by id."""
        ...

    async def chunks(self, tenant: str, documents: Collection[str]) -> list[StoredChunk]:
        """The chunks of these documents of the tenant's, by document and number."""
        ...

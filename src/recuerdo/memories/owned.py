"""The memories of one owner."""

from collections.abc import AsyncGenerator, AsyncIterable
from typing import Any

from recuerdo.core.memories import Memory, MemoryChange, MemoryHit, MemoryQuery
from recuerdo.core.scope import Owner
from recuerdo.memories.maintenance.audit import Audit
from recuerdo.memories.memories import Memories


class OwnedMemory:
    """The methods over one owner's memories, a user's or a tenant's. Nothing happens until a method is awaited."""

    def __init__(self, memories: Memories, owner: Owner) -> None:
        self._memories = memories
        self.owner = owner

    async def get(self, memory_id: str) -> Memory:
        """The memory, whatever its status. Raises NotFound."""
        return await self._memories.get(self.owner, memory_id)

    async def delete(self, memory_id: str) -> None:
        """Remove the memory for good. Raises NotFound."""
        await self._memories.delete(self.owner, memory_id)

    async def undo(self, memory_id: str | None = None) -> MemoryChange:
        """Take back the latest change, of the memory or of all; see Memories.undo."""
        return await self._memories.undo(self.owner, memory_id)

    async def approve(self, memory_id: str, *, by: str, reason: str | None = None) -> Memory:
        """Let a memory that waits hold, and be shown, from now on; see Memories.approve."""
        return await self._memories.approve(self.owner, memory_id, by=by, reason=reason)

    async def reject(self, memory_id: str, *, by: str, reason: str | None = None) -> Memory:
        """Keep a memory from being used, also one that was approved before; see Memories.reject."""
        return await self._memories.reject(self.owner, memory_id, by=by, reason=reason)

    def export(self) -> AsyncGenerator[bytes]:
        """All memories as JSON lines; see Memories.export."""
        return self._memories.export(self.owner)

    async def read_in(self, lines: AsyncIterable[bytes]) -> int:
        """Save what an export wrote; see Memories.read_in."""
        return await self._memories.read_in(self.owner, lines)

    async def audit(self) -> Audit:
        """Report junk among the memories; see Memories.audit."""
        return await self._memories.audit(self.owner)

    async def history(
        self, memory_id: str | None = None, *, limit: int = 50, before: int | None = None
    ) -> list[MemoryChange]:
        """List the changes of the memories, or of one, with author and time, the latest first; see Memories.history."""
        return await self._memories.history(self.owner, memory_id, limit=limit, before=before)

    async def search(self, query: str, *, limit: int = 5, **filters: Any) -> list[MemoryHit]:
        """The memories nearest to the query, best first; for the filters see Memories.search."""
        return await self._memories.search(self.owner, query, limit=limit, **filters)

    async def list(self, **query: Any) -> list[Memory]:
        """The memories that hold now, the latest first; the keywords are the fields of MemoryQuery.

        `status="proposed"` gives those of a tenant that wait.
        """
        return await self._memories.list(self.owner, MemoryQuery(**query))

"""What a tenant's users share: proposed by anybody, approved of by those who may, read by all."""

from collections.abc import AsyncGenerator, AsyncIterable
from datetime import timedelta
from typing import Any

from recuerdo.core.memories import Kind, Memory, MemoryChange, MemoryHit, MemoryQuery
from recuerdo.core.scope import TenantOwner
from recuerdo.memories.audit import Audit
from recuerdo.memories.memories import Memories


class TenantMemory:
    """The memories that all users of a tenant share. Who may approve of one is the caller's business."""

    def __init__(self, memories: Memories, tenant: str) -> None:
        self._memories = memories
        self.owner = TenantOwner(tenant)

    async def propose(self, text: str, *, by: str, kind: Kind = "semantic", ttl: timedelta | None = None) -> Memory:
        """Propose a memory, which nobody is shown before it is approved; see Memories.propose."""
        return await self._memories.propose(self.owner, text, by=by, kind=kind, ttl=ttl)

    async def approve(self, memory_id: str, *, by: str, reason: str | None = None) -> Memory:
        """Let all users of the tenant be shown the memory from now on. Raises NotFound."""
        return await self._memories.approve(self.owner, memory_id, by=by, reason=reason)

    async def reject(self, memory_id: str, *, by: str, reason: str | None = None) -> Memory:
        """Keep the memory from being shown, also one that was approved before. Raises NotFound."""
        return await self._memories.reject(self.owner, memory_id, by=by, reason=reason)

    async def get(self, memory_id: str) -> Memory:
        """The memory, whatever its status. Raises NotFound."""
        return await self._memories.get(self.owner, memory_id)

    async def search(self, query: str, *, limit: int = 5, **filters: Any) -> list[MemoryHit]:
        """The shared memories nearest to the query; see Memories.search."""
        return await self._memories.search(self.owner, query, limit=limit, **filters)

    async def update(self, memory_id: str, *, text: str) -> Memory:
        """Change the memory's text. Raises NotFound or InvalidInput."""
        return await self._memories.update(self.owner, memory_id, text=text)

    async def delete(self, memory_id: str) -> None:
        """Remove the memory for good. Raises NotFound."""
        await self._memories.delete(self.owner, memory_id)

    async def undo(self, memory_id: str | None = None) -> MemoryChange:
        """Take back the latest change, of the memory or of all; see Memories.undo."""
        return await self._memories.undo(self.owner, memory_id)

    async def history(
        self, memory_id: str | None = None, *, limit: int = 50, before: int | None = None
    ) -> list[MemoryChange]:
        """What was done, the latest first: who proposed, approved and rejected, and when; see Memories.history."""
        return await self._memories.history(self.owner, memory_id, limit=limit, before=before)

    def export(self) -> AsyncGenerator[bytes]:
        """All shared memories as JSON lines; see Memories.export."""
        return self._memories.export(self.owner)

    async def read_in(self, lines: AsyncIterable[bytes]) -> int:
        """Save what an export wrote; see Memories.read_in."""
        return await self._memories.read_in(self.owner, lines)

    async def audit(self) -> Audit:
        """What of the memories is junk, and how much; see Memories.audit."""
        return await self._memories.audit(self.owner)

    async def list(self, **query: Any) -> list[Memory]:
        """The memories that hold now; `status="proposed"` gives those that wait. Keywords as for UserMemory.list."""
        return await self._memories.list(self.owner, MemoryQuery(**query))

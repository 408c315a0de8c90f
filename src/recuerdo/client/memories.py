"""Long-term memories: a user's own, and those that a tenant's users share."""

from collections.abc import AsyncGenerator
from typing import Unpack

from recuerdo.client import answers, operations
from recuerdo.client.connection import Connection
from recuerdo.client.options import (
    AddMemoryOptions,
    ListMemoriesOptions,
    ListTenantMemoriesOptions,
    ProposeMemoryOptions,
    SearchMemoriesOptions,
    UpdateMemoryOptions,
)


class AsyncMemoriesClient:
    """The caller's own memories."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def add(self, text: str, **options: Unpack[AddMemoryOptions]) -> answers.MemoryData:
        """Save a memory, reconciled with the others: one that is known is returned as it is, also to a second try."""
        return await self._connection.send(operations.ADD_MEMORY(text=text, repeatable=True, **options))

    async def search(self, query: str, **options: Unpack[SearchMemoriesOptions]) -> list[answers.HitData]:
        """The memories nearest to the query, best first."""
        return (await self._connection.send(operations.SEARCH_MEMORIES(query=query, **options))).hits

    async def get(self, memory_id: str) -> answers.MemoryData:
        """One memory. Raises NotFound."""
        return await self._connection.send(operations.GET_MEMORY(memory_id))

    async def update(self, memory_id: str, **options: Unpack[UpdateMemoryOptions]) -> answers.MemoryData:
        """Change the given fields. Raises NotFound."""
        return await self._connection.send(operations.UPDATE_MEMORY(memory_id, **options))

    async def delete(self, memory_id: str) -> None:
        """Delete a memory for good. Raises NotFound."""
        await self._connection.send(operations.DELETE_MEMORY(memory_id))

    async def history(self, memory_id: str, *, limit: int | None = None) -> list[answers.ChangeData]:
        """The changes of a memory, the latest first. Raises NotFound."""
        return (await self._connection.send(operations.MEMORY_HISTORY(memory_id, limit=limit))).changes

    async def undo(self, memory_id: str) -> answers.ChangeData:
        """Take the latest change of a memory back. Raises NotFound or Conflict."""
        return await self._connection.send(operations.UNDO_MEMORY(memory_id))

    async def approve(self, memory_id: str, *, reason: str | None = None) -> answers.MemoryData:
        """Approve a memory that waits in quarantine. Raises NotFound."""
        return await self._connection.send(operations.APPROVE_MEMORY(memory_id, reason=reason))

    async def reject(self, memory_id: str, *, reason: str | None = None) -> answers.MemoryData:
        """Reject a memory, so that it is not used. Raises NotFound."""
        return await self._connection.send(operations.REJECT_MEMORY(memory_id, reason=reason))

    async def entities(self) -> answers.EntityGraphData:
        """The people, places and things of the memories, and their relations."""
        return await self._connection.send(operations.LIST_ENTITIES())

    async def audit(self) -> answers.AuditData:
        """How many memories have which problem, and which memories these are."""
        return await self._connection.send(operations.AUDIT_MEMORIES())

    async def export_lines(self) -> bytes:
        """All memories as JSON lines."""
        return await self._connection.receive(operations.EXPORT_MEMORIES())

    async def import_lines(self, lines: bytes) -> int:
        """Import the JSON lines of an export, at most 1 MB. Returns how many memories are new."""
        request = operations.IMPORT_MEMORIES(repeatable=True).with_body(lines, "application/x-ndjson")
        return (await self._connection.send(request)).imported

    async def list(self, **options: Unpack[ListMemoriesOptions]) -> AsyncGenerator[answers.MemoryData]:
        """The current memories, the latest first, page by page; `kind`, `attribute`, `as_of` and others select some."""
        async for page in self._connection.pages("before", operations.LIST_MEMORIES, **options):
            for memory in page.memories:
                yield memory


class AsyncSharedMemoriesClient:
    """The memories that a tenant's users share: every user proposes, admins decide."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def propose(self, text: str, **options: Unpack[ProposeMemoryOptions]) -> answers.MemoryData:
        """Propose a memory for all users of the tenant."""
        return await self._connection.send(operations.PROPOSE_MEMORY(text=text, **options))

    async def get(self, shared_id: str) -> answers.MemoryData:
        """One shared memory. Raises NotFound."""
        return await self._connection.send(operations.GET_TENANT_MEMORY(shared_id))

    async def delete(self, shared_id: str) -> None:
        """Delete a shared memory for good. Raises NotFound or Forbidden."""
        await self._connection.send(operations.DELETE_TENANT_MEMORY(shared_id))

    async def history(self, shared_id: str, *, limit: int | None = None) -> list[answers.ChangeData]:
        """Its proposal, approval and rejection, the latest first. Raises NotFound or Forbidden."""
        return (await self._connection.send(operations.TENANT_MEMORY_HISTORY(shared_id, limit=limit))).changes

    async def approve(self, shared_id: str, *, reason: str | None = None) -> answers.MemoryData:
        """Let all users of the tenant have it. Raises NotFound or Forbidden."""
        return await self._connection.send(operations.APPROVE_TENANT_MEMORY(shared_id, reason=reason))

    async def reject(self, shared_id: str, *, reason: str | None = None) -> answers.MemoryData:
        """Reject it. Raises NotFound or Forbidden."""
        return await self._connection.send(operations.REJECT_TENANT_MEMORY(shared_id, reason=reason))

    async def list(self, **options: Unpack[ListTenantMemoriesOptions]) -> AsyncGenerator[answers.MemoryData]:
        """The shared memories, the latest first, page by page."""
        async for page in self._connection.pages("before", operations.LIST_TENANT_MEMORIES, **options):
            for memory in page.memories:
                yield memory

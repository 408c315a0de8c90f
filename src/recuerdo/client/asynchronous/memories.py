"""Long-term memories: a user's own, and those that a tenant's users share."""

from collections.abc import AsyncGenerator
from typing import Unpack

from recuerdo.client.answers import (
    AuditData,
    ChangeData,
    EntityGraphData,
    HitData,
    MemoryData,
)
from recuerdo.client.asynchronous.connection import AsyncConnection
from recuerdo.client.operations import (
    ADD_MEMORY,
    APPROVE_MEMORY,
    APPROVE_TENANT_MEMORY,
    AUDIT_MEMORIES,
    DELETE_MEMORY,
    DELETE_TENANT_MEMORY,
    EXPORT_MEMORIES,
    GET_MEMORY,
    GET_TENANT_MEMORY,
    IMPORT_MEMORIES,
    LIST_ENTITIES,
    LIST_MEMORIES,
    LIST_TENANT_MEMORIES,
    MEMORY_HISTORY,
    PROPOSE_MEMORY,
    REJECT_MEMORY,
    REJECT_TENANT_MEMORY,
    SEARCH_MEMORIES,
    TENANT_MEMORY_HISTORY,
    UNDO_MEMORY,
    UPDATE_MEMORY,
)
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

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def add(self, text: str, **options: Unpack[AddMemoryOptions]) -> MemoryData:
        """Save a memory, reconciled with the others: one that is known is returned as it is, also to a second try."""
        return await self._connection.send(ADD_MEMORY(text=text, repeatable=True, **options))

    async def search(self, query: str, **options: Unpack[SearchMemoriesOptions]) -> list[HitData]:
        """The memories nearest to the query, best first."""
        return (await self._connection.send(SEARCH_MEMORIES(query=query, **options))).hits

    async def get(self, memory_id: str) -> MemoryData:
        """One memory. Raises NotFound."""
        return await self._connection.send(GET_MEMORY(memory_id))

    async def update(self, memory_id: str, **options: Unpack[UpdateMemoryOptions]) -> MemoryData:
        """Change the given fields. Raises NotFound."""
        return await self._connection.send(UPDATE_MEMORY(memory_id, **options))

    async def delete(self, memory_id: str) -> None:
        """Delete a memory for good. Raises NotFound."""
        await self._connection.send(DELETE_MEMORY(memory_id))

    async def history(self, memory_id: str, *, limit: int | None = None) -> list[ChangeData]:
        """The changes of a memory, the latest first. Raises NotFound."""
        return (await self._connection.send(MEMORY_HISTORY(memory_id, limit=limit))).changes

    async def undo(self, memory_id: str) -> ChangeData:
        """Take the latest change of a memory back. Raises NotFound or Conflict."""
        return await self._connection.send(UNDO_MEMORY(memory_id))

    async def approve(self, memory_id: str, *, reason: str | None = None) -> MemoryData:
        """Approve a memory that waits in quarantine. Raises NotFound."""
        return await self._connection.send(APPROVE_MEMORY(memory_id, reason=reason))

    async def reject(self, memory_id: str, *, reason: str | None = None) -> MemoryData:
        """Reject a memory, so that it is not used. Raises NotFound."""
        return await self._connection.send(REJECT_MEMORY(memory_id, reason=reason))

    async def entities(self) -> EntityGraphData:
        """The people, places and things of the memories, and their relations."""
        return await self._connection.send(LIST_ENTITIES())

    async def audit(self) -> AuditData:
        """How many memories have which problem, and which memories these are."""
        return await self._connection.send(AUDIT_MEMORIES())

    async def export_lines(self) -> bytes:
        """All memories as JSON lines."""
        return await self._connection.receive(EXPORT_MEMORIES())

    async def import_lines(self, lines: bytes) -> int:
        """Import the JSON lines of an export, at most 1 MB. Returns how many memories are new."""
        request = IMPORT_MEMORIES(repeatable=True).with_body(lines, "application/x-ndjson")
        return (await self._connection.send(request)).imported

    async def list(self, **options: Unpack[ListMemoriesOptions]) -> AsyncGenerator[MemoryData]:
        """The current memories, the latest first, page by page; `kind`, `attribute`, `as_of` and others select some."""
        while True:
            page = await self._connection.send(LIST_MEMORIES(**options))
            for memory in page.memories:
                yield memory
            if page.before is None:
                return
            options = {**options, "before": page.before, "skip": 0}


class AsyncSharedMemoriesClient:
    """The memories that a tenant's users share: every user proposes, admins decide."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def propose(self, text: str, **options: Unpack[ProposeMemoryOptions]) -> MemoryData:
        """Propose a memory for all users of the tenant."""
        return await self._connection.send(PROPOSE_MEMORY(text=text, **options))

    async def get(self, shared_id: str) -> MemoryData:
        """One shared memory. Raises NotFound."""
        return await self._connection.send(GET_TENANT_MEMORY(shared_id))

    async def delete(self, shared_id: str) -> None:
        """Delete a shared memory for good. Raises NotFound or Forbidden."""
        await self._connection.send(DELETE_TENANT_MEMORY(shared_id))

    async def history(self, shared_id: str, *, limit: int | None = None) -> list[ChangeData]:
        """Its proposal, approval and rejection, the latest first. Raises NotFound or Forbidden."""
        return (await self._connection.send(TENANT_MEMORY_HISTORY(shared_id, limit=limit))).changes

    async def approve(self, shared_id: str, *, reason: str | None = None) -> MemoryData:
        """Let all users of the tenant have it. Raises NotFound or Forbidden."""
        return await self._connection.send(APPROVE_TENANT_MEMORY(shared_id, reason=reason))

    async def reject(self, shared_id: str, *, reason: str | None = None) -> MemoryData:
        """Reject it. Raises NotFound or Forbidden."""
        return await self._connection.send(REJECT_TENANT_MEMORY(shared_id, reason=reason))

    async def list(self, **options: Unpack[ListTenantMemoriesOptions]) -> AsyncGenerator[MemoryData]:
        """The shared memories, the latest first, page by page."""
        while True:
            page = await self._connection.send(LIST_TENANT_MEMORIES(**options))
            for memory in page.memories:
                yield memory
            if page.before is None:
                return
            options = {**options, "before": page.before, "skip": 0}

"""Long-term memories: a user's own, and those that a tenant's users share.

Made by scripts/client_types.py from the asynchronous client: change that, and run it again.
"""

from collections.abc import Generator
from typing import Unpack

from recuerdo.client import answers, operations
from recuerdo.client.options import (
    AddMemoryOptions,
    ListMemoriesOptions,
    ListTenantMemoriesOptions,
    ProposeMemoryOptions,
    SearchMemoriesOptions,
    UpdateMemoryOptions,
)
from recuerdo.client.synchronous.connection import Connection


class MemoriesClient:
    """The caller's own memories."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, text: str, **options: Unpack[AddMemoryOptions]) -> answers.MemoryData:
        """Save a memory, reconciled with the others: one that is known is returned as it is, also to a second try."""
        return self._connection.send(operations.ADD_MEMORY(text=text, repeatable=True, **options))

    def search(self, query: str, **options: Unpack[SearchMemoriesOptions]) -> list[answers.HitData]:
        """The memories nearest to the query, best first."""
        return (self._connection.send(operations.SEARCH_MEMORIES(query=query, **options))).hits

    def get(self, memory_id: str) -> answers.MemoryData:
        """One memory. Raises NotFound."""
        return self._connection.send(operations.GET_MEMORY(memory_id))

    def update(self, memory_id: str, **options: Unpack[UpdateMemoryOptions]) -> answers.MemoryData:
        """Change the given fields. Raises NotFound."""
        return self._connection.send(operations.UPDATE_MEMORY(memory_id, **options))

    def delete(self, memory_id: str) -> None:
        """Delete a memory for good. Raises NotFound."""
        self._connection.send(operations.DELETE_MEMORY(memory_id))

    def history(self, memory_id: str, *, limit: int | None = None) -> list[answers.ChangeData]:
        """The changes of a memory, the latest first. Raises NotFound."""
        return (self._connection.send(operations.MEMORY_HISTORY(memory_id, limit=limit))).changes

    def undo(self, memory_id: str) -> answers.ChangeData:
        """Take the latest change of a memory back. Raises NotFound or Conflict."""
        return self._connection.send(operations.UNDO_MEMORY(memory_id))

    def approve(self, memory_id: str, *, reason: str | None = None) -> answers.MemoryData:
        """Approve a memory that waits in quarantine. Raises NotFound."""
        return self._connection.send(operations.APPROVE_MEMORY(memory_id, reason=reason))

    def reject(self, memory_id: str, *, reason: str | None = None) -> answers.MemoryData:
        """Reject a memory, so that it is not used. Raises NotFound."""
        return self._connection.send(operations.REJECT_MEMORY(memory_id, reason=reason))

    def entities(self) -> answers.EntityGraphData:
        """The people, places and things of the memories, and their relations."""
        return self._connection.send(operations.LIST_ENTITIES())

    def audit(self) -> answers.AuditData:
        """How many memories have which problem, and which memories these are."""
        return self._connection.send(operations.AUDIT_MEMORIES())

    def export_lines(self) -> bytes:
        """All memories as JSON lines."""
        return self._connection.receive(operations.EXPORT_MEMORIES())

    def import_lines(self, lines: bytes) -> int:
        """Import the JSON lines of an export, at most 1 MB. Returns how many memories are new."""
        request = operations.IMPORT_MEMORIES(repeatable=True).with_body(lines, "application/x-ndjson")
        return (self._connection.send(request)).imported

    def list(self, **options: Unpack[ListMemoriesOptions]) -> Generator[answers.MemoryData]:
        """The current memories, the latest first, page by page; `kind`, `attribute`, `as_of` and others select some."""
        while True:
            page = self._connection.send(operations.LIST_MEMORIES(**options))
            yield from page.memories
            if page.before is None:
                return
            options = {**options, "before": page.before, "skip": 0}


class SharedMemoriesClient:
    """The memories that a tenant's users share: every user proposes, admins decide."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def propose(self, text: str, **options: Unpack[ProposeMemoryOptions]) -> answers.MemoryData:
        """Propose a memory for all users of the tenant."""
        return self._connection.send(operations.PROPOSE_MEMORY(text=text, **options))

    def get(self, shared_id: str) -> answers.MemoryData:
        """One shared memory. Raises NotFound."""
        return self._connection.send(operations.GET_TENANT_MEMORY(shared_id))

    def delete(self, shared_id: str) -> None:
        """Delete a shared memory for good. Raises NotFound or Forbidden."""
        self._connection.send(operations.DELETE_TENANT_MEMORY(shared_id))

    def history(self, shared_id: str, *, limit: int | None = None) -> list[answers.ChangeData]:
        """Its proposal, approval and rejection, the latest first. Raises NotFound or Forbidden."""
        return (self._connection.send(operations.TENANT_MEMORY_HISTORY(shared_id, limit=limit))).changes

    def approve(self, shared_id: str, *, reason: str | None = None) -> answers.MemoryData:
        """Let all users of the tenant have it. Raises NotFound or Forbidden."""
        return self._connection.send(operations.APPROVE_TENANT_MEMORY(shared_id, reason=reason))

    def reject(self, shared_id: str, *, reason: str | None = None) -> answers.MemoryData:
        """Reject it. Raises NotFound or Forbidden."""
        return self._connection.send(operations.REJECT_TENANT_MEMORY(shared_id, reason=reason))

    def list(self, **options: Unpack[ListTenantMemoriesOptions]) -> Generator[answers.MemoryData]:
        """The shared memories, the latest first, page by page."""
        while True:
            page = self._connection.send(operations.LIST_TENANT_MEMORIES(**options))
            yield from page.memories
            if page.before is None:
                return
            options = {**options, "before": page.before, "skip": 0}

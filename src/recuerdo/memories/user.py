"""One user's memories, for callers who have said once whose they are."""

from collections.abc import AsyncGenerator, AsyncIterable
from datetime import datetime, timedelta
from typing import Any

from recuerdo.core.errors import ConfigurationError
from recuerdo.core.memories import Attribute, Kind, Memory, MemoryChange, MemoryHit, MemoryQuery, Source
from recuerdo.core.passages import HistorySearch, MessageHit
from recuerdo.core.scope import Owner
from recuerdo.memories.audit import Audit
from recuerdo.memories.erase import Receipt
from recuerdo.memories.memories import BY_HAND, Memories


class UserMemory:
    """The long-term memories of one user. Nothing happens until a method is awaited."""

    def __init__(self, memories: Memories, owner: Owner, history: HistorySearch | None = None) -> None:
        self._memories = memories
        self._history = history
        self.owner = owner

    async def remember(self, text: str, source: Source = BY_HAND, *, ttl: timedelta | None = None) -> list[Memory]:
        """Extract the facts that the user states and save the new ones; see Memories.remember."""
        return await self._memories.remember(self.owner, text, source, ttl=ttl)

    async def add(
        self,
        text: str,
        *,
        kind: Kind = "semantic",
        attribute: Attribute | None = None,
        value: str | None = None,
        source: Source = BY_HAND,
        ttl: timedelta | None = None,
        expires_at: datetime | None = None,
    ) -> Memory:
        """Save one memory as it is given; see Memories.add."""
        fields: dict[str, Any] = {"kind": kind, "attribute": attribute, "value": value, "source": source}
        return await self._memories.add(self.owner, text, **fields, ttl=ttl, expires_at=expires_at)

    async def get(self, memory_id: str) -> Memory:
        """The memory. Raises NotFound."""
        return await self._memories.get(self.owner, memory_id)

    async def update(
        self,
        memory_id: str,
        *,
        text: str | None = None,
        kind: Kind | None = None,
        attribute: Attribute | None = None,
        value: str | None = None,
        ttl: timedelta | None = None,
        expires_at: datetime | None = None,
    ) -> Memory:
        """Change what is given and keep the rest; see Memories.update."""
        fields: dict[str, Any] = {"text": text, "kind": kind, "attribute": attribute, "value": value}
        return await self._memories.update(self.owner, memory_id, **fields, ttl=ttl, expires_at=expires_at)

    async def delete(self, memory_id: str) -> None:
        """Remove the memory for good. Raises NotFound."""
        await self._memories.delete(self.owner, memory_id)

    async def undo(self, memory_id: str | None = None) -> MemoryChange:
        """Take back the latest change, of the memory or of all; see Memories.undo."""
        return await self._memories.undo(self.owner, memory_id)

    async def approve(self, memory_id: str, *, by: str, reason: str | None = None) -> Memory:
        """Let a memory that waits in quarantine hold from now on; see Memories.approve."""
        return await self._memories.approve(self.owner, memory_id, by=by, reason=reason)

    async def reject(self, memory_id: str, *, by: str, reason: str | None = None) -> Memory:
        """Keep a memory from being used; see Memories.reject."""
        return await self._memories.reject(self.owner, memory_id, by=by, reason=reason)

    def export(self) -> AsyncGenerator[bytes]:
        """All memories as JSON lines; see Memories.export."""
        return self._memories.export(self.owner)

    async def read_in(self, lines: AsyncIterable[bytes]) -> int:
        """Save what an export wrote; see Memories.read_in."""
        return await self._memories.read_in(self.owner, lines)

    async def erase(self) -> Receipt:
        """Erase everything of the user, threads included, and look whether it is gone; see Memories.erase."""
        return await self._memories.erase(self.owner)

    async def audit(self) -> Audit:
        """What of the memories is junk, and how much; see Memories.audit."""
        return await self._memories.audit(self.owner)

    async def history(
        self, memory_id: str | None = None, *, limit: int = 50, before: int | None = None
    ) -> list[MemoryChange]:
        """What was done to the memories, or to one, the latest first; see Memories.history."""
        return await self._memories.history(self.owner, memory_id, limit=limit, before=before)

    async def as_of(self, at: datetime, **query: Any) -> list[Memory]:
        """The memories that held at that time; the keywords are the fields of MemoryQuery."""
        return await self._memories.as_of(self.owner, at, MemoryQuery(**query))

    async def search(self, query: str, *, limit: int = 5, **filters: Any) -> list[MemoryHit]:
        """The memories nearest to the query, best first; for the filters see Memories.search."""
        return await self._memories.search(self.owner, query, limit=limit, **filters)

    async def search_history(self, query: str, limit: int = 10) -> list[MessageHit]:
        """Messages of all the user's threads that most likely hold what the query looks for; see History.search."""
        if self._history is None:
            raise ConfigurationError("These memories know of no history. Use Recuerdo.user, which knows both.")
        return await self._history.search(self.owner, query, limit=limit)

    async def recall(self, text: str, *, limit: int = 8) -> list[Memory]:
        """What a prompt that answers `text` should carry; see Memories.recall."""
        return await self._memories.recall(self.owner, text, limit=limit)

    async def list(self, **query: Any) -> list[Memory]:
        """The memories that hold now, the latest first; the keywords are the fields of MemoryQuery."""
        return await self._memories.list(self.owner, MemoryQuery(**query))

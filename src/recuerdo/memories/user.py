"""One user's memories."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from recuerdo.core.errors import ConfigurationError
from recuerdo.core.memories import Attribute, Kind, Memory, MemoryQuery, Source
from recuerdo.core.messages import Role
from recuerdo.core.passages import MessageHit, TimedQuery, UserMessages
from recuerdo.core.ports import HistorySearch
from recuerdo.core.scope import Owner
from recuerdo.memories.entities import EntityGraph
from recuerdo.memories.erase import ErasureReceipt
from recuerdo.memories.memories import BY_HAND, Memories
from recuerdo.memories.owned import OwnedMemory
from recuerdo.memories.remember import Remembered


class UserMemory(OwnedMemory):
    """The long-term memories of one user."""

    def __init__(self, memories: Memories, owner: Owner, history: HistorySearch | None = None) -> None:
        super().__init__(memories, owner)
        self._history = history

    async def remember(
        self,
        text: str,
        source: Source = BY_HAND,
        *,
        question: str | None = None,
        ttl: timedelta | None = None,
        said_at: datetime | None = None,
    ) -> Remembered:
        """Extract the facts that the user states and save the new ones; see Memories.remember."""
        return await self._memories.remember(self.owner, text, source, question=question, ttl=ttl, said_at=said_at)

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
        pinned: bool | None = None,
    ) -> Memory:
        """Change the given fields; see Memories.update."""
        fields: dict[str, Any] = {"text": text, "kind": kind, "attribute": attribute, "value": value, "pinned": pinned}
        return await self._memories.update(self.owner, memory_id, **fields, ttl=ttl, expires_at=expires_at)

    async def erase(self) -> ErasureReceipt:
        """Erase everything of the user, threads included, and look whether it is gone; see Memories.erase."""
        return await self._memories.erase(self.owner)

    async def as_of(self, at: datetime, **query: Any) -> list[Memory]:
        """The memories that held at that time; the keywords are the fields of MemoryQuery."""
        return await self._memories.as_of(self.owner, at, MemoryQuery(**query))

    async def entities(self) -> EntityGraph:
        """The people, places, employers and things of the memories, and their relations; see Memories.entities."""
        return await self._memories.entities(self.owner)

    async def search_history(self, query: str, limit: int = 10) -> list[MessageHit]:
        """Messages of all the user's threads that most likely hold what the query looks for; see History.search."""
        return await self._known_history().search(self.owner, query, limit=limit)

    async def messages(
        self,
        *,
        limit: int = 50,
        cursor: str | None = None,
        skip: int = 0,
        roles: Collection[Role] = (),
        since: datetime | None = None,
        until: datetime | None = None,
        archived: bool | None = False,
    ) -> UserMessages:
        """Messages of all the user's threads by time, the latest made first; see TimedQuery for each filter.

        The `cursor` of a page asks for the next one, and `skip` leaves out as many, for those who count pages.
        """
        query = TimedQuery.of(cursor, roles, limit=limit, skip=skip, since=since, until=until, archived=archived)
        return await self._known_history().by_time(self.owner, query)

    def _known_history(self) -> HistorySearch:
        if self._history is None:
            raise ConfigurationError("These memories know of no history. Use Recuerdo.user, which knows both.")
        return self._history

    async def recall(self, text: str, *, limit: int = 8) -> list[Memory]:
        """Return the memories for a prompt that answers `text`; see Memories.recall."""
        return await self._memories.recall(self.owner, text, limit=limit)

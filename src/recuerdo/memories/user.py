"""One user's memories."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from recuerdo.core.bound import bound
from recuerdo.core.errors import ConfigurationError
from recuerdo.core.memories import Memory, MemoryQuery
from recuerdo.core.messages import Role
from recuerdo.core.passages import MessageHit, TimedQuery, UserMessages
from recuerdo.core.ports import HistorySearch
from recuerdo.core.scope import Owner
from recuerdo.memories.memories import Memories
from recuerdo.memories.owned import OwnedMemory


class UserMemory(OwnedMemory):
    """The long-term memories of one user."""

    def __init__(self, memories: Memories, owner: Owner, history: HistorySearch | None = None) -> None:
        super().__init__(memories, owner)
        self._history = history

    remember = bound(Memories.remember)
    add = bound(Memories.add)
    update = bound(Memories.update)
    recall = bound(Memories.recall)
    entities = bound(Memories.entities)
    erase = bound(Memories.erase)

    async def as_of(self, at: datetime, **query: Any) -> list[Memory]:
        """The memories that held at that time; the keywords are the fields of MemoryQuery."""
        return await self._service.as_of(self.owner, at, MemoryQuery(**query))

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

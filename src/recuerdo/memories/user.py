"""The memories of one owner: a user's, and those that the users of a tenant share."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from recuerdo.core.bound import Bound, bound
from recuerdo.core.errors import ConfigurationError
from recuerdo.core.memories import Kind, Memory, MemoryQuery
from recuerdo.core.messages import Role
from recuerdo.core.passages import MessageHit, TimedQuery, UserMessages
from recuerdo.core.ports import HistorySearch
from recuerdo.core.scope import Owner, TenantOwner
from recuerdo.memories.memories import Memories


class OwnedMemory(Bound[Memories, Owner]):
    """The methods over one owner's memories, a user's or a tenant's. Nothing happens until a method is awaited."""

    def __init__(self, memories: Memories, owner: Owner) -> None:
        super().__init__(memories, owner)
        self.owner = owner

    get = bound(Memories.get)
    delete = bound(Memories.delete)
    undo = bound(Memories.undo)
    approve = bound(Memories.approve)
    reject = bound(Memories.reject)
    export = bound(Memories.export)
    import_lines = bound(Memories.import_lines)
    audit = bound(Memories.audit)
    history = bound(Memories.history)
    search = bound(Memories.search)

    async def list(self, **query: Any) -> list[Memory]:
        """The memories that hold now, the latest first; the keywords are the fields of MemoryQuery.

        `status="proposed"` gives those of a tenant that wait.
        """
        return await self._service.list(self.owner, MemoryQuery(**query))


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


class TenantMemory(OwnedMemory):
    """The memories that all users of a tenant share. The caller decides who may approve one."""

    def __init__(self, memories: Memories, tenant: str) -> None:
        self._tenant = TenantOwner(tenant)
        super().__init__(memories, self._tenant)

    async def propose(self, text: str, *, by: str, kind: Kind = "semantic", ttl: timedelta | None = None) -> Memory:
        """Propose a memory, which is not shown before it is approved; see Memories.propose."""
        return await self._service.propose(self._tenant, text, by=by, kind=kind, ttl=ttl)

    async def update(self, memory_id: str, *, text: str) -> Memory:
        """Change the memory's text. Raises NotFound or InvalidInput."""
        return await self._service.update(self.owner, memory_id, text=text)

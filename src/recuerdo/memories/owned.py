"""The memories of one owner."""

from typing import Any

from recuerdo.core.bound import Bound, bound
from recuerdo.core.memories import Memory, MemoryQuery
from recuerdo.core.scope import Owner
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
    read_in = bound(Memories.read_in)
    audit = bound(Memories.audit)
    history = bound(Memories.history)
    search = bound(Memories.search)

    async def list(self, **query: Any) -> list[Memory]:
        """The memories that hold now, the latest first; the keywords are the fields of MemoryQuery.

        `status="proposed"` gives those of a tenant that wait.
        """
        return await self._service.list(self.owner, MemoryQuery(**query))

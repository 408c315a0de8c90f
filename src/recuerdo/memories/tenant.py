"""The memories that a tenant's users share: any user proposes them, reviewers approve, all users read them."""

from datetime import timedelta

from recuerdo.core.memories import Kind, Memory
from recuerdo.core.scope import TenantOwner
from recuerdo.memories.memories import Memories
from recuerdo.memories.owned import OwnedMemory


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

"""Withdraws an erased user's proposals to their tenant: each is removed, or stays without an author."""

from msgspec.structs import replace

from recuerdo.core.identifiers import new_id
from recuerdo.core.memories import Memory, MemoryEntry, MemoryQuery
from recuerdo.core.ports import MemoryRepository
from recuerdo.core.scope import Owner, TenantOwner
from recuerdo.memories.changes import MemoryChanges
from recuerdo.memories.listing import all_of


class Withdrawal:
    """Removes a user from their tenant's shared memories."""

    def __init__(self, repository: MemoryRepository, changes: MemoryChanges) -> None:
        self._repository = repository
        self._changes = changes

    async def __call__(self, owner: Owner) -> int:
        """Remove what the user proposed; what was approved stays as a copy that knows nothing of who proposed it.

        Returns how many memories named the user.
        """
        tenant = TenantOwner(owner.tenant)
        await self._changes.make(tenant, "imported", lambda: self._copies(tenant, owner.user))
        return len(await self._changes.make(tenant, "deleted", lambda: self._originals(tenant, owner.user)))

    async def _proposed_by(self, tenant: TenantOwner, user: str) -> list[Memory]:
        return [each for each in await all_of(self._repository, tenant, MemoryQuery()) if each.source.by == user]

    async def _copies(self, tenant: TenantOwner, user: str) -> list[MemoryEntry]:
        approved = [each for each in await self._proposed_by(tenant, user) if each.status == "approved"]
        return [
            MemoryEntry(None, replace(each, id=new_id(), source=replace(each.source, by=None))) for each in approved
        ]

    async def _originals(self, tenant: TenantOwner, user: str) -> list[MemoryEntry]:
        return [MemoryEntry(each, None) for each in await self._proposed_by(tenant, user)]

"""Withdraws an erased user's proposals to their tenant: each is removed, or stays without an author."""

from msgspec.structs import replace

from recuerdo.core.identifiers import new_id
from recuerdo.core.memories import Memory, MemoryEntry, MemoryQuery
from recuerdo.core.ports import MemoryRepository
from recuerdo.core.scope import Owner, TenantOwner
from recuerdo.memories.changes import MemoryChanges
from recuerdo.memories.listing import all_of


async def withdraw(repository: MemoryRepository, changes: MemoryChanges, owner: Owner) -> int:
    """Remove the user's proposals; approved ones stay as copies without their author.

    Returns how many memories named the user.
    """
    tenant = TenantOwner(owner.tenant)

    async def proposed() -> list[Memory]:
        return [each for each in await all_of(repository, tenant, MemoryQuery()) if each.source.by == owner.user]

    async def copies() -> list[MemoryEntry]:
        approved = [each for each in await proposed() if each.status == "approved"]
        return [
            MemoryEntry(None, replace(each, id=new_id(), source=replace(each.source, by=None))) for each in approved
        ]

    async def originals() -> list[MemoryEntry]:
        return [MemoryEntry(each, None) for each in await proposed()]

    await changes.make(tenant, "imported", copies)
    return len(await changes.make(tenant, "deleted", originals))

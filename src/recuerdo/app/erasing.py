"""Erases the data of a tenant that belongs to none of its users, and lists its users."""

from collections.abc import Mapping

from recuerdo.adapters.registry import Repositories
from recuerdo.core.documents import DocumentQuery
from recuerdo.core.graph_ports import DocumentRepository
from recuerdo.core.items import StoreScope
from recuerdo.core.scope import Owner, TenantOwner
from recuerdo.history.history import utc_now
from recuerdo.memories.erasures import EraseTenantData
from recuerdo.runs.assistants import Assistants

_PAGE = DocumentQuery(limit=100)


def tenant_data(repositories: Repositories) -> Mapping[str, EraseTenantData]:
    """Return the functions that remove it, by place."""
    library, items, memories = repositories.library, repositories.items, repositories.memories
    removals: dict[str, EraseTenantData] = {"shared memories": lambda tenant: memories.erase(TenantOwner(tenant))}
    if items is not None:
        removals["shared items"] = lambda tenant: items.erase(StoreScope(tenant))
    if library is not None:

        async def remove_documents(tenant: str) -> int:
            found = await library.select(tenant)
            return sum([await library.remove(tenant, each.id) for each in found])

        removals["documents"] = remove_documents
    if (documents := repositories.documents) is not None:
        removals["shared assistants"] = lambda tenant: _remove_assistants(documents, TenantOwner(tenant))
    if repositories.data_keys is not None:
        removals["data keys"] = repositories.data_keys.erase  # the last: what backups have is unreadable from now on
    return removals


async def _remove_assistants(documents: DocumentRepository, tenant: TenantOwner) -> int:
    assistants, removed = Assistants(documents, {}, utc_now), 0
    while found := await assistants.search(tenant, _PAGE):
        for each in found:
            await assistants.delete(tenant, each.assistant_id)
        removed += len(found)
    return removed


class ListedUsers:
    """The UserDirectory of a database without one of its own: those with threads, memories or checkpoints."""

    def __init__(self, repositories: Repositories) -> None:
        listed = (repositories.threads, repositories.memories, repositories.checkpoints)
        self._listed = [each for each in listed if each is not None]

    async def users(self, tenant: str, limit: int, after: str = "") -> list[str]:
        behind = Owner(tenant, after) if after else None
        pages = [await each.owners(tenant, limit, behind) for each in self._listed]
        return sorted({owner.user for page in pages for owner in page if owner.user})[:limit]

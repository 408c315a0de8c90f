"""Lists of memories that are read page by page."""

from collections.abc import Sequence
from datetime import datetime

from msgspec.structs import replace

from recuerdo.core.memories import Attribute, Memory, MemoryQuery
from recuerdo.core.ports import MemoryRepository
from recuerdo.core.scope import Owner

_PAGE = 200


async def all_of(repository: MemoryRepository, owner: Owner, query: MemoryQuery) -> list[Memory]:
    """All of the owner's memories that match, the latest first."""
    found: list[Memory] = []
    while True:
        page = await repository.select(owner, replace(query, limit=_PAGE, before=found[-1].id if found else None))
        found += page
        if len(page) < _PAGE:
            return found


async def holding(
    repository: MemoryRepository, owner: Owner, attributes: Sequence[Attribute], now: datetime
) -> list[Memory]:
    """All memories of the attributes that hold now."""
    found: list[Memory] = []
    for attribute in attributes:
        found += await all_of(repository, owner, MemoryQuery(attribute=attribute, holding_at=now))
    return found

"""Reading memories around those that can't be read, and finding all of these: `recuerdo db check --deep`."""

from collections.abc import AsyncGenerator
from typing import NamedTuple

from recuerdo.core.errors import Damaged, DamagedDatabase, InvalidInput
from recuerdo.core.memories import Memory, MemoryQuery
from recuerdo.core.ports import MemoryRepository
from recuerdo.core.scope import Owner

_PAGE = 100

_MOST_UNREAD = 10
"""So many failures of the database in a row are a damaged page, from which nothing can be read."""


async def read_around(repository: MemoryRepository, owner: Owner) -> AsyncGenerator[Memory | Damaged]:
    """All of the owner's memories, the latest first, and the damage in the place of one that can't be read.

    It goes on after the last one that is still there, and ends early where the database can't read several that
    follow one another.
    """
    places: list[str | None] = [None]
    limit, skip, unread = _PAGE, 0, 0
    while unread < _MOST_UNREAD:
        try:
            page = await repository.select(owner, MemoryQuery(limit=limit, before=places[-1], skip=skip))
        except InvalidInput:  # it was deleted meanwhile, and those after it come after the one before it
            places.pop()
            continue
        except Damaged as damage:
            if limit > 1:
                limit //= 2
                continue
            yield damage
            skip += 1
            unread = unread + 1 if isinstance(damage, DamagedDatabase) else 0
            continue
        if not page:
            return
        for memory in page:
            yield memory
        places += [memory.id for memory in page]
        skip = unread = 0
        limit = min(2 * limit, _PAGE)


class InspectedMemories(NamedTuple):
    """A step of a check: the number of memories read, or a damage and its owner, who is not known in a list of all."""

    memories: int = 0
    owner: Owner | None = None
    damage: Damaged | None = None


class MemoryCheck:
    """Reads every memory, and keeps none of them."""

    def __init__(self, repository: MemoryRepository) -> None:
        self._repository = repository

    async def run(self) -> AsyncGenerator[InspectedMemories]:
        """The progress of the check, and each damage as it is found."""
        try:
            page = await self._repository.owners(None, _PAGE)
            while page:
                for owner in page:
                    for step in await self._check(owner):
                        yield step
                page = await self._repository.owners(None, _PAGE, page[-1])
        except Damaged as damage:
            yield InspectedMemories(damage=damage)

    async def _check(self, owner: Owner) -> list[InspectedMemories]:
        read, damages = 0, list[Damaged]()
        async for found in read_around(self._repository, owner):
            if isinstance(found, Damaged):
                damages.append(found)
            else:
                read += 1
        steps = [InspectedMemories(owner=owner, damage=damage) for damage in damages]
        return [InspectedMemories(read), *steps]

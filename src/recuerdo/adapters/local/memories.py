"""MemoryRepository over dicts."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from msgspec.structs import replace

from recuerdo.adapters.local.ledger import LocalLedger
from recuerdo.adapters.ranking import rank
from recuerdo.core.errors import InvalidInput
from recuerdo.core.memories import Attribute, Embedding, Memory, MemoryHit, MemoryQuery, in_order
from recuerdo.core.memory_ports import MemoryWithVector
from recuerdo.core.scope import Owner


class LocalMemories(LocalLedger):
    """Long-term memories and their vectors, in this process."""

    async def save(self, memory: Memory, embedding: Embedding | None) -> None:
        of_owner = self._database.memories.setdefault(memory.owner, {})
        of_owner[memory.id] = MemoryWithVector(memory, embedding)

    async def get(self, owner: Owner, memory_id: str) -> Memory | None:
        stored = self._of(owner).get(memory_id)
        return stored.memory if stored else None

    async def select(self, owner: Owner, query: MemoryQuery) -> list[Memory]:
        found = [stored.memory for stored in self._latest_first(owner)]
        if query.before is not None:
            found = _behind(query.before, found)
        return [memory for memory in found if query.matches(memory)][: query.limit]

    async def latest(self, owner: Owner, attributes: Sequence[Attribute], at: datetime | None = None) -> list[Memory]:
        return in_order((stored.memory for stored in self._latest_first(owner, at)), attributes)

    async def delete(self, owner: Owner, memory_id: str) -> bool:
        return self._of(owner).pop(memory_id, None) is not None

    async def search(
        self, owner: Owner, text: str, embedding: Embedding | None, limit: int, at: datetime | None = None
    ) -> list[MemoryHit]:
        candidates = [(stored.memory, stored.embedding) for stored in self._latest_first(owner, at)]
        return rank(text, embedding, candidates, limit)

    async def unembedded(self, owner: Owner, model: str, limit: int) -> list[Memory]:
        stored = self._latest_first(owner)
        return [each.memory for each in stored if each.embedding is None or each.embedding.model != model][:limit]

    async def embed(self, memory: Memory, embedding: Embedding) -> bool:
        stored = self._of(memory.owner).get(memory.id)
        if stored is None or stored.memory.text != memory.text:
            return False
        self._of(memory.owner)[memory.id] = MemoryWithVector(stored.memory, embedding)
        return True

    async def owners(self, tenant: str | None, limit: int, after: Owner | None = None) -> list[Owner]:
        owners = [
            owner for owner, stored in self._database.memories.items() if stored and tenant in (None, owner.tenant)
        ]
        return [owner for owner in sorted(owners, key=_place) if after is None or _place(owner) > _place(after)][:limit]

    async def list_with_vectors(self, owner: Owner, limit: int, after: str | None = None) -> list[MemoryWithVector]:
        ids = sorted(memory_id for memory_id in self._of(owner) if after is None or memory_id > after)
        return [self._of(owner)[memory_id] for memory_id in ids[:limit]]

    async def get_many(self, owner: Owner, ids: Sequence[str]) -> list[MemoryWithVector]:
        return [self._of(owner)[memory_id] for memory_id in ids if memory_id in self._of(owner)]

    async def expired(self, at: datetime, limit: int) -> Sequence[tuple[Owner, str]]:
        stored = (each.memory for of_owner in self._database.memories.values() for each in of_owner.values())
        expired = [(each.expires_at, each) for each in stored if each.expires_at is not None and each.expires_at <= at]
        return [(each.owner, each.id) for _, each in sorted(expired, key=lambda pair: pair[0])][:limit]

    async def postpone(self, owner: Owner, expiries: Mapping[str, datetime]) -> None:
        for memory_id, time in expiries.items():
            stored = self._of(owner).get(memory_id)
            if stored and stored.memory.refresh is not None and (stored.memory.expires_at or time) < time:
                self._of(owner)[memory_id] = stored._replace(memory=replace(stored.memory, expires_at=time))

    def _of(self, owner: Owner) -> dict[str, MemoryWithVector]:
        return self._database.memories.get(owner, {})

    def _latest_first(self, owner: Owner, at: datetime | None = None) -> list[MemoryWithVector]:
        found = [stored for stored in self._of(owner).values() if at is None or stored.memory.holds(at)]
        by_id = sorted(found, key=lambda stored: stored.memory.id)
        return sorted(by_id, key=lambda stored: stored.memory.created_at, reverse=True)


def _place(owner: Owner) -> tuple[str, str]:
    return owner.tenant, owner.user


def _behind(memory_id: str, memories: list[Memory]) -> list[Memory]:
    for index, memory in enumerate(memories):
        if memory.id == memory_id:
            return memories[index + 1 :]
    raise InvalidInput("before", f"there is no memory {memory_id!r} any more; start again without it")

"""MemoryRepository over dicts."""

from collections.abc import Sequence
from datetime import datetime

from recuerdo.adapters.local.connection import StoredMemory
from recuerdo.adapters.local.ledger import LocalLedger
from recuerdo.adapters.ranking import rank
from recuerdo.core.errors import InvalidInput
from recuerdo.core.memories import Attribute, Embedding, Memory, MemoryHit, MemoryQuery, in_order
from recuerdo.core.scope import Owner


class LocalMemories(LocalLedger):
    """Long-term memories and their vectors, in this process."""

    async def save(self, memory: Memory, embedding: Embedding | None) -> None:
        of_owner = self._database.memories.setdefault(memory.owner, {})
        of_owner[memory.id] = StoredMemory(memory, embedding)

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
        self._of(memory.owner)[memory.id] = StoredMemory(stored.memory, embedding)
        return True

    def _of(self, owner: Owner) -> dict[str, StoredMemory]:
        return self._database.memories.get(owner, {})

    def _latest_first(self, owner: Owner, at: datetime | None = None) -> list[StoredMemory]:
        found = [stored for stored in self._of(owner).values() if at is None or stored.memory.holds(at)]
        by_id = sorted(found, key=lambda stored: stored.memory.id)
        return sorted(by_id, key=lambda stored: stored.memory.created_at, reverse=True)


def _behind(memory_id: str, memories: list[Memory]) -> list[Memory]:
    for index, memory in enumerate(memories):
        if memory.id == memory_id:
            return memories[index + 1 :]
    raise InvalidInput("before", f"there is no memory {memory_id!r} any more; start again without it")

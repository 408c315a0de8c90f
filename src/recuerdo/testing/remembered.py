"""Memories and vectors in few words, for tests of repositories."""

import math
import struct
from datetime import datetime
from typing import Any

from recuerdo.core.identifiers import new_id
from recuerdo.core.memories import Action, Embedding, Memory, MemoryChange, MemoryEntry
from recuerdo.core.ports import MemoryRepository
from recuerdo.core.scope import Owner
from recuerdo.testing.clock import NOON


def fresh_owner(user: str = "emi") -> Owner:
    """A user of a tenant that nobody else has."""
    return Owner(f"tenant-{new_id()}", user)


def remembered(owner: Owner, text: str = "a memory", *, at: datetime = NOON, **fields: Any) -> Memory:
    """A memory, with a fresh id unless `id` names one."""
    defaults: dict[str, Any] = {"id": new_id(), "created_at": at, "updated_at": at}
    return Memory(owner=owner, text=text, **defaults | fields)


def vector(*numbers: float, model: str = "model-1") -> Embedding:
    """The numbers' direction as an embedding."""
    length = math.hypot(*numbers)
    return Embedding(model, struct.pack(f"<{len(numbers)}f", *(number / length for number in numbers)))


def cosine(one: Embedding, other: Embedding) -> float:
    """How near two embeddings are, from -1 to 1."""
    return sum(a * b for a, b in zip(_floats(one), _floats(other), strict=True))


def length(embedding: Embedding) -> float:
    """The length of the vector."""
    return math.hypot(*_floats(embedding))


async def keep(memories: MemoryRepository, memory: Memory, embedding: Embedding | None = None) -> None:
    """Add the memory, or put it in the place of the one with its id, and give it the vector."""
    before = await memories.get(memory.owner, memory.id)
    await _change(memories, memory.owner, "updated" if before else "added", MemoryEntry(before, memory))
    if embedding is not None:
        assert await memories.embed(memory, embedding)


async def drop(memories: MemoryRepository, memory: Memory) -> None:
    """Delete the memory."""
    await _change(memories, memory.owner, "deleted", MemoryEntry(memory, None))


async def vectors(memories: MemoryRepository, owner: Owner) -> dict[str, Embedding | None]:
    """The vectors of the owner's memories, by their ids."""
    return {memory.id: embedding for memory, embedding in await memories.list_with_vectors(owner, 100)}


async def _change(memories: MemoryRepository, owner: Owner, action: Action, entry: MemoryEntry) -> None:
    change = MemoryChange(at=NOON, action=action, entries=[entry])
    assert await memories.apply(owner, change, await memories.state(owner)) is not None


def _floats(embedding: Embedding) -> tuple[float, ...]:
    return struct.unpack(f"<{len(embedding.vector) // 4}f", embedding.vector)

"""Memories and vectors in few words, for tests of repositories."""

import math
import struct
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from recuerdo.core.identifiers import new_id
from recuerdo.core.memories import Embedding, Memory
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


async def found(memories: MemoryRepository, owner: Owner, text: str, embedding: Embedding | None = None) -> list[str]:
    """The texts that a search finds, best first."""
    return [hit.memory.text for hit in await memories.search(owner, text, embedding, 50)]


async def keep(memories: MemoryRepository, owner: Owner, texts: Sequence[str]) -> None:
    """Save the texts as memories without vectors."""
    for text in texts:
        await memories.save(remembered(owner, text), None)


def _floats(embedding: Embedding) -> tuple[float, ...]:
    return struct.unpack(f"<{len(embedding.vector) // 4}f", embedding.vector)

"""MemoryRepository over dicts."""

import struct
import unicodedata
from collections.abc import Iterator
from operator import mul

from recuerdo.adapters.local.connection import LocalDatabase, StoredMemory
from recuerdo.core.errors import InvalidInput
from recuerdo.core.memories import Embedding, Memory, MemoryHit, MemoryQuery
from recuerdo.core.scope import Owner

_GRAM = 3


class LocalMemories:
    """Long-term memories and their vectors, in this process."""

    def __init__(self, database: LocalDatabase) -> None:
        self._database = database

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
        return [memory for memory in found if _matches(query, memory)][: query.limit]

    async def delete(self, owner: Owner, memory_id: str) -> bool:
        return self._of(owner).pop(memory_id, None) is not None

    async def search(self, owner: Owner, text: str, embedding: Embedding | None, limit: int) -> list[MemoryHit]:
        hits = [
            MemoryHit(stored.memory, _likeness(text, stored.memory.text) + _nearness(embedding, stored.embedding))
            for stored in self._latest_first(owner)
        ]
        found = [hit for hit in hits if hit.score > 0]
        return sorted(found, key=lambda hit: hit.score, reverse=True)[:limit]

    async def unembedded(self, owner: Owner, model: str, limit: int) -> list[Memory]:
        stored = self._latest_first(owner)
        return [each.memory for each in stored if each.embedding is None or each.embedding.model != model][:limit]

    def _of(self, owner: Owner) -> dict[str, StoredMemory]:
        return self._database.memories.get(owner, {})

    def _latest_first(self, owner: Owner) -> list[StoredMemory]:
        by_id = sorted(self._of(owner).values(), key=lambda stored: stored.memory.id)
        return sorted(by_id, key=lambda stored: stored.memory.created_at, reverse=True)


def _behind(memory_id: str, memories: list[Memory]) -> list[Memory]:
    for index, memory in enumerate(memories):
        if memory.id == memory_id:
            return memories[index + 1 :]
    raise InvalidInput("before", f"there is no memory {memory_id!r} any more; start again without it")


def _matches(query: MemoryQuery, memory: Memory) -> bool:
    return query.kind in (None, memory.kind) and query.attribute in (None, memory.attribute)


def _likeness(query: str, text: str) -> float:
    """0 to 1: how many of the query's words, and of its character n-grams, the text has."""
    asked, said = _words(query), _words(text)
    return (_share(asked, said) + _share(_grams(asked), _grams(said))) / 2


def _nearness(query: Embedding | None, stored: Embedding | None) -> float:
    """The cosine of two unit vectors of one model, or 0 where there is nothing to compare."""
    if query is None or stored is None or query.model != stored.model:
        return 0.0
    return sum(map(mul, _floats(query.vector), _floats(stored.vector)))


def _share(asked: set[str], said: set[str]) -> float:
    return len(asked & said) / len(asked) if asked else 0.0


def _words(text: str) -> set[str]:
    """The words without case and accents: whoever types in a hurry leaves both out."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    kept = (character for character in decomposed if not unicodedata.combining(character))
    return set("".join(character if character.isalnum() else " " for character in kept).split())


def _grams(words: set[str]) -> set[str]:
    return {gram for word in words for gram in _slices(f" {word} ")}


def _slices(word: str) -> Iterator[str]:
    return (word[start : start + _GRAM] for start in range(len(word) - _GRAM + 1))


def _floats(vector: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(vector) // 4}f", vector)

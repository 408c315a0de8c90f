"""Memories whose texts, values, reasons and vectors are sealed in the database.

Each is bound to the memory's id, so that equal texts of one memory, and only those, have equal ciphertexts: that is how
databases see that a text has stayed. Kinds, attributes, times and trust stay legible, because queries compare them.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

from msgspec.structs import replace

from recuerdo.core.errors import DamagedRow
from recuerdo.core.memories import Attribute, Embedding, LedgerState, Memory, MemoryChange, MemoryEntry, MemoryQuery
from recuerdo.core.ports import MemoryRepository, MemoryWithVector
from recuerdo.core.scope import Owner
from recuerdo.encryption.ciphers import Ciphers, Unsealable
from recuerdo.encryption.keyring import Keyring


class EncryptedMemories(MemoryRepository):
    """The MemoryRepository over another one, which gets sealed memories only."""

    def __init__(self, repository: MemoryRepository, keyring: Keyring) -> None:
        self._repository = repository
        self._keyring = keyring
        self.state = repository.state
        self.erase = repository.erase
        self.erased = repository.erased
        self.owners = repository.owners
        self.expired = repository.expired
        self.postpone = repository.postpone

    async def get(self, owner: Owner, memory_id: str) -> Memory | None:
        found = await self._repository.get(owner, memory_id)
        return None if found is None else (await self._opened(owner, [found]))[0]

    async def get_many(self, owner: Owner, ids: Sequence[str]) -> list[MemoryWithVector]:
        return await self._opened_with_vectors(owner, await self._repository.get_many(owner, ids))

    async def list_with_vectors(self, owner: Owner, limit: int, after: str | None = None) -> list[MemoryWithVector]:
        return await self._opened_with_vectors(owner, await self._repository.list_with_vectors(owner, limit, after))

    async def select(self, owner: Owner, query: MemoryQuery) -> list[Memory]:
        return await self._opened(owner, await self._repository.select(owner, query))

    async def latest(self, owner: Owner, attributes: Sequence[Attribute], at: datetime | None = None) -> list[Memory]:
        return await self._opened(owner, await self._repository.latest(owner, attributes, at))

    async def embed(self, memory: Memory, embedding: Embedding) -> bool:
        ciphers = await self._keyring.sealing(memory.owner.tenant)
        vector = ciphers.seal(_place(ciphers, memory, f"vector {embedding.model}"), embedding.vector)
        for text in ciphers.forms(_place(ciphers, memory, "text"), memory.text):
            if await self._repository.embed(replace(memory, text=text), embedding._replace(vector=vector)):
                return True
        return False

    async def apply(self, owner: Owner, change: MemoryChange, expected: LedgerState) -> LedgerState | None:
        ciphers = await self._keyring.sealing(owner.tenant)
        return await self._repository.apply(owner, _with_each(change, partial(seal_memory, ciphers)), expected)

    async def changes(
        self, owner: Owner, limit: int, *, memory_id: str | None = None, before: int | None = None
    ) -> list[MemoryChange]:
        found = await self._repository.changes(owner, limit, memory_id=memory_id, before=before)
        return await self._keyring.opened(
            owner.tenant, lambda ciphers: [_with_each(change, partial(open_memory, ciphers)) for change in found]
        )

    async def _opened(self, owner: Owner, memories: Sequence[Memory]) -> list[Memory]:
        return await self._keyring.opened(
            owner.tenant, lambda ciphers: [open_memory(ciphers, each) for each in memories]
        )

    async def _opened_with_vectors(self, owner: Owner, found: Sequence[MemoryWithVector]) -> list[MemoryWithVector]:
        return await self._keyring.opened(
            owner.tenant,
            lambda ciphers: [
                MemoryWithVector(open_memory(ciphers, memory), _open_vector(ciphers, memory, embedding))
                for memory, embedding in found
            ],
        )


def _place(ciphers: Ciphers, memory: Memory, field: str) -> bytes:
    return field_place(ciphers, memory.owner.user, memory.id, field)


def field_place(ciphers: Ciphers, user: str, memory_id: str, field: str) -> bytes:
    """Return the associated data of a field of a memory."""
    return ciphers.place("memory", user, memory_id, field)


def seal_memory(ciphers: Ciphers, memory: Memory) -> Memory:
    """The memory as it is stored."""
    return _with_texts(memory, lambda field, text: ciphers.seal_text(_place(ciphers, memory, field), text))


def open_memory(ciphers: Ciphers, memory: Memory) -> Memory:
    """The memory as it was. Raises DataKeyMissing and DamagedRow."""

    def opened(field: str, text: str) -> str:
        try:
            return ciphers.open_text(_place(ciphers, memory, field), text)
        except Unsealable:
            raise DamagedRow("memory", memory.id) from None

    return _with_texts(memory, opened)


def _with_texts(memory: Memory, new: Callable[[str, str], str]) -> Memory:
    review = memory.review
    if review is not None and review.reason is not None:
        review = replace(review, reason=new("reason", review.reason))
    value = None if memory.value is None else new("value", memory.value)
    return replace(memory, text=new("text", memory.text), value=value, review=review)


def _open_vector(ciphers: Ciphers, memory: Memory, embedding: Embedding | None) -> Embedding | None:
    if embedding is None:
        return None
    try:
        vector = ciphers.open(_place(ciphers, memory, f"vector {embedding.model}"), embedding.vector)
    except Unsealable:
        raise DamagedRow("memory", memory.id) from None
    return embedding._replace(vector=vector)


def _with_each(change: MemoryChange, new: Callable[[Memory], Memory]) -> MemoryChange:
    entries = [MemoryEntry(each.before and new(each.before), each.after and new(each.after)) for each in change.entries]
    return replace(change, entries=entries)

"""Memories as JSON lines: export and import."""

from collections.abc import AsyncGenerator, AsyncIterable, Callable

import msgspec

from recuerdo.core.checks import UNREADABLE, check_time
from recuerdo.core.errors import Damaged, InvalidInput
from recuerdo.core.memories import Memory, MemoryEntry, read_memory
from recuerdo.core.ports import MemoryRepository
from recuerdo.core.scope import Owner, check_id
from recuerdo.memories.changes import MemoryChanges
from recuerdo.memories.checks import check_fields, check_memory_text
from recuerdo.memories.damage import read_around

_PAGE = 100
_TIMES = ("created_at", "updated_at", "valid_from", "valid_until", "expires_at")
_encoder = msgspec.json.Encoder()


Note = Callable[[Damaged], None]
"""Called with the damage of a memory that is left out."""


async def memory_lines(repository: MemoryRepository, owner: Owner, note: Note | None = None) -> AsyncGenerator[bytes]:
    """One line of JSON a memory, the latest first: those that hold, those that held, and those that wait.

    Raises Damaged after the last line for the first memory that can't be read, or calls `note` for each.
    """
    damages: list[Damaged] = []
    async for found in read_around(repository, owner):
        if isinstance(found, Damaged):
            (note or damages.append)(found)
        else:
            yield _encoder.encode(found) + b"\n"
    if damages:
        raise damages[0]


async def save_lines(
    repository: MemoryRepository, changes: MemoryChanges, owner: Owner, lines: AsyncIterable[bytes]
) -> int:
    """Save the memories of the lines as this owner's, but for ids that are there. Returns how many were saved."""
    saved = 0
    batch: list[Memory] = []
    number = 0
    async for line in lines:
        number += 1
        if line.strip():
            batch.append(_memory(owner, line, number))
        if len(batch) == _PAGE:
            saved, batch = saved + await _save(repository, changes, owner, batch), []
    return saved + await _save(repository, changes, owner, batch)


async def _save(repository: MemoryRepository, changes: MemoryChanges, owner: Owner, memories: list[Memory]) -> int:
    async def decide() -> list[MemoryEntry]:
        new = [memory for memory in memories if await repository.get(owner, memory.id) is None]
        return [MemoryEntry(None, memory) for memory in new]

    return len(await changes.make(owner, "imported", decide))


def _memory(owner: Owner, line: bytes, number: int) -> Memory:
    try:
        memory = read_memory(owner, line)
    except UNREADABLE as error:
        raise InvalidInput(f"line {number}", f"is not a memory as an export writes it: {error}") from None
    assert memory is not None  # noqa: S101
    try:
        return _checked(memory)
    except InvalidInput as error:
        raise InvalidInput(f"line {number}", f"has a {error.field} that can't be: it {error.problem}") from None


def _checked(memory: Memory) -> Memory:
    """The memory, if every part of it can be stored."""
    check_id("id", memory.id)
    check_memory_text("text", memory.text)
    check_fields(memory.kind, memory.attribute, memory.value)
    if b"\\u0000" in _encoder.encode(memory):
        raise InvalidInput("text", "has a NUL character; leave it out")
    for name in _TIMES:
        if (time := getattr(memory, name)) is not None:
            check_time(name, time)
    return memory

"""Memories as JSON lines, to be taken along and read in elsewhere."""

from collections.abc import AsyncGenerator, AsyncIterable

import msgspec

from recuerdo.core.errors import InvalidInput
from recuerdo.core.memories import Memory, MemoryEntry, MemoryQuery, read_memory
from recuerdo.core.ports import MemoryLedger
from recuerdo.core.scope import Owner
from recuerdo.memories.changes import Changes

_PAGE = 100
_encoder = msgspec.json.Encoder()


async def lines_of(repository: MemoryLedger, owner: Owner) -> AsyncGenerator[bytes]:
    """One line of JSON a memory, the latest first: those that hold, those that held, and those that wait."""
    before: str | None = None
    while page := await repository.select(owner, MemoryQuery(limit=_PAGE, before=before)):
        for memory in page:
            yield _encoder.encode(memory) + b"\n"
        before = page[-1].id


async def read_in(repository: MemoryLedger, changes: Changes, owner: Owner, lines: AsyncIterable[bytes]) -> int:
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


async def _save(repository: MemoryLedger, changes: Changes, owner: Owner, memories: list[Memory]) -> int:
    async def decide() -> list[MemoryEntry]:
        new = [memory for memory in memories if await repository.get(owner, memory.id) is None]
        return [MemoryEntry(None, memory) for memory in new]

    return len(await changes.make(owner, "imported", decide))


def _memory(owner: Owner, line: bytes, number: int) -> Memory:
    try:
        memory = read_memory(owner, line)
    except msgspec.DecodeError as error:
        raise InvalidInput(f"line {number}", f"is no memory as an export writes it: {error}") from None
    assert memory is not None  # noqa: S101
    return memory

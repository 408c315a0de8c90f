"""MemoryRepository over dicts."""

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from recuerdo.adapters.local.connection import LocalDatabase, page_of_owners
from recuerdo.core.errors import InvalidInput
from recuerdo.core.memories import (
    FORGETTING,
    Attribute,
    Embedding,
    LedgerState,
    Memory,
    MemoryChange,
    MemoryEntry,
    MemoryQuery,
    in_order,
)
from recuerdo.core.ports import MemoryRepository, MemoryWithVector
from recuerdo.core.scope import Owner

_NOTHING = LedgerState(0, 0)


class LocalMemories(MemoryRepository):
    """Long-term memories and their vectors, in this process."""

    def __init__(self, database: LocalDatabase) -> None:
        self._database = database

    async def get(self, owner: Owner, memory_id: str) -> Memory | None:
        stored = self._of(owner).get(memory_id)
        return stored.memory if stored else None

    async def select(self, owner: Owner, query: MemoryQuery) -> list[Memory]:
        found = [stored.memory for stored in self._latest_first(owner)]
        if query.before is not None:
            found = _behind(query.before, found)
        return [memory for memory in found if query.matches(memory)][query.skip :][: query.limit]

    async def latest(self, owner: Owner, attributes: Sequence[Attribute], at: datetime | None = None) -> list[Memory]:
        return in_order((stored.memory for stored in self._latest_first(owner, at)), attributes)

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
        return page_of_owners(owners, limit, after)

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

    async def state(self, owner: Owner) -> LedgerState:
        return self._database.memory_states.get(owner, _NOTHING)

    async def apply(self, owner: Owner, change: MemoryChange, expected: LedgerState) -> LedgerState | None:
        if await self.state(owner) != expected:
            return None
        state = LedgerState(expected.epoch, expected.version + 1)
        self._database.memory_states[owner] = state
        for entry in change.entries:
            self._write(owner, entry)
        self._note(owner, replace(change, version=state.version))
        return state

    async def changes(
        self, owner: Owner, limit: int, *, memory_id: str | None = None, before: int | None = None
    ) -> list[MemoryChange]:
        found = [_of(memory_id, each) for each in reversed(self._database.memory_changes.get(owner, []))]
        return [each for each in found if each.entries and (before is None or each.version < before)][:limit]

    async def erase(self, owner: Owner) -> int:
        epoch, version = await self.state(owner)
        self._database.memory_states[owner] = LedgerState(epoch + 1, version + 1)
        self._database.memory_erasures[owner] = datetime.now(UTC)
        self._database.memory_changes.pop(owner, None)
        return len(self._database.memories.pop(owner, {}))

    async def erased(self, owners: Collection[Owner]) -> dict[Owner, timedelta]:
        times, now = self._database.memory_erasures, datetime.now(UTC)
        return {owner: now - times[owner] for owner in owners if owner in times}

    def _write(self, owner: Owner, entry: MemoryEntry) -> None:
        of_owner = self._database.memories.setdefault(owner, {})
        old = of_owner.pop(entry.memory_id, None)
        if entry.after is not None:
            keeps = old is not None and old.memory.text == entry.after.text
            of_owner[entry.memory_id] = MemoryWithVector(entry.after, old.embedding if old and keeps else None)

    def _note(self, owner: Owner, change: MemoryChange) -> None:
        noted = self._database.memory_changes.setdefault(owner, [])
        noted[:] = [replace(each, undone=True) if each.version == change.undoes else each for each in noted]
        if change.action not in FORGETTING:
            noted.append(change)
            return
        gone = {entry.memory_id for entry in change.entries}
        noted[:] = [
            replace(each, entries=[entry for entry in each.entries if entry.memory_id not in gone]) for each in noted
        ]


def _behind(memory_id: str, memories: list[Memory]) -> list[Memory]:
    for index, memory in enumerate(memories):
        if memory.id == memory_id:
            return memories[index + 1 :]
    raise InvalidInput("before", f"there is no memory {memory_id!r} any more; start again without it")


def _of(memory_id: str | None, change: MemoryChange) -> MemoryChange:
    if memory_id is None:
        return change
    return replace(change, entries=[entry for entry in change.entries if entry.memory_id == memory_id])

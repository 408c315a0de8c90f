"""Changes of memories in dicts."""

from msgspec.structs import replace

from recuerdo.adapters.local.connection import LocalDatabase
from recuerdo.core.memories import FORGETTING, LedgerState, MemoryChange, MemoryEntry
from recuerdo.core.memory_ports import MemoryWithVector
from recuerdo.core.scope import Owner

_NOTHING = LedgerState(0, 0)


class LocalLedger:
    """What a MemoryLedger has beside a MemoryRepository, in this process."""

    def __init__(self, database: LocalDatabase) -> None:
        self._database = database

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
        self._database.memory_changes.pop(owner, None)
        return len(self._database.memories.pop(owner, {}))

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


def _of(memory_id: str | None, change: MemoryChange) -> MemoryChange:
    if memory_id is None:
        return change
    return replace(change, entries=[entry for entry in change.entries if entry.memory_id == memory_id])

"""Takes changes of memories back, exactly."""

from msgspec.structs import replace

from recuerdo.core.errors import Conflict, NotFound
from recuerdo.core.memories import Memory, MemoryChange, MemoryEntry
from recuerdo.core.ports import MemoryRepository
from recuerdo.core.scope import Owner
from recuerdo.memories.changes import MemoryChanges

_PAGE = 50


class Undo:
    """Undoes changes of memories, the latest first."""

    def __init__(self, repository: MemoryRepository, changes: MemoryChanges) -> None:
        self._repository = repository
        self._changes = changes

    async def __call__(self, owner: Owner, memory_id: str | None = None) -> MemoryChange:
        """Take back the latest change, or the latest that touched the memory, with all that belongs to it.

        Raises NotFound when there is none, and Conflict when one of its memories was changed since by another change,
        which has to be undone first.
        """
        change = await self._latest(owner, memory_id)

        async def decide() -> list[MemoryEntry]:
            untouched: list[MemoryEntry] = []
            for entry in reversed(change.entries):
                memory = await self._repository.get(owner, entry.memory_id)
                if _settled(memory) == _settled(entry.after):
                    untouched.append(MemoryEntry(entry.after, entry.before))
                elif not _is_summary(entry):  # a summary continues automatically with its thread
                    raise Conflict(
                        f"The memory {entry.memory_id!r} was changed since by something else; undo that first."
                    )
            return untouched

        await self._changes.make(owner, "undone", decide, undoes=change.version)
        return replace(change, undone=True)

    async def _latest(self, owner: Owner, memory_id: str | None) -> MemoryChange:
        """Return the latest change that can be undone. Summaries are automatic: they are undone only by their id."""
        before = None
        while page := await self._repository.changes(owner, _PAGE, memory_id=memory_id, before=before):
            for change in page:
                own = memory_id is not None or change.action != "summarised"
                if own and not change.undone and change.undoes is None:
                    return await self._whole(owner, change)
            before = page[-1].version
        raise NotFound("change", memory_id or "of this user")

    async def _whole(self, owner: Owner, change: MemoryChange) -> MemoryChange:
        """The change with all its entries, not only those of one memory."""
        [whole] = await self._repository.changes(owner, 1, before=change.version + 1)
        return whole


def _is_summary(entry: MemoryEntry) -> bool:
    return entry.before is not None and entry.before.kind == "summary" and entry.after is not None


def _settled(memory: Memory | None) -> Memory | None:
    """Without what uses change of it."""
    return memory if memory is None or memory.refresh is None else replace(memory, expires_at=None)

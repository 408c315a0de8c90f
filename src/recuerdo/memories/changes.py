"""Changes of memories: optimistic, atomic, retried after a concurrent change, and taken back."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from random import random
from typing import NamedTuple
from weakref import WeakValueDictionary

from msgspec.structs import replace

from recuerdo.core.errors import Conflict, DatabaseUnavailable, NotFound, UserErased
from recuerdo.core.memories import Action, LedgerState, Memory, MemoryChange, MemoryEntry
from recuerdo.core.ports import Clock, MemoryRepository
from recuerdo.core.scope import Owner
from recuerdo.memories.secrets import brings_a_secret

_TRIES = 60
_LONGEST_PAUSE = 0.05
_PAGE = 50

Decide = Callable[[], Awaitable[list[MemoryEntry]]]
Changed = Callable[[Owner, LedgerState, LedgerState, Sequence[MemoryEntry]], None]
"""Called after a change with the owner, the ledger's state before and after it, and the entries written."""


class Beginning(NamedTuple):
    """The state of an owner's memories at a beginning, and how often this process had erased them by then."""

    erasures: int
    state: LedgerState

    def precedes_erasure(self, now: "Beginning") -> bool:
        """Whether the owner was erased between this and now."""
        return (self.erasures, self.state.epoch) != (now.erasures, now.state.epoch)


class MemoryChanges:
    """Makes changes of memories. Writers of one process queue up; those of several decide anew when they were late."""

    def __init__(
        self, repository: MemoryRepository, clock: Clock, changed: Changed | None = None, *, keep_secrets: bool = False
    ) -> None:
        """Without `keep_secrets`, what would store a password, a token or the number of a card is left out."""
        self._keep_secrets = keep_secrets
        self._repository = repository
        self._changed = changed
        self._clock = clock
        self._erasures: Counter[Owner] = Counter()
        self._epochs: dict[Owner, int] = {}
        self._locks: WeakValueDictionary[Owner, asyncio.Lock] = WeakValueDictionary()

    def erasures(self, owner: Owner) -> int:
        """How often this process has erased the owner, for callers that wait for something before they `begin`."""
        return self._erasures[owner]

    async def begin(self, owner: Owner, erasures: int | None = None) -> Beginning:
        """The state from which a change begins; it is refused after an erasure from now on, by any process."""
        erasures = self._erasures[owner] if erasures is None else erasures
        state = await self._repository.state(owner)
        if state.epoch:
            self._epochs[owner] = state.epoch
        return Beginning(erasures, state)

    def presumed(self, owner: Owner) -> Beginning:
        """The last beginning that this process knows, for what begins while the database is away.

        An owner who was erased elsewhere since counts as erased after it: nobody can tell any more which came first.
        """
        return Beginning(self._erasures[owner], LedgerState(self._epochs.get(owner, 0), 0))

    async def check(self, owner: Owner, beginning: Beginning) -> None:
        """Raises UserErased when the owner was erased since."""
        if beginning.precedes_erasure(await self.begin(owner)):
            raise UserErased

    def erasing(self, owner: Owner) -> None:
        """Refuse all changes that have begun."""
        self._erasures[owner] += 1

    async def make(
        self,
        owner: Owner,
        action: Action,
        decide: Decide,
        *,
        beginning: Beginning | None = None,
        undoes: int | None = None,
    ) -> list[MemoryEntry]:
        """Save the entries that `decide` returns, which are returned; it is called again after each concurrent change.

        Raises UserErased when the owner's memories were erased since the beginning, DatabaseUnavailable after
        too many concurrent changes, and whatever `decide` raises.
        """
        async with self._locks.setdefault(owner, asyncio.Lock()):
            for attempt in range(_TRIES):
                state = await self._repository.state(owner)
                entries = await decide()
                if not self._keep_secrets and undoes is None:
                    entries = [entry for entry in entries if not brings_a_secret(entry)]
                if beginning is not None and beginning.precedes_erasure(Beginning(self._erasures[owner], state)):
                    raise UserErased
                if not entries:
                    return []
                change = MemoryChange(at=self._clock(), action=action, entries=entries, undoes=undoes)
                if (after := await self._repository.apply(owner, change, state)) is not None:
                    if self._changed is not None:
                        self._changed(owner, state, after, entries)
                    return entries
                await asyncio.sleep(random() * min(_LONGEST_PAUSE, 0.002 * attempt))  # noqa: S311
        raise DatabaseUnavailable("Others change these memories all the time. Try again when there is less going on.")

    async def undo(self, owner: Owner, memory_id: str | None = None) -> MemoryChange:
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

        await self.make(owner, "undone", decide, undoes=change.version)
        return replace(change, undone=True)

    async def _latest(self, owner: Owner, memory_id: str | None) -> MemoryChange:
        """Return the latest change that can be undone. Summaries are automatic: they are undone only by their id."""
        before = None
        while page := await self._repository.changes(owner, _PAGE, memory_id=memory_id, before=before):
            for change in page:
                own = memory_id is not None or change.action != "summarised"
                if own and not change.undone and change.undoes is None:
                    # with all its entries, not only those of one memory
                    return (await self._repository.changes(owner, 1, before=change.version + 1))[0]
            before = page[-1].version
        what = "this user" if memory_id is None else f"the memory {memory_id!r}"
        raise NotFound.saying(f"There is no change of {what} to undo. Check the tenant and the user you act as.")


def _is_summary(entry: MemoryEntry) -> bool:
    return entry.before is not None and entry.before.kind == "summary" and entry.after is not None


def _settled(memory: Memory | None) -> Memory | None:
    """Without what uses change of it."""
    return memory if memory is None or memory.refresh is None else replace(memory, expires_at=None)

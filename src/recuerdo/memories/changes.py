"""Changes of memories: optimistic, atomic, and retried after a concurrent change."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from random import random
from typing import NamedTuple
from weakref import WeakValueDictionary

from recuerdo.core.errors import DatabaseUnavailable, UserErased
from recuerdo.core.memories import Action, LedgerState, MemoryChange, MemoryEntry
from recuerdo.core.ports import Clock, MemoryRepository
from recuerdo.core.scope import Owner
from recuerdo.memories.secrets import brings_a_secret

_TRIES = 60
_LONGEST_PAUSE = 0.05

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
        self._locks: WeakValueDictionary[Owner, asyncio.Lock] = WeakValueDictionary()

    def erasures(self, owner: Owner) -> int:
        """How often this process has erased the owner, for callers that wait for something before they `begin`."""
        return self._erasures[owner]

    async def begin(self, owner: Owner, erasures: int | None = None) -> Beginning:
        """The state from which a change begins; it is refused after an erasure from now on, by any process."""
        erasures = self._erasures[owner] if erasures is None else erasures
        return Beginning(erasures, await self._repository.state(owner))

    async def check(self, owner: Owner, beginning: Beginning) -> None:
        """Raises UserErased when the owner was erased since."""
        if beginning.precedes_erasure(await self.begin(owner)):
            raise UserErased

    def erasing(self, owner: Owner) -> None:
        """Refuse all changes that have begun by now."""
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

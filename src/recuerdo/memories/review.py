"""Memories that wait for a reviewer's decision: quarantine, approval and rejection."""

from collections.abc import Sequence

from msgspec.structs import replace

from recuerdo.core.errors import Conflict, NotFound
from recuerdo.core.memories import Denial, Memory, MemoryEntry, MemoryQuery, Review, Status
from recuerdo.core.ports import MemoryRepository
from recuerdo.core.scope import Owner
from recuerdo.memories.changes import Beginning, MemoryChanges
from recuerdo.memories.extraction.gate import MOST_IN_QUARANTINE, reads_like_an_order
from recuerdo.memories.likeness import same_value
from recuerdo.memories.listing import all_of, holding
from recuerdo.memories.reconcile import Reconciliation, concerned


class Reviews:
    """Decides over the status of memories."""

    def __init__(self, repository: MemoryRepository, changes: MemoryChanges) -> None:
        self._repository = repository
        self._changes = changes

    async def quarantine(self, owner: Owner, memories: Sequence[Memory], beginning: Beginning) -> None:
        """Let the memories wait, those that don't wait yet, and as many as there is place for. Raises Conflict."""

        async def decide() -> list[MemoryEntry]:
            query = MemoryQuery(status="quarantined", limit=MOST_IN_QUARANTINE)
            waiting = await self._repository.select(owner, query)
            new = [memory for memory in memories if not any(same_value(memory.text, each.text) for each in waiting)]
            return [MemoryEntry(None, memory) for memory in new[: MOST_IN_QUARANTINE - len(waiting)]]

        await self._changes.make(owner, "proposed", decide, beginning=beginning)

    async def propose(self, memory: Memory) -> Memory:
        """Put the memory into quarantine, and warn the reviewer when it reads like an order to the assistant.

        Returns the waiting memory: the same text of the same user waits once. Raises Conflict if the proposing
        user already has as many waiting memories as are allowed.
        """
        by, reason = memory.source.by or "", "reads like an order to the assistant"
        review = Review(by, memory.created_at, reason if reads_like_an_order(memory.text) else None)
        waits = replace(memory, status="proposed", review=review)
        known: list[Memory] = []

        async def decide() -> list[MemoryEntry]:
            waiting = await all_of(self._repository, memory.owner, MemoryQuery(status="proposed"))
            own = [each for each in waiting if each.source.by == by]
            known.extend(each for each in own if same_value(each.text, memory.text))
            if len(own) >= MOST_IN_QUARANTINE and not known:
                raise Conflict(f"{MOST_IN_QUARANTINE} memories that you proposed wait already. Ask who reviews them.")
            return [] if known else [MemoryEntry(None, waits)]

        await self._changes.make(memory.owner, "proposed", decide)
        return known[0] if known else waits

    async def decide(self, owner: Owner, memory_id: str, status: Status, review: Review) -> Memory:
        """Give the memory its status. Raises NotFound."""

        async def decide() -> list[MemoryEntry]:
            old = None if owner.is_anonymous else await self._repository.get(owner, memory_id)
            if old is None:
                raise NotFound("memory", memory_id)
            new = replace(old, status=status, review=review, updated_at=review.at)
            if status != "approved":
                return [MemoryEntry(old, new)]
            return await self._admitted(owner, old, replace(new, valid_from=review.at))

        action = "approved" if status == "approved" else "rejected"
        entries = await self._changes.make(owner, action, decide)
        return next(entry.after for entry in entries if entry.after and entry.memory_id == memory_id)

    async def _admitted(self, owner: Owner, old: Memory, new: Memory) -> list[MemoryEntry]:
        now = new.updated_at
        known = await holding(self._repository, owner, concerned([new.attribute if new.value else None]), now)
        reconciliation = Reconciliation([each for each in known if each.id != old.id], now, new.source)
        if new.ending is not None:  # what waited is that something is over
            reconciliation.deny(Denial(new.attribute, new.value, new.text))
            return [MemoryEntry(old, replace(new, valid_until=now)), *reconciliation.entries]
        reconciliation.take(new)
        entries = reconciliation.entries
        return [entry if entry.memory_id != old.id else MemoryEntry(old, entry.after) for entry in entries]

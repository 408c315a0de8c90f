"""Changes of memories: who looked last decides, and what was done is written down."""

import asyncio
from datetime import timedelta
from typing import Any

from msgspec.structs import replace

from recuerdo.core.memories import Action, Ending, LedgerState, Memory, MemoryChange, MemoryEntry, MemoryQuery, Review
from recuerdo.core.ports import MemoryRepository
from recuerdo.core.scope import Owner
from recuerdo.testing.clock import NOON
from recuerdo.testing.contracts.tenants import AsNewTenant
from recuerdo.testing.remembered import fresh_owner, keep, remembered, vector, vectors

HOUR = timedelta(hours=1)
HOLDING: dict[str, tuple[dict[str, Any], str]] = {
    "always": ({}, "0123"),
    "until": ({"valid_until": NOON + 2 * HOUR}, "01"),
    "since": ({"valid_from": NOON + 2 * HOUR}, "23"),
    "expiring": ({"expires_at": NOON + HOUR}, "0"),
    "proposed": ({"status": "proposed"}, ""),
    "quarantined": ({"status": "quarantined", "review": Review("gate", NOON, "an echo")}, ""),
}


def changed(*entries: tuple[Memory | None, Memory | None], action: Action = "added", **fields: Any) -> MemoryChange:
    """A change of these memories, each as it was and as it is."""
    return MemoryChange(at=NOON, action=action, entries=[MemoryEntry(*entry) for entry in entries], **fields)


async def made(memories: MemoryRepository, owner: Owner, change: MemoryChange) -> LedgerState:
    """Where the memories stand after the change, which nobody interfered with."""
    state = await memories.apply(owner, change, await memories.state(owner))
    assert state is not None
    return state


class LedgerContract(AsNewTenant):
    """What `state`, `apply`, `changes` and `erase` must hold."""

    async def test_ledger_holding(self, memories: MemoryRepository, owner: Owner) -> None:
        """Only memories that hold at a time are listed, and the latest, where one asks for a time."""
        for name, (fields, _) in HOLDING.items():
            await keep(memories, remembered(owner, name, id=name, attribute="city", **fields))
        for hour in range(4):
            at = NOON + hour * HOUR
            wanted = sorted(name for name, (_, hours) in HOLDING.items() if str(hour) in hours)
            assert [each.id for each in await memories.select(owner, MemoryQuery(holding_at=at))] == wanted
            assert [each.id for each in await memories.latest(owner, ["city"], at)] == wanted[:1]
        assert len(await memories.select(owner, MemoryQuery())) == len(HOLDING)

    async def test_ledger_every_field(self, memories: MemoryRepository, owner: Owner) -> None:
        """What is known of a memory's time and status comes back as it was saved, from the changes too."""
        memory = remembered(
            owner,
            status="rejected",
            review=Review("eva", NOON + HOUR, "no"),
            valid_from=NOON - HOUR,
            valid_until=NOON,
            ending=Ending("superseded", "m-2"),
            expires_at=NOON + timedelta(microseconds=1),
            refresh=60,
        )
        await made(memories, owner, changed((None, memory)))
        assert await memories.get(owner, memory.id) == memory
        assert (await memories.changes(owner, 5))[0].entries == [MemoryEntry(None, memory)]

    async def test_ledger_filters(self, memories: MemoryRepository, owner: Owner) -> None:
        """Status and thread narrow a list."""
        for memory_id, status in {"1": "proposed", "2": "approved"}.items():
            memory = remembered(owner, id=memory_id, status=status)
            await keep(memories, replace(memory, source=replace(memory.source, thread=f't-"{memory_id}')))
        assert [each.id for each in await memories.select(owner, MemoryQuery(status="proposed"))] == ["1"]
        assert [each.id for each in await memories.select(owner, MemoryQuery(thread='t-"2'))] == ["2"]
        assert await memories.select(owner, MemoryQuery(thread="t-")) == []

    async def test_ledger_applying(self, memories: MemoryRepository, owner: Owner) -> None:
        """A change is made whole, moves the state on, and is written down."""
        assert await memories.state(owner) == LedgerState(0, 0)
        old, new = remembered(owner, "old"), remembered(owner, "new")
        first = await made(memories, owner, changed((None, old)))
        ended = replace(old, valid_until=NOON)
        second = await made(memories, owner, changed((old, ended), (None, new), action="remembered"))
        assert first.version < second.version
        assert await memories.state(owner) == second
        assert await memories.get(owner, old.id) == ended
        [latest, before] = await memories.changes(owner, 5)
        assert (latest.version, latest.action, before.action) == (second.version, "remembered", "added")
        assert latest.entries == [MemoryEntry(old, ended), MemoryEntry(None, new)]
        assert (latest.at, latest.undone, latest.undoes) == (NOON, False, None)

    async def test_ledger_paging(self, memories: MemoryRepository, owner: Owner) -> None:
        """Changes come the latest first, in pages, and of one memory alone."""
        one, other = remembered(owner, "one"), remembered(owner, "other")
        versions = [(await made(memories, owner, changed((None, each)))).version for each in (one, other, one)]
        assert [each.version for each in await memories.changes(owner, 2)] == versions[:0:-1]
        assert [each.version for each in await memories.changes(owner, 9, before=versions[1])] == versions[:1]
        of_one = await memories.changes(owner, 9, memory_id=one.id)
        assert [each.version for each in of_one] == [versions[2], versions[0]]

    async def test_ledger_who_looked_last(self, memories: MemoryRepository, owner: Owner) -> None:
        """Who looked before somebody else's change can't make one: nothing of it is done."""
        before = await memories.state(owner)
        await made(memories, owner, changed((None, remembered(owner, "quick"))))
        late = remembered(owner, "late")
        assert await memories.apply(owner, changed((None, late)), before) is None
        assert await memories.get(owner, late.id) is None
        assert len(await memories.changes(owner, 5)) == 1

    async def test_ledger_at_the_same_moment(self, memories: MemoryRepository, owner: Owner) -> None:
        """Of many who looked at the same state exactly one makes the change."""
        for _ in range(3):
            state = await memories.state(owner)
            tries = [memories.apply(owner, changed((None, remembered(owner))), state) for _ in range(5)]
            outcomes = await asyncio.gather(*tries)
            assert sum(outcome is not None for outcome in outcomes) == 1
        assert len(await memories.select(owner, MemoryQuery())) == 3

    async def test_ledger_vectors(self, memories: MemoryRepository, owner: Owner) -> None:
        """A memory keeps its vector while its text stays; a vector of an old text is refused."""
        memory = remembered(owner, "tea")
        await made(memories, owner, changed((None, memory)))
        assert await memories.embed(memory, vector(1, 0)) is True
        ended = replace(memory, valid_until=NOON)
        await made(memories, owner, changed((memory, ended)))
        assert await vectors(memories, owner) == {memory.id: vector(1, 0)}
        coffee = replace(ended, text="coffee")
        await made(memories, owner, changed((ended, coffee)))
        assert await vectors(memories, owner) == {memory.id: None}
        assert await memories.embed(memory, vector(1, 0)) is False
        assert await memories.embed(remembered(owner, "absent"), vector(1, 0)) is False

    async def test_ledger_undoing(self, memories: MemoryRepository, owner: Owner) -> None:
        """An undo is a change of its own that marks the one that it takes back."""
        memory = remembered(owner)
        first = await made(memories, owner, changed((None, memory)))
        await made(memories, owner, changed((memory, None), action="undone", undoes=first.version))
        assert await memories.get(owner, memory.id) is None
        [undo, undone] = await memories.changes(owner, 5)
        assert (undo.undoes, undo.undone, undone.undone) == (first.version, False, True)
        assert undo.entries == [MemoryEntry(memory, None)]

    async def test_ledger_deleting(self, memories: MemoryRepository, owner: Owner) -> None:
        """What is deleted leaves the changes, too; the other memories of those changes stay in them."""
        gone, stays = remembered(owner, "gone"), remembered(owner, "stays")
        await made(memories, owner, changed((None, gone), (None, stays)))
        await made(memories, owner, changed((gone, None), action="deleted"))
        assert await memories.get(owner, gone.id) is None
        entries = [entry for change in await memories.changes(owner, 5) for entry in change.entries]
        assert entries == [MemoryEntry(None, stays)]

    async def test_ledger_erasing(self, memories: MemoryRepository, owner: Owner) -> None:
        """An erasure leaves nothing, nobody who looked before can write, and others' memories stay."""
        other = fresh_owner()
        for each in (owner, other):
            await made(memories, each, changed((None, remembered(each))))
        before = await memories.state(owner)
        assert await memories.erase(owner) == 1
        assert await memories.select(owner, MemoryQuery()) == []
        assert await memories.changes(owner, 5) == []
        assert await memories.apply(owner, changed((None, remembered(owner))), before) is None
        after = await memories.state(owner)
        assert after.epoch > before.epoch
        assert after.version > before.version
        assert await memories.apply(owner, changed((None, remembered(owner))), after) is not None
        assert len(await memories.select(other, MemoryQuery())) == 1

    async def test_ledger_erasing_nothing(self, memories: MemoryRepository, owner: Owner) -> None:
        """Who looked before an erasure that found nothing can't write, either."""
        before = await memories.state(owner)
        assert await memories.erase(owner) == 0
        assert await memories.apply(owner, changed((None, remembered(owner))), before) is None

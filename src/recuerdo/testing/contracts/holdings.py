"""Going through everybody's memories: what expires, and what puts that off."""

from datetime import timedelta

from recuerdo.core.memories import MemoryChange, MemoryEntry, MemoryQuery
from recuerdo.core.ports import MemoryRepository
from recuerdo.core.scope import Owner, TenantOwner
from recuerdo.testing.clock import NOON
from recuerdo.testing.contracts.tenants import AsNewTenant
from recuerdo.testing.remembered import fresh_owner, keep, remembered, vector

HOUR = timedelta(hours=1)
MANY = 10_000


class HoldingsContract(AsNewTenant):
    """What `owners`, `expired`, `postpone`, `list_with_vectors` and `get_many` must hold."""

    async def test_holdings_owners(self, memories: MemoryRepository, owner: Owner) -> None:
        """Whoever has memories comes once, the tenant itself first, page by page, and nobody else's tenant."""
        mine = [TenantOwner(owner.tenant), Owner(owner.tenant, "a"), Owner(owner.tenant, "b")]
        for each in (*mine, fresh_owner()):
            for _ in range(2):
                change = MemoryChange(at=NOON, action="added", entries=[MemoryEntry(None, remembered(each))])
                assert await memories.apply(each, change, await memories.state(each))
        assert await memories.owners(owner.tenant, 9) == mine
        assert await memories.owners(owner.tenant, 2) == mine[:2]
        assert await memories.owners(owner.tenant, 2, mine[1]) == mine[2:]
        found: list[Owner] = []
        while page := await memories.owners(None, 100, found[-1] if found else None):
            found += page
        assert [each for each in found if each.tenant == owner.tenant] == mine
        assert len(set(found)) == len(found)

    async def test_holdings_a_tenants_own(self, memories: MemoryRepository, owner: Owner) -> None:
        """A tenant's own memories come back as its own, from the changes too, and are no user's."""
        tenant = TenantOwner(owner.tenant)
        memory = remembered(tenant, "open from 9 to 5")
        change = MemoryChange(at=NOON, action="added", entries=[MemoryEntry(None, memory)])
        assert await memories.apply(tenant, change, await memories.state(tenant))
        assert await memories.get(tenant, memory.id) == memory
        assert await memories.select(tenant, MemoryQuery()) == [memory]
        assert [each.entries for each in await memories.changes(tenant, 5)] == [change.entries]
        assert await memories.get(owner, memory.id) is None
        assert await memories.erase(tenant) == 1

    async def test_holdings_made_between(self, memories: MemoryRepository, owner: Owner) -> None:
        """`since` takes in its moment, `until` leaves it out."""
        for hour in range(4):
            await keep(memories, remembered(owner, str(hour), at=NOON + hour * HOUR))
        query = MemoryQuery(since=NOON + HOUR, until=NOON + 3 * HOUR)
        assert [memory.text for memory in await memories.select(owner, query)] == ["2", "1"]

    async def test_holdings_expired(self, memories: MemoryRepository, owner: Owner) -> None:
        """What has expired is told, of whatever tenant and status, and not before it has."""
        other = fresh_owner()
        await keep(memories, remembered(owner, id="a", expires_at=NOON + HOUR))
        await keep(memories, remembered(owner, id="b", expires_at=NOON + HOUR, status="quarantined"))
        await keep(memories, remembered(other, id="c", expires_at=NOON + 2 * HOUR))
        await keep(memories, remembered(other, id="d"))
        told = [await memories.expired(NOON + hour * HOUR, MANY) for hour in range(3)]
        mine = [sorted(memory for whose, memory in each if whose in (owner, other)) for each in told]
        assert mine == [[], ["a", "b"], ["a", "b", "c"]]

    async def test_holdings_postponing(self, memories: MemoryRepository, owner: Owner) -> None:
        """A use puts an expiry off, never forward, and only where a use may."""
        for name, refresh in {"used": 3600, "fixed": None}.items():
            await keep(memories, remembered(owner, id=name, expires_at=NOON + HOUR, refresh=refresh))
        await memories.postpone(owner, dict.fromkeys(("used", "fixed", "absent"), NOON + 2 * HOUR))
        await memories.postpone(owner, {"used": NOON})
        await memories.postpone(Owner(owner.tenant, "other"), {"used": NOON + 9 * HOUR})
        found = {name: await memories.get(owner, name) for name in ("used", "fixed")}
        assert [each.expires_at for each in found.values() if each] == [NOON + 2 * HOUR, NOON + HOUR]

    async def test_holdings_postponing_is_no_change(self, memories: MemoryRepository, owner: Owner) -> None:
        """The version stays, and nothing is written down."""
        await keep(memories, remembered(owner, id="m", expires_at=NOON, refresh=1))
        state, changes = await memories.state(owner), await memories.changes(owner, 5)
        await memories.postpone(owner, {"m": NOON + HOUR})
        assert await memories.state(owner) == state
        assert await memories.changes(owner, 5) == changes

    async def test_holdings_what_expired_leaves_nothing(self, memories: MemoryRepository, owner: Owner) -> None:
        """A memory that expired is in no change any more, as one that was deleted."""
        memory = remembered(owner, expires_at=NOON)
        for entry in (MemoryEntry(None, memory), MemoryEntry(memory, None)):
            action = "added" if entry.after else "expired"
            change = MemoryChange(at=NOON, action=action, entries=[entry])
            assert await memories.apply(owner, change, await memories.state(owner))
        assert await memories.get(owner, memory.id) is None
        assert await memories.changes(owner, 5) == []

    async def test_holdings_stock(self, memories: MemoryRepository, owner: Owner) -> None:
        """Everything comes in the order of ids, page by page, each memory with its vector to the last bit."""
        near, far = vector(0.1, 0.7, -0.3), vector(1, 0, 0, model="model-2")
        for name, embedding in {"c": near, "a": None, "b": far}.items():
            await keep(memories, remembered(owner, id=name, status="rejected"), embedding)
        await keep(memories, remembered(fresh_owner(), id="d"), near)
        first = await memories.list_with_vectors(owner, 2)
        rest = await memories.list_with_vectors(owner, 2, first[-1].memory.id)
        assert [(each.memory.id, each.embedding) for each in (*first, *rest)] == [("a", None), ("b", far), ("c", near)]
        assert first[0].memory == await memories.get(owner, "a")
        picked = await memories.get_many(owner, ["c", "x", "a"])
        assert {each.memory.id: each.embedding for each in picked} == {"a": None, "c": near}
        assert await memories.get_many(owner, []) == []

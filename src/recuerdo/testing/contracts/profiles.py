"""The latest memory of each attribute, which profiles are made of."""

from datetime import timedelta

from recuerdo.core.ports import MemoryRepository
from recuerdo.core.scope import Owner
from recuerdo.testing.clock import NOON
from recuerdo.testing.contracts.tenants import AsNewTenant
from recuerdo.testing.remembered import fresh_owner, keep, remembered


class ProfileContract(AsNewTenant):
    """What `latest` must hold."""

    async def test_latest_of_each_attribute(self, memories: MemoryRepository, owner: Owner) -> None:
        """Of each attribute that was asked for the latest memory comes, in the order of the attributes."""
        for age, (attribute, text) in enumerate([("city", "Lima"), ("name", "Ana"), ("city", "Cusco"), ("job", "x")]):
            at = NOON - timedelta(hours=age)
            await keep(memories, remembered(owner, text, at=at, attribute=attribute))
        await keep(memories, remembered(owner, "no attribute"))
        latest = await memories.latest(owner, ["name", "city", "team"])
        assert [memory.text for memory in latest] == ["Ana", "Lima"]

    async def test_latest_agrees_with_select(self, memories: MemoryRepository, owner: Owner) -> None:
        """Memories of the same moment are ordered as `select` orders them."""
        for memory_id in ("b", "a", "c"):
            await keep(memories, remembered(owner, memory_id, id=memory_id, attribute="city"))
        assert [memory.text for memory in await memories.latest(owner, ["city"])] == ["a"]

    async def test_latest_of_others(self, memories: MemoryRepository, owner: Owner) -> None:
        """Nobody else's memories come, and none when no attribute is asked for."""
        await keep(memories, remembered(fresh_owner(), "foreign", attribute="name"))
        await keep(memories, remembered(Owner(owner.tenant, "other"), "other", attribute="name"))
        await keep(memories, remembered(owner, "mine", attribute="city"))
        assert await memories.latest(owner, ["name"]) == []
        assert await memories.latest(owner, []) == []

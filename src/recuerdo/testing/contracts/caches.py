"""The cache for anything: what every CacheTier holds, over whatever tiers."""

import asyncio

import pytest
from msgspec.structs import replace

from recuerdo.core.cache_ports import CacheTier
from recuerdo.core.caches import CacheKey, Items
from recuerdo.testing.contracts import AsNewTenant
from recuerdo.testing.samples import fresh_owner


class CacheTierContract(AsNewTenant):
    """Needs the fixture `tier`, and `other`: the tier of another replica of the same deployment, or the same one."""

    @pytest.fixture
    def key(self) -> CacheKey:
        return CacheKey(fresh_owner().tenant, "context", "t-1")

    async def test_cache_of_nothing(self, tier: CacheTier, key: CacheKey) -> None:
        """A key that was never set is absent, and refreshing or deleting it doesn't create it."""
        assert await tier.get(key) is None
        assert await tier.get(key, refresh=True) is None
        await tier.delete(key)
        assert await tier.get(key) is None

    async def test_cache_set(self, tier: CacheTier, other: CacheTier, key: CacheKey) -> None:
        """Every replica gets a value exactly as it was set, with any bytes; a later value replaces it."""
        for items in [(b"one",), (b"", b"\0\xff", b"x" * 100_000), (), (b"two",)]:
            await tier.set(key, items)
            assert await tier.get(key) == items
            assert await other.get(key) == items
            assert await other.get(key, refresh=True) == items

    async def test_cache_keys_stay_apart(self, tier: CacheTier, key: CacheKey) -> None:
        """Tenant, data type and resource each tell entries apart, wherever their borders lie."""
        tenant = key.tenant
        keys = [
            CacheKey(f"{tenant}:a", "context", "b"),
            CacheKey(tenant, "context", "a:b"),
            CacheKey(tenant, "window", "a:b"),
            CacheKey(f"{tenant}:a:b", "context", "b"),
        ]
        for number, each in enumerate(keys):
            await tier.set(each, (str(number).encode(),))
        assert [await tier.get(each) for each in keys] == [(str(number).encode(),) for number in range(4)]

    async def test_cache_delete(self, tier: CacheTier, other: CacheTier, key: CacheKey) -> None:
        """A deleted value is gone for every replica at once, and a refresh does not bring it back."""
        second = CacheKey(key.tenant, "context", "t-2")
        for each in (key, second):
            await tier.set(each, (b"a",))
            assert await other.get(each) == (b"a",)
        await tier.delete(key, second)
        for replica in (other, tier):
            for each in (key, second):
                assert await replica.get(each, refresh=True) is None

    async def test_cache_load(self, tier: CacheTier, other: CacheTier, key: CacheKey) -> None:
        """Callers at the same time share one load, and later ones on any replica need none; a look begins nothing."""
        loads = 0
        assert await other.get(key) is None

        async def load() -> Items:
            nonlocal loads
            loads += 1
            await asyncio.sleep(0.05)
            return (b"loaded",)

        assert set(await asyncio.gather(*[tier.load(key, load) for _ in range(1000)])) == {(b"loaded",)}
        assert await other.load(key, load) == (b"loaded",)
        assert loads == 1

    async def test_cache_update(self, tier: CacheTier, other: CacheTier, key: CacheKey) -> None:
        """Each of the changes that replicas make at the same time counts; what is not there is not begun."""

        def count(items: Items) -> Items:
            return (b"%d" % (int(items[0]) + 1),)

        assert await tier.update(key, count) is None
        assert await tier.get(key) is None
        await tier.set(key, (b"0",))
        await asyncio.gather(*[replica.update(key, count) for replica in (tier, other) for _ in range(5)])
        assert await tier.get(key) == await other.get(key) == (b"10",)
        await other.delete(key)
        assert await tier.update(key, count) is None

    async def test_cache_forget(self, tier: CacheTier, other: CacheTier, key: CacheKey) -> None:
        """A group is forgotten for every replica at once; other groups, and other tenants' of its name, stay."""
        both, first, second = (
            CacheKey(key.tenant, "context", f"t-{number}", groups)
            for number, groups in enumerate([("a", "b"), ("a",), ("b",)])
        )
        foreign = CacheKey(f"{key.tenant}:a", "context", "t-1", ("a",))
        for each in (both, first, second, foreign, key):
            await tier.set(each, (b"x",))
            assert await other.get(each) == (b"x",)
        await other.forget(key.tenant, "a")
        for replica in (tier, other):
            for each in (both, first):
                assert await replica.get(each, refresh=True) is None
            for each in (second, foreign, key):
                assert await replica.get(each) == (b"x",)
        await tier.set(both, (b"new",))
        assert await other.get(both) == (b"new",)
        await tier.forget(key.tenant, "b")
        assert await other.get(both) is None

    async def test_cache_remove(self, tier: CacheTier, other: CacheTier, key: CacheKey) -> None:
        """Entries whose resource begins so are removed, for every replica, and those of others stay."""
        mine = [replace(key, resource="emi a"), replace(key, resource="emi b", groups=("g",))]
        theirs = [replace(key, resource=resource) for resource in ("eva a", "an emi")]
        theirs.append(replace(key, tenant=f"{key.tenant}2"))
        for each in (*mine, *theirs):
            await tier.set(each, (b"x",))
            assert await other.get(each) == (b"x",)
        assert await tier.remove(key.tenant, "emi ") == 2
        assert [await reader.get(each) for each in mine for reader in (tier, other)] == [None] * 4
        assert [await reader.get(each) for each in theirs for reader in (tier, other)] == [(b"x",)] * 6

    @pytest.mark.parametrize("change", ["delete", "set", "forget"])
    async def test_cache_load_that_is_overtaken(
        self, tier: CacheTier, other: CacheTier, key: CacheKey, change: str
    ) -> None:
        """A value that was loaded before a change is not kept after it."""
        key = CacheKey(key.tenant, "context", "t-1", ("a",))
        reading, changed = asyncio.Event(), asyncio.Event()

        async def load() -> Items:
            reading.set()
            await changed.wait()
            return (b"old",)

        loading = asyncio.create_task(tier.load(key, load))
        await reading.wait()
        if change == "delete":
            await other.delete(key)
        elif change == "forget":
            await other.forget(key.tenant, "a")
        else:
            await other.set(key, (b"new",))
        changed.set()
        assert await loading == (b"old",)
        assert await tier.get(key) == ((b"new",) if change == "set" else None)

    async def test_cache_load_that_fails(self, tier: CacheTier, key: CacheKey) -> None:
        """The error is the callers', nothing is kept, and the next caller loads."""

        async def fail() -> Items:
            raise ValueError("no")

        async def load() -> Items:
            return (b"a",)

        with pytest.raises(ValueError, match="no"):
            await tier.load(key, fail)
        assert await tier.load(key, load) == (b"a",)

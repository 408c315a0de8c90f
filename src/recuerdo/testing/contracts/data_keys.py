"""Data keys: what comes back, and who was first."""

from recuerdo.core.encryption import DataKey
from recuerdo.core.encryption_ports import DataKeyRepository
from recuerdo.core.identifiers import new_id
from recuerdo.core.scope import Owner
from recuerdo.testing.clock import NOON
from recuerdo.testing.contracts import AsNewTenant
from recuerdo.testing.samples import fresh_owner


def made(tenant: str, number: int = 1) -> DataKey:
    return DataKey(tenant, number, new_id(), "master", bytes(range(256)), NOON)


class DataKeyContract(AsNewTenant):
    """Everything that a DataKeyRepository must hold. Needs the fixture `data_keys`."""

    async def test_data_keys_in_order(self, data_keys: DataKeyRepository, owner: Owner) -> None:
        """A tenant's keys come back as they were stored, by their numbers, and no other tenant's."""
        keys = [made(owner.tenant, number) for number in (2, 1, 10)]
        for key in [*keys, made(fresh_owner().tenant)]:
            assert await data_keys.add(key)
        assert await data_keys.of(owner.tenant) == sorted(keys, key=lambda key: key.number)
        assert await data_keys.of("absent") == []

    async def test_data_keys_the_first_stays(self, data_keys: DataKeyRepository, owner: Owner) -> None:
        """Of two processes that make a key of the same number one is told that it was late."""
        first = made(owner.tenant)
        assert await data_keys.add(first)
        assert not await data_keys.add(made(owner.tenant))
        assert await data_keys.of(owner.tenant) == [first]

    async def test_data_keys_wrapped_anew(self, data_keys: DataKeyRepository, owner: Owner) -> None:
        """A key takes another wrapping, and nothing else of it changes; an erased key is not brought back."""
        key = made(owner.tenant)
        await data_keys.add(key)
        assert await data_keys.rewrap(key._replace(master="other", wrapped=b"\0\xff"))
        assert await data_keys.of(owner.tenant) == [key._replace(master="other", wrapped=b"\0\xff")]
        assert not await data_keys.rewrap(made(owner.tenant))
        await data_keys.erase(owner.tenant)
        assert not await data_keys.rewrap(key)

    async def test_data_keys_erased(self, data_keys: DataKeyRepository, owner: Owner) -> None:
        """All keys of a tenant go at once, and those of others stay."""
        other = made(fresh_owner().tenant)
        for key in (made(owner.tenant), made(owner.tenant, 2), other):
            await data_keys.add(key)
        assert await data_keys.erase(owner.tenant) == 2
        assert await data_keys.of(owner.tenant) == []
        assert await data_keys.of(other.tenant) == [other]
        assert await data_keys.erase(owner.tenant) == 0

    async def test_data_keys_of_all_tenants(self, data_keys: DataKeyRepository, owner: Owner) -> None:
        """Operators list the keys of all tenants page by page, the installation's own among them."""
        keys = [made(owner.tenant), made(owner.tenant, 2), made(fresh_owner().tenant)]
        for key in keys:
            await data_keys.add(key)
        await data_keys.add(made(""))
        found: list[DataKey] = []
        while page := await data_keys.select(2, (found[-1].tenant, found[-1].number) if found else None):
            found += page
        places = [(key.tenant, key.number) for key in found]
        assert places == sorted(places)
        assert {*keys} <= {*found}
        assert ("", 1) in places

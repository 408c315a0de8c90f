"""API keys: what comes back, who finds them, and what revoking does."""

import unicodedata
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from recuerdo.core.api_keys import ApiKey, digest_of, issue
from recuerdo.core.ports import ApiKeyRepository
from recuerdo.core.scope import Owner
from recuerdo.testing.clock import NOON
from recuerdo.testing.contracts.tenants import AsNewTenant
from recuerdo.testing.remembered import fresh_owner

MINUTE = timedelta(minutes=1)
FIELDS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "everything": {"name": "billing", "role": "operator", "tier": "gold", "expires_at": NOON + 90 * MINUTE},
    "signs": {"name": "'; DROP TABLE api_keys; -- \" \\ %s {} 👩‍👩‍👧", "role": "ñ", "tier": "\"'\\"},
    "long": {"name": "x" * 255, "role": "😀" * 255, "tier": "y" * 255},
    "odd times": {"expires_at": NOON + timedelta(days=365_000, microseconds=1)},
}
USERS = ["u", "U", "u ", unicodedata.normalize("NFC", "é"), unicodedata.normalize("NFD", "é")]


def made(owner: Owner, minute: int = 0, **fields: Any) -> ApiKey:
    return issue(owner, NOON + minute * MINUTE, **fields).key


class ApiKeyContract(AsNewTenant):
    """Everything that an ApiKeyRepository must hold. Needs the fixture `api_keys`."""

    @pytest.mark.parametrize("fields", FIELDS.values(), ids=FIELDS)
    async def test_keys_every_field(self, api_keys: ApiKeyRepository, owner: Owner, fields: dict[str, Any]) -> None:
        """A key comes back as it was stored, by its digest and in its tenant's list."""
        key = made(owner, **fields)
        await api_keys.add(key)
        assert await api_keys.find(key.digest) == key
        assert await api_keys.select(owner.tenant, None, 10) == [key]

    async def test_keys_absent(self, api_keys: ApiKeyRepository, owner: Owner) -> None:
        """What nobody stored is not found, by whatever digest, and can't be revoked."""
        await api_keys.add(made(owner))
        for digest in (b"", bytes(32), digest_of("recuerdo_" + "x" * 43)):
            assert await api_keys.find(digest) is None
        assert await api_keys.revoke(owner.tenant, "absent", NOON) is False

    async def test_keys_of_any_tenant_are_found(self, api_keys: ApiKeyRepository) -> None:
        """The digest alone leads to the key and to nobody else's, whoever asked for what before."""
        keys = [made(fresh_owner()) for _ in range(3)]
        for key in keys:
            await api_keys.add(key)
        for key in [*keys, *reversed(keys)]:
            assert await api_keys.find(key.digest) == key

    async def test_keys_the_latest_first(self, api_keys: ApiKeyRepository, owner: Owner) -> None:
        """A list has the latest keys first, those of the same moment by their ids, and no more than its limit."""
        keys = [replace(made(owner, minute), id=key_id) for minute, key_id in ((1, "a"), (3, "b"), (2, "c"), (2, "B"))]
        for key in keys:
            await api_keys.add(key)
        assert [key.id for key in await api_keys.select(owner.tenant, None, 10)] == ["b", "B", "c", "a"]
        assert [key.id for key in await api_keys.select(owner.tenant, None, 2)] == ["b", "B"]

    async def test_keys_of_one_user(self, api_keys: ApiKeyRepository, owner: Owner) -> None:
        """A user's list has that user's keys alone, however alike another's name looks."""
        keys = {user: made(Owner(owner.tenant, user)) for user in USERS}
        for key in keys.values():
            await api_keys.add(key)
        for user, key in keys.items():
            assert await api_keys.select(owner.tenant, user, 10) == [key]
        assert await api_keys.select(owner.tenant, "nobody", 10) == []

    async def test_keys_revoking(self, api_keys: ApiKeyRepository, owner: Owner) -> None:
        """A revoked key is still found, and says since when; its neighbours stay as they were."""
        gone, stays = made(owner, 1), made(owner)
        for key in (gone, stays):
            await api_keys.add(key)
        assert await api_keys.revoke(owner.tenant, gone.id, NOON + MINUTE) is True
        revoked = replace(gone, revoked_at=NOON + MINUTE)
        assert await api_keys.find(gone.digest) == revoked
        assert await api_keys.select(owner.tenant, None, 10) == [revoked, stays]

    async def test_keys_revoking_again(self, api_keys: ApiKeyRepository, owner: Owner) -> None:
        """To revoke a key a second time changes nothing: the first time stands."""
        key = made(owner)
        await api_keys.add(key)
        for minute in (1, 2):
            assert await api_keys.revoke(owner.tenant, key.id, NOON + minute * MINUTE) is True
        found = await api_keys.find(key.digest)
        assert found is not None
        assert found.revoked_at == NOON + MINUTE

    async def test_keys_of_an_erased_user(self, api_keys: ApiKeyRepository, owner: Owner) -> None:
        """All keys of an erased user are gone, and a namesake's in another tenant and a neighbour's are not."""
        neighbours = (Owner(owner.tenant, "neighbour"), Owner(fresh_owner().tenant, owner.user))
        gone, stay = [made(owner), made(owner, 1)], [made(each) for each in neighbours]
        for key in (*gone, *stay):
            await api_keys.add(key)
        assert await api_keys.erase(owner) == 2
        assert await api_keys.erase(owner) == 0
        assert [await api_keys.find(key.digest) for key in (*gone, *stay)] == [None, None, *stay]

    async def test_keys_of_another_tenant(self, api_keys: ApiKeyRepository, owner: Owner) -> None:
        """Another tenant neither lists nor revokes a key, though it knows the id and has a user of the same name."""
        stranger = Owner(fresh_owner().tenant, owner.user)
        key = made(owner)
        await api_keys.add(key)
        assert await api_keys.select(stranger.tenant, None, 10) == []
        assert await api_keys.revoke(stranger.tenant, key.id, NOON) is False
        assert await api_keys.find(key.digest) == key

"""API keys and sessions: what comes back, and for whom."""

import asyncio
import unicodedata
from datetime import timedelta
from typing import Any

from msgspec.structs import replace

from recuerdo.core.api_keys import ApiKey, digest_of, issue
from recuerdo.core.contexts import Session
from recuerdo.core.identifiers import new_id
from recuerdo.core.ports import ApiKeyRepository, SessionRepository
from recuerdo.core.scope import Owner
from recuerdo.testing.clock import NOON
from recuerdo.testing.contracts import AsNewTenant
from recuerdo.testing.samples import fresh_owner

MINUTE = timedelta(minutes=1)
FIELDS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "everything": {"name": "billing", "role": "operator", "tier": "gold", "expires_at": NOON + 90 * MINUTE},
    "scopes": {"scopes": ["write", "memories:read", "documents:admin"]},
    "signs": {"name": "'; DROP TABLE api_keys; -- \" \\ %s {} 👩‍👩‍👧", "role": "ñ", "tier": "\"'\\"},
    "long": {"name": "x" * 255, "role": "😀" * 255, "tier": "y" * 255},
    "odd times": {"expires_at": NOON + timedelta(days=365_000, microseconds=1)},
}
USERS = ["u", "U", "u ", unicodedata.normalize("NFC", "é"), unicodedata.normalize("NFD", "é")]


def made(owner: Owner, minute: int = 0, **fields: Any) -> ApiKey:
    return issue(owner, NOON + minute * MINUTE, **fields).key


class ApiKeyContract(AsNewTenant):
    """Everything that an ApiKeyRepository must hold. Needs the fixture `api_keys`."""

    async def test_keys_every_field(self, api_keys: ApiKeyRepository) -> None:
        """A key comes back as it was stored, by its digest and in its tenant's list."""
        for name, fields in FIELDS.items():
            key = made(fresh_owner(), **fields)
            await api_keys.add(key)
            assert await api_keys.find(key.digest) == key, name
            assert await api_keys.select(key.owner.tenant, None, 10) == [key], name

    async def test_keys_absent(self, api_keys: ApiKeyRepository, owner: Owner) -> None:
        """A key that was not stored is not found by any digest, and can't be revoked."""
        await api_keys.add(made(owner))
        for digest in (b"", bytes(32), digest_of("recuerdo_" + "x" * 43)):
            assert await api_keys.find(digest) is None
        assert await api_keys.revoke(owner.tenant, "absent", NOON) is False

    async def test_keys_of_any_tenant_are_found(self, api_keys: ApiKeyRepository) -> None:
        """The digest alone leads to its own key, in any order of lookups."""
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

    async def test_keys_by_id(self, api_keys: ApiKeyRepository, owner: Owner) -> None:
        """A key is found by its id in its tenant, and in no other."""
        key = made(owner)
        await api_keys.add(key)
        assert await api_keys.get(owner.tenant, key.id) == key
        assert await api_keys.get(fresh_owner().tenant, key.id) is None
        assert await api_keys.get(owner.tenant, "absent") is None

    async def test_keys_rotated(self, api_keys: ApiKeyRepository, owner: Owner) -> None:
        """A new key takes the place of an old one, which names it, and lives on for a while or until its own end."""
        for minutes in (None, 5, 90):
            expires_at = minutes and NOON + minutes * MINUTE
            old, new, other = made(owner, expires_at=expires_at), made(owner, 1, scopes=["read"]), made(owner, 2)
            for key in (old, other):
                await api_keys.add(key)
            assert await api_keys.rotate(old.id, new, NOON + 60 * MINUTE) is True
            ending = NOON + min(minutes or 60, 60) * MINUTE
            assert await api_keys.find(old.digest) == replace(old, replaced_by=new.id, expires_at=ending)
            assert await api_keys.find(new.digest) == new
            assert await api_keys.find(other.digest) == other

    async def test_keys_rotated_once(self, api_keys: ApiKeyRepository, owner: Owner) -> None:
        """Of several who rotate a key at the same time exactly one does, and nothing of the others is stored."""
        old, revoked = made(owner), replace(made(owner), revoked_at=NOON)
        rivals = [made(owner, 1) for _ in range(5)]
        for key in (old, revoked):
            await api_keys.add(key)
        done = await asyncio.gather(*[api_keys.rotate(old.id, each, NOON + MINUTE) for each in rivals])
        assert done.count(True) == 1
        stored = [await api_keys.find(each.digest) for each in rivals]
        assert stored == [each if won else None for each, won in zip(rivals, done, strict=True)]
        assert await api_keys.rotate(revoked.id, made(owner), NOON) is False
        assert await api_keys.rotate("absent", made(owner), NOON) is False
        stranger = made(Owner(fresh_owner().tenant, owner.user))
        assert await api_keys.rotate(rivals[done.index(True)].id, stranger, NOON) is False
        assert len(await api_keys.select(owner.tenant, None, 10)) == 3

    async def test_keys_used(self, api_keys: ApiKeyRepository, owner: Owner) -> None:
        """The latest use of a key is noted, in whichever order uses are reported, and of no other key."""
        key, other = made(owner, 1), made(owner)
        for each in (key, other):
            await api_keys.add(each)
        for minute in (2, 3, 1):
            await api_keys.mark_used(owner.tenant, key.id, NOON + minute * MINUTE)
        await api_keys.mark_used(fresh_owner().tenant, key.id, NOON + 9 * MINUTE)
        await api_keys.mark_used(owner.tenant, "absent", NOON)
        used = replace(key, last_used_at=NOON + 3 * MINUTE)
        assert await api_keys.select(owner.tenant, None, 10) == [used, other]

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


HOUR = timedelta(hours=1)


def begun(owner: Owner, session_id: str | None = None, **fields: Any) -> Session:
    session = Session(
        *(owner.tenant, owner.user, session_id or f"s-{new_id()}", "t-1", "recuerdo"), NOON, NOON + HOUR, new_id()
    )
    return replace(session, **fields)


class SessionContract(AsNewTenant):
    """Everything that a SessionRepository must hold. Needs the fixture `sessions`."""

    async def test_sessions_every_field(self, sessions: SessionRepository, owner: Owner) -> None:
        """A session comes back as it was stored; one that was never stored is not found."""
        session = begun(owner, f"ñ '\" {{}} {new_id()}", thread="t ü", assistant_id="a-1")
        assert await sessions.find(owner.tenant, session.session) is None
        assert await sessions.save(session, None) is True
        assert await sessions.find(owner.tenant, session.session) == session

    async def test_sessions_of_those_who_begin_one_has_it(self, sessions: SessionRepository, owner: Owner) -> None:
        """Of users of a tenant who begin one session at the same time exactly one does."""
        session_id = f"s-{new_id()}"
        rivals = [begun(Owner(owner.tenant, f"u-{number}"), session_id) for number in range(8)]
        stored = await asyncio.gather(*[sessions.save(each, None) for each in rivals])
        assert stored.count(True) == 1
        assert await sessions.find(owner.tenant, session_id) == rivals[stored.index(True)]

    async def test_sessions_of_tenants_never_meet(self, sessions: SessionRepository, owner: Owner) -> None:
        """Each tenant has its own session of an id, also where tenants and ids look alike when they are joined."""
        apart = [begun(owner, "x-1"), begun(fresh_owner(), "x-1"), begun(Owner(f"{owner.tenant}x", "u"), "-1")]
        assert [await sessions.save(each, None) for each in apart] == [True] * 3
        changed = replace(apart[0], thread="t-2", stamp=new_id())
        assert await sessions.save(changed, apart[0]) is True
        assert [await sessions.find(each.tenant, each.session) for each in apart] == [changed, *apart[1:]]

    async def test_sessions_are_replaced_as_they_were_seen(self, sessions: SessionRepository, owner: Owner) -> None:
        """A write that is based on an older session stores nothing."""
        first = begun(owner)
        second, third = replace(first, thread="t-2", stamp=new_id()), replace(first, thread="t-3", stamp=new_id())
        assert await sessions.save(second, first) is False, "there is none"
        await sessions.save(first, None)
        assert await sessions.save(second, first) is True
        assert await sessions.save(third, first) is False
        assert await sessions.find(owner.tenant, first.session) == second

    async def test_sessions_pass_to_another_user(self, sessions: SessionRepository, owner: Owner) -> None:
        """A user's session is replaced by another's, as when it has expired; erasing the first one leaves it."""
        first = begun(owner)
        other = begun(Owner(owner.tenant, "ana"), first.session)
        await sessions.save(first, None)
        assert await sessions.save(other, first) is True
        assert await sessions.erase(owner) == []
        assert await sessions.find(owner.tenant, first.session) == other

    async def test_sessions_erased(self, sessions: SessionRepository, owner: Owner) -> None:
        """All sessions of an owner go, and of no other: neither in the tenant nor of that name elsewhere."""
        mine = [begun(owner) for _ in range(3)]
        others = [begun(Owner(owner.tenant, "ana")), begun(Owner(fresh_owner().tenant, owner.user))]
        for session in (*mine, *others):
            await sessions.save(session, None)
        assert sorted(await sessions.erase(owner)) == sorted(each.session for each in mine)
        assert await sessions.erase(owner) == []
        assert [await sessions.find(each.tenant, each.session) for each in mine] == [None] * 3
        assert [await sessions.find(each.tenant, each.session) for each in others] == others

    async def test_sessions_swept(self, sessions: SessionRepository) -> None:
        """Expired sessions of all owners are removed, a limited number at a time; the others stay."""
        long_ago = NOON - timedelta(days=10_000)  # long before what other tests store
        expired = [begun(fresh_owner(), expires_at=long_ago) for _ in range(3)]
        alive = begun(fresh_owner(), expires_at=long_ago + timedelta(microseconds=1))
        for session in (*expired, alive):
            await sessions.save(session, None)
        assert [await sessions.sweep(long_ago, 2) for _ in range(3)] == [2, 1, 0]
        assert [await sessions.find(each.tenant, each.session) for each in expired] == [None] * 3
        assert await sessions.find(alive.tenant, alive.session) == alive
        assert await sessions.erase(alive.owner) == [alive.session]

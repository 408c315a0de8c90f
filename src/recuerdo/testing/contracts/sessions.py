"""Sessions: whose one is, who may change it, and when it goes."""

import asyncio
from datetime import timedelta
from typing import Any

from msgspec.structs import replace

from recuerdo.core.contexts import Session
from recuerdo.core.identifiers import new_id
from recuerdo.core.ports import SessionRepository
from recuerdo.core.scope import Owner
from recuerdo.testing.clock import NOON
from recuerdo.testing.contracts.tenants import AsNewTenant
from recuerdo.testing.remembered import fresh_owner

HOUR = timedelta(hours=1)


def begun(owner: Owner, session_id: str | None = None, **fields: Any) -> Session:
    session = Session(
        *(owner.tenant, owner.user, session_id or f"s-{new_id()}", "t-1", "recuerdo"), NOON, NOON + HOUR, new_id()
    )
    return replace(session, **fields)


class SessionContract(AsNewTenant):
    """Everything that a SessionRepository must hold. Needs the fixture `sessions`."""

    async def test_sessions_every_field(self, sessions: SessionRepository, owner: Owner) -> None:
        """A session comes back as it was stored; one that nobody stored is not found."""
        session = begun(owner, f"ñ '\" {{}} {new_id()}", thread="t ü", assistant_id="a-1")
        assert await sessions.find(session.session) is None
        assert await sessions.save(session, None) is True
        assert await sessions.find(session.session) == session

    async def test_sessions_of_those_who_begin_one_has_it(self, sessions: SessionRepository) -> None:
        """Of owners of many tenants who begin one session at the same time exactly one does."""
        session_id = f"s-{new_id()}"
        rivals = [begun(fresh_owner(), session_id) for _ in range(8)]
        stored = await asyncio.gather(*[sessions.save(each, None) for each in rivals])
        assert stored.count(True) == 1
        assert await sessions.find(session_id) == rivals[stored.index(True)]

    async def test_sessions_are_replaced_as_they_were_seen(self, sessions: SessionRepository, owner: Owner) -> None:
        """Who has seen an older session stores nothing."""
        first = begun(owner)
        second, third = replace(first, thread="t-2", stamp=new_id()), replace(first, thread="t-3", stamp=new_id())
        assert await sessions.save(second, first) is False, "there is none"
        await sessions.save(first, None)
        assert await sessions.save(second, first) is True
        assert await sessions.save(third, first) is False
        assert await sessions.find(first.session) == second

    async def test_sessions_pass_to_another_tenant(self, sessions: SessionRepository, owner: Owner) -> None:
        """An owner's session is replaced by another's, as when it has expired; erasing the first one leaves it."""
        first = begun(owner)
        other = begun(fresh_owner(), first.session)
        await sessions.save(first, None)
        assert await sessions.save(other, first) is True
        assert await sessions.erase(owner) == []
        assert await sessions.find(first.session) == other

    async def test_sessions_erased(self, sessions: SessionRepository, owner: Owner) -> None:
        """All sessions of an owner go, and of nobody else: neither in the tenant nor of that name elsewhere."""
        mine = [begun(owner) for _ in range(3)]
        others = [begun(Owner(owner.tenant, "ana")), begun(Owner(fresh_owner().tenant, owner.user))]
        for session in (*mine, *others):
            await sessions.save(session, None)
        assert sorted(await sessions.erase(owner)) == sorted(each.session for each in mine)
        assert await sessions.erase(owner) == []
        assert [await sessions.find(each.session) for each in mine] == [None] * 3
        assert [await sessions.find(each.session) for each in others] == others

    async def test_sessions_swept(self, sessions: SessionRepository) -> None:
        """What has expired goes, of all owners and so many at a time; what has not stays."""
        long_ago = NOON - timedelta(days=10_000)  # long before what other tests store
        expired = [begun(fresh_owner(), expires_at=long_ago) for _ in range(3)]
        alive = begun(fresh_owner(), expires_at=long_ago + timedelta(microseconds=1))
        for session in (*expired, alive):
            await sessions.save(session, None)
        assert [await sessions.sweep(long_ago, 2) for _ in range(3)] == [2, 1, 0]
        assert [await sessions.find(each.session) for each in expired] == [None] * 3
        assert await sessions.find(alive.session) == alive
        assert await sessions.erase(alive.owner) == [alive.session]

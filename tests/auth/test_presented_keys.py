"""API keys as they are presented: who is believed, for how long, and what the database's absence changes."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from recuerdo.adapters.local import LocalApiKeys, LocalDatabase
from recuerdo.core.api_keys import PREFIX, issue
from recuerdo.core.errors import DatabaseUnavailable, InvalidInput, Unauthenticated
from recuerdo.core.scope import ANONYMOUS, Owner
from recuerdo.server.auth.authenticator import FRESH_SECONDS, NOTED_SECONDS, STALE_SECONDS, PresentedKeys
from recuerdo.server.requests import Principal

EMI = Owner("acme", "emi")


class Stored(LocalApiKeys):
    """API keys in a database that can go away, and that counts the questions."""

    def __init__(self) -> None:
        super().__init__(LocalDatabase())
        self.down = False
        self.questions = 0

    async def find(self, digest: bytes) -> Any:
        self.questions += 1
        if self.down:
            raise DatabaseUnavailable("The database is away. Try again.")
        return await super().find(digest)


@pytest.fixture
def stored() -> Stored:
    return Stored()


@pytest.fixture
def now() -> list[float]:
    return [1000.0]


@pytest.fixture
def presented(stored: Stored, now: list[float]) -> PresentedKeys:
    return PresentedKeys(stored, clock=lambda: now[0])


async def made(stored: Stored, **fields: Any) -> str:
    issued = issue(EMI, datetime.now(UTC), **fields)
    await stored.add(issued.key)
    return issued.secret


async def test_a_key_acts_as_its_owner_with_its_role_and_tier(stored: Stored, presented: PresentedKeys) -> None:
    assert await presented.read(await made(stored)) == Principal(EMI, "user", None)
    assert await presented.read(await made(stored, role="operator", tier="gold")) == Principal(EMI, "operator", "gold")


@pytest.mark.parametrize("secret", ["", "x", PREFIX, PREFIX + "x" * 43, "é", "ÿ", "x" * 10**6])
async def test_what_is_no_key_is_refused(stored: Stored, presented: PresentedKeys, secret: str) -> None:
    await made(stored)
    with pytest.raises(Unauthenticated):
        await presented.read(secret)


async def test_a_key_is_refused_when_its_time_is_over(stored: Stored, presented: PresentedKeys) -> None:
    secret = await made(stored, expires_at=datetime.now(UTC) - timedelta(seconds=1))
    with pytest.raises(Unauthenticated):
        await presented.read(secret)


async def test_a_revoked_key_is_refused_within_seconds(
    stored: Stored, presented: PresentedKeys, now: list[float]
) -> None:
    secret = await made(stored)
    await presented.read(secret)
    [key] = await stored.select("acme", None, 10)
    await stored.revoke("acme", key.id, datetime.now(UTC))
    now[0] += FRESH_SECONDS
    for _ in range(2):
        with pytest.raises(Unauthenticated):
            await presented.read(secret)


async def test_the_database_is_asked_now_and_then(stored: Stored, presented: PresentedKeys, now: list[float]) -> None:
    secret = await made(stored)
    for _ in range(10):
        await presented.read(secret)
    assert stored.questions == 1
    now[0] += FRESH_SECONDS
    await presented.read(secret)
    assert stored.questions == 2


async def test_a_known_key_is_believed_while_the_database_is_away_but_not_for_ever(
    stored: Stored, presented: PresentedKeys, now: list[float]
) -> None:
    known, unknown = await made(stored), await made(stored)
    await presented.read(known)
    stored.down = True
    now[0] += STALE_SECONDS - 1
    assert (await presented.read(known)).owner == EMI
    with pytest.raises(DatabaseUnavailable):
        await presented.read(unknown)
    now[0] += 1
    with pytest.raises(DatabaseUnavailable):
        await presented.read(known)


def test_a_secret_is_nowhere_in_what_is_stored() -> None:
    issued = issue(EMI, datetime.now(UTC), name="laptop")
    assert issued.secret.startswith(PREFIX)
    assert issued.secret.removeprefix(PREFIX) not in repr(issued.key)
    assert len({issue(EMI, datetime.now(UTC)).secret for _ in range(100)}) == 100


@pytest.mark.parametrize("fields", [{"role": ""}, {"role": "a\nb"}, {"name": "\0"}, {"tier": "x" * 256}])
def test_a_key_with_impossible_fields_is_not_made(fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        issue(EMI, datetime.now(UTC), **fields)


def test_the_anonymous_user_gets_no_key() -> None:
    with pytest.raises(InvalidInput):
        issue(Owner("acme", ANONYMOUS), datetime.now(UTC))


async def test_uses_are_noted_in_the_background_once_a_minute(
    stored: Stored, presented: PresentedKeys, now: list[float]
) -> None:
    """A database that hangs or fails there delays nobody, and refuses nobody."""
    secret, going = await made(stored), asyncio.Event()
    noted: list[datetime] = []

    async def mark_used(tenant: str, key_id: str, at: datetime) -> None:
        await going.wait()
        noted.append(at)
        raise DatabaseUnavailable("The database is away. Try again.")

    stored.mark_used = mark_used
    for _ in range(5):
        assert await presented.read(secret) == Principal(EMI, "user", None)
        now[0] += NOTED_SECONDS / 6
    going.set()
    await asyncio.sleep(0)
    assert len(noted) == 1
    now[0] += NOTED_SECONDS
    await presented.read(secret)
    await asyncio.sleep(0)
    assert len(noted) == 2
    await presented.aclose()

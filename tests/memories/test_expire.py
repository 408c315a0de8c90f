"""Memories whose time has come are not used, and soon gone; a use may put that off."""

from datetime import timedelta

import pytest

from recuerdo.adapters.local import LocalDatabase, LocalMemories
from recuerdo.adapters.sqlite import SqliteDatabase, SqliteMemories
from recuerdo.core.errors import InvalidInput
from recuerdo.core.memories import MemoryQuery, Source
from recuerdo.core.retention import RetentionPolicy
from recuerdo.core.scope import Owner
from recuerdo.memories import Memories
from recuerdo.testing.clock import NOON, FakeClock

EMI, EVA = Owner("acme", "emi"), Owner("acme", "eva")
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture(params=["sqlite", "local"])
async def repository(request, tmp_path):
    if request.param == "local":
        yield LocalMemories(LocalDatabase())
        return
    async with SqliteDatabase.open(tmp_path / "r.db") as database:
        yield SqliteMemories(database)


@pytest.fixture
def clock():
    return FakeClock()


def over(repository, clock, policy=""):
    return Memories(repository, None, clock, policy=RetentionPolicy.parse(policy))


async def texts(memories, owner=EMI):
    return [memory.text for memory in await memories.list(owner)]


@pytest.mark.parametrize("life", [{"ttl": HOUR}, {"expires_at": NOON + HOUR}], ids=["ttl", "expires_at"])
async def test_a_memory_is_used_until_its_time_has_come_and_no_longer(repository, clock, life):
    memories = over(repository, clock)
    await memories.add(EMI, "parked in garage B", **life)
    clock.now = NOON + HOUR - timedelta(seconds=1)
    assert await texts(memories) == ["parked in garage B"]
    clock.now = NOON + HOUR
    assert await texts(memories) == []
    assert await memories.search(EMI, "garage") == []
    assert await memories.recall(EMI, "garage") == []


async def test_a_sweep_leaves_nothing_of_what_expired_and_everything_else(repository, clock):
    memories = over(repository, clock)
    for owner in (EMI, EVA):
        gone = await memories.add(owner, "gone", ttl=HOUR)
        await memories.update(owner, gone.id, text="gone soon")
        await memories.add(owner, "stays")
    clock.now = NOON + 2 * HOUR
    assert await memories.expiry.sweep() == 2
    assert await memories.expiry.sweep() == 0
    for owner in (EMI, EVA):
        assert [each.text for each in await repository.select(owner, MemoryQuery())] == ["stays"]
        told = [entry for change in await memories.history(owner) for entry in change.entries]
        assert {entry.after.text for entry in told} == {"stays"}


async def test_each_kind_has_its_term_and_a_time_of_its_own_goes_before_it(repository, clock):
    memories = over(repository, clock, "episodic=1d, semantic=2d")
    added = {
        "event": await memories.add(EMI, "event", kind="episodic"),
        "fact": await memories.add(EMI, "fact"),
        "how-to": await memories.add(EMI, "how-to", kind="procedural"),
        "short": await memories.add(EMI, "short", ttl=HOUR),
        "for ever": await memories.add(EMI, "for ever", ttl=timedelta(0)),
    }
    lives = {name: memory.expires_at and memory.expires_at - NOON for name, memory in added.items()}
    assert lives == {"event": DAY, "fact": 2 * DAY, "how-to": None, "short": HOUR, "for ever": None}


async def test_what_a_user_states_has_the_term_of_its_kind_or_the_one_given(repository, clock):
    memories = over(repository, clock, "semantic=2d")
    [fact] = await memories.remember(EMI, "me llamo Emiliano")
    [other] = await memories.remember(EVA, "me llamo Eva", Source(), ttl=HOUR)
    assert (fact.expires_at, other.expires_at) == (NOON + 2 * DAY, NOON + HOUR)


async def test_a_use_puts_the_expiry_off_where_the_term_says_so(repository, clock):
    for policy, left in (("semantic=1d/use", ["green tea"]), ("semantic=1d", [])):
        await repository.erase(EMI)
        clock.now = NOON
        memories = over(repository, clock, policy)
        await memories.add(EMI, "green tea")
        clock.now = NOON + timedelta(hours=20)
        assert await memories.search(EMI, "tea")
        await memories.flush()
        clock.now = NOON + timedelta(hours=30)
        await memories.expiry.sweep()
        assert await texts(memories) == left


async def test_a_change_can_be_undone_behind_a_use(repository, clock):
    """Putting an expiry off is no change of the memory."""
    memories = over(repository, clock, "semantic=1d/use")
    memory = await memories.add(EMI, "green tea")
    await memories.update(EMI, memory.id, text="black tea")
    clock.now = NOON + timedelta(hours=20)
    await memories.recall(EMI, "tea")
    await memories.flush()
    await memories.undo(EMI)
    assert await texts(memories) == ["green tea"]


async def test_a_new_time_to_live_begins_at_the_update(repository, clock):
    memories = over(repository, clock)
    memory = await memories.add(EMI, "tea", ttl=HOUR)
    clock.now = NOON + timedelta(minutes=30)
    assert (await memories.update(EMI, memory.id, ttl=HOUR)).expires_at == NOON + timedelta(minutes=90)
    assert (await memories.update(EMI, memory.id, text="mate")).expires_at == NOON + timedelta(minutes=90)
    assert (await memories.update(EMI, memory.id, ttl=timedelta(0))).expires_at is None


@pytest.mark.parametrize(
    "life",
    [
        {"ttl": -HOUR},
        {"ttl": timedelta.max},
        {"expires_at": NOON},
        {"expires_at": (NOON + HOUR).replace(tzinfo=None)},
        {"ttl": HOUR, "expires_at": NOON + HOUR},
    ],
    ids=["negative", "too long", "over", "naive", "both"],
)
async def test_a_time_that_can_not_be_is_refused_and_named(repository, clock, life):
    with pytest.raises(InvalidInput) as refused:
        await over(repository, clock).add(EMI, "tea", **life)
    assert refused.value.field in life


async def test_what_was_made_before_there_was_a_term_is_retired_by_it(repository, clock):
    memories = over(repository, clock)
    policy = RetentionPolicy.parse("episodic=1d")
    for text in ("old", "old and changed"):
        await memories.add(EMI, text, kind="episodic")
    await memories.add(EMI, "a fact")
    clock.now = NOON + 2 * DAY
    changed = next(each for each in await memories.list(EMI) if each.text == "old and changed")
    await memories.update(EMI, changed.id, text="new")
    assert await memories.expiry.retire(EMI, policy, dry_run=True) == 1
    assert len(await texts(memories)) == 3
    assert await memories.expiry.retire(EMI, policy) == 1
    assert sorted(await texts(memories)) == ["a fact", "new"]


async def test_a_pinned_memory_is_kept_for_ever_unless_the_same_call_gives_it_a_time(repository, clock):
    memories = over(repository, clock, "episodic=1d")
    for text in ("pinned", "pinned for an hour", "not pinned"):
        await memories.add(EMI, text, kind="episodic")
    ids = {each.text: each.id for each in await memories.list(EMI)}
    await memories.update(EMI, ids["pinned"], pinned=True)
    await memories.update(EMI, ids["pinned for an hour"], pinned=True, ttl=HOUR)
    clock.now = NOON + 2 * DAY
    await memories.expiry.sweep()
    assert await memories.expiry.retire(EMI, RetentionPolicy.parse("episodic=1d")) == 0
    assert await texts(memories) == ["pinned"]


async def test_what_replaces_a_pinned_memory_is_kept_as_long_unless_it_has_a_time_of_its_own(repository, clock):
    memories = over(repository, clock, "semantic=1d")
    lima = await memories.add(EMI, "Vivo en Lima")
    await memories.update(EMI, lima.id, pinned=True)
    [cusco] = await memories.remember(EMI, "Me mudé a Cusco")
    assert (cusco.pinned, cusco.expires_at) == (True, None)
    puno = await memories.add(EMI, "Vivo en Puno", ttl=HOUR)
    assert (puno.pinned, puno.expires_at) == (True, NOON + HOUR)


@pytest.mark.parametrize(
    "text", ["threads", "threads=1y", "audit=29d", "audit=365d/use", "cats=3d", "semantic=", "semantic=3d/uses"]
)
def test_a_policy_that_can_not_be_read_is_refused(text):
    with pytest.raises(InvalidInput):
        RetentionPolicy.parse(text)

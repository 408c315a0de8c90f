"""The whole contract of a MemoryRepository: what is kept, who writes, and what expires."""

import asyncio
import unicodedata
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from msgspec.structs import replace

from recuerdo.core.errors import InvalidInput
from recuerdo.core.memories import (
    Action,
    Ending,
    LedgerState,
    Memory,
    MemoryChange,
    MemoryEntry,
    MemoryQuery,
    Review,
    Source,
)
from recuerdo.core.ports import MemoryRepository
from recuerdo.core.scope import Owner, TenantOwner
from recuerdo.testing.clock import NOON
from recuerdo.testing.contracts import AsNewTenant
from recuerdo.testing.samples import drop, fresh_owner, keep, remembered, vector, vectors

MINUTE = timedelta(minutes=1)
FIELDS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "a fact": {"kind": "semantic", "attribute": "employer", "value": "Data Oilers"},
    "an event": {"kind": "episodic", "trust": 0.1},
    "a source": {"source": Source("t-1", 7, "assistant", "detectors")},
    "odd numbers": {"trust": 0.30000000000000004},
    "another time zone": {"created_at": datetime(2026, 11, 21, 9, 0, 0, 1, timezone(timedelta(hours=-3)))},
    "changed later": {"updated_at": NOON + timedelta(microseconds=123456)},
    "a long text": {"text": "ñ" * 100_000},
    "signs": {"text": "'; DROP TABLE memories; -- \" \\ %s {} 👩‍👩‍👧", "value": "\"'\\"},
    "an empty value": {"value": ""},
    "a long id": {"id": "😀" * 255},
}
OWNERS: dict[str, tuple[tuple[str, str], tuple[str, str]]] = {
    "users": (("a", "u"), ("a", "v")),
    "tenants": (("a", "u"), ("b", "u")),
    "colon": (("a:b", "c"), ("a", "b:c")),
    "case": (("a", "u"), ("a", "U")),
    "accent": (("a", "jose"), ("a", "josé")),
    "unicode form": (("a", unicodedata.normalize("NFC", "é")), ("a", unicodedata.normalize("NFD", "é"))),
    "trailing space": (("a", "u"), ("a", "u ")),
}


class StoreContract(AsNewTenant):
    """The rules for `get`, `get_many`, `select` and `embed` as memories are saved, changed and deleted."""

    @pytest.fixture
    def pairs(self) -> list[tuple[Owner, Owner]]:
        return [_in_new_tenants(*names) for names in OWNERS.values()]

    async def test_store_every_field(self, memories: MemoryRepository) -> None:
        """A memory comes back as it was saved, from `get`, from `get_many` and from `select`."""
        for name, fields in FIELDS.items():
            owner = fresh_owner()
            memory = remembered(owner, **fields)
            await keep(memories, memory, vector(1, 0))
            assert await memories.get(owner, memory.id) == memory, name
            assert await memories.select(owner, MemoryQuery()) == [memory], name
            assert await memories.get_many(owner, [memory.id]) == [(memory, vector(1, 0))], name

    async def test_store_absent(self, memories: MemoryRepository, owner: Owner) -> None:
        """An owner without memories has none: nothing to get, to list or to embed."""
        assert await memories.get(owner, "m-1") is None
        assert await memories.select(owner, MemoryQuery()) == []
        assert await memories.list_with_vectors(owner, 5) == []
        assert await memories.embed(remembered(owner), vector(1, 0)) is False

    async def test_store_replacing(self, memories: MemoryRepository, owner: Owner) -> None:
        """To save an id again replaces the memory whole."""
        old = remembered(owner, "lives in Lima", id="m-1", attribute="city", value="Lima")
        new = remembered(owner, "vive en Quito", id="m-1", kind="episodic", at=NOON + MINUTE)
        await keep(memories, old)
        await keep(memories, new)
        assert await memories.select(owner, MemoryQuery()) == [new]

    async def test_store_deleting(self, memories: MemoryRepository, owner: Owner) -> None:
        """A deleted memory is gone from everywhere, and the others stay."""
        gone, stays = remembered(owner, "likes tea"), remembered(owner, "likes coffee")
        for memory in (gone, stays):
            await keep(memories, memory, vector(1, 0))
        await drop(memories, gone)
        assert await memories.get(owner, gone.id) is None
        assert await memories.select(owner, MemoryQuery()) == [stays]
        assert await vectors(memories, owner) == {stays.id: vector(1, 0)}

    async def test_store_a_deleted_id_is_free(self, memories: MemoryRepository, owner: Owner) -> None:
        """The id of a deleted memory can be saved again, without its old vector."""
        old, new = (remembered(owner, "the same text", id="m-1", at=NOON + age * MINUTE) for age in range(2))
        await keep(memories, old, vector(1, 0))
        await drop(memories, old)
        await keep(memories, new)
        assert await memories.get_many(owner, ["m-1"]) == [(new, None)]

    async def test_store_the_latest_first(self, memories: MemoryRepository, owner: Owner) -> None:
        """Memories come by their creation, the latest first, whenever they were saved or changed."""
        for minute in (1, 3, 2):
            at = NOON + minute * MINUTE
            await keep(memories, remembered(owner, str(minute), at=at, updated_at=NOON - minute * MINUTE))
        assert [memory.text for memory in await memories.select(owner, MemoryQuery())] == ["3", "2", "1"]

    async def test_store_ties(self, memories: MemoryRepository, owner: Owner) -> None:
        """Memories of the same moment come by their ids, in the order of code points."""
        ids = ["b", "a", "B", "é", "😀", "\uffee"]
        for memory_id in ids:
            await keep(memories, remembered(owner, id=memory_id))
        assert [memory.id for memory in await memories.select(owner, MemoryQuery())] == sorted(ids)

    async def test_store_pages(self, memories: MemoryRepository, owner: Owner) -> None:
        """Page by page, each after the last one's end, every memory comes exactly once."""
        for number in range(6):
            await keep(memories, remembered(owner, id=f"m-{number}", at=NOON - number // 2 * MINUTE))
        for limit in (1, 2, 6, 7):
            ids: list[str] = []
            while page := await memories.select(owner, MemoryQuery(limit=limit, before=ids[-1] if ids else None)):
                assert len(page) <= limit
                assert len(ids) < 20, "the pages never end"
                ids += [memory.id for memory in page]
            assert ids == [f"m-{number}" for number in range(6)], limit

    async def test_store_filters(self, memories: MemoryRepository, owner: Owner) -> None:
        """Kind and attribute narrow a list, each alone and both together; limit and place hold among the matches."""
        kinds: list[dict[str, Any]] = [
            {"id": "1", "kind": "semantic", "attribute": "city"},
            {"id": "2", "kind": "episodic", "attribute": "city"},
            {"id": "3", "kind": "semantic", "attribute": "name"},
            {"id": "4", "kind": "semantic"},
            {"id": "5", "kind": "semantic", "attribute": "city"},
        ]
        for fields in kinds:
            await keep(memories, remembered(owner, **fields))

        async def ids(**query: Any) -> str:
            return "".join([memory.id for memory in await memories.select(owner, MemoryQuery(**query))])

        assert await ids(kind="semantic") == "1345"
        assert await ids(attribute="city") == "125"
        assert await ids(kind="semantic", attribute="city") == "15"
        assert await ids(kind="summary") == ""
        assert await ids(attribute="city", limit=2) == "12"
        assert await ids(attribute="name", limit=1) == "3"
        assert await ids(attribute="city", before="2") == "5"
        assert await ids(attribute="city", before="4") == "5"
        assert await ids(attribute="city", skip=1) == "25"
        assert await ids(attribute="city", skip=1, before="1", limit=1) == "5"
        assert await ids(skip=5) == ""

    async def test_store_an_unknown_place(self, memories: MemoryRepository, owner: Owner) -> None:
        """A place that the owner does not have, or that is another owner's, is InvalidInput of the field `before`."""
        stranger = fresh_owner()
        await keep(memories, remembered(owner))
        await keep(memories, remembered(stranger, id="theirs"))
        for before in ("absent", "theirs"):
            with pytest.raises(InvalidInput) as raised:
                await memories.select(owner, MemoryQuery(before=before))
            assert raised.value.field == "before"

    async def test_store_another_models_vector(self, memories: MemoryRepository, owner: Owner) -> None:
        """A vector takes the place of another model's, whatever its size."""
        memory = remembered(owner)
        await keep(memories, memory, vector(1, 0, 0, model="model-0"))
        assert await memories.embed(memory, vector(1, 0)) is True
        assert await vectors(memories, owner) == {memory.id: vector(1, 0)}

    async def test_store_another_owner(self, memories: MemoryRepository, pairs: list[tuple[Owner, Owner]]) -> None:
        """One owner's memories are nothing to another: not to get, to list or to embed."""
        for one, other in pairs:
            secret = remembered(one, "likes tea", id="m-1")
            await keep(memories, secret, vector(1, 0))
            assert await memories.get(other, "m-1") is None, one
            assert await memories.select(other, MemoryQuery()) == [], one
            assert await memories.list_with_vectors(other, 5) == [], one
            assert await memories.get_many(other, ["m-1"]) == [], one
            assert await memories.embed(replace(secret, owner=other), vector(0, 1)) is False, one
            assert await memories.get_many(one, ["m-1"]) == [(secret, vector(1, 0))], one

    async def test_store_the_same_id_of_another_owner(
        self, memories: MemoryRepository, pairs: list[tuple[Owner, Owner]]
    ) -> None:
        """Two owners may have memories with the same id, and each saves and deletes its own."""
        for pair in pairs:
            one, other = [remembered(owner, f"{index}", id="m-1") for index, owner in enumerate(pair)]
            for memory in (one, other):
                await keep(memories, memory, vector(1, 0))
            assert await memories.get(pair[0], "m-1") == one, pair
            assert await memories.get(pair[1], "m-1") == other, pair
            await drop(memories, one)
            assert await memories.get(pair[1], "m-1") == other, pair


def _in_new_tenants(one: tuple[str, str], other: tuple[str, str]) -> tuple[Owner, Owner]:
    run = fresh_owner().tenant
    return Owner(f"{run}-{one[0]}", one[1]), Owner(f"{run}-{other[0]}", other[1])


class ProfileContract(AsNewTenant):
    """The rules for `latest`."""

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
        """No other owner's memories come, and none when no attribute is asked for."""
        await keep(memories, remembered(fresh_owner(), "foreign", attribute="name"))
        await keep(memories, remembered(Owner(owner.tenant, "other"), "other", attribute="name"))
        await keep(memories, remembered(owner, "mine", attribute="city"))
        assert await memories.latest(owner, ["name"]) == []
        assert await memories.latest(owner, []) == []


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
    """Where the memories stand after the change, with which no other writer interfered."""
    state = await memories.apply(owner, change, await memories.state(owner))
    assert state is not None
    return state


class LedgerContract(AsNewTenant):
    """The rules for `state`, `apply`, `changes` and `erase`."""

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
        """A memory's times and status come back as they were saved, from the changes too."""
        memory = remembered(
            owner,
            status="rejected",
            review=Review("eva", NOON + HOUR, "no"),
            valid_from=NOON - HOUR,
            valid_until=NOON,
            ending=Ending("superseded", "m-2"),
            expires_at=NOON + timedelta(microseconds=1),
            refresh=60,
            pinned=True,
        )
        await made(memories, owner, changed((None, memory)))
        assert await memories.get(owner, memory.id) == memory
        assert (await memories.changes(owner, 5))[0].entries == [MemoryEntry(None, memory)]

    async def test_ledger_filters(self, memories: MemoryRepository, owner: Owner) -> None:
        """Status, thread and pin narrow a list."""
        for memory_id, status in {"1": "proposed", "2": "approved"}.items():
            memory = remembered(owner, id=memory_id, status=status, pinned=memory_id == "1")
            await keep(memories, replace(memory, source=replace(memory.source, thread=f't-"{memory_id}')))
        assert [each.id for each in await memories.select(owner, MemoryQuery(status="proposed"))] == ["1"]
        assert [each.id for each in await memories.select(owner, MemoryQuery(thread='t-"2'))] == ["2"]
        assert await memories.select(owner, MemoryQuery(thread="t-")) == []
        assert [each.id for each in await memories.select(owner, MemoryQuery(pinned=True))] == ["1"]
        assert [each.id for each in await memories.select(owner, MemoryQuery(pinned=False))] == ["2"]

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
        """A change that is based on an older state is refused as a whole."""
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
        """Deleted memories leave the changes, too; the other memories of those changes stay in them."""
        gone, stays = remembered(owner, "gone"), remembered(owner, "stays")
        await made(memories, owner, changed((None, gone), (None, stays)))
        await made(memories, owner, changed((gone, None), action="deleted"))
        assert await memories.get(owner, gone.id) is None
        entries = [entry for change in await memories.changes(owner, 5) for entry in change.entries]
        assert entries == [MemoryEntry(None, stays)]

    async def test_ledger_erasing(self, memories: MemoryRepository, owner: Owner) -> None:
        """An erasure leaves nothing, a writer that looked before is refused, and others' memories stay."""
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
        """A change that is based on the state before an erasure is refused, even if the erasure found nothing."""
        before = await memories.state(owner)
        assert await memories.erase(owner) == 0
        assert await memories.apply(owner, changed((None, remembered(owner))), before) is None

    async def test_ledger_time_of_erasure(self, memories: MemoryRepository, owner: Owner) -> None:
        """How long ago an owner was erased last is known, whatever was changed since, and of several owners at once."""
        other, never = fresh_owner(), fresh_owner()
        assert await memories.erased([]) == {}
        await made(memories, owner, changed((None, remembered(owner))))
        assert await memories.erased([owner]) == {}
        await memories.erase(owner)
        await memories.erase(other)
        await asyncio.sleep(0.05)
        await memories.erase(owner)
        await made(memories, owner, changed((None, remembered(owner))))
        ages = await memories.erased([owner, never, other])
        assert set(ages) == {owner, other}
        assert timedelta(0) <= ages[owner] < ages[other] - timedelta(seconds=0.03)
        assert ages[other] < MINUTE


MANY = 10_000


class HoldingsContract(AsNewTenant):
    """The rules for `owners`, `expired`, `postpone`, `list_with_vectors` and `get_many`."""

    async def test_holdings_owners(self, memories: MemoryRepository, owner: Owner) -> None:
        """Each owner with memories comes once, the tenant itself first, page by page, without other tenants."""
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
        """Expired memories of every tenant and status are listed, and none before it has expired."""
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


class MemoryContract(StoreContract, ProfileContract, LedgerContract, HoldingsContract):
    """Everything that a MemoryRepository must hold. Needs the fixture `memories`."""

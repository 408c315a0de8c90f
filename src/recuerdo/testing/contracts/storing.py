"""Memories: saving, reading, listing, deleting, and whose they are."""

import unicodedata
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from msgspec.structs import replace

from recuerdo.core.errors import InvalidInput
from recuerdo.core.memories import MemoryQuery, Source
from recuerdo.core.ports import MemoryRepository
from recuerdo.core.scope import Owner
from recuerdo.testing.clock import NOON
from recuerdo.testing.contracts.tenants import AsNewTenant
from recuerdo.testing.remembered import drop, fresh_owner, keep, remembered, vector, vectors

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
    """What `get`, `get_many`, `select` and `embed` must hold of memories that come, change and go."""

    @pytest.fixture(params=OWNERS.values(), ids=list(OWNERS))
    def pair(self, request: pytest.FixtureRequest) -> tuple[Owner, Owner]:
        run = fresh_owner().tenant
        names: tuple[tuple[str, str], tuple[str, str]] = request.param
        one, other = [Owner(f"{run}-{tenant}", user) for tenant, user in names]
        return one, other

    @pytest.mark.parametrize("fields", FIELDS.values(), ids=FIELDS)
    async def test_store_every_field(self, memories: MemoryRepository, owner: Owner, fields: dict[str, Any]) -> None:
        """A memory comes back as it was saved, from `get`, from `get_many` and from `select`."""
        memory = remembered(owner, **fields)
        await keep(memories, memory, vector(1, 0))
        assert await memories.get(owner, memory.id) == memory
        assert await memories.select(owner, MemoryQuery()) == [memory]
        assert await memories.get_many(owner, [memory.id]) == [(memory, vector(1, 0))]

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

    @pytest.mark.parametrize("limit", [1, 2, 6, 7])
    async def test_store_pages(self, memories: MemoryRepository, owner: Owner, limit: int) -> None:
        """Page by page, each behind the last one's end, every memory comes exactly once."""
        for number in range(6):
            await keep(memories, remembered(owner, id=f"m-{number}", at=NOON - number // 2 * MINUTE))
        ids: list[str] = []
        while page := await memories.select(owner, MemoryQuery(limit=limit, before=ids[-1] if ids else None)):
            assert len(page) <= limit
            assert len(ids) < 20, "the pages never end"
            ids += [memory.id for memory in page]
        assert ids == [f"m-{number}" for number in range(6)]

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

    async def test_store_another_owner(self, memories: MemoryRepository, pair: tuple[Owner, Owner]) -> None:
        """One owner's memories are nothing to another: not to get, to list or to embed."""
        one, other = pair
        secret = remembered(one, "likes tea", id="m-1")
        await keep(memories, secret, vector(1, 0))
        assert await memories.get(other, "m-1") is None
        assert await memories.select(other, MemoryQuery()) == []
        assert await memories.list_with_vectors(other, 5) == []
        assert await memories.get_many(other, ["m-1"]) == []
        assert await memories.embed(replace(secret, owner=other), vector(0, 1)) is False
        assert await memories.get_many(one, ["m-1"]) == [(secret, vector(1, 0))]

    async def test_store_the_same_id_of_another_owner(
        self, memories: MemoryRepository, pair: tuple[Owner, Owner]
    ) -> None:
        """Two owners may have memories with the same id, and each saves and deletes its own."""
        one, other = [remembered(owner, f"{index}", id="m-1") for index, owner in enumerate(pair)]
        for memory in (one, other):
            await keep(memories, memory, vector(1, 0))
        assert await memories.get(pair[0], "m-1") == one
        assert await memories.get(pair[1], "m-1") == other
        await drop(memories, one)
        assert await memories.get(pair[1], "m-1") == other

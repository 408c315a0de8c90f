"""An index that grew, and was searched in between, is as good as one that is made at once."""

from datetime import UTC, datetime, timedelta
from zlib import crc32

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recuerdo.core.passages import MessagePlace
from recuerdo.searching.index import Index
from recuerdo.searching.passages import Passage
from recuerdo.searching.recipe import SearchQuery, asked_words, signs_of

DIMS = 8
NOON = datetime(2026, 5, 7, 12, tzinfo=UTC)
ASKED = "where did Ana take the train on May 8?"

texts = st.lists(st.sampled_from(["Ana", "train", "trains", "puppy", "soup", "May", "!!!"]), min_size=1, max_size=4)
times = st.sampled_from([1, 1, 1, 101])
said = st.tuples(
    st.sampled_from("abc"),
    st.builds(lambda words, times: ". ".join(words * times), texts, times),
    st.sampled_from([1, 500]),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["", "now", "later"]),
)
steps = st.lists(st.lists(said, min_size=1, max_size=5), min_size=1, max_size=8)


def vector(of):
    row = np.random.default_rng(crc32(repr(of).encode())).normal(size=DIMS).astype("<f4")
    return row / np.linalg.norm(row)


def learn_words(index):
    words = index.vocabulary.without_vectors
    if words:
        index.vocabulary.learn(np.stack([vector(word) for word in words]))


def passages_of(steps):
    """Each with its step, whether it has a vector, and when it is archived: with its step, or at the end."""
    seqs, now = dict.fromkeys("abc", 0), NOON
    for number, step in enumerate(steps):
        for thread, text, minutes, by_person, has_vector, archived in step:
            seqs[thread] += 1
            now += timedelta(minutes=minutes)
            passage = Passage(MessagePlace(thread, 1, seqs[thread]), "Ana", text, now, by_person)
            yield number, passage, has_vector, archived


def filled(made, *, searched_in_between):
    index, hidden, before = Index(), set(), 0
    for step, passage, has_vector, archived in made:
        if searched_in_between and step != before:
            index.hide(set(hidden))
            learn_words(index)
            signs(index)
            before = step
        index.add(passage)
        if has_vector:
            rows = [vector((passage.place, line)) for line in passage.lines]
            index.vectors.put({len(index) - 1: np.stack(rows)})
        if archived == "now":
            hidden.add(passage.place)
    index.hide({passage.place for _, passage, _, archived in made if archived})
    learn_words(index)
    return index


def signs(index):
    words = [vector(word).tobytes() for word in asked_words(ASKED)]
    return signs_of(index, SearchQuery(ASKED, vector(ASKED).tobytes(), words))


@given(steps)
def test_searching_in_between_changes_nothing(steps):
    """Whatever came, got its vector or was archived since the last search is seen by the next one."""
    made = list(passages_of(steps))
    grown, at_once = (signs(filled(made, searched_in_between=between)) for between in (True, False))
    assert grown.keys() == at_once.keys()
    for name, strengths in at_once.items():
        np.testing.assert_allclose(grown[name], strengths, atol=1e-5, err_msg=name)


@given(steps, st.sampled_from("abc"))
def test_what_is_kept_is_as_if_nothing_else_had_been_there(steps, gone):
    """A thread that is erased leaves nothing behind, in numbers or in weights."""
    made = list(passages_of(steps))
    index = filled(made, searched_in_between=True)
    kept = index.keeping([number for number, place in enumerate(index.places) if place.thread != gone])
    fresh = filled([each for each in made if each[1].place.thread != gone], searched_in_between=False)
    if not len(fresh):
        assert not len(kept)
        return
    found, wanted = signs(kept), signs(fresh)
    assert found.keys() == wanted.keys()
    for name, strengths in wanted.items():
        np.testing.assert_allclose(found[name], strengths, atol=1e-5, err_msg=name)

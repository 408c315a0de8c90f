"""Single signals of the recipe, over passages with vectors of their own."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from recuerdo.core.passages import MessagePlace
from recuerdo.searching.index import Index
from recuerdo.searching.passages import Passage
from recuerdo.searching.recipe import SearchQuery, search, signs_of

NOON = datetime(2026, 5, 7, 12, tzinfo=UTC)
SAID = ["a puppy", "soup", "!!!", "train", "train", "train", "train", "soup"]
DIMS = 64
DOG = np.eye(1, DIMS, dtype="<f4")


def vectors(words):
    """Each word means something of its own, except that a puppy is nearly a dog."""
    rows = np.eye(len(words), DIMS, 1, dtype="<f4")
    if "puppy" in words:
        rows[words.index("puppy"), 0] = 2
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.fixture
def index():
    made = Index()
    for seq, text in enumerate(SAID, 1):
        made.add(Passage(MessagePlace("t", 1, seq), "", text, NOON + timedelta(days=30 * (seq > 4))))
    made.vocabulary.learn(vectors(made.vocabulary.words))
    return made


def nearest(index):
    return signs_of(index, SearchQuery("dog", word_vectors=[DOG.tobytes()]))["nearest"]


def test_the_nearest_word_of_a_passage_counts_and_less_that_of_its_neighbours(index):
    """Nobody said dog: a puppy comes nearest, then what was said beside it, wordless or not; no other sitting does."""
    near = nearest(index)
    assert near[0] > near[1] > near[2] > near[3]
    assert near[3] > near[4] == near[5] == near[6]


def test_what_is_archived_lends_its_words_to_nobody(index):
    """Its neighbours are no nearer for it."""
    index.hide({MessagePlace("t", 1, 1)})
    assert nearest(index)[1] == pytest.approx(nearest(index)[7])


def test_words_without_vectors_are_near_to_nothing(index):
    """Messages that were appended since the last vectors were made are found by their letters until the next are."""
    index.add(Passage(MessagePlace("t", 1, 9), "", "kennel", NOON + timedelta(days=90)))
    near = nearest(index)
    assert near[8] == near.min()


def test_a_date_in_the_query_prefers_what_was_said_near_it(index):
    """Of the same words those come first that were said days before it or behind, though no word names their day."""
    found = [each.number for each in search(index, SearchQuery("the train of 2026-06-02"), 3)]
    assert sorted(found) == [4, 5, 6]
    assert search(index, SearchQuery("the train of 2026-05-09"), 1)[0].number == 3

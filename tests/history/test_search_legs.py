"""Each leg of the recipe on its own: what it prefers, and nothing else."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from recuerdo.core.passages import MessagePlace
from recuerdo.searching.index import Index
from recuerdo.searching.passages import LONG, LONGEST, Passage, parts_of
from recuerdo.searching.recipe import WEIGHTS, SearchQuery, search, signs_of
from recuerdo.searching.vectors import kept, parts_kept

NOON = datetime(2026, 5, 7, 12, tzinfo=UTC)
DIMS = 16
DOG = np.eye(1, DIMS, dtype="<f4")
SOUP = np.eye(1, DIMS, 1, dtype="<f4")
LONG_SOUP = "I would cook a soup. " * 40
LONG_TRAIN = "Trains are quick. " * 50


def index_of(*said):
    """Passages of one thread, a minute after each other: a text, or a text and what is different about it."""
    index, now = Index(), NOON
    for seq, each in enumerate(said, 1):
        text, more = each if isinstance(each, tuple) else (each, {})
        now += more.get("after", timedelta(minutes=1))
        index.add(Passage(MessagePlace("t", 1, seq), more.get("author", ""), text, now, more.get("by_person", True)))
    index.vocabulary.learn(np.concatenate([_vector_of(word) for word in index.vocabulary.words]))
    return index


def _vector_of(word):
    """A puppy is nearly a dog; all other words mean something of their own."""
    if word in ("dog", "puppy"):
        return DOG
    row = np.random.default_rng(len(word) + ord(word[0])).normal(size=(1, DIMS)).astype("<f4")
    return row / np.linalg.norm(row)


def asked(text, vector=None):
    words = [_vector_of(text).tobytes()] if text == "dog" else []
    return SearchQuery(text, vector, words)


BY_ASSISTANT = {"by_person": False}
PAUSE = {"after": timedelta(days=1)}

LEGS = {
    "grams": (["soup", "the barbecue"], "barbequeue"),
    "meanings": (["soup", "a puppy", ("rice", PAUSE)], "dog"),
    "nearest": (["soup", "a puppy", ("rice", PAUSE)], "dog"),
    "best_of_talk": ([*["train"] * 2, ("rice", PAUSE), "train"], "rice"),
    "reply": ([(LONG_TRAIN, BY_ASSISTANT), "What can I cook?", (LONG_SOUP, BY_ASSISTANT)], "a soup"),
    "said_then": (["train", ("train", {"after": timedelta(days=25)})], "in June 2026"),
    "tells_when": (["a train", "a train since yesterday"], "when?"),
    "is_author": ([("train", {"author": "Ana"}), ("train", {"author": "Luis"})], "Luis"),
    "answers": (["Where to?", "Lima"], "x"),
    "by_assistant": ([("train", BY_ASSISTANT), "train"], "x"),
    "long": (["train", LONG_TRAIN], "x"),
    "long.wealth": (["train", LONG_TRAIN, "rice"], "x"),
    "alone.wealth": ([LONG_TRAIN, "train", LONG_SOUP], "x"),
    "alone.asks": ([LONG_TRAIN, "really? yes", LONG_SOUP], "x"),
    "alone.speaks_of_self": ([LONG_TRAIN, "I cook", LONG_SOUP], "x"),
    "talk.wealth": (["train", "rice with beans", "train"], "x"),
    "talk.is_question": (["rice", "train?"], "x"),
    "talk.asks": (["rice", "train? yes"], "x"),
    "talk.speaks_of_self": (["rice", "my train"], "x"),
    "talk.speaks_to_other": (["rice", "your train"], "x"),
    "talk.has_number": (["rice", "train 7"], "x"),
    "talk.has_name": (["the rice", "the train, Ana"], "x"),
}
"""Of each leg passages of which the second fits best, and a query. Vectors have tests of their own."""


def test_every_leg_has_a_test():
    assert LEGS.keys() | {"vectors"} == WEIGHTS.keys()


@pytest.mark.parametrize("leg", LEGS)
def test_a_leg_prefers_what_it_is_for(leg):
    said, query = LEGS[leg]
    strengths = signs_of(index_of(*said), asked(query))[leg]
    best = 3 if leg == "best_of_talk" else 1
    if leg == "by_assistant":  # the others say what to prefer, this one what not to
        strengths = -1.0 * strengths
    assert strengths[best] > max(np.delete(strengths, [best, 2] if leg == "best_of_talk" else best))


def test_vectors_prefer_what_means_the_same_and_of_a_long_passage_its_nearest_part():
    """One sentence of many is enough."""
    index = index_of("train", ("rice", PAUSE), (LONG_TRAIN, PAUSE))
    parts = len(parts_of(LONG_TRAIN))
    rows = np.repeat(DOG, parts, 0)
    rows[-1] = SOUP
    index.vectors.put({0: DOG, 1: DOG, 2: rows})
    strengths = signs_of(index, asked("x", SOUP.tobytes()))["vectors"]
    assert strengths[2] > strengths[0] == strengths[1]


def test_vectors_count_less_where_the_words_are_found():
    """A question in the words that were said wants the messages with these words."""
    index = index_of("train", ("rice", PAUSE))
    index.vectors.put({0: DOG, 1: SOUP})
    known, unknown = (signs_of(index, asked(text, SOUP.tobytes()))["vectors"] for text in ("train", "bicycle"))
    assert 0 < known[1] < unknown[1]


def test_a_persons_statement_comes_before_the_long_answers_that_repeat_it():
    """Between a person and an assistant the person's words are the evidence."""
    exchanges = [
        each
        for topic in ("soups", "gardens", "bicycles", "violins")
        for each in (
            f"I plan to buy {topic} for 40 euros",
            (f"Great that you buy {topic}! " + f"About {topic} for 40 euros there is much to say. " * 20, BY_ASSISTANT),
        )
    ]
    found = search(
        index_of(*exchanges),
        asked("how much are the gardens"),
        2,
    )
    assert found[0].number == 2


def test_a_long_passage_speaks_for_itself_only():
    """It lends its words to nobody, and what stands around it lends it none."""
    index = index_of("Lima", LONG_TRAIN, "Quito")
    assert signs_of(index, asked("trains"))["meanings"][[0, 2]].tolist() == [0, 0]
    assert signs_of(index, asked("Lima"))["meanings"][1:].tolist() == [0, 0]


@pytest.mark.parametrize(
    "text", ["word " * 1000, "x" * LONGEST, "." * LONGEST, "One. Two! Three? " * 200, "line\n" * 900]
)
def test_parts_hold_the_whole_text_and_none_is_longer_than_a_short_passage(text):
    parts = parts_of(text[:LONGEST])
    assert max(map(len, parts)) <= LONG
    assert "".join("".join(parts).split()) == "".join(text[:LONGEST].split())


def test_vectors_are_kept_part_by_part():
    rows = np.concatenate([DOG, SOUP])
    assert parts_kept(kept(rows)).tolist() == rows.tolist()

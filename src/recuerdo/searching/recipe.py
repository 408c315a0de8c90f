"""The recipe: the signals of a match and their weights, for all databases.

The weights were chosen on seven of LoCoMo's ten conversations. docs/explanation/search.md describes the experiments and
what each signal contributes.
"""

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from recuerdo.core.words import words_of
from recuerdo.searching import bm25
from recuerdo.searching.dates import nearness
from recuerdo.searching.index import Index
from recuerdo.searching.lexicon import WHEN
from recuerdo.searching.vectors import rows_of
from recuerdo.searching.words import grams, significant, stem

Array = np.ndarray[Any, Any]

WEIGHTS = {
    "grams": 1.10,  # the words' character n-grams
    "meanings": 1.50,  # the words' stems, and words that mean something near
    "nearest": 0.34,  # how near the nearest word comes to each word
    "vectors": 0.86,  # the whole query's meaning, the more the less its words are there
    "best_of_talk": 1.11,  # how well the best three passages of the same talk fit
    "reply": 1.88,  # alone: how well the long reply to it fits
    "said_then": 2.90,  # the query names a date: how near to it the passage was said
    "tells_when": 0.64,  # the query asks for a time, and the passage names one
    "is_author": 1.58,  # the query names who said it
    "answers": 0.35,  # the passage before is a question
    "by_assistant": -3.07,  # an assistant or a tool said it, and repeats what a person has said
    "long": 1.05,
    "long.wealth": -0.51,  # how much its words tell, whatever is asked: long ones have some of everything
    "alone.wealth": -0.67,
    "alone.asks": -0.55,
    "alone.speaks_of_self": 2.00,
    "talk.wealth": 0.08,
    "talk.is_question": -0.36,
    "talk.asks": -0.25,
    "talk.speaks_of_self": 0.26,
    "talk.speaks_to_other": -5.67,
    "talk.has_number": 1.17,
    "talk.has_name": 0.21,
}
"""The weight of each signal. Those with a dot count for passages of one shape: see index.View."""

_BEST_OF_TALK = 3


class SearchQuery(NamedTuple):
    """A query. Vectors have unit length and little-endian 32-bit floats; without a model there are none."""

    text: str
    vector: bytes | None = None
    word_vectors: Sequence[bytes] = ()


class Scored(NamedTuple):
    """A passage's number in its index, and its score."""

    number: int
    score: float


def asked_words(text: str) -> list[str]:
    """The significant words of a query, one per stem; their vectors are `SearchQuery.word_vectors`."""
    first: dict[str, str] = {}
    for word in significant(words_of(text)):
        first.setdefault(stem(word), word)
    return [*first.values()]


def search(index: Index, query: SearchQuery, limit: int) -> list[Scored]:
    """The passages that best match the query, best first."""
    if not len(index):
        return []
    signs = signs_of(index, query)
    if "vectors" not in signs and not signs["grams"].any():
        return []
    view, scores = index.view(), np.zeros(len(index))
    for name, weight in WEIGHTS.items():
        if name in signs:
            scores += signs[name] * weight
    scores[view.rows["hidden"]] = -np.inf
    best = len(scores) - 1 - np.argsort(-scores[::-1], kind="stable")[:limit]  # of ties the later one is better
    best = best[np.isfinite(scores[best])]
    return [*map(Scored, view.neighbours.order[best].tolist(), scores[best].tolist())]


def signs_of(index: Index, query: SearchQuery) -> dict[str, Array]:
    """The strength of each signal for each passage, in the neighbours' order."""
    view, said, words = index.view(), words_of(query.text), asked_words(query.text)
    cosines = index.vocabulary.cosines(rows_of(query.word_vectors)) if query.word_vectors else None
    known, parts = index.vocabulary, dict.fromkeys(chain.from_iterable(map(grams, words)))
    by_stem = bm25.exactly(map(known.of_stem, words))
    fitting = bm25.fit(index, by_stem if cosines is None else bm25.by_meaning(index, words, cosines))
    meanings = _share(fitting)
    signs = {
        "grams": _share(bm25.fit(index, bm25.exactly(map(known.of_gram, parts)), of_grams=True)),
        "meanings": meanings,
        "best_of_talk": _share(view.neighbours.best_of_talk(meanings, _BEST_OF_TALK)),
        "reply": view.shapes["alone"] * view.neighbours.behind(meanings * ~view.rows["by_person"]),
        "said_then": nearness(query.text, view.rows["day"], index.years),
        "tells_when": view.traits["has_time"] * (not WHEN.isdisjoint(said)),
        "is_author": _is_author(index, said),
        "answers": view.neighbours.before(view.traits["is_question"]),
        "by_assistant": ~view.rows["by_person"],
        "long": view.shapes["long"],
    }
    for name in WEIGHTS:
        shape, _, trait = name.partition(".")
        if trait:
            signs[name] = view.shapes[shape] * view.traits[trait]
    if cosines is not None:
        signs["nearest"] = bm25.nearest(index, words, cosines)
    likeness = index.vectors.likeness(query.vector, view.neighbours, index.hidden) if query.vector else None
    if likeness is not None:
        covered = min(1.0, float(fitting.max()) / bm25.most(index, words))
        signs["vectors"] = likeness * (1 - covered) ** 2
    return signs


def _is_author(index: Index, said: Sequence[str]) -> Array:
    unnamed = np.fromiter(map({*said}.isdisjoint, index.names), bool, len(index.names))
    return (~unnamed[index.view().rows["author"]]).astype(np.float32)


def _share(scores: Array) -> Array:
    """Scores as fractions of the best, so that one weight fits short and long queries."""
    best = float(scores.max())
    return scores / best if best > 0 else scores

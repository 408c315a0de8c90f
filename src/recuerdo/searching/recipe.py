"""The recipe: the signals of a match and their weights, for all databases.

The weights were chosen on seven of LoCoMo's ten conversations. docs/explanation/search.md describes the experiments and
what each signal contributes.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from recuerdo.core.words import words_of
from recuerdo.searching import bm25
from recuerdo.searching.dates import nearness
from recuerdo.searching.index import Index
from recuerdo.searching.lexicon import WHEN
from recuerdo.searching.passages import Traits
from recuerdo.searching.vectors import rows_of
from recuerdo.searching.words import significant, stem

Array = np.ndarray[Any, Any]

WEIGHTS = {
    "words": 0.71,  # the words' stems
    "grams": 2.61,  # the words' character n-grams
    "meanings": 2.51,  # the words and those that mean something near
    "nearest": 0.46,  # how near the nearest word comes to each word
    "vectors": 1.06,  # the whole query's meaning
    "sitting": 1.92,  # how well the best three passages of the same sitting fit
    "said_then": 5.96,  # the query names a date: how near to it the passage was said
    "wealth": 0.93,  # how much the passage's words tell, whatever is asked
    "is_question": -1.08,
    "asks": -0.79,
    "answers": 0.44,  # the passage before is a question
    "is_author": 2.0,  # the query names who said it
    "speaks_of_self": 0.33,
    "speaks_to_other": -7.99,
    "has_number": 0.81,
    "has_name": 0.35,
    "tells_when": 1.62,  # the query asks for a time, and the passage names one
}

_BEST_OF_SITTING = 3


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
    return list({stem(word): word for word in reversed(significant(words_of(text)))}.values())[::-1]


def search(index: Index, query: SearchQuery, limit: int) -> list[Scored]:
    """The passages that best match the query, best first."""
    if not len(index):
        return []
    signs = signs_of(index, query)
    if "vectors" not in signs and not signs["grams"].any():
        return []
    scores = sum((signs[name] * weight for name, weight in WEIGHTS.items() if name in signs), np.zeros(len(index)))
    view = index.view()
    scores = np.where(view.rows["hidden"], -np.inf, scores)
    best = _best(scores, limit)
    numbers = view.neighbours.order[best]
    return [Scored(int(number), float(scores[row])) for number, row in zip(numbers, best, strict=True)]


def signs_of(index: Index, query: SearchQuery) -> dict[str, Array]:
    """The strength of each signal for each passage, in the neighbours' order."""
    view, words = index.view(), asked_words(query.text)
    exact = bm25.fit(index, bm25.by_stem(index, words))
    cosines = index.vocabulary.cosines(rows_of(query.word_vectors)) if query.word_vectors else None
    meanings = exact if cosines is None else bm25.fit(index, bm25.by_meaning(index, words, cosines))
    signs = {
        "words": _share(exact),
        "grams": _share(bm25.fit(index, bm25.by_gram(index, words), of_grams=True)),
        "meanings": _share(meanings),
        "sitting": _share(view.neighbours.best_of_sitting(meanings, _BEST_OF_SITTING)),
        "said_then": nearness(query.text, view.rows["day"], index.years),
        "answers": view.neighbours.before(view.rows["is_question"]),
        "is_author": _is_author(index, query.text),
        "wealth": view.wealth,
        "tells_when": _tells_when(view.rows, query.text),
        **{trait: view.rows[trait] for trait in Traits._fields},
    }
    if cosines is not None:
        signs["nearest"] = bm25.nearest(index, words, cosines)
    likeness = index.vectors.likeness(query.vector, view.neighbours, index.hidden) if query.vector else None
    return signs if likeness is None else signs | {"vectors": likeness}


def _tells_when(rows: Array, text: str) -> Array:
    return rows["has_time"] * (not WHEN.isdisjoint(words_of(text)))


def _is_author(index: Index, text: str) -> Array:
    words = set(words_of(text))
    named = np.fromiter((not name.isdisjoint(words) for name in index.names), bool, len(index.names))
    return named[index.view().rows["author"]].astype(np.float32)


def _share(scores: Array) -> Array:
    """Scores as fractions of the best, so that one weight fits short and long queries."""
    best = float(scores.max())
    return scores / best if best > 0 else scores


def _best(scores: Array, limit: int) -> Array:
    """The rows with the greatest scores; ties prefer the later row."""
    rows = np.argsort(-scores[::-1], kind="stable")[:limit]
    rows = len(scores) - 1 - rows
    return rows[np.isfinite(scores[rows])]

"""The recipe: which signs of an answer count how much. One place for all weights, one implementation for all databases.

The weights were chosen on seven of LoCoMo's ten conversations by the likelihood of the evidence; what was tried, and
what each part gives, stands in docs/explanation/search.md.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from recuerdo.searching import legs
from recuerdo.searching.index import Index
from recuerdo.searching.lexicon import HOW_MANY, WHEN
from recuerdo.searching.vectors import rows_of
from recuerdo.searching.words import stem, telling, words_of

Array = np.ndarray[Any, Any]

WEIGHTS = {
    "words": 1.25,  # the words' stems
    "grams": 2.12,  # the words' character n-grams
    "meanings": 1.78,  # the words and those that mean something near
    "vectors": 0.65,  # the whole query's meaning
    "sitting": 2.26,  # how well the best three passages of the same sitting fit
    "wealth": 1.03,  # how much the passage's words tell, whatever is asked
    "is_question": -0.49,
    "asks": -0.27,
    "answers": 0.24,  # the passage before is a question
    "is_author": 1.04,  # the query names who said it
    "speaks_of_self": 0.86,
    "speaks_to_other": -8.7,
    "has_number": 0.74,
    "has_name": 0.56,
    "tells_when": 1.5,  # the query asks for a time, and the passage names one
    "tells_how_many": 0.78,
}

_BEST_OF_SITTING = 3


class Query(NamedTuple):
    """What is looked for. Vectors are of unit length, little-endian 32-bit floats; without a model there are none."""

    text: str
    vector: bytes | None = None
    word_vectors: Sequence[bytes] = ()


class Scored(NamedTuple):
    """A passage's number in its index, and its score."""

    number: int
    score: float


def asked_words(text: str) -> list[str]:
    """The words of a query that look for something, one of each stem: their vectors are `Query.word_vectors`."""
    return list({stem(word): word for word in reversed(telling(words_of(text)))}.values())[::-1]


def search(index: Index, query: Query, limit: int) -> list[Scored]:
    """The passages that most likely hold what the query looks for, best first."""
    if not len(index):
        return []
    signs = signs_of(index, query)
    if "vectors" not in signs and not signs["grams"].any():
        return []
    scores = sum((signs[name] * weight for name, weight in WEIGHTS.items() if name in signs), np.zeros(len(index)))
    view = index.view()
    scores = np.where(view.hidden, -np.inf, scores)
    best = _best(scores, limit)
    numbers = view.neighbours.order[best]
    return [Scored(int(number), float(scores[row])) for number, row in zip(numbers, best, strict=True)]


def signs_of(index: Index, query: Query) -> dict[str, Array]:
    """Each sign's strength for each passage, in the neighbours' order."""
    view, words = index.view(), asked_words(query.text)
    exact = legs.fit(index, legs.by_stem(index, words))
    meanings = _meanings(index, words, query) if query.word_vectors else exact
    signs = {
        "words": _share(exact),
        "grams": _share(legs.fit(index, legs.by_gram(index, words), of_grams=True)),
        "meanings": _share(meanings),
        "sitting": _share(view.neighbours.best_of_sitting(meanings, _BEST_OF_SITTING)),
        "answers": view.neighbours.before(view.traits["is_question"]),
        "is_author": _is_author(index, query.text),
        "wealth": view.wealth,
        **_asked_traits(view.traits, query.text),
        **view.traits,
    }
    likeness = index.vectors.likeness(query.vector, view.neighbours, view.hidden) if query.vector else None
    return signs if likeness is None else signs | {"vectors": likeness}


def _meanings(index: Index, words: Sequence[str], query: Query) -> Array:
    return legs.fit(index, legs.by_meaning(index, words, rows_of(query.word_vectors)))


def _asked_traits(traits: dict[str, Array], text: str) -> dict[str, Array]:
    words = set(words_of(text))
    return {
        "tells_when": traits["has_time"] * (not words.isdisjoint(WHEN)),
        "tells_how_many": traits["has_number"] * (not words.isdisjoint(HOW_MANY)),
    }


def _is_author(index: Index, text: str) -> Array:
    words = set(words_of(text))
    named = np.fromiter((not name.isdisjoint(words) for name in index.names), bool, len(index.names))
    return named[np.asarray(index.authors)[index.view().neighbours.order]].astype(np.float32)


def _share(scores: Array) -> Array:
    """Of the best score, so that one weight does for short queries and long ones."""
    best = float(scores.max())
    return scores / best if best > 0 else scores


def _best(scores: Array, limit: int) -> Array:
    """The rows with the greatest scores, of equal ones the later."""
    rows = np.argsort(-scores[::-1], kind="stable")[:limit]
    rows = len(scores) - 1 - rows
    return rows[np.isfinite(scores[rows])]

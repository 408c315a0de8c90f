"""BM25 over each passage with its neighbours, for terms that expand to weighted words."""

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import chain, repeat
from typing import Any, NamedTuple

import numpy as np

from recuerdo.searching.index import Index
from recuerdo.searching.vectors import deviations
from recuerdo.searching.vocabulary import merged, weighed

Array = np.ndarray[Any, Any]

WEIGHTS = (0.5, 0.3, 0.2)
"""The weight of a neighbour's words, by distance."""

_SATURATION = 1.2
_LENGTH = 0.75

Term = Sequence[tuple[int, float]]
"""The word numbers that a query term expands to, with their weights."""


def exactly(found: Iterable[Sequence[int]]) -> list[Term]:
    """Terms that expand to these words, each with full weight."""
    terms: list[Term] = []
    for numbers in found:
        terms.append([*zip(numbers, repeat(1.0), strict=False)])
    return terms


def by_meaning(index: Index, words: Sequence[str], cosines: Array) -> list[Term]:
    """Expand each word to words with its stem and, weighted less, with a similar vector; see Vocabulary.cosines."""
    known = index.vocabulary
    return [merged(known.of_stem(word), weighed(near)) for word, near in zip(words, cosines, strict=True)]


def fit(index: Index, terms: Sequence[Term], *, of_grams: bool = False) -> Array:
    """The score of each passage, in the neighbours' order."""
    view, terms = index.view(), [*filter(None, terms)]
    if not terms or not len(index):
        return np.zeros(len(index), np.float32)
    asked, near = _flatten(terms), view.neighbours
    bodies = _frequencies(index, index.bodies, asked, len(terms))
    frequencies = near.spread(bodies, WEIGHTS) + _frequencies(index, index.fields, asked, len(terms))
    body, field = ("grams", "field_grams") if of_grams else ("length", "field_length")
    return _bm25(frequencies, near.spread(view.rows[body], WEIGHTS) + view.rows[field])


def most(index: Index, words: Sequence[str]) -> float:
    """More than any passage can score for these words, by_stem; a rare word that no passage has adds the most."""
    return float(sum(map(partial(_rarity_of, index), words))) * (_SATURATION + 1)


def nearest(index: Index, words: Sequence[str], cosines: Array) -> Array:
    """How near each passage and its neighbours come to each word of the query; rare ones count more.

    Where BM25 counts all words that are near enough, here the nearest counts, however near: in standard deviations.
    """
    view, near = index.view(), np.zeros((len(index), len(words)), np.float32)
    if len(view.said):
        near[view.wordy] = np.maximum(np.maximum.reduceat(cosines[:, view.said], view.starts, axis=1).T, 0)
        near[view.rows["hidden"]] = 0
    rarity = [*map(partial(_rarity_of, index), words)]
    return deviations(np.einsum("ij,j->i", view.neighbours.spread(near, WEIGHTS, np.maximum), rarity))


class _WeightedTerms(NamedTuple):
    terms: Array
    words: Array
    weights: Array


def _flatten(terms: Sequence[Term]) -> _WeightedTerms:
    columns = np.repeat(np.arange(len(terms)), [*map(len, terms)])
    words, weights = zip(*chain.from_iterable(terms), strict=True)
    return _WeightedTerms(columns, np.asarray(words), np.asarray(weights, np.float32))


def _frequencies(index: Index, postings: Any, asked: _WeightedTerms, terms: int) -> Array:
    """How often each passage contains each term."""
    view, found = index.view(), postings.find(asked.words)
    rows = view.neighbours.position[found.passages]
    weights = found.counts * asked.weights[found.asked] * ~view.rows["hidden"][rows]
    cells = np.bincount(rows * terms + asked.terms[found.asked], weights=weights, minlength=len(index) * terms)
    return cells.reshape(len(index), terms).astype(np.float32)


def _bm25(frequencies: Array, lengths: Array) -> Array:
    count = len(frequencies)
    spread = np.minimum(frequencies, 1).sum(0)
    rarity = _rarity(count, spread)
    norm = _SATURATION * (1 - _LENGTH + _LENGTH * lengths / max(float(lengths.mean()), 1e-9))
    return np.einsum("ij,j->i", frequencies * (_SATURATION + 1) / (frequencies + norm[:, None]), rarity)


def _rarity_of(index: Index, word: str) -> float:
    return _rarity(len(index), min(len(index), index.view().counts[index.vocabulary.of_stem(word)].sum()))


def _rarity(passages: int, holding: Any) -> Any:
    """The weight of a word that this many passages contain."""
    return np.log(1 + (passages - holding + 0.5) / (holding + 0.5))

"""The recipe: the signals of a match and their weights, for all databases. Words count by BM25 over neighbours.

The weights were chosen on seven of LoCoMo's ten conversations. docs/explanation/search.md describes the experiments and
what each signal contributes.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date
from functools import partial
from itertools import chain, repeat
from typing import Any, NamedTuple

import numpy as np

from recuerdo.core.words import words_of
from recuerdo.searching.index import Index
from recuerdo.searching.lexicon import BEFORE_MONTHS, MONTHS, MONTHS_AND_MORE, WHEN, significant
from recuerdo.searching.vectors import deviations, rows_of
from recuerdo.searching.vocabulary import grams, stem, weighed, words_of_term

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

_NEAR_WEIGHTS = (0.5, 0.3, 0.2)
"""The weight of a neighbour's words, by distance."""

_SATURATION = 1.2
_LENGTH = 0.75

Term = Sequence[tuple[int, float]]
"""The word numbers that a query term expands to, with their weights."""

_WEEK = 7.0
"""Days of distance at which the weight has fallen to a third: people mention events days before or after them."""

_SINCE = frozenset({"since", "desde"})

_MONTHS = {name: number for number, names in enumerate(MONTHS, 1) for name in names.split()}
_DAY = re.compile(r"(\d\d?)(?:st|nd|rd|th|o|a)?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_DATE = re.compile(r"\b((?:19|20)\d\d)-(\d\d?)-(\d\d?)\b")


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
    by_stem = _exactly(map(known.of_stem, words))
    fitting = _bm25(index, by_stem if cosines is None else _by_meaning(index, words, cosines))
    meanings = _share(fitting)
    is_named = ~np.asarray([*map(frozenset(said).isdisjoint, index.names)], bool)
    signs = {
        "grams": _share(_bm25(index, _exactly(map(known.of_gram, parts)), of_grams=True)),
        "meanings": meanings,
        "best_of_talk": _share(view.neighbours.best_of_talk(meanings, _BEST_OF_TALK)),
        "reply": view.shapes["alone"] * view.neighbours.behind(meanings * ~view.rows["by_person"]),
        "said_then": nearness(query.text, view.rows["day"], index.years),
        "tells_when": view.traits["has_time"] * (not WHEN.isdisjoint(said)),
        "is_author": is_named[view.rows["author"]],
        "answers": view.neighbours.before(view.traits["is_question"]),
        "by_assistant": ~view.rows["by_person"],
        "long": view.shapes["long"],
    }
    for name in WEIGHTS:
        shape, _, trait = name.partition(".")
        if trait:
            signs[name] = view.shapes[shape] * view.traits[trait]
    if cosines is not None:
        signs["nearest"] = _nearest(index, words, cosines)
    likeness = index.vectors.likeness(query.vector, view.neighbours, index.hidden) if query.vector else None
    if likeness is not None:
        covered = min(1.0, float(fitting.max()) / most) if (most := _most(index, words)) else 0.0  # `👍` has no words
        signs["vectors"] = likeness * (1 - covered) ** 2
    return signs


def _share(scores: Array) -> Array:
    """Scores as fractions of the best, so that one weight fits short and long queries."""
    best = float(scores.max())
    return scores / best if best > 0 else scores


def _exactly(found: Iterable[Sequence[int]]) -> list[Term]:
    """Terms that expand to these words, each with full weight."""
    terms: list[Term] = []
    for numbers in found:
        terms.append([*zip(numbers, repeat(1.0), strict=False)])
    return terms


def _by_meaning(index: Index, words: Sequence[str], cosines: Array) -> list[Term]:
    """Expand each word to words with its stem and, weighted less, with a similar vector; see Vocabulary.cosines."""
    known = index.vocabulary
    return [words_of_term(known.of_stem(word), weighed(near)) for word, near in zip(words, cosines, strict=True)]


def _bm25(index: Index, terms: Sequence[Term], *, of_grams: bool = False) -> Array:
    """The score of each passage, in the neighbours' order."""
    view, terms = index.view(), [*filter(None, terms)]
    if not terms or not len(index):
        return np.zeros(len(index), np.float32)
    columns, near = np.repeat(np.arange(len(terms)), [*map(len, terms)]), view.neighbours
    words, weights = zip(*chain.from_iterable(terms), strict=True)
    asked = _WeightedTerms(columns, np.asarray(words), np.asarray(weights, np.float32))
    bodies = _frequencies(index, index.bodies, asked, len(terms))
    frequencies = near.spread(bodies, _NEAR_WEIGHTS) + _frequencies(index, index.fields, asked, len(terms))
    body, field = ("grams", "field_grams") if of_grams else ("length", "field_length")
    lengths = near.spread(view.rows[body], _NEAR_WEIGHTS) + view.rows[field]
    norm = _SATURATION * (1 - _LENGTH + _LENGTH * lengths / max(float(lengths.mean()), 1e-9))
    rarity = _rarity(len(index), np.minimum(frequencies, 1).sum(0))
    return np.einsum("ij,j->i", frequencies * (_SATURATION + 1) / (frequencies + norm[:, None]), rarity)


def _most(index: Index, words: Sequence[str]) -> float:
    """More than any passage can score for these words, by_stem; a rare word that no passage has adds the most."""
    return float(sum(map(partial(_rarity_of, index), words))) * (_SATURATION + 1)


def _nearest(index: Index, words: Sequence[str], cosines: Array) -> Array:
    """How near each passage and its neighbours come to each word of the query; rare ones count more.

    Where BM25 counts all words that are near enough, here the nearest counts, however near: in standard deviations.
    """
    view, near = index.view(), np.zeros((len(index), len(words)), np.float32)
    if len(view.said):
        near[view.wordy] = np.maximum(np.maximum.reduceat(cosines[:, view.said], view.starts, axis=1).T, 0)
        near[view.rows["hidden"]] = 0
    rarity = [*map(partial(_rarity_of, index), words)]
    return deviations(np.einsum("ij,j->i", view.neighbours.spread(near, _NEAR_WEIGHTS, np.maximum), rarity))


class _WeightedTerms(NamedTuple):
    terms: Array
    words: Array
    weights: Array


def _frequencies(index: Index, postings: Any, asked: _WeightedTerms, terms: int) -> Array:
    """How often each passage contains each term."""
    view, found = index.view(), postings.find(asked.words)
    rows = view.neighbours.position[found.passages]
    weights = found.counts * asked.weights[found.asked] * ~view.rows["hidden"][rows]
    cells = np.bincount(rows * terms + asked.terms[found.asked], weights=weights, minlength=len(index) * terms)
    return cells.reshape(len(index), terms).astype(np.float32)


def _rarity_of(index: Index, word: str) -> float:
    return _rarity(len(index), min(len(index), index.view().counts[index.vocabulary.of_stem(word)].sum()))


def _rarity(passages: int, holding: Any) -> Any:
    """The weight of a word that this many passages contain."""
    return np.log(1 + (passages - holding + 0.5) / (holding + 0.5))


class Period(NamedTuple):
    """A range of days as `date.toordinal` counts them, including the last."""

    first: int
    last: int


def nearness(text: str, days: Array, years: Collection[int]) -> Array:
    """How near to a date that the text names each of these days is, 0 to 1; 0 for all where it names none.

    A date without its year is meant in each of `years`.
    """
    if not (periods := periods_of(text, years)):
        return np.zeros(len(days))
    away = [np.maximum(np.maximum(first - days, days - last), 0) for first, last in periods]
    return np.exp(-np.min(away, axis=0) / _WEEK)


def periods_of(text: str, years: Collection[int]) -> list[Period]:
    """Return the days, months and years in a text; see nearness. A period "since" a date has no end."""
    said = words_of(text)
    if _MONTHS.keys().isdisjoint(said) and not any(map(_YEAR.search, said)):
        return []
    named = _named(text, years)
    return named if _SINCE.isdisjoint(said) else [Period(period.first, date.max.toordinal()) for period in named]


def _named(text: str, years: Collection[int]) -> list[Period]:
    dates = [tuple(map(int, found)) for found in _DATE.findall(text)]
    words = words_of(_DATE.sub(" ", text))
    named = [int(word) for word in words if _YEAR.fullmatch(word)]
    months = [place for place in range(len(words)) if _is_month(words, place)]
    dates += [
        (year, _MONTHS[words[place]], day) for place in months for day in _days(words, place) for year in named or years
    ]
    if not dates:
        return [Period(date(year, 1, 1).toordinal(), date(year, 12, 31).toordinal()) for year in named]
    return [period for each in dates for period in _period(*each)]


def _is_month(words: Sequence[str], place: int) -> bool:
    """Whether the word is a month here, and not a verb or a name (march, Marco)."""
    if words[place] not in _MONTHS:
        return False
    before, behind = words[max(0, place - 1) : place], words[place + 1 : place + 2]
    explained = not BEFORE_MONTHS.isdisjoint(before) or any(word[0].isdigit() for word in [*before, *behind])
    return words[place] not in MONTHS_AND_MORE or explained


def _days(words: Sequence[str], place: int) -> list[int]:
    """The day next to the month (May 7; 7th of May; 7 de mayo); 0 for the whole month."""
    before = [word for word in words[max(0, place - 3) : place] if word not in ("of", "de", "the")][-1:]
    found = (_DAY.fullmatch(word) for word in [*words[place + 1 : place + 2], *before])
    return [int(each[1]) for each in found if each and 1 <= int(each[1]) <= 31][:1] or [0]


def _period(year: int, month: int, day: int) -> Iterator[Period]:
    """The range of days; nothing for an invalid date."""
    try:
        first = date(year, month, day or 1).toordinal()
        yield Period(first, first if day else date(year + month // 12, month % 12 + 1, 1).toordinal() - 1)
    except ValueError:
        return

"""The passages of one owner or thread, ready to be searched."""

from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import Any, NamedTuple

import numpy as np

from recuerdo.core.passages import MessagePlace
from recuerdo.searching.neighbours import Neighbours
from recuerdo.searching.passages import LONGEST, Passage, Traits, names_of, traits_of
from recuerdo.searching.postings import Found, Postings
from recuerdo.searching.vectors import Vectors
from recuerdo.searching.vocabulary import Vocabulary
from recuerdo.searching.words import telling, words_of

Array = np.ndarray[Any, Any]


class View(NamedTuple):
    """What of an index changes only with its passages; rows are in the neighbours' order."""

    neighbours: Neighbours
    traits: dict[str, Array]
    wealth: Array
    """The logarithm of how much a passage's words tell: the sum of how rare they are."""
    hidden: Array
    lengths: Array
    field_lengths: Array
    gram_lengths: Array
    gram_field_lengths: Array
    days: Array
    """When passages were said, as `date.toordinal` counts days."""
    counts: Array
    """How many passages hold each word."""
    said: Array
    """The words of the passages that have any, passage by passage."""
    wordy: Array
    """Those passages' rows, and `starts`, where each one's words begin in `said`."""
    starts: Array


class Index:
    """Words, traits and vectors of passages. They are added and hidden; to be rid of some, keep the others."""

    def __init__(self) -> None:
        self.vocabulary = Vocabulary()
        self.bodies = Postings()
        self.fields = Postings()
        self.vectors = Vectors()
        self.places: list[MessagePlace] = []
        self.authors: list[int] = []
        self.names: list[frozenset[str]] = []
        self.years: set[int] = set()
        self._threads: dict[tuple[str, int], int] = {}
        self._of_thread: list[int] = []
        self._times: list[float] = []
        self._days: list[int] = []
        self._traits: list[Traits] = []
        self._author_ids: dict[str, int] = {}
        self._hidden: set[MessagePlace] = set()
        self._view: View | None = None

    def __len__(self) -> int:
        return len(self.places)

    def add(self, passage: Passage) -> None:
        """Take one more passage: of its thread, the next."""
        number, text = len(self.places), passage.text[:LONGEST]
        words = words_of(text)
        self._view = None
        self.places.append(passage.place)
        self._of_thread.append(self._thread(passage.place))
        self._times.append(passage.said_at.timestamp())
        self._days.append(passage.said_at.toordinal())
        self.years.add(passage.said_at.year)
        self._traits.append(traits_of(text, words))
        self.authors.append(self._author(passage.author))
        self._count(self.bodies, number, telling(words))
        self._count(self.fields, number, [*telling(words_of(passage.author)), *passage.date_words])

    def hide(self, places: set[MessagePlace]) -> None:
        """Of all passages, find these no more: they are archived."""
        if places != self._hidden:
            self._hidden = places
            self._view = None

    def keeping(self, numbers: Sequence[int]) -> "Index":
        """An index of these passages alone, numbered anew in their order. This one is of no use any more."""
        kept, renumbered, words = self._without_words(numbers), np.full(len(self), -1), len(self.vocabulary)
        renumbered[numbers] = np.arange(len(numbers))
        kept.vocabulary, kept.vectors = self.vocabulary, self.vectors.keeping(np.asarray(numbers, np.intp))
        kept.bodies, kept.fields = (each.keeping(renumbered, words) for each in (self.bodies, self.fields))
        kept.vocabulary.keep(np.concatenate([each.words for each in (kept.bodies, kept.fields)]))
        return kept

    def _without_words(self, numbers: Sequence[int]) -> "Index":
        kept, authors = Index(), list(self._author_ids)
        kept.places = [self.places[number] for number in numbers]
        kept.authors = [kept._author(authors[self.authors[number]]) for number in numbers]
        kept._of_thread = [kept._thread(place) for place in kept.places]
        kept._times = [self._times[number] for number in numbers]
        kept._days = [self._days[number] for number in numbers]
        kept._traits = [self._traits[number] for number in numbers]
        kept.years = {date.fromordinal(day).year for day in set(kept._days)}
        kept._hidden = self._hidden.intersection(kept.places)
        return kept

    def view(self) -> View:
        """See View; made once for each state."""
        if self._view is None:
            self._view = self._look()
        return self._view

    def _thread(self, place: MessagePlace) -> int:
        return self._threads.setdefault(place[:2], len(self._threads))

    def _author(self, name: str) -> int:
        number = self._author_ids.setdefault(name, len(self.names))
        if number == len(self.names):
            self.names.append(names_of(name))
        return number

    def _count(self, postings: Postings, number: int, words: Sequence[str]) -> None:
        if words:
            postings.add(number, Counter(map(self.vocabulary.number, words)))

    def _look(self) -> View:
        neighbours = Neighbours(self._of_thread, [place.seq for place in self.places], self._times)
        order, traits = neighbours.order, np.asarray(self._traits, np.float32).reshape(len(self), len(Traits._fields))
        every = np.arange(len(self.vocabulary))
        bodies, fields = self.bodies.find(every), self.fields.find(every)
        grams = np.asarray(self.vocabulary.gram_counts, np.float32)
        hidden = np.fromiter((place in self._hidden for place in self.places), bool, len(self))
        rows = neighbours.position[bodies.passages]
        by_row = np.argsort(rows, kind="stable")
        wordy, starts = np.unique(rows[by_row], return_index=True)
        return View(
            neighbours,
            dict(zip(Traits._fields, traits[order].T, strict=True)),
            self._wealth(bodies)[order],
            hidden[order],
            self._sum(bodies.passages, bodies.counts)[order],
            self._sum(fields.passages, fields.counts)[order],
            self._sum(bodies.passages, bodies.counts * grams[bodies.asked])[order],
            self._sum(fields.passages, fields.counts * grams[fields.asked])[order],
            np.asarray(self._days, np.int64)[order],
            np.bincount(bodies.asked, minlength=len(self.vocabulary)),
            bodies.asked[by_row],
            wordy,
            starts,
        )

    def _wealth(self, bodies: Found) -> Array:
        """Each word counts once a passage, by how rare it is among them."""
        rarity = np.log(max(1, len(self)) / np.maximum(1, np.bincount(bodies.asked, minlength=len(self.vocabulary))))
        return np.log1p(self._sum(bodies.passages, rarity[bodies.asked]))

    def _sum(self, passages: Array, values: Array) -> Array:
        return np.bincount(passages, weights=values, minlength=len(self))

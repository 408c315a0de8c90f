"""The search index of one owner's or thread's passages."""

from collections import Counter
from collections.abc import Sequence
from datetime import date
from operator import mul
from typing import Any, NamedTuple

import numpy as np

from recuerdo.core.passages import MessagePlace
from recuerdo.core.words import words_of
from recuerdo.searching.lexicon import MONTHS, significant
from recuerdo.searching.passages import LONGEST, Neighbours, Passage, Traits, names_of, traits_of
from recuerdo.searching.postings import Column, Postings
from recuerdo.searching.vectors import Vectors
from recuerdo.searching.vocabulary import Vocabulary

Array = np.ndarray[Any, Any]

_ROW = np.dtype(
    [
        ("thread", np.int32),
        ("author", np.int32),
        ("time", np.float64),
        ("day", np.int64),  # when it was said, as `date.toordinal` counts
        ("hidden", bool),
        ("is_long", bool),
        ("by_person", bool),
        ("words", np.int64),  # how many different ones it has
        ("length", np.float64),  # how many it has, and n-grams of them; then the same of its author and date
        ("grams", np.float64),
        ("field_length", np.float64),
        ("field_grams", np.float64),
        *((trait, np.float32) for trait in Traits._fields),
    ]
)
"""The columns of a passage, in addition to its words and its vector."""


class View(NamedTuple):
    """Derived data of an index, which changes only with its passages. Arrays are in the neighbours' order."""

    neighbours: Neighbours
    rows: Array
    """The rows of the passages."""
    traits: dict[str, Array]
    """See Traits; and `wealth`, the logarithm of the summed rarity of a passage's words."""
    shapes: dict[str, Array]
    """Whether a passage is one of a `talk`, short and `alone` (as between long answers), or `long`."""
    counts: Array
    """The number of passages that contain each word."""
    said: Array
    """The words of all passages, passage by passage, in the order of their numbers."""
    wordy: Array
    """Positions of passages with words; `starts` is where their words begin in `said`."""
    starts: Array


class Index:
    """Words, traits and vectors of passages. Passages can be added and hidden; to remove some, keep the others."""

    def __init__(self) -> None:
        self.vocabulary = Vocabulary()
        self.bodies = Postings()
        self.fields = Postings()
        self.vectors = Vectors()
        self.places: list[MessagePlace] = []
        self.names: list[frozenset[str]] = []
        """The words of each author's name, by number."""
        self.years: set[int] = set()
        self._rows = Column(_ROW)
        self._said = Column(np.int32)
        self._threads: dict[tuple[str, int], int] = {}
        self._authors: dict[str, int] = {}
        self._hidden: set[MessagePlace] = set()
        self._view: View | None = None

    def __len__(self) -> int:
        return len(self.places)

    def add(self, passage: Passage) -> None:
        """Add the next passage of its thread."""
        number, text, said_at = len(self.places), passage.text[:LONGEST], passage.said_at
        words = words_of(text)
        date_words = [str(said_at.day), *MONTHS[said_at.month - 1].split(), str(said_at.year)]
        body, *lengths = self._count(self.bodies, number, significant(words))
        _, *field_lengths = self._count(self.fields, number, [*significant(words_of(passage.author)), *date_words])
        self.places.append(passage.place)
        self.years.add(said_at.year)
        self._said.add(*body)
        self._rows.add(
            (
                *(self._thread(passage.place), self._author(passage.author), said_at.timestamp(), said_at.toordinal()),
                *(passage.place in self._hidden, passage.is_long, passage.by_person),
                *(len(body), *lengths, *field_lengths),
                *traits_of(text, words),
            )
        )
        self._view = None

    def hide(self, places: set[MessagePlace]) -> None:
        """Exclude exactly these passages from searches, because they are archived."""
        if places != self._hidden:
            self._hidden = places
            self._rows.all["hidden"] = [place in places for place in self.places]
            self._view = None

    def keeping(self, numbers: Sequence[int]) -> "Index":
        """An index of only these passages (ascending), renumbered. This index must not be used afterwards."""
        kept, chosen, renumbered = self._without_words(numbers), np.asarray(numbers, np.intp), np.full(len(self), -1)
        renumbered[chosen] = np.arange(len(chosen))
        kept.vocabulary, kept.vectors = self.vocabulary, self.vectors.keeping(chosen)
        kept.bodies, kept.fields = self.bodies.keeping(renumbered), self.fields.keeping(renumbered)
        kept._said = self._said.at(np.repeat(renumbered >= 0, self._rows.all["words"]))
        kept.vocabulary.keep(np.concatenate([each.words for each in (kept.bodies, kept.fields)]))
        return kept

    @property
    def hidden(self) -> Array:
        """Which passages are hidden, by number."""
        return self._rows.all["hidden"]

    def view(self) -> View:
        """See View; computed once for each state."""
        if self._view is not None:
            return self._view
        rows, said = self._rows.all, self._said.all
        neighbours = Neighbours(rows["thread"], rows["time"], rows["is_long"])
        counts = np.bincount(said, minlength=len(self.vocabulary))
        wordy = np.flatnonzero(rows["words"])
        starts = (np.cumsum(rows["words"]) - rows["words"])[wordy]
        rarity, wealth = np.log(max(1, len(self)) / np.maximum(1, counts)), np.zeros(len(self))
        wealth[wordy] = np.add.reduceat(rarity[said], starts)
        order = neighbours.order
        rows, is_long = rows[order], rows["is_long"][order]
        traits = dict(zip(Traits._fields, map(rows.__getitem__, Traits._fields), strict=True))
        traits["wealth"] = np.log1p(wealth)[order]
        in_talk = np.bincount(neighbours.talks)[neighbours.talks] > 1
        shapes = {"talk": in_talk, "alone": ~in_talk & ~is_long, "long": is_long}
        self._view = View(*(neighbours, rows, traits, shapes, counts, said, neighbours.position[wordy], starts))
        return self._view

    def _without_words(self, numbers: Sequence[int]) -> "Index":
        kept, authors, rows = Index(), list(self._authors), self._rows.at(np.asarray(numbers, np.intp))
        kept.places = [self.places[number] for number in numbers]
        kept._rows, kept._hidden = rows, self._hidden.intersection(kept.places)
        rows.all["thread"] = [kept._thread(place) for place in kept.places]
        numbers_of_authors: list[int] = rows.all["author"].tolist()
        rows.all["author"] = [kept._author(authors[author]) for author in numbers_of_authors]
        kept.years = {date.fromordinal(day).year for day in np.unique(rows.all["day"]).tolist()}
        return kept

    def _thread(self, place: MessagePlace) -> int:
        return self._threads.setdefault(place[:2], len(self._threads))

    def _author(self, name: str) -> int:
        number = self._authors.setdefault(name, len(self.names))
        if number == len(self.names):
            self.names.append(names_of(name))
        return number

    def _count(self, postings: Postings, number: int, words: Sequence[str]) -> tuple[Counter[int], int, int]:
        """Add the words to the postings. Returns how often each occurs, and the numbers of words and of n-grams."""
        counts = Counter(map(self.vocabulary.number, words))
        postings.add(number, counts)
        grams = self.vocabulary.gram_counts
        return counts, counts.total(), sum(map(mul, counts.values(), map(grams.__getitem__, counts)))

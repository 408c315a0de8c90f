"""Which passages hold which words, and how often."""

from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

_MERGE = 4
"""The new part is merged when it has a fourth of what the sorted one has."""


class Found(NamedTuple):
    """Occurrences of the words that were asked for: `asked` is the place of the word in the question."""

    asked: Array
    passages: Array
    counts: Array


class Postings:
    """Occurrences of words in passages, sorted by words in two parts, so that a new passage costs little."""

    def __init__(self) -> None:
        self._old = _Part.of([], [], [])
        self._new = _Part.of([], [], [])
        self._words: list[int] = []
        self._passages: list[int] = []
        self._counts: list[int] = []
        self._is_sorted = True

    def add(self, passage: int, counts: dict[int, int]) -> None:
        """The passage holds each of these words that often."""
        self._words += counts.keys()
        self._passages += [passage] * len(counts)
        self._counts += counts.values()
        self._is_sorted = False

    def find(self, words: Array) -> Found:
        """All occurrences of the words."""
        self._sort()
        parts = [part.find(words) for part in (self._old, self._new)]
        return Found(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))

    @property
    def words(self) -> Array:
        """The numbers of the words that come in any passage."""
        self._sort()
        return np.unique(np.concatenate([self._old.words, self._new.words]))

    def keeping(self, renumbered: Array, words: int) -> "Postings":
        """The occurrences of the first words in passages whose new number is not negative."""
        found, kept = self.find(np.arange(words)), Postings()
        passages = renumbered[found.passages]
        stay = passages >= 0
        kept._old = _Part.of(found.asked[stay], passages[stay], found.counts[stay])
        return kept

    def _sort(self) -> None:
        if self._is_sorted:
            return
        if len(self._words) * _MERGE >= len(self._old.words):
            self._old = _Part.of(
                np.concatenate([self._old.words, self._words]),
                np.concatenate([self._old.passages, self._passages]),
                np.concatenate([self._old.counts, self._counts]),
            )
            self._words, self._passages, self._counts = [], [], []
        self._new = _Part.of(self._words, self._passages, self._counts)
        self._is_sorted = True


class _Part(NamedTuple):
    words: Array
    passages: Array
    counts: Array
    starts: Array

    @classmethod
    def of(cls, words: Any, passages: Any, counts: Any) -> "_Part":
        numbers = np.asarray(words, np.int32)
        order = np.argsort(numbers, kind="stable")
        numbers = numbers[order]
        last = int(numbers[-1]) if len(numbers) else -1
        starts = np.searchsorted(numbers, np.arange(last + 2))
        return cls(numbers, np.asarray(passages, np.int32)[order], np.asarray(counts, np.float32)[order], starts)

    def find(self, words: Array) -> Found:
        known = np.minimum(words, len(self.starts) - 1)
        first = self.starts[known]
        lengths = self.starts[np.minimum(known + 1, len(self.starts) - 1)] - first
        asked = np.repeat(np.arange(len(words)), lengths)
        before = np.concatenate([[0], np.cumsum(lengths)[:-1]]) if len(lengths) else lengths
        places = np.arange(len(asked)) + np.repeat(first - before, lengths)
        return Found(asked, self.passages[places], self.counts[places])

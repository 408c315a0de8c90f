"""Postings: which passages contain which words, and how often; and the growing arrays that an index is made of."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

_MERGE = 4
"""New occurrences are merged with a part at most this many times as large."""


class Column:
    """Numbers, or rows of `width` numbers, in order of arrival."""

    def __init__(self, dtype: Any, *width: int, rows: Array | None = None) -> None:
        self._rows: Array = np.zeros((0, *width), dtype) if rows is None else rows
        self._count = len(self._rows)
        self._coming: list[Any] = []

    def add(self, *values: Any) -> None:
        """Append these."""
        self._coming += values

    @property
    def all(self) -> Array:
        """All values so far."""
        if self._coming:
            before, self._count = self._count, self._count + len(self._coming)
            self._rows = grown(self._rows, self._count)
            self._rows[before : self._count] = np.asarray(self._coming, self._rows.dtype)
            self._coming = []
        return self._rows[: self._count]

    def at(self, chosen: Array) -> "Column":
        """A column of a selection, by indices or by a boolean mask."""
        return Column(self._rows.dtype, rows=self.all[chosen])


def grown(rows: Array, count: int) -> Array:
    """The array with capacity for this many rows, zero-filled, and with some spare if it must grow."""
    if len(rows) >= count:
        return rows
    larger = np.zeros((max(count, len(rows) * 5 // 4), *rows.shape[1:]), rows.dtype)
    larger[: len(rows)] = rows
    return larger


class Occurrences(NamedTuple):
    """Occurrences of the requested words; `asked` is the word's index in the request."""

    asked: Array
    passages: Array
    counts: Array


class Postings:
    """Occurrences of words in passages, in a few parts sorted by word, so that adding a passage is cheap."""

    def __init__(self, parts: "Sequence[_Part]" = ()) -> None:
        self._parts = list(parts) or [_Part.of([], [], [])]
        self._words: list[int] = []
        self._passages: list[int] = []
        self._counts: list[int] = []

    def add(self, passage: int, counts: dict[int, int]) -> None:
        """Record that the passage contains each of these words that often."""
        self._words += counts.keys()
        self._passages += [passage] * len(counts)
        self._counts += counts.values()

    def find(self, words: Array) -> Occurrences:
        """All occurrences of the words."""
        words = words.astype(np.int32)
        found: list[Occurrences] = []
        for part in self._sorted():
            first = np.searchsorted(part.words, words)
            lengths = np.searchsorted(part.words, words, "right") - first
            asked = np.repeat(np.arange(len(words)), lengths)
            before = np.cumsum(lengths) - lengths
            places = np.arange(len(asked)) + np.repeat(first - before, lengths)
            found.append(Occurrences(asked, part.passages[places], part.counts[places]))
        return Occurrences(*map(np.concatenate, zip(*found, strict=True)))

    @property
    def words(self) -> Array:
        """The numbers of the words in any passage."""
        return np.unique(np.concatenate([part.words for part in self._sorted()]))

    def keeping(self, renumbered: Array) -> "Postings":
        """The occurrences in passages whose new number is not negative."""
        return Postings([part.keeping(renumbered) for part in self._sorted()])

    def _sorted(self) -> "list[_Part]":
        if self._words:
            part = _Part.of(self._words, self._passages, self._counts)
            self._words, self._passages, self._counts = [], [], []
            while self._parts and len(self._parts[-1].words) <= _MERGE * len(part.words):
                part = _Part.of(*map(np.concatenate, zip(self._parts.pop(), part, strict=True)))
            self._parts.append(part)
        return self._parts


class _Part(NamedTuple):
    words: Array
    passages: Array
    counts: Array

    @classmethod
    def of(cls, words: Any, passages: Any, counts: Any) -> "_Part":
        numbers = np.asarray(words, np.int32)
        order = np.argsort(numbers, kind="stable")
        return cls(numbers[order], np.asarray(passages, np.int32)[order], np.asarray(counts, np.float32)[order])

    def keeping(self, renumbered: Array) -> "_Part":
        passages = renumbered[self.passages]
        stay = passages >= 0
        return _Part(self.words[stay], passages[stay].astype(np.int32), self.counts[stay])

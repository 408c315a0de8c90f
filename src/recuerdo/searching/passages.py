"""Passages: messages as the search sees them, the texts of them to embed, and their neighbours in a talk."""

import re
from collections.abc import Collection, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from recuerdo.core.passages import MessagePlace
from recuerdo.core.words import words_of
from recuerdo.searching.lexicon import FIRST_PERSON, SECOND_PERSON, TIMES

Array = np.ndarray[Any, Any]

LONGEST = 8_000
"""The number of characters of a message that are searched."""

LONG = 600
"""The number of characters beyond which a passage is long: it is embedded in parts of at most this length."""

SUFFIX = "/parts-1"
"""A suffix of the model's name, so that vectors of differently built texts are never compared."""

_SENTENCE = re.compile(rf"[^\n.!?]{{1,{LONG - 100}}}[\n.!?]{{0,100}}|[\n.!?]{{1,{LONG}}}")


class Passage(NamedTuple):
    """One message with text. `author` is the message's name, or ""; `by_person` is False for assistants and tools."""

    place: MessagePlace
    author: str
    text: str
    said_at: datetime
    by_person: bool = True

    @property
    def is_long(self) -> bool:
        """Whether it is found by its parts instead of with its neighbours."""
        return len(self.text) > LONG

    @property
    def lines(self) -> list[str]:
        """The text with its author, as it is embedded: a long one in parts."""
        author = f"{self.author}: " if self.author else ""
        return [*map(author.__add__, parts_of(self.text[:LONGEST]) if self.is_long else [self.text])]


class Lines:
    """The texts of passages without vectors, and the last short passage of each thread.

    A long passage is embedded in parts, a short one with the one before it, which is often the question it answers.
    """

    def __init__(self) -> None:
        self.waiting: dict[int, list[str]] = {}
        self._last: dict[str, Passage] = {}

    def first(self, count: int) -> dict[int, list[str]]:
        """The passages with the first lines that wait, at least one of them, with about this many lines."""
        found: dict[int, list[str]] = {}
        for number, lines in self.waiting.items():
            if found and count < len(lines):
                break
            found[number] = lines
            count -= len(lines)
        return found

    def keeping(self, numbers: Sequence[int], threads: Collection[str]) -> "Lines":
        """The lines of these passages, renumbered in order, and the last passages of these threads."""
        kept, renumbered = Lines(), {number: place for place, number in enumerate(numbers)}
        kept.waiting = {renumbered[number]: lines for number, lines in self.waiting.items() if number in renumbered}
        kept._last = {thread: last for thread, last in self._last.items() if thread in threads}
        return kept

    def add(self, number: int, passage: Passage, *, has_vectors: bool) -> None:
        """Add the next passage of its thread."""
        thread, lines = passage.place.thread, passage.lines
        before = self._last.pop(thread, None)
        if not passage.is_long:
            self._last[thread] = passage
            if before is not None and (passage.said_at - before.said_at).total_seconds() <= PAUSE:
                lines = [f"{before.lines[0]} {lines[0]}"]
        if not has_vectors:
            self.waiting[number] = lines


class Traits(NamedTuple):
    """Features, 0 to 1, that make a passage a likely answer to any query."""

    is_question: float
    asks: float
    speaks_of_self: float
    speaks_to_other: float
    has_number: float
    has_name: float
    has_time: float


def traits_of(text: str, words: Sequence[str]) -> Traits:
    """The traits of a text and its words."""
    said = set(words)
    return Traits(
        is_question=float(text.rstrip().endswith("?")),
        asks=float("?" in text),
        speaks_of_self=float(not said.isdisjoint(FIRST_PERSON)),
        speaks_to_other=sum(map(SECOND_PERSON.__contains__, words)) / max(1, len(words)),
        has_number=float(any(map(str.isdigit, words))),
        has_name=float(_has_name(text)),
        has_time=float(not said.isdisjoint(TIMES)),
    )


def parts_of(text: str) -> list[str]:
    """The text in parts of at most LONG characters, which end with a sentence or a line where that is possible."""
    parts = [""]
    for sentence in _SENTENCE.findall(text):
        if len(parts[-1]) + len(sentence) > LONG:
            parts.append("")
        parts[-1] += sentence
    return [part.strip() for part in parts if part.strip()]


def names_of(author: str) -> frozenset[str]:
    """The words of an author's name."""
    return frozenset(words_of(author))


def _has_name(text: str) -> bool:
    """Whether a word is capitalised other than at the start of a sentence."""
    for before, word in pairwise(text.split()):
        if len(word) > 1 and word.istitle() and (before[-1].islower() or before[-1] == ","):
            return True
    return False


PAUSE = 4 * 3600.0
"""Seconds without a message after which the next one starts a new talk."""


class Neighbours:
    """The order of passages, thread by thread, and the starts of talks.

    A long passage is a talk of its own: it says enough to be found alone, and would drown what stands beside it.
    """

    def __init__(self, threads: Array, times: Array, is_long: Array) -> None:
        """The threads, times and lengths of the passages, in the order of their threads."""
        self.order: Array = np.argsort(threads, kind="stable")
        self.position: Array = np.empty(len(self.order), np.intp)
        self.position[self.order] = np.arange(len(self.order))
        thread, time, alone = threads[self.order], times[self.order], is_long[self.order]
        self._follows: Array = (thread[1:] == thread[:-1]) & (time[1:] - time[:-1] <= PAUSE)
        begins = ~self._follows | alone[1:] | alone[:-1]
        self.talks: Array = np.concatenate([[0], np.cumsum(begins)]) if len(thread) else np.zeros(0, np.intp)

    def spread(self, values: Array, weights: Sequence[float], join: np.ufunc = np.add) -> Array:
        """Each passage's row and, weighted by distance, its neighbours' rows; all in the neighbours' order.

        Rows are added, or joined in another way: by np.maximum the greatest of each column counts.
        """
        total = values.copy()
        for distance, weight in enumerate(weights, 1):
            near = weight * (self.talks[distance:] == self.talks[:-distance]).astype(np.float32)
            near = near if values.ndim == 1 else near[:, None]
            join(total[distance:], near * values[:-distance], out=total[distance:])
            join(total[:-distance], near * values[distance:], out=total[:-distance])
        return total

    def beside(self, numbers: Array, distance: int) -> tuple[Array, Array]:
        """The passages at this offset, and whether they are neighbours."""
        places = self.position[numbers]
        others = np.clip(places + distance, 0, len(self.order) - 1)
        return self.order[others], (others == places + distance) & (self.talks[others] == self.talks[places])

    def before(self, values: Array) -> Array:
        """The value of the passage before each one, 0 where there is none or a pause in between."""
        shifted = np.zeros_like(values)
        shifted[1:] = self._follows * values[:-1]
        return shifted

    def behind(self, values: Array) -> Array:
        """The value of the passage after each one, 0 where there is none or a pause in between."""
        shifted = np.zeros_like(values)
        shifted[:-1] = self._follows * values[1:]
        return shifted

    def best_of_talk(self, values: Array, count: int) -> Array:
        """For each passage the mean of the `count` greatest values of its talk (missing ones count as 0)."""
        if not len(values):
            return values
        order = np.lexsort((-values, self.talks))
        starts: Array = np.searchsorted(self.talks, np.arange(int(self.talks[-1]) + 1))
        sizes = np.diff(np.append(starts, len(values)))
        rank = np.arange(len(values)) - np.repeat(starts, sizes)
        kept = np.where(rank < count, values[order], 0)
        means = np.add.reduceat(kept, starts) / np.minimum(sizes, count)
        return means[self.talks]

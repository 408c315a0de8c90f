"""Passages: messages as the search sees them."""

import re
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

from recuerdo.core.passages import MessagePlace
from recuerdo.core.words import words_of
from recuerdo.searching.lexicon import FIRST_PERSON, MONTHS, SECOND_PERSON, TIMES

LONGEST = 8_000
"""The number of characters of a message that are searched."""

LONG = 600
"""The number of characters beyond which a passage is long: it is embedded in parts of at most this length."""

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
    def line(self) -> str:
        """The text with its author, as it is embedded."""
        return self._by_author(self.text)

    @property
    def part_lines(self) -> list[str]:
        """The same in parts."""
        return [self._by_author(part) for part in parts_of(self.text[:LONGEST])]

    def _by_author(self, text: str) -> str:
        return f"{self.author}: {text}" if self.author else text

    @property
    def date_words(self) -> list[str]:
        """The day's number, the month's names, and the year."""
        day = self.said_at
        return [str(day.day), *MONTHS[day.month - 1].split(), str(day.year)]


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
        speaks_to_other=sum(word in SECOND_PERSON for word in words) / max(1, len(words)),
        has_number=float(any(word.isdigit() for word in words)),
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
    words = text.split()
    pairs = pairwise(words)
    return any(
        len(word) > 1 and word.istitle() and (before[-1].islower() or before[-1] == ",") for before, word in pairs
    )

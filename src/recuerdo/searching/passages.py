"""Passages: messages as the search sees them."""

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

from recuerdo.core.passages import MessagePlace
from recuerdo.core.words import words_of
from recuerdo.searching.lexicon import FIRST_PERSON, MONTHS, SECOND_PERSON, TIMES

LONGEST = 8_000
"""The number of characters of a message that are searched."""


class Passage(NamedTuple):
    """One message with text. `author` is the message's name, or ""."""

    place: MessagePlace
    author: str
    text: str
    said_at: datetime

    @property
    def line(self) -> str:
        """The text with its author, as it is embedded."""
        text = self.text[:LONGEST]
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

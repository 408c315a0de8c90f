"""The dates in a query, and how close each passage is to them."""

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import date
from typing import Any, NamedTuple

import numpy as np

from recuerdo.core.words import words_of
from recuerdo.searching.lexicon import BEFORE_MONTHS, MONTHS, MONTHS_AND_MORE

Array = np.ndarray[Any, Any]

_WEEK = 7.0
"""Days of distance at which the weight has fallen to a third: people mention events days before or after them."""

_SINCE = frozenset({"since", "desde"})

_MONTHS = {name: number for number, names in enumerate(MONTHS, 1) for name in names.split()}
_DAY = re.compile(r"(\d\d?)(?:st|nd|rd|th|o|a)?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_DATE = re.compile(r"\b((?:19|20)\d\d)-(\d\d?)-(\d\d?)\b")


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

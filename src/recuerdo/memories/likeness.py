"""Whether two values, or two texts, mean the same, and the numbers and days by which they differ."""

import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from recuerdo.core.memories import Attribute
from recuerdo.core.words import normalize, words_of
from recuerdo.memories.extraction.lexicon import names, traits
from recuerdo.memories.locales.joined import COMPARISONS
from recuerdo.memories.locales.registry import LOCALES

_DIGITS = re.compile(r"\D+")
_DENIAL = re.compile(rf"\b(?:{COMPARISONS.denials})\b")
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)$")
_NEAR = 0.6
TOKEN = re.compile(r"\d+(?:[.:,]\d+)*(?:st|nd|rd|th)?|[^\W\d_]+")
"""A number, or a word without figures."""


def same_value(one: str | None, other: str | None) -> bool:
    """Whether two values are the same but for case, spaces and a full stop."""
    return _normal_text(one) == _normal_text(other)


def normal_form(attribute: Attribute | None, value: str) -> str:
    """Return the normal form that equal values of an attribute share, unless the order of their words differs."""
    return _number(value) if attribute == "phone" else _normal_text(value)


def same(attribute: Attribute | None, one: str | None, other: str | None) -> bool:
    """Whether two values of an attribute name the same thing, however they are written."""
    if attribute == "phone":
        return _number(one) == _number(other)
    if same_value(one, other):
        return True
    said = sorted(telling_words(one))
    return said != [] and said == sorted(telling_words(other))


def begins(longer: str | None, shorter: str | None) -> bool:
    """Whether one value begins with the other and adds to it: `Ana López` and `Ana`."""
    many, few = telling_words(longer), telling_words(shorter)
    return 0 < len(few) < len(many) and many[: len(few)] == few


def near(one: str, other: str) -> bool:
    """Whether one text has all words of the other and few more, the same numbers, and as many negations."""
    said, also = set(telling_words(one)), set(telling_words(other))
    if not said or not also or not (said <= also or also <= said) or len(said & also) / len(said | also) < _NEAR:
        return False
    return _marks(one) == _marks(other)


@lru_cache(2048)
def telling_words(text: str | None) -> tuple[str, ...]:
    """The words that carry meaning, folded and without plurals."""
    found = [word for word in words_of(text or "") if word not in COMPARISONS.small]
    return tuple(_singular(word) for word in found)


def form_of(word: str) -> str:
    """The letters by which the forms of a word are known: of `surveyor` and `surveying` the same."""
    return word[:4] if len(word) < 7 else word[: len(word) - 3]


def forms_of(text: str | None) -> set[str]:
    """The forms of the words that carry meaning."""
    return {form_of(each) for each in telling_words(text)}


def _normal_text(value: str | None) -> str:
    return " ".join((value or "").casefold().split()).rstrip(".!")


def _number(value: str | None) -> str:
    return _DIGITS.sub("", value or "")


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _marks(text: str) -> tuple[list[str], int]:
    folded = normalize(text)
    return sorted(re.findall(r"\d+", folded)), len(_DENIAL.findall(folded))


def found_in(kind: Callable[[str], bool], text: str) -> dict[str, str]:
    """The numbers or names of a text as they are written, by what they are compared by."""
    return {key: each for each in TOKEN.findall(text) if kind(key := key_of(each))}


def key_of(token: str) -> str:
    """The form in which a number or a name is compared: `13` of `13th`, `tuesday` of `Tuesdays`."""
    key = _ORDINAL.sub("", normalize(token))
    known = names_by_kind()
    return single if (single := key.removesuffix("s")) in known.weekdays else known.short_weekdays.get(key, key)


@cache
def small_words() -> frozenset[str]:
    """Words that carry no meaning alone, in all languages."""
    return frozenset[str]().union(*(each.offline.stop_words for each in LOCALES.values()))


def is_number(key: str) -> bool:
    """Whether it is a number, in figures or as a word."""
    return key[:1].isdigit() or key in traits.CARDINALS


def figures_and_days() -> list[Callable[[str], bool]]:
    """Tests whether a word is a number, a month or a weekday, one for each."""
    known = names_by_kind()
    return [is_number, known.months.__contains__, known.weekdays.__contains__]


class KnownNames(NamedTuple):
    """Names of months, of weekdays and of people."""

    months: frozenset[str]
    weekdays: frozenset[str]
    given: frozenset[str]
    short_weekdays: Mapping[str, str]
    """Weekdays by their short names: `monday` for `mon`."""


@cache
def names_by_kind() -> KnownNames:
    """The names of all languages, as `key_of` compares them."""
    languages = [locale.offline for locale in LOCALES.values()]
    months = frozenset(normalize(each) for one in languages for each in one.months)
    weekdays = frozenset(normalize(each) for one in languages for each in one.weekdays)
    spoken = [(locale.offline.weekdays, locale.detection.times) for locale in LOCALES.values()]
    named = [(each, normalize(long[day])) for long, times in spoken if times for each, day in times.weekdays.items()]
    short = {each: long for each, long in named if each != long and long.isalpha()}
    return KnownNames(months, weekdays, names.GIVEN - names.AMBIGUOUS - months, short)

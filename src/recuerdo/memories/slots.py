"""Attributes with one value at a time, and the slot that a value fills: the length of answers, the partner."""

import re

from recuerdo.core.memories import Attribute
from recuerdo.core.words import normalize
from recuerdo.memories.locales.joined import COMPARISONS, WORDS

SINGLE_VALUED: tuple[Attribute, ...] = (
    *("name", "employer", "job", "city", "country", "department", "team"),
    *("birthday", "age", "origin", "marital_status", "email", "phone"),
)
"""Attributes that have one value at a time, the most telling first."""

OF_PEOPLE: tuple[Attribute, ...] = ("family", "relative")
"""Attributes that name the user's relatives, and that tell of them."""

OPPOSITES: dict[Attribute, Attribute] = {"likes": "dislikes", "dislikes": "likes"}
"""A value of one of these attributes ends the same value of the other."""

FOLLOWERS: dict[Attribute, tuple[Attribute, ...]] = {"employer": ("department", "team")}
"""Attributes that describe the old value and can't be true of the new one."""

_SLOTS: dict[Attribute, tuple[str, ...]] = {
    "email": ("work", "personal"),
    "phone": ("work", "personal"),
    "preference": ("length", "formality", "language", "format", "emoji"),
    "family": ("partner", "mother", "father"),
}
"""The slots of an attribute whose values are told apart by their words."""

_FAVOURITE = re.compile(
    rf"\b(?:{WORDS.my}) (?:(?P<a>\w+(?: \w+)?) (?:{COMPARISONS.favourite})\b"
    rf"|(?:{COMPARISONS.favourite_before}) (?P<b>\w+)\b|(?P<c>{COMPARISONS.teams})\b)"
)
"""Of each kind of thing there is one favourite."""
_WORDS = {slot: re.compile(rf"\b(?:{words})\b") for slot, words in COMPARISONS.slots.items()}


def slot(attribute: Attribute | None, text: str) -> str | None:
    """Return the name of the slot within the attribute that has one value at a time; None where values accumulate."""
    if named := _named_slots(attribute, text):
        return named[0]
    if attribute == "likes" and (favourite := _FAVOURITE.search(normalize(text))):
        return f"favourite {favourite[favourite.lastgroup or 0]}"
    return "" if attribute in SINGLE_VALUED else None


def is_of_other_slot(attribute: Attribute | None, told: str, message: str) -> bool:
    """Whether a message names only other slots than that of a value that was told: `my work email`, of the private."""
    own, named = _named_slots(attribute, told), _named_slots(attribute, message)
    return bool(own and named) and own[0] not in named


def _named_slots(attribute: Attribute | None, text: str) -> list[str]:
    """The slots of an attribute of which a text has words, the most telling first."""
    if attribute not in _SLOTS:
        return []
    folded = normalize(text)
    return [name for name in _SLOTS[attribute] if _WORDS[name].search(folded)]

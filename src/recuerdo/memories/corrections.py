"""Puts the number, the day or the name that a message corrects in place of the one that a memory has."""

import re

from recuerdo.core.memories import Fact, Memory
from recuerdo.core.words import normalize
from recuerdo.memories.extraction.sentences import in_its_place
from recuerdo.memories.likeness import (
    TOKEN,
    figures_and_days,
    form_of,
    forms_of,
    found_in,
    is_number,
    key_of,
    names_by_kind,
    small_words,
    telling_words,
)
from recuerdo.memories.locales.joined import WORDS
from recuerdo.memories.people import CLAUSE

_MOST_TIMES = 3
"""How many times as large a number may be as the one that it takes the place of."""

_FIGURES, _THOUSANDS = re.compile(r"\d+(?:[.,]\d{3})*(?:[.,]\d{1,2})?"), re.compile(r"[.,](?=\d{3}(?!\d))")
_DENIAL, _BETWEEN, _MOST_BETWEEN = re.compile(rf"(?:\b(?:{WORDS.nots})|n't)\s+"), re.compile(r"[a-z]+\s+"), 2


def restated(memory: Memory, message: str, *, corrects: bool) -> Fact | None:
    """The memory with the number, the day or the name that the message has in place of one: `the 13th, not the 3rd`.

    None unless the message says that one is wrong, or `corrects` something, and leaves no doubt which one it means.
    """
    text, value = memory.text, memory.value or memory.text
    if new := in_its_place(memory.attribute, memory.value, message):
        return Fact(memory.attribute or "remember", new, text.replace(value, new)) if value in text else None
    exchanged, sure = list[tuple[str, str]](), list[tuple[str, str]]()
    for kind in (is_number, *(each.__contains__ for each in names_by_kind())):
        old, said = found_in(kind, text), found_in(kind, message)
        wrong = [each for each in old if each in said] or [*old]
        right = [each for each in said if each not in old]
        if len(wrong) == len(right):
            exchanged += zip(wrong, map(said.__getitem__, right), strict=True)
        if len(wrong) == len(right) == 1 and (corrects or _denies(message, normalize(said.get(wrong[0], wrong[0])))):
            sure.append(exchanged[-1])
    for wrong, right in [*sure, *(each for each in exchanged if sure and each not in sure)]:
        # another day may come with another hour
        if (wrong, right) in sure or _word_beside(wrong, text, -1) == _word_beside(key_of(right), message, -1):
            text, value = (_exchange(each, wrong, right) for each in (text, value))
    return None if text == memory.text else Fact(memory.attribute or "remember", value, text)


def updated(note: Memory, message: str) -> Fact | None:
    """A note of several clauses with the message's number in the one that it is about: `tamales a 18 y atole a 15`.

    None where that leaves a doubt, or where the numbers are of other units, or differ more than threefold, as a price
    and a day do.
    """
    said, clauses = forms_of(message), CLAUSE.split(note.text)[::2]
    about = [each for each in clauses if not said.isdisjoint(forms_of(each))]
    if note.attribute or len(clauses) == 1 or len(about) != 1:
        return None
    known, old = (found_in(is_number, text) for text in (note.text, about[0]))
    new = {key: each for key, each in found_in(is_number, message).items() if key not in known}
    sizes = sorted(map(_size, (*old, *new)))
    if (len(old), len(new)) != (1, 1) or not 0 < sizes[-1] <= _MOST_TIMES * sizes[0]:
        return None
    [wrong], [right] = old, new
    if _unit(wrong, about[0]) != _unit(right, message):
        return None  # the fourth of ten sessions
    text = note.text.replace(about[0], _exchange(about[0], wrong, new[right]), 1)
    return Fact("remember", text, text)


def _size(key: str) -> float:
    """The number as it is written in figures, or 0: `3.50`, `6,800`."""
    return float(_THOUSANDS.sub("", key).replace(",", ".")) if _FIGURES.fullmatch(key) else 0.0


def denied_value(message: str) -> str | None:
    """The number, month or weekday that the message says is wrong, if it says another in its place."""
    for kind in figures_and_days():
        found = found_in(kind, message)
        wrong = [each for each, written in found.items() if _denies(message, normalize(written))]
        if len(wrong) == 1 and len(found) > 1:
            return wrong[0]
    return None


def has_another_value(memory: Memory, message: str) -> bool:
    """Whether the message has another number, month or day: `la renta subió a 7,200` of `la renta son 6,800`."""
    found = [(found_in(kind, memory.text), found_in(kind, message)) for kind in figures_and_days()]
    return any(before and not set(said) <= set(before) for before, said in found)


def has_denied_value(memory: Memory, message: str) -> bool:
    """Whether the message names what the memory is about, and says that its number or day is another."""
    denied = denied_value(message)
    about = {each for each in telling_words(message) if each.isalpha()} - {denied}
    return has_value(memory, denied) and not about.isdisjoint(telling_words(memory.text))


def has_value(memory: Memory, value: str | None) -> bool:
    return any(value in found_in(kind, memory.text) for kind in figures_and_days())


def _denies(message: str, wrong: str) -> bool:
    """Whether `not` stands before it, or up to two words before: `I am not yet 34`."""
    folded = normalize(message)
    for denial in _DENIAL.finditer(folded):
        at = denial.end()
        for _ in range(_MOST_BETWEEN + 1):
            if folded.startswith(wrong, at) and not folded[at + len(wrong) :][:1].isdigit():
                return True
            between = _BETWEEN.match(folded, at)
            if between is None:
                break
            at = between.end()
    return False


def _word_beside(key: str, text: str, step: int) -> str:
    keys = ["", *map(key_of, TOKEN.findall(text)), ""]
    return keys[keys.index(key) + step] if key in keys[1:] else ""


def _unit(key: str, text: str) -> str:
    """The word behind a number, if it is no small one: `10` `terapias`."""
    behind = _word_beside(key, text, 1)
    return form_of(behind) if behind.isalpha() and behind not in small_words() else ""


def _exchange(text: str, wrong: str, right: str) -> str:
    return TOKEN.sub(lambda found: right if key_of(found[0]) == wrong else found[0], text)

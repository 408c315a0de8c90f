"""The times that a text names, in whichever language it is."""

from collections.abc import Iterator
from datetime import date

from recuerdo.core.memories import Fact
from recuerdo.memories.extraction.times import TimeWords, Validity
from recuerdo.memories.extraction.words import fold
from recuerdo.memories.locales.registry import LOCALES


def held(folded: str, start: int, end: int) -> tuple[int, int] | None:
    """Where the words are, between these places, that say from when or until when something holds."""
    return next((found for each in _times() if (found := each.held(folded, start, end))), None)


def validity_of(fact: Fact, today: date) -> Validity:
    """The time in which a fact holds, by its text; a plan ends when what it names is over.

    `Ela tem 78 anos` is an age, and no time since when anything holds.
    """
    if fact.attribute == "age" or (fact.attribute == "relative" and fact.value.isdigit()):
        return Validity()
    folded = fold(fact.text)
    said = next((found for each in _times() if any(found := each.validity(folded, today))), Validity())
    if fact.attribute == "plan":
        ends = said.ends or next((end for each in _times() if (end := each.end(folded, today))), None)
        return Validity(None, said.ends if any(each.comes_again(folded) for each in _times()) else ends)
    return said if said.ends is None or said.ends.date() > today else Validity(said.begins)


def _times() -> Iterator[TimeWords]:
    return (times for locale in LOCALES.values() if (times := locale.detection.times))

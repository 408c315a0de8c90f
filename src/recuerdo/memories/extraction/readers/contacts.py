"""Addresses, numbers and birthdays."""

import re
from itertools import islice

from recuerdo.core.memories import Attribute
from recuerdo.memories.extraction.language import ReaderInput, Reading
from recuerdo.memories.extraction.lexicon.months import MONTH
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.extraction.readers.spans import respaced
from recuerdo.memories.locales.joined import READERS, WORDS


def email(input_: ReaderInput) -> Reading | None:
    """The first address after the cue, if it comes soon."""
    return _first_match(input_, "email", r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", 4)


def phone(input_: ReaderInput) -> Reading | None:
    """A number of at least seven digits, with the signs that people group them by."""
    last, digits = 0, 0
    for word in input_.words:
        if not re.fullmatch(r"[\d+().\-/]+", word.text):
            break
        last, digits = last + 1, digits + sum(character.isdigit() for character in word.text)
    while last and input_.words[last - 1].text in (".", "-", "/", "(", ","):
        last -= 1
    return Reading("phone", 0, last) if 7 <= digits <= 15 else None


_DAY = rf"\d{{1,2}}(?:st|nd|rd|th|o|º)?|{READERS.first_day}"
_DATE = Pattern(
    rf"(?:(?:{READERS.on_day}) +)*(?P<date>\d{{4}}-\d{{1,2}}-\d{{1,2}}|\d{{1,2}}[/.-]\d{{1,2}}(?:[/.-]\d{{2,4}})?"
    rf"|(?:{_DAY})(?: +(?:{WORDS.of}))? +{MONTH}(?:,? +(?:(?:{WORDS.of}) +)?\d{{4}})?"
    rf"|{MONTH}(?: +(?:the +)?\d{{1,2}}(?:st|nd|rd|th)?\b)?(?:,? +(?:(?:{WORDS.of}) +)?\d{{4}})?)(?!\w)"
)


def birthday(input_: ReaderInput) -> Reading | None:
    """A day, or a month, with or without a year. Not `mañana`, which means another day tomorrow."""
    if not input_.words:
        return None
    offset = input_.words[0].start
    written = respaced(input_.words)
    match = _DATE.match(written)
    if match is None:
        return None
    start, end = match.start("date") + offset, match.end("date") + offset
    inside = [index for index, word in enumerate(input_.words) if start <= word.start and word.end <= end]
    return Reading("birthday", inside[0], inside[-1] + 1) if inside else None


def _first_match(input_: ReaderInput, attribute: Attribute, expression: str, reach: int) -> Reading | None:
    for index, word in enumerate(islice(input_.words, reach)):
        if re.fullmatch(expression, word.text):
            return Reading(attribute, index, index + 1)
    return None

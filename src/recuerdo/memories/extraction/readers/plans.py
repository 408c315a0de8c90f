"""Readers of plans and their dates."""

from itertools import pairwise

from recuerdo.memories.extraction.language import ReaderInput, Reading
from recuerdo.memories.extraction.lexicon import organisations
from recuerdo.memories.extraction.lexicon.dates import WEEKDAY, WHEN
from recuerdo.memories.extraction.lexicon.months import MONTH
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.extraction.readers.phrases import preference
from recuerdo.memories.extraction.readers.spans import skip
from recuerdo.memories.extraction.words import fold
from recuerdo.memories.locales.joined import EXTRACTION, READERS, WORDS

_WHEN = Pattern(rf"(?<!\w){WHEN}(?!\w)")


_BEFORE_TIME = Pattern(rf"\W*\b(?:(?:{READERS.before_time})\W+)*$")


_NUMBER = r"(?<![\d:/.,])(?:[12]?\d|3[01])(?:st|nd|rd|th)?(?![\d:/]|\.\d|\w)"
_OF_MONTH = rf"{_NUMBER} (?:(?:{WORDS.of}) )?{MONTH}"
_OTHER_TIME = Pattern(rf"\W*(?P<leads>(?:(?:{READERS.to_time}) )*)(?P<time>(?P<day>{_NUMBER})|{_OF_MONTH}|{WHEN})\W*$")
_BEFORE_DAY = "|".join(rf"(?<=\b{each} )" for each in EXTRACTION.before_day.split("|"))
_DAY = Pattern(
    rf"(?:{_BEFORE_DAY}|\b{MONTH} |(?P<weekday>\b{WEEKDAY},? (?:(?:{EXTRACTION.before_day}) )?)"
    rf"|(?={_OF_MONTH}(?!\w)))(?P<day>{_NUMBER})"
)
_DATE = Pattern(rf"(?<!\w)(?:{_OF_MONTH}(?!\w)|{WHEN}(?!\w))")


def names_time(words: str) -> bool:
    """Whether the words name a day or an hour, if only by a number."""
    return any(map(str.isdigit, words)) or _WHEN.search(fold(words)) is not None


def is_day(words: str) -> bool:
    """Whether the words are a day and nothing else: `el 14`, `on Monday`."""
    found = _OTHER_TIME.match(fold(words))
    return found is not None and (bool(found["leads"]) or not (found["day"] or "").isdigit())


def moved_plan(said: str, words: str) -> str | None:
    """Put the day that the words give in place of the one in what was said of a plan: a day of a month keeps the month.

    None when the words are not a day, or when it names none or several.
    """
    folded, other = fold(said), _OTHER_TIME.match(fold(words))
    if other is None:
        return None
    days = [*_DAY.finditer(folded)]
    if other["day"] and len(days) == 1:
        start = days[0].start("weekday") if days[0]["weekday"] else days[0].start("day")
        return said[:start] + words[other.start("time") : other.end("time")] + said[days[0].end() :]
    dates = [*_DATE.finditer(folded)]
    if len(dates) != 1 or other["day"]:
        return None
    return said[: dates[0].start()] + words[other.start("time") : other.end("time")] + said[dates[0].end() :]


def plan_itself(value: str) -> str:
    """The plan without its time: `reunión con Ana` of `reunión con Ana el jueves a las 10`."""
    folded = fold(value)
    found = _WHEN.search(folded)
    if found is None:
        return value
    before = _BEFORE_TIME.search(folded, 0, found.start())
    kept = value[: before.start() if before else found.start()].strip(" ,;:")
    return kept or value


def dated(input_: ReaderInput) -> Reading | None:
    """Read the rest of the clause, if it names a time."""
    reading = undated(input_)
    if reading is None:
        return None
    said = " ".join(word.folded for word in input_.words[reading.first : reading.last])
    return reading if _WHEN.search(said) else None


def undated(input_: ReaderInput) -> Reading | None:
    """Read the rest of the clause, after words that named a time."""
    reading = preference(input_)
    if reading is None or reading.last < 2:
        return None
    said = [word.folded for word in input_.words[: min(reading.last, 5)]]
    places = {place for before, place in pairwise(said) if before not in READERS.reasons}
    if said[0] in READERS.vague or not READERS.errands.isdisjoint(places):
        return None
    first = skip(input_.words[: reading.last], organisations.INDEFINITE)
    return Reading("plan", first, reading.last)

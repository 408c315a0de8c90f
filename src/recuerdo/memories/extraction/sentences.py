"""Doubts about a value that no cue announced: its sentence is supposed, reported, denied, past, or about others."""

from collections.abc import Iterator
from typing import Literal

from recuerdo.core.memories import Attribute
from recuerdo.memories.extraction.guards import judge
from recuerdo.memories.extraction.language import Language, SentenceChecks
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.extraction.statements import Statement
from recuerdo.memories.extraction.words import fold
from recuerdo.memories.locales.joined import GUARDS, WORDS
from recuerdo.memories.locales.registry import LOCALES

Doubt = Literal["denied", "supposed or reported", "not of the user", "not of now"]

_STATES: tuple[Attribute, ...] = (
    *("name", "employer", "job", "department", "team", "city", "country", "email", "phone", "age", "marital_status"),
    *("diet", "allergy", "health", "studies", "possession", "preference", "language"),
)
"""Attributes that describe the present: a past or wished value does not."""

_MAY_BE_NEGATED: tuple[Attribute, ...] = ("dislikes", "preference", "remember")

_TAKEN_BACK = Pattern(
    rf"(?:(?!\s(?:{WORDS.ands})\s)[^,.;:!?|]){{0,30}}?(?:,\s*|\s)(?:(?:{WORDS.wells}|{WORDS.buts}),?\s+)*"
    rf"(?:{GUARDS.taken_back})"
)
"""`Trabajo en Zara,` `pero ya no`, `tengo una moto,` `bueno, la vendí ayer`."""

_NAMES = Pattern(r"(?<=\w )[A-ZÀ-Ý]\w+")
"""Names are not verbs: `Candelaria` is not a conditional."""

_NAMED: tuple[Attribute, ...] = ("name", "pet", "family", "possession", "health", "allergy", "employer", "city")
_EXCHANGED: tuple[Attribute, ...] = (*_NAMED, "job", "studies", "relative")
"""Attributes whose values are names for things, which may be denied, and those that may be exchanged."""

_LONGEST_EXCHANGE = 400
"""Characters of a message: a longer one tells of too many things."""


def doubt_about(attribute: Attribute, statement: Statement, at: int) -> Doubt | None:
    """Return the reason against a value at this place of the sentence, in any language that it may be in."""
    before = list(statement.folded[:at])
    for name in _NAMES.finditer(statement.text[:at]):
        before[name.start() : name.end()] = " " * len(name.group())
    before = "".join(before)
    for language, checks in languages_of(statement):
        if judge(statement, at, at, language) == "unsaid" and not language.nouns.search(before):
            return "supposed or reported"
        if language.reports.search(before) or language.blockers.search(before):
            return "supposed or reported"
        if attribute not in _MAY_BE_NEGATED and language.negations.search(before):
            return "denied"
        if attribute in _STATES and checks.others.search(before):
            return "not of the user"
        if attribute in _STATES and (checks.past.search(before) or checks.wishes.search(before)):
            return "not of now"
    return None


def is_taken_back(folded: str, end: int) -> bool:
    """Whether the words after a value, which ends at `end`, say that it is so no more."""
    return _TAKEN_BACK.match(folded, end) is not None


def is_of_the_speaker(statement: Statement) -> bool:
    """Whether the speaker is who the sentence is about."""
    return any(checks.oneself.search(statement.folded) for _, checks in languages_of(statement))


def languages_of(statement: Statement) -> Iterator[tuple[Language, SentenceChecks]]:
    """The languages that most of the statement's small words are of."""
    said = statement.folded.split()
    counts = {code: sum(word in locale.detection.stops for word in said) for code, locale in LOCALES.items()}
    for code, locale in LOCALES.items():
        if locale.detection.hearsay is not None and counts[code] >= max(counts.values()) - 1:
            yield locale.detection, locale.detection.hearsay


def in_its_place(attribute: Attribute | None, value: str | None, text: str) -> str | None:
    """The words of a text in place of a value: `no es enalapril, es` *losartán*, `cambió el enalapril por` it."""
    old, folded = fold(value or ""), fold(text)
    if attribute not in _EXCHANGED or len(text) > _LONGEST_EXCHANGE or not old or old not in folded:
        return None
    for dialogue in (each.detection.dialogue for each in LOCALES.values()):
        if dialogue is None:
            continue
        for before, behind in (dialogue.denied, dialogue.swapped) if attribute in _NAMED else (dialogue.swapped,):
            ends = (gone.end() + len(old) for gone in before.finditer(folded) if folded.startswith(old, gone.end()))
            found = next((right for end in ends if (right := behind.match(folded, end))), None)
            if found and found["value"].split()[0] not in dialogue.begins_no_value:
                return text[slice(*found.span("value"))]
    return None

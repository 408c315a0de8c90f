"""Cues are looked for in a statement, guards take back what is not said of the user, readers take the values."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from recuerdo.core.memories import Attribute, Denial, Fact
from recuerdo.memories.extraction.guards import judge
from recuerdo.memories.extraction.language import Cue, Language, ReaderInput
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.extraction.readers import sure_city
from recuerdo.memories.extraction.statements import Statement
from recuerdo.memories.extraction.words import words
from recuerdo.memories.locales import LOCALES

_AT_WORK = frozenset(("employer", "job", "department", "team"))
_CLAUSE = Pattern(
    r"(?:(?![,.;:!?()|]|\s(?:y|e|and|pero|mas|but|que|who|o|or|ou|para|because|porque|con|com|with|desde)\s).)*"
)
_IN = Pattern(r"(?<=\s)(?:en|em|in)\s+")

_OF = Pattern(r"(?<=\s)(?:en|em|in|de|da|do)\s+")
"""A name's town may follow with `de` as well: `el IMSS de Toluca`, where `un colegio de Sevilla` may be anywhere."""

_AND = Pattern(r"(?:\s*,)?\s*(?:(?:y|e|and|nor|ni|nem)\s+)?(?:(?:de|a|about)\s+)?")
"""Between the things that are to be forgotten: `mi nombre` and `dónde vivo`."""

_FORGOT = Pattern("[éÉ]")
"""`Olvidé mi teléfono` tells of a mishap, and asks nothing."""


class DetectedFact(NamedTuple):
    """A fact and where it stands in its statement: the cue's start, and the value's."""

    fact: Fact
    start: int
    value_start: int


class _Match(NamedTuple):
    """A cue in a statement, and where the words begin that its value is read from."""

    cue: Cue
    start: int
    end: int


class Detected(NamedTuple):
    """What a statement says of the user: what is so, and what is not so or no longer."""

    found: list[DetectedFact]
    denied: list[Denial]


def detect(statement: Statement, casual: bool) -> Detected:
    """What the statement says, in order."""
    found: list[DetectedFact] = []
    denied: list[Denial] = []
    blocked: set[int] = set()
    for language in _likely_first(statement):
        forgotten = language.forget.search(statement.folded)
        for match in _matches(statement, language.cues):
            verdict = judge(statement, match.start, match.end, language)
            if verdict == "stated" and forgotten and match.start >= forgotten.end():
                verdict = "denied"
            if verdict != "stated":
                blocked.add(match.start)
            if verdict == "stated":
                found += _news(found, _read(statement, match, language, casual))
            elif verdict == "denied":
                denied += _denied(statement, match, language, casual)
        denied += _taken_back(statement, language, casual)
    kept = sorted((one for one in found if one.start not in blocked), key=lambda one: one.value_start)
    return Detected(kept, denied)


def _news(found: Sequence[DetectedFact], read: Iterator[DetectedFact]) -> list[DetectedFact]:
    """What nobody read behind the same cue before: `adoro` is a cue in two languages."""
    told = {(one.fact.attribute, one.start) for one in found}
    return [one for one in read if (one.fact.attribute, one.start) not in told]


def _denied(statement: Statement, match: _Match, language: Language, casual: bool) -> Iterator[Denial]:
    for one in _read(statement, match, language, casual):
        yield Denial(one.fact.attribute, one.fact.value, one.fact.text)


def _taken_back(statement: Statement, language: Language, casual: bool) -> Iterator[Denial]:
    """What the words themselves say to be so no longer."""
    for match in _matches(statement, language.denials):
        if judge(statement, match.start, match.end, language) == "stated":
            yield from _denied(statement, match, language, casual)
    for attribute, pattern in language.gone:
        for found in pattern.finditer(statement.folded):
            if judge(statement, found.start(), found.end(), language) == "stated":
                yield Denial(attribute, None, _unspaced(statement.text[found.start() : found.end()]))
    yield from _forgotten(statement, language)


def _forgotten(statement: Statement, language: Language) -> Iterator[Denial]:
    """What the user asks to forget: all of it, or what they name one after the other."""
    if not language.forgetting.verbs.search(statement.folded):
        return
    whole = language.forgetting.everything.search(statement.folded)
    for asked in [whole] if whole else language.forgetting.asks.finditer(statement.folded):
        words_of_it = statement.text[asked.start() : asked.end()]
        if judge(statement, asked.start(), asked.end(), language) != "stated" or _FORGOT.search(words_of_it):
            continue
        if whole:
            yield Denial(None, None, _unspaced(words_of_it))
        else:
            yield from _named(statement, asked.end(), words_of_it, language)


def _named(statement: Statement, position: int, asked: str, language: Language) -> Iterator[Denial]:
    while (gap := _AND.match(statement.folded, position)) and (one := _object(statement, gap.end(), language)):
        attributes, end = one
        for attribute in attributes:
            yield Denial(attribute, None, _unspaced(f"{asked} {statement.text[gap.end() : end]}"))
        position = end


def _object(statement: Statement, start: int, language: Language) -> tuple[Sequence[Attribute], int] | None:
    for attributes, named in language.forgetting.objects:
        if found := named.match(statement.folded, start):
            return attributes, found.end()
    return None


def _likely_first(statement: Statement) -> Sequence[Language]:
    """The languages, those first whose small words the statement has: `adoro` is Spanish and Portuguese."""
    said = set(statement.folded.split())
    return sorted((locale.detection for locale in LOCALES.values()), key=lambda language: -len(said & language.stops))


def _matches(statement: Statement, cues: Sequence[Cue]) -> Iterator[_Match]:
    for cue in cues:
        for match in cue.pattern.finditer(statement.folded):
            yield _Match(cue, match.start(), match.end())


def _read(statement: Statement, match: _Match, language: Language, casual: bool) -> Iterator[DetectedFact]:
    """The cue's own fact, and those that follow it: `trabajo en X` `como Y` `en Z`."""
    cue, position = match.cue, match.end
    text = statement.folded if statement.text.isupper() else statement.text  # shouted capitals say nothing
    for _ in range(5):
        heard = ReaderInput(words(text, statement.folded, position), language, casual)
        reading = cue.reader(heard)
        if reading is None:
            return
        start, end = heard.words[reading.first].start, heard.words[reading.last - 1].end
        value = _unspaced(statement.text[start:end])
        end = heard.words[max(reading.last, reading.until) - 1].end
        clause = value if reading.attribute == "remember" else _unspaced(statement.text[match.start : end])
        yield DetectedFact(Fact(reading.attribute, value, clause), match.start, start)
        tails = language.tails.get(reading.attribute, ())
        tail = _tail(statement, end, tails, language, casual)
        if tail is None and reading.attribute in _AT_WORK:
            tail = _place(statement, end, language, casual, _OF if casual or value[:1].isupper() else _IN)
        if tail is None:
            return
        cue, position = tail


def _tail(
    statement: Statement, end: int, tails: Sequence[Cue], language: Language, casual: bool
) -> tuple[Cue, int] | None:
    gap = language.asides.match(statement.folded, end)
    for cue in tails:
        match = cue.pattern.match(statement.folded, gap.end() if gap else end)
        if match and cue.reader(ReaderInput(words(statement.text, statement.folded, match.end()), language, casual)):
            return cue, match.end()
    return None


def _place(statement: Statement, end: int, language: Language, casual: bool, before: Pattern) -> tuple[Cue, int] | None:
    """A town that we know, a few words on in the same clause: `at a law firm` just off the market `in Reading`."""
    clause = _CLAUSE.match(statement.folded, end, end + 60)
    for match in before.finditer(statement.folded, end, clause.end() if clause else end):
        reading = sure_city(ReaderInput(words(statement.text, statement.folded, match.end()), language, casual))
        if reading and reading.first == 0:
            return Cue(sure_city, before), match.end()
    return None


def _unspaced(text: str) -> str:
    return " ".join(text.split())

"""Cues are looked for in a statement, guards take back what is not said of the user, readers take the values."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from recuerdo.core.memories import Attribute, Denial, Fact
from recuerdo.memories.extraction.guards import Verdict, judge
from recuerdo.memories.extraction.kinds import objects_of
from recuerdo.memories.extraction.language import Cue, Language, ReaderInput
from recuerdo.memories.extraction.lexicon import places
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.extraction.readers import employer, sure_city
from recuerdo.memories.extraction.relatives import MOST_OF_ONE, RelativeMention, another, of_relatives
from recuerdo.memories.extraction.statements import Statement
from recuerdo.memories.extraction.words import Word, words_from
from recuerdo.memories.locales.joined import EXTRACTION, WORDS
from recuerdo.memories.locales.registry import LOCALES

_AT_WORK = frozenset(("employer", "job", "department", "team"))
_CLAUSE = Pattern(
    rf"(?:(?![,.;:!?()|]|\s(?:{WORDS.ands}|{WORDS.buts}|{WORDS.thats}|{WORDS.ors}|{WORDS.becauses}|"
    rf"{EXTRACTION.clause_ends})\s).)*"
)
_IN = Pattern(rf"(?<=\s)(?:{WORDS.at})\s+")

_OF = Pattern(rf"(?<=\s)(?:{WORDS.at}|{EXTRACTION.before_towns})\s+")
"""A name's town may follow with `de` as well: `el IMSS de Toluca`, where `un colegio de Sevilla` may be anywhere."""

_AND = Pattern(rf"(?:\s*,)?\s*(?:(?:{WORDS.ands}|{WORDS.nors})\s+)?(?:(?:{EXTRACTION.about})\s+)?")
"""Between the things that are to be forgotten: `mi nombre` and `dónde vivo`."""

_MOST_OF_A_CUE = 12
"""How often one cue counts in a sentence: a sentence with more of `soy` than this states nothing."""

_FORGOT = Pattern("(?<!cont)[éÉ]")
"""`Olvidé mi teléfono` tells of a mishap, and asks nothing: `borra lo que te conté` does."""


class DetectedFact(NamedTuple):
    """A fact and where it stands in its statement: the cue's start, and the value's."""

    fact: Fact
    start: int
    value_start: int
    is_aside: bool = False
    """A town that is told of the work, which yields to the one where the user says that they live."""


class _Match(NamedTuple):
    """A cue in a statement, and where the words begin that its value is read from."""

    cue: Cue
    start: int
    end: int


class Detected(NamedTuple):
    """The content of a statement: facts about the user, and denials."""

    found: list[DetectedFact]
    denied: list[Denial]


def detect(statement: Statement, casual: bool) -> Detected:
    """Return the facts and denials in the statement, in order."""
    found: list[DetectedFact] = []
    denied: list[Denial] = []
    blocked: set[int] = set()
    for language in _likely_first(statement):
        forgotten = language.forget.search(statement.folded)
        judged: dict[tuple[int, int], Verdict] = {}
        for match in _matches(statement, language.cues):
            if (verdict := judged.get((match.start, match.end))) is None:
                verdict = judge(statement, match.start, match.end, language)
                judged[match.start, match.end] = verdict
            if verdict == "stated" and forgotten and match.start >= forgotten.end():
                verdict = "denied"
            if verdict != "stated":
                blocked.add(match.start)
            if verdict == "stated":
                found += _news(found, _read(statement, match, language, casual))
            elif verdict == "denied":
                denied += _denied(statement, match, language, casual)
        denied += _taken_back(statement, language, casual)
        for told in of_relatives(statement, language, casual):
            facts, denials = _of_relative(statement, told, language, casual)
            found += facts
            denied += denials
    lives = any(one.fact.attribute == "city" and not one.is_aside for one in found)
    kept = [one for one in found if one.start not in blocked and not (lives and one.is_aside)]
    return Detected(sorted(kept, key=lambda one: one.value_start), denied)


def _of_relative(
    statement: Statement, told: RelativeMention, language: Language, casual: bool
) -> tuple[list[DetectedFact], list[Denial]]:
    """The relative's name, and what is told of them: `mi hermana Sonia` `vive en Puebla` `y trabaja en ...`."""
    facts: list[DetectedFact] = []
    denials: list[Denial] = []
    if told.name:
        name, who = _unspaced(statement.text[slice(*told.name)]), _unspaced(statement.text[told.start : told.name[1]])
        facts.append(DetectedFact(Fact("family", name, who), told.start, told.name[0]))
    following = told.told
    for _ in range(MOST_OF_ONE):
        if following is None:
            break
        end = following.position
        for one in _read(statement, _Match(following.cue, told.start, end), language, casual):
            end = max(end, one.value_start + len(one.fact.value))
            if following.denied:
                denials.append(Denial("relative", one.fact.value, one.fact.text))
            else:
                fact = Fact("relative", one.fact.value, one.fact.text)
                facts.append(DetectedFact(fact, told.start, one.value_start))
        following = another(statement, language, end, casual)
    return facts, denials


def _news(found: Sequence[DetectedFact], read: Iterator[DetectedFact]) -> list[DetectedFact]:
    """Return the facts that were not already read after the same cue: `adoro` is a cue in two languages."""
    told = {(one.fact.attribute, one.start) for one in found}
    return [one for one in read if (one.fact.attribute, one.start) not in told]


def _denied(statement: Statement, match: _Match, language: Language, casual: bool) -> Iterator[Denial]:
    for one in _read(statement, match, language, casual):
        yield Denial(one.fact.attribute, one.fact.value, one.fact.text)


def _taken_back(statement: Statement, language: Language, casual: bool) -> Iterator[Denial]:
    """Yield the denials that the words themselves express."""
    for match in _matches(statement, language.denials):
        if judge(statement, match.start, match.end, language) == "stated":
            yield from _denied(statement, match, language, casual)
    for attribute, pattern in language.gone:
        for found in pattern.finditer(statement.folded):
            if judge(statement, found.start(), found.end(), language) == "stated":
                yield Denial(attribute, None, _unspaced(statement.text[found.start() : found.end()]))
    yield from _forgotten(statement, language)


def _forgotten(statement: Statement, language: Language) -> Iterator[Denial]:
    """Yield a denial for everything, or for each thing that the user asks to forget."""
    for asked, everything in _orders(statement, language):
        words_of_it = statement.text[asked.start() : asked.end()]
        if everything:
            yield Denial(None, None, _unspaced(words_of_it))
        else:
            yield from _named(statement, asked.end(), words_of_it, language)


def orders_to_forget(statement: Statement, language: Language) -> Iterator[int]:
    """Where the words begin of what is to be forgotten and is none of the things that we know by name."""
    for asked, everything in _orders(statement, language):
        gap = _AND.match(statement.folded, asked.end())
        if not everything and not (gap and _object(statement, gap.end(), language)):
            yield asked.end()


def _orders(statement: Statement, language: Language) -> Iterator[tuple[re.Match[str], bool]]:
    """Each order to forget, and whether it is to forget everything."""
    if not language.forgetting.verbs.search(statement.folded):
        return
    whole = language.forgetting.everything.search(statement.folded)
    for asked in [whole] if whole else language.forgetting.asks.finditer(statement.folded):
        told = _FORGOT.search(statement.text[asked.start() : asked.end()])
        if not told and judge(statement, asked.start(), asked.end(), language) == "stated":
            yield asked, whole is not None


def _named(statement: Statement, position: int, asked: str, language: Language) -> Iterator[Denial]:
    while (gap := _AND.match(statement.folded, position)) and (one := _object(statement, gap.end(), language)):
        attributes, end = one
        for attribute in attributes:
            yield Denial(attribute, None, _unspaced(f"{asked} {statement.text[gap.end() : end]}"))
        position = end


def _object(statement: Statement, start: int, language: Language) -> tuple[Sequence[Attribute], int] | None:
    for attributes, named in (*language.forgetting.objects, *objects_of(language)):
        if found := named.match(statement.folded, start):
            return attributes, found.end()
    return None


def _likely_first(statement: Statement) -> Sequence[Language]:
    """The languages, those first whose small words the statement has: `adoro` is Spanish and Portuguese."""
    said = set(statement.folded.split())
    return sorted((locale.detection for locale in LOCALES.values()), key=lambda language: -len(said & language.stops))


def _matches(statement: Statement, cues: Sequence[Cue]) -> Iterator[_Match]:
    for cue in cues:
        for match in islice(cue.pattern.finditer(statement.folded), _MOST_OF_A_CUE):
            yield _Match(cue, match.start(), match.end())


def _read(statement: Statement, match: _Match, language: Language, casual: bool) -> Iterator[DetectedFact]:
    """The cue's own fact, and those that follow it: `trabajo en X` `como Y` `en Z`."""
    cue, position, at_work = match.cue, match.end, False
    text = statement.folded if statement.text.isupper() else statement.text  # shouted capitals say nothing
    for _ in range(5):
        heard = ReaderInput(words_from(text, statement.folded, position), language, casual)
        reading = cue.reader(heard)
        if reading is None:
            return
        start, end = heard.words[reading.first].start, heard.words[reading.last - 1].end
        value = _unspaced(statement.text[start:end])
        end = heard.words[max(reading.last, reading.until) - 1].end
        told = _with_town(heard.words, reading.last, end) if reading.attribute == "employer" else end
        clause = value if reading.attribute == "remember" else _unspaced(statement.text[match.start : told])
        aside = reading.attribute == "city" and (at_work or cue.reader is employer)
        at_work = at_work or reading.attribute in _AT_WORK
        yield DetectedFact(Fact(reading.attribute, value, clause), match.start, start, aside)
        tails = language.tails.get(reading.attribute, ())
        tail = _tail(statement, end, tails, language, casual)
        if tail is None and reading.attribute in _AT_WORK:
            tail = _place(statement, end, language, casual, _OF if casual or value[:1].isupper() else _IN)
        if tail is None:
            return
        cue, position = tail


def _with_town(words: Sequence[Word], last: int, end: int) -> int:
    """Where a clause ends that tells of which town an employer is: `en un taller` `de Rosario`."""
    town = words[last + 1 : last + 2]
    return town[0].end if town and words[last].folded in _OF_TOWN and places.is_place(town) else end


_OF_TOWN = frozenset(("de", "of"))


def _tail(
    statement: Statement, end: int, tails: Sequence[Cue], language: Language, casual: bool
) -> tuple[Cue, int] | None:
    gap = language.asides.match(statement.folded, end)
    for cue in tails:
        match = cue.pattern.match(statement.folded, gap.end() if gap else end)
        if match and cue.reader(
            ReaderInput(words_from(statement.text, statement.folded, match.end()), language, casual)
        ):
            return cue, match.end()
    return None


def _place(statement: Statement, end: int, language: Language, casual: bool, before: Pattern) -> tuple[Cue, int] | None:
    """A town that we know, a few words on in the same clause: `at a law firm` just off the market `in Reading`."""
    clause = _CLAUSE.match(statement.folded, end, end + 60)
    for match in before.finditer(statement.folded, end, clause.end() if clause else end):
        reading = sure_city(ReaderInput(words_from(statement.text, statement.folded, match.end()), language, casual))
        if reading and reading.first == 0:
            return Cue(sure_city, before), match.end()
    return None


def _unspaced(text: str) -> str:
    return " ".join(text.split())

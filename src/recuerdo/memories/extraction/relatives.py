"""Extracts facts about users' relatives, which are never facts about the user."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import NamedTuple

from recuerdo.core.memories import Attribute
from recuerdo.memories.extraction.guards import judge
from recuerdo.memories.extraction.kinds import OF_RELATIVES
from recuerdo.memories.extraction.language import Cue, Language, ReaderInput, pattern, spelled
from recuerdo.memories.extraction.lexicon import jobs, names
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.extraction.statements import Statement
from recuerdo.memories.extraction.words import Word, fold, words
from recuerdo.memories.locales import LOCALES
from recuerdo.memories.slots import SINGLE_VALUED

_LONGEST_NAME = 2
_MOST_RELATIVES = 6
_AND = Pattern(r"\s*,?\s*(?:y|e|and|pero|mas|but)?(?=\s)")


class ToldOfRelative(NamedTuple):
    """Where in a statement something of a relative is told: who, their name, the cue, and where the value begins."""

    start: int
    who: str
    name: tuple[int, int] | None
    attribute: Attribute
    cue: Cue
    position: int
    denied: bool


def of_relatives(statement: Statement, language: Language, casual: bool) -> Iterator[ToldOfRelative]:
    """Yield the facts about each of the user's relatives that the statement names."""
    if (dialogue := language.dialogue) is None:
        return
    for who in islice(dialogue.mine.finditer(statement.folded), _MOST_RELATIVES):
        verdict = judge(statement, who.start(), who.end(), language)
        if verdict != "unsaid":
            yield from _facts_of(statement, language, who, casual)


def _facts_of(statement: Statement, language: Language, who: re.Match[str], casual: bool) -> Iterator[ToldOfRelative]:
    start, end = who.span()
    name: tuple[int, int] | None = None
    for length in range(_LONGEST_NAME + 1):
        behind = words(statement.text, statement.folded, end)[: length + 1]
        if length and not _is_name(behind, length, language, casual):
            return
        name = (behind[0].start, behind[length - 1].end) if length else None
        found = _cue(statement, language, name[1] if name else end, casual)
        if found:
            yield ToldOfRelative(start, who["who"], name, *found)
            return


def another(statement: Statement, language: Language, end: int, casual: bool) -> "Told | None":
    """Return the fact about the same relative behind `and`, if any."""
    gap = _AND.match(statement.folded, end)
    return _cue(statement, language, gap.end(), casual) if gap else None


def _is_name(behind: list[Word], length: int, language: Language, casual: bool) -> bool:
    if len(behind) < length:
        return False
    word = behind[length - 1]
    if word.is_mark or not word.text.isalpha() or (word.folded in names.NEVER and word.folded not in names.GIVEN):
        return False
    plain = casual and word.folded not in language.stops | language.starters | language.fillers | language.joiners
    return word.is_proper or word.folded in names.GIVEN or (plain and not jobs.is_job(word.folded))


def _cue(statement: Statement, language: Language, position: int, casual: bool) -> "Told | None":
    dialogue = language.dialogue
    gap = dialogue.who.match(statement.folded, position) if dialogue else None
    if gap is None or dialogue is None:
        return None
    denied = dialogue.denies.match(statement.folded, gap.end())
    at = denied.end() if denied else gap.end()
    for attribute, reader in OF_RELATIVES.items():
        kind = language.kinds.get(attribute)
        found = _pattern(tuple(kind.tells)).match(statement.folded, at) if kind and kind.tells else None
        heard = ReaderInput(words(statement.text, statement.folded, found.end()), language, casual) if found else None
        if found and heard and reader(heard):
            return Told(attribute, Cue(reader, _pattern(())), found.end(), denied is not None)
    return None


class Told(NamedTuple):
    """A fact about a relative, and where its value begins."""

    attribute: Attribute
    cue: Cue
    position: int
    denied: bool


def relative_slot(text: str) -> str | None:
    """Return the relative and the attribute, if it has one value at a time: `hermana sonia: city`."""
    statement = Statement(text, fold(text))
    for locale in LOCALES.values():
        language = locale.detection
        for told in of_relatives(statement, language, casual=text == text.lower()):
            name = fold(text[slice(*told.name)]) if told.name else ""
            return f"{told.who} {name}: {told.attribute}" if told.attribute in SINGLE_VALUED else None
        relative = language.dialogue.yours.search(statement.folded) if language.dialogue else None
        for attribute in SINGLE_VALUED if relative else ():
            kind = language.kinds.get(attribute)
            if relative and kind and kind.asked_of and pattern(*kind.asked_of).search(statement.folded):
                return f"{relative['who']} : {attribute}"
    return None


@cache
def _pattern(tells: tuple[str, ...]) -> Pattern:
    alternatives = "|".join(map(spelled, tells)).replace(" ", r"\s+")
    return Pattern(rf"(?:{alternatives})(?![\w'-])\s*:?\s*")

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
from recuerdo.memories.extraction.lexicon import households, jobs, names
from recuerdo.memories.extraction.patterns import Pattern, words_in
from recuerdo.memories.extraction.statements import Statement
from recuerdo.memories.extraction.words import Word, fold, words_from
from recuerdo.memories.locales.joined import EXTRACTION, WORDS
from recuerdo.memories.locales.registry import LOCALES
from recuerdo.memories.slots import SINGLE_VALUED

_LONGEST_NAME = 2
_MOST_RELATIVES = 6
MOST_OF_ONE = 3
"""Facts of one relative, one after the other."""

_AND = Pattern(rf"\s*,?\s*(?:(?:{WORDS.ands}|{WORDS.buts})(?=\s))?(?:\s*(?:{WORDS.they})(?=[\s']))?(?=[\s'])")

_AGE = Pattern(r"\d{1,2}")
_WORD = re.compile(r"\w+")
_I_AM = Pattern(rf"\b(?:{EXTRACTION.i_am})\s(?:\w+\s)?\Z")
_FEW = 3
_OF, _AND_ANOTHER = words_in(WORDS.of), words_in(WORDS.ands)
_THEIRS = tuple(EXTRACTION.theirs)
_MOST_BETWEEN = 4
"""Words between the word for a relative and the name: `mi mamá` `que se llama` `Rosa`."""

_UNIT = Pattern(rf"\s+(?:{EXTRACTION.units})\b")


class RelativeFact(NamedTuple):
    """A fact about a relative, and where its value begins."""

    attribute: Attribute
    cue: Cue
    position: int
    denied: bool


class RelativeMention(NamedTuple):
    """Where in a statement a relative is named: who, their name, and what is told of them."""

    start: int
    who: str
    name: tuple[int, int] | None
    told: RelativeFact | None


def of_relatives(statement: Statement, language: Language, casual: bool) -> Iterator[RelativeMention]:
    """Yield each of the user's relatives of whom the statement tells the name or something else."""
    if (dialogue := language.dialogue) is None:
        return
    for who in islice(dialogue.mine.finditer(statement.folded), _MOST_RELATIVES):
        verdict = judge(statement, who.start(), who.end(), language, verbs=False)
        if verdict != "unsaid" and (found := _about(statement, language, who, casual)):
            told = found.told is not None or (verdict == "stated" and found.name is not None)
            if told:
                yield found


def _about(statement: Statement, language: Language, who: re.Match[str], casual: bool) -> RelativeMention | None:
    start, end = who.span()
    if told := _cue(statement, language, end, casual):
        return RelativeMention(start, who["who"], None, told)
    if name := _apposed(statement, language, end):
        told = _cue(statement, language, name[1], casual) or another(statement, language, name[1], casual)
        return RelativeMention(start, who["who"], name, told)
    behind = words_from(statement.text, statement.folded, end)
    for length in range(1, _LONGEST_NAME + 1):
        if not _is_name(behind[: length + 1], length, language, casual):
            break
        told = _cue(statement, language, behind[length - 1].end, casual)
        if told:
            return RelativeMention(start, who["who"], (behind[0].start, behind[length - 1].end), told)
    return None


def _apposed(statement: Statement, language: Language, end: int) -> tuple[int, int] | None:
    """Where the name of a relative is that is written like one: `my husband,` `Martin`, `mi madre se llama` `Norma`.

    Several names are not one relative's.
    """
    called = language.dialogue.called.match(statement.folded, end) if language.dialogue else None
    behind = words_from(statement.text, statement.folded, called.end() if called else end)
    last = 0
    while last < min(len(behind), _LONGEST_NAME) and _is_sure_name(behind[last]):
        last += 1
    listed = len(behind) > last + 1 and behind[last].folded in language.joiners | {","}
    if not last or (listed and _is_sure_name(behind[last + 1])):
        return None
    return behind[0].start, behind[last - 1].end - 2 * behind[last - 1].folded.endswith("'s")


def _is_sure_name(word: Word) -> bool:
    if (
        word.is_mark
        or not word.text.removesuffix("'s").isalpha()
        or (word.folded in names.NEVER and word.folded not in names.GIVEN)
    ):
        return False
    accented = word.text.lower() != word.folded  # `Toño` is not a `tono`
    return (word.is_proper and len(word.text) > 1) or (
        word.folded in names.GIVEN and (accented or word.folded not in names.AMBIGUOUS)
    )


def another(statement: Statement, language: Language, end: int, casual: bool) -> RelativeFact | None:
    """Return the fact about the same relative after `and`, if any."""
    gap = _AND.match(statement.folded, end)
    return _cue(statement, language, gap.end(), casual) if gap else None


def _is_name(behind: list[Word], length: int, language: Language, casual: bool) -> bool:
    if len(behind) < length:
        return False
    word = behind[length - 1]
    if word.is_mark or not word.text.isalpha() or (word.folded in names.NEVER and word.folded not in names.GIVEN):
        return False
    plain = casual and not language.is_small(word.folded)
    return word.is_proper or word.folded in names.GIVEN or (plain and not jobs.is_job(word.folded))


def _cue(statement: Statement, language: Language, position: int, casual: bool) -> RelativeFact | None:
    dialogue = language.dialogue
    gap = dialogue.who.match(statement.folded, position) if dialogue else None
    if gap is None or dialogue is None:
        return None
    denied = dialogue.denies.match(statement.folded, gap.end())
    at = denied.end() if denied else gap.end()
    for attribute, reader in OF_RELATIVES.items():
        kind = language.kinds.get(attribute)
        found = _pattern(tuple(kind.tells)).match(statement.folded, at) if kind and kind.tells else None
        heard = (
            ReaderInput(words_from(statement.text, statement.folded, found.end()), language, casual) if found else None
        )
        if found and heard and reader(heard):
            return RelativeFact(attribute, Cue(reader, _pattern(())), found.end(), denied is not None)
    return None


def tells_of_relative(statement: Statement, language: Language, end: int) -> bool:
    """Whether words follow that tell something of a person who has been named up to `end`."""
    return _cue(statement, language, end, casual=True) is not None


def relative_slot(text: str, value: str | None = None, *, every: bool = False) -> str | None:
    """Return the relative and the attribute, if it has one value at a time (or `every` one): `hermana sonia: city`.

    The attribute is that of the `value` in the text, or of the last one where none is given. None where no cue tells
    it: of `tem 62 anos e vive em Évora` the town is not an age.
    """
    statement = Statement(text, fold(text))
    for locale in LOCALES.values():
        language = locale.detection
        for told in of_relatives(statement, language, casual=text == text.lower()):
            name = fold(text[slice(*told.name)]) if told.name and told.who not in households.ONLY_ONE else ""
            attribute = _attribute_told(statement, language, told.told, fold(value) if value else None)
            if attribute is None and value and _AGE.fullmatch(value):
                attribute = "age"
            return f"{told.who} {name}: {attribute}" if every or attribute in SINGLE_VALUED else None
        relative = language.dialogue.yours.search(statement.folded) if language.dialogue else None
        for attribute in SINGLE_VALUED if relative else ():
            kind = language.kinds.get(attribute)
            if relative and kind and kind.asked_of and pattern(*kind.asked_of).search(statement.folded):
                return f"{relative['who']} : {attribute}"
    return None


def named_relative(text: str, name: str | None) -> str:
    """The word for a relative before the name, `lads` of `my wife is Aoife and we've two lads, Cian`, else the text.

    Of `el hermano de mi esposa, Jhon` it is the brother, and of `my wife and I have` *two kids* it is the kids.
    """
    counted = [word for word in _WORD.findall(fold(name or "")) if households.is_of_family(word)]
    if len(counted) == 1:
        return counted[0]
    before, places = _relatives_before(text, name)
    if (
        len(places) > 1
        and (between := before[places[-2] + 1 : places[-1]])
        and between[0] in _OF
        and len(between) < _FEW
    ):
        places.pop()
    return before[places[-1]] if places else text


def is_relative_of_another(text: str, name: str | None) -> bool:
    """Whether the word for a relative before the name is of another's relative, or the name is no relative's.

    `Her husband Fintan` and `Cecília está noiva do Otto` name no partner of the user's, and `a consulta da minha mãe
    com o doutor Jacinto` no mother.
    """
    before, places = _relatives_before(text, name)
    if not places:  # `Ana is my wife`, and no `Cecília está noiva do Otto`
        dialogues = (locale.detection.dialogue for locale in LOCALES.values())
        return not any(each is not None and each.mine.search(fold(text)) for each in dialogues)
    [*_, kin] = places
    said = fold(text).partition(fold(name))[0] if name else fold(text)
    if _I_AM.search(said, 0, said.rfind(before[kin])):
        return True  # `I'm a mother of` Ana, who is none
    between = before[kin + 1 :] if name else []
    if before[kin] in households.ONLY_ONE and not _AND_ANOTHER.isdisjoint(between):
        return True
    if len(between) > _MOST_BETWEEN or not EXTRACTION.having.isdisjoint(between):
        return True
    owner = before[kin - 1] if kin else ""
    is_owned = owner in EXTRACTION.of_another or (owner not in names.GIVEN and owner.removesuffix("s") in names.GIVEN)
    if is_owned or f"{' '.join(between)} ".startswith(_THEIRS):
        return True  # `her husband`, `rhyss wife`
    return kin > _FEW - 1 and (EXTRACTION.oneself | EXTRACTION.ours).isdisjoint(before[:kin])


def _relatives_before(text: str, name: str | None) -> tuple[list[str], list[int]]:
    """The words before the name, or all of them, and the places of those for relatives among them."""
    folded = fold(text)
    before = _WORD.findall(folded.partition(fold(name))[0] if name else folded)
    return before, [place for place, word in enumerate(before) if households.is_of_family(word)]


def attribute_of_relative(text: str) -> Attribute | None:
    """The attribute that is told of a relative, if it has one value at a time."""
    kind = (relative_slot(text) or "").rpartition(": ")[2]
    return next((attribute for attribute in SINGLE_VALUED if attribute == kind), None)


def _attribute_told(
    statement: Statement, language: Language, told: RelativeFact | None, value: str | None
) -> Attribute | None:
    """The attribute of the value, else that of the last one in the text: `mi hija es médica y` *vive en Lima*."""
    last = told
    casual = statement.text == statement.text.lower()
    for _ in range(MOST_OF_ONE):
        behind = words_from(statement.text, statement.folded, told.position) if told else []
        reading = told.cue.reader(ReaderInput(behind, language, casual)) if told else None
        if told is None or reading is None:
            break
        start, end = behind[reading.first].start, behind[reading.last - 1].end
        read = statement.folded[start:end]
        if value is not None and (value in read or read in value):
            return told.attribute
        unit = _UNIT.match(statement.folded, end)
        last, told = told, another(statement, language, unit.end() if unit else end, casual)
    return last.attribute if last and value is None else None


def relation(text: str) -> str | None:
    """The relative that a text names, in its own words, in the singular: `mi hija` of `mi hija se llama Ana`."""
    folded = fold(text)
    dialogues = [dialogue for locale in LOCALES.values() if (dialogue := locale.detection.dialogue)]
    for dialogue in dialogues:
        if found := dialogue.mine.search(folded):
            return text[found.start() : found.end()].removesuffix("'s")
    said = set(folded.split())
    speaking = sorted(LOCALES.values(), key=lambda each: len(said & each.offline.markers), reverse=True)
    spoken = [dialogue for locale in speaking if (dialogue := locale.detection.dialogue)]
    for dialogue in sorted(spoken, key=lambda each: not said.isdisjoint(each.having), reverse=True):
        if found := dialogue.relative.search(folded):
            return f"{dialogue.my} {found['who'].removesuffix('s')}"
    return None


@cache
def _pattern(tells: tuple[str, ...]) -> Pattern:
    alternatives = "|".join(map(spelled, tells)).replace(" ", r"\s+")
    return Pattern(rf"(?:{alternatives})(?![\w'-])\s*:?\s*")

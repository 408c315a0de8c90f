"""Finds statements that depend on earlier ones: bare answers, corrections, returns, endings, requests to forget.

An answer needs the question. The others leave a Hint, of which `understand.py` makes facts and endings beside what is
held.
"""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from recuerdo.core.memories import Attribute, Denial, Fact
from recuerdo.core.words import normalize
from recuerdo.memories.extraction.engine import detect, orders_to_forget
from recuerdo.memories.extraction.guards import judge
from recuerdo.memories.extraction.language import Dialogue, Language, ReaderInput, pattern, value_span
from recuerdo.memories.extraction.lexicon import households, jobs, names, places, traits
from recuerdo.memories.extraction.lexicon.dates import WEEKDAY
from recuerdo.memories.extraction.lexicon.months import MONTH
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.extraction.readers import known_name
from recuerdo.memories.extraction.readers.plans import is_day
from recuerdo.memories.extraction.relatives import attribute_of_relative, tells_of_relative
from recuerdo.memories.extraction.statements import KEPT_IN, Statement
from recuerdo.memories.extraction.words import fold, words_from
from recuerdo.memories.locales.joined import EXTRACTION, WORDS
from recuerdo.memories.locales.registry import LOCALES
from recuerdo.memories.slots import SINGLE_VALUED, slot

_LONGEST_QUESTION = 200
_MOST_WORDS = 12
_QUESTION = Pattern(r"¿?[^.!?¿\n]{1,200}\?")
_QUOTED = Pattern("«[^»]{0,400}»")
_FIRST = Pattern(r"[^!?\n;]{1,100}?(?=[.!?\n;](?:\s|$)|$)")
_WHICH_HAPPENS = Pattern(rf" (?:{EXTRACTION.when_that}) (?:(?:{EXTRACTION.subjects}) )?[^,.;:!?]{{2,40}}\Z")
_WORD = Pattern(r"\w+")
_GAP = Pattern(r"\s\s")

How = Literal["corrects", "updates", "returns", "ends", "forgets", "tells", "mentions", "moves", "starts"]


class Hint(NamedTuple):
    """Something that only what is held explains, in the statement's own words.

    `words` name what is corrected, new, begun again, over or to be forgotten, who is told of, what is told of a person
    in the text who may be a relative, to when a plan moves, or with whom the user starts to work, and `attributes` are
    those that it may be a value of (none: any). `whole` tells that all about it is meant (`olvida lo de ...`), or that
    what is told corrects what was. `instead` is what a correction names in words: the old value, which favourite, or
    whose day it is.
    """

    how: How
    words: str
    text: str
    attributes: Sequence[Attribute] = ()
    whole: bool = False
    instead: str = ""


class Heard(NamedTuple):
    """A user's statements about themselves: facts, denials, and hints that only the stored memories explain.

    `notes` are sentences worth remembering in which nothing of these was heard. `news` are those of them that mainly
    tell that something is over or has changed.
    """

    facts: list[Fact]
    denials: list[Denial]
    hints: Sequence[Hint] = ()
    notes: Sequence[str] = ()
    news: Sequence[str] = ()


_LONGEST_ANSWER = 12
"""Words."""

_COURTESY = Pattern(rf"\W*(?:(?:{EXTRACTION.asks_back})\W*$|.*\b(?:{EXTRACTION.offers_help}))")


class AskedAttribute(NamedTuple):
    """The attribute that a question asks for, and the stems that make a sentence of a bare answer."""

    attribute: Attribute
    stems: Sequence[str]
    question: str


def asked(message: str) -> list[AskedAttribute]:
    """Return what the last question of the assistant's message asks about the user, or about a relative."""
    text = last_question(message)
    if text is None:
        return []
    return [each for locale in LOCALES.values() for each in _asked(locale.detection, text, fold(text))]


def last_question(message: str) -> str | None:
    """The last question of the assistant's message that is not a quotation."""
    questions = [*_QUESTION.finditer(_QUOTED.sub(lambda _: " ", message[-2 * _LONGEST_QUESTION :]))]
    return " ".join(questions[-1].group().split()).lstrip(" ,:") if questions else None


def question_answered(text: str, message: str) -> str | None:
    """The last question of the assistant's message, if what the user writes next may be its answer.

    Long messages stand alone, and `¿y tú?` and `how can I help?` ask for anything.
    """
    question = last_question(message) if len(text.split()) <= _LONGEST_ANSWER else None
    return None if question is None or _COURTESY.search(fold(question)) else question


def _asked(language: Language, text: str, folded: str) -> Iterator[AskedAttribute]:
    dialogue = language.dialogue
    relative = dialogue.yours.search(folded) if dialogue else None
    for attribute, kind in language.kinds.items():
        if dialogue and relative and kind.asked_of and pattern(*kind.asked_of).search(folded):
            stems = [f"{dialogue.my} {relative['who']} {stem}" for stem in kind.told_stems]
            yield AskedAttribute("relative", stems, text)
        elif kind.asked and pattern(*kind.asked).search(folded):
            yield AskedAttribute(attribute, kind.stems, text)


def answers(text: str, question: str, casual: bool) -> list[Fact]:
    """The facts in a short message that only the question before it makes a fact: `en Lima`."""
    first = _FIRST.match(text.strip())
    if first is None or (text.strip()[first.end() :][:1] == "?"):
        return []
    whole = first.group()
    amended = _AMENDED.search(fold(whole))
    said = whole[amended.end() :] if amended else whole
    folded = fold(said)
    if not 0 < sum(1 for _ in _WORD.finditer(folded)) <= _MOST_WORDS:
        return []
    for wanted in asked(question):
        if facts := _answer(said, folded, wanted, casual):
            return facts
        if wanted.attribute in ("pet", "family") and (named := _announced(said, folded, casual)):
            return [Fact(wanted.attribute, named, f"{wanted.question} {said.strip()}")]
    return []


def _announced(said: str, folded: str, casual: bool) -> str | None:
    """The name of what we have no word for: `a bearded dragon named` `Kevin`; `una,` `Renata`."""
    found = _ANNOUNCED.search(folded)
    if found is None:
        return None
    language = next(locale.detection for locale in LOCALES.values())
    heard = ReaderInput(words_from(said, folded, found.end()), language, casual)
    reading = known_name(heard)
    if reading is None or not (found["sure"] or heard.words[0].is_proper or heard.words[0].folded in names.GIVEN):
        return None
    return said[heard.words[0].start : heard.words[reading.last - 1].end]


def _answer(said: str, folded: str, wanted: AskedAttribute, casual: bool) -> list[Fact]:
    begin = 0
    for locale in LOCALES.values():
        dialogue = locale.detection.dialogue
        if dialogue is None:
            continue
        if dialogue.refusals.match(folded):
            return []
        lead = dialogue.lead.match(folded)
        begin = max(begin, lead.end() if lead else 0)
    rest = said[begin:].strip(" ,.")
    if not rest or not traits.NO_ANSWER.isdisjoint(fold(rest).split()):
        return []
    for stem in wanted.stems:
        if facts := read_behind(stem, rest, wanted.attribute, casual):
            text = f"{wanted.question} {said.strip()}"
            return [Fact(fact.attribute, fact.value, text) for fact in facts]
    return []


def read_behind(stem: str, rest: str, attribute: Attribute, casual: bool) -> list[Fact]:
    """Complete the rest to a sentence with the stem, and return the facts of the attribute and any after it."""
    if not rest.strip():
        return []
    first = rest.split(maxsplit=1)[0].lower()
    if any(fold(first) in locale.detection.stops | locale.detection.links for locale in LOCALES.values()):
        rest = first + rest[len(first) :]
    begun = f"{stem} {rest}"
    found = [one for one in detect(Statement(begun, fold(begun)), casual).found if one.value_start >= len(stem)]
    start = next((one.value_start for one in found if one.fact.attribute == attribute), len(begun))
    return [one.fact for one in found if one.value_start > start or one.fact.attribute == attribute]


_AMENDED = Pattern(rf",? (?:{EXTRACTION.amends}|{WORDS.wells}),? ")
"""Words after which an answer is said anew: `en Guadalajara, bueno en Zapopan`."""

_ANNOUNCED = Pattern(
    rf"(?P<sure>{households.NAMED}\s+)"
    rf"|^(?:(?:{EXTRACTION.yes}),? )?(?:{EXTRACTION.one}),\s+(?:(?:{WORDS.articles}) )?"
)

_DAY = Pattern(rf"(?:(?:{EXTRACTION.before_day}) )?(\d{{1,2}}(?:st|nd|rd|th)?)\W*")
_DAY_OF_DATE = Pattern(r"(?<!\d)\d{1,2}(?:st|nd|rd|th)?(?!\d)")
_NAMING = Pattern(rf"(?:(?:{WORDS.they}) )?(?:{EXTRACTION.calls})\s+")
"""Before a name that is corrected: `no,` `se llama` `Rita`."""

_ONE_AT_A_TIME: tuple[Attribute, ...] = (*SINGLE_VALUED, "family", "pet")


def correction(words: str, attribute: Attribute | None, old: str, casual: bool, text: str = "") -> str | None:
    """The value that the words put in place of the old one; None when they are not a value of its kind.

    Of likings only a favourite has one value at a time: `text` tells of what.
    """
    if attribute == "likes" and slot(attribute, text):
        return _favourite(words, old, casual)
    if attribute == "relative":
        attribute = attribute_of_relative(text)
    if attribute not in _ONE_AT_A_TIME:
        return None
    if attribute in ("name", "family", "pet") and (naming := _NAMING.match(fold(words))):
        words = words[naming.end() :]
    if attribute == "birthday" and (day := _DAY.fullmatch(fold(words).strip())):
        return _DAY_OF_DATE.sub(lambda _: day.group(1), old) if _DAY_OF_DATE.search(old) else None
    for locale in LOCALES.values():
        kind = locale.detection.kinds.get(attribute)
        for stem in kind.stems if kind else ():
            for fact in read_behind(stem, words, attribute, casual):
                named = attribute not in ("family", "pet") or not any(map(str.isdigit, fact.value))
                if fact.attribute == attribute and fact.value != old and named and _is_all(fact.value, words):
                    return fact.value
    return None


def _favourite(words: str, old: str, casual: bool) -> str | None:
    """Another favourite: a few words that are nothing else, `el azul`, `Cidade de Deus`."""
    for locale in LOCALES.values():
        for stem in locale.detection.kinds["likes"].stems:
            for fact in read_behind(stem, words, "likes", casual):
                if fact.attribute == "likes" and fact.value != old and len(fact.value.split()) <= _LONGEST_FAVOURITE:
                    begin = words.find(fact.value)
                    if begin >= 0 and len(words[:begin].split()) <= 1:
                        return fact.value
    return None


_LONGEST_FAVOURITE = 4

_BEHIND = Pattern(rf"\s*(?:$|[,.;!?)]|(?:{EXTRACTION.after_correction})\W*$)")


def _is_all(value: str, words: str) -> bool:
    """Whether the words say little else, and a value that looks like one: `no, Paula no viene` corrects no name."""
    begin = words.find(value)
    short = begin >= 0 and len(words[:begin].split()) <= 3
    return short and _is_plain(value) and _BEHIND.match(fold(words), begin + len(value)) is not None


def _is_plain(value: str) -> bool:
    """Whether the value looks like one also where nothing announces it: `no, en serio` is about no town."""
    word = fold(value)
    known = word in places.KNOWN or word in places.COUNTRIES or word in names.GIVEN or word in traits.MARRIED
    return (
        value != value.lower()
        or "@" in value
        or any(character.isdigit() for character in value)
        or known
        or jobs.is_job(word)
    )


def inquires(text: str) -> bool:
    """Whether the text begins as one that wants to know something: `I wonder where I live`."""
    folded = normalize(text)
    dialogues = (each.detection.dialogue for each in LOCALES.values())
    return any(each is not None and each.inquires.match(folded) for each in dialogues)


def hints(statement: Statement) -> Iterator[Hint]:
    """Yield the parts of a statement that only the stored memories explain."""
    if _GAP.search(statement.text):  # at each space of a gap a pattern may begin: that takes the square of its length
        text = " ".join(statement.text.split())
        statement = Statement(text, fold(text))
    corrections, tells = list[Hint](), list[Hint]()
    has_time = _TIME.search(statement.folded) is not None
    for locale in LOCALES.values():
        language = locale.detection
        if (dialogue := language.dialogue) is None:
            continue
        begun = dialogue.corrects.match(statement.folded)
        told = [*_told(statement, language, begun.end() if begun else 0)]
        if begun and not told:
            corrections.append(_restated(_hint("corrects", statement, begun.end(), len(statement.text), ()), dialogue))
        tells += told
        yield from told
        for found in dialogue.moves.finditer(statement.folded):
            if judge(statement, found.start(), found.start(), language) == "stated":
                yield _hint("moves", statement, *value_span(found), ("plan",))
        if has_time:
            yield from _dated(statement, language)
        for found in dialogue.updates.finditer(statement.folded):
            if judge(statement, found.start(), found.start(), language) == "stated":
                yield _hint("updates", statement, *value_span(found), ())
        for found in dialogue.returns.finditer(statement.folded):
            if judge(statement, found.start(), found.start(), language) == "stated":
                yield _hint("returns", statement, *value_span(found), _PLACES_OF_LIFE)
        for attributes, over in dialogue.ends:
            for found in over.finditer(statement.folded):
                if judge(statement, found.start(), found.start(), language) == "stated":
                    yield _hint("ends", statement, *value_span(found), attributes)
                    yield from _started(statement, found.end(), attributes, language)
        yield from _to_forget(statement, language)
    if not tells:  # `ops, a Ana tem 9` corrects what was told of her, and nothing else
        yield from corrections


_PLACES_OF_LIFE: tuple[Attribute, ...] = ("city", "country", "employer", "department", "team")


def _hint(how: How, statement: Statement, start: int, end: int, attributes: Sequence[Attribute]) -> Hint:
    return Hint(how, " ".join(statement.text[start:end].split()), " ".join(statement.text.split()), attributes)


def _restated(hint: Hint, dialogue: Dialogue) -> Hint:
    """The correction without what it names: `dije` `morado` `pero es el` *turquesa*, `o` `filme` `é` *Batismo*.

    A day is it also with what happens on it: *el 19* `que viajo`.
    """
    behind = _WHICH_HAPPENS.search(fold(hint.words))
    if behind and is_day(hint.words[: behind.start()]):
        return hint._replace(words=hint.words[: behind.start()])
    found = dialogue.restates.match(fold(hint.words))
    if found is None:
        return hint
    begin, end = value_span(found)
    old = next((said for name, said in found.groupdict().items() if name.startswith("old") and said), "")
    return hint._replace(words=hint.words[begin:end], instead=old)


def _told(statement: Statement, language: Language, begin: int) -> Iterator[Hint]:
    """Yield what the sentence, which begins with a name, tells of the person who has it: `Ana` *estudia Derecho*."""
    dialogue = language.dialogue
    name = _NAME.match(statement.folded, begin) if dialogue else None
    if name is None or language.is_small(name["name"]):
        return
    if tells_of_relative(statement, language, name.end("name")):
        start = name.start("name")
        text = " ".join(statement.text[start:].split())
        yield Hint("tells", statement.text[start : name.end("name")], text, ("relative",), whole=begin > 0)


_NAME = Pattern(
    rf"\W*(?:(?:{WORDS.ands}|{WORDS.buts}|{EXTRACTION.exclaims})\W+)?(?:(?:{EXTRACTION.before_names})\s+)?"
    r"(?P<name>[a-z]{2,20})(?!\w)"
)


def _started(statement: Statement, end: int, over: Sequence[Attribute], language: Language) -> Iterator[Hint]:
    """Yield the employer who is named after the one that was left: `dejé el súper, ahora estoy en` *Correos*."""
    begun = language.dialogue.now_at.match(statement.folded, end) if language.dialogue and "employer" in over else None
    rest = statement.text[begun.end() :].strip() if begun else ""
    casual = statement.text == statement.text.lower()
    for stem in language.kinds["employer"].stems[-1:] if rest else ():
        for fact in read_behind(stem, rest, "employer", casual)[:1]:
            yield Hint("starts", fact.value, " ".join(statement.text.split()), ("employer",))


def _dated(statement: Statement, language: Language) -> Iterator[Hint]:
    """Yield the day of a thing that the statement names, which may be a plan that is held: `lo de Lima es el 25`."""
    if language.dialogue is None:
        return
    for found in language.dialogue.dated.finditer(statement.folded):
        hint = _hint("moves", statement, *value_span(found), ("plan",))
        if language.negations.search(found[0]):
            continue  # `la cita ya no es el 8`
        if is_day(hint.words) and judge(statement, found.start(), found.start(), language) == "stated":
            yield hint._replace(instead=found["what"])


def _to_forget(statement: Statement, language: Language) -> Iterator[Hint]:
    if behind := language.forgetting.behind.match(statement.folded):
        about = language.dialogue.about.match(behind["value"]) if language.dialogue else None
        start = behind.start("value") + (about.end() if about else 0)
        yield _hint("forgets", statement, start, behind.end("value"), ())._replace(whole=True)
    for end in orders_to_forget(statement, language):
        about = language.dialogue.about.match(statement.folded, end) if language.dialogue else None
        start = about.end() if about else end
        thing = _THING.match(statement.folded, start)
        if thing and thing.end() > start and not language.forget.search(statement.folded):
            kept_in = _KEPT_IN.search(statement.folded, start, thing.end())
            end = kept_in.start() if kept_in else thing.end()
            yield _hint("forgets", statement, start, end, ())._replace(whole=about is not None)


_TIME = Pattern(rf"\d|\b{WEEKDAY}\b|\b{MONTH}\b")
_THING = Pattern(r"[^.,;:!?|]{2,80}")
_KEPT_IN = Pattern(rf" {KEPT_IN}(?!\w)")

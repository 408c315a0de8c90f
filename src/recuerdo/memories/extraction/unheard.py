"""Adds the facts and endings of a message that the tagger finds and no detector has heard."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from recuerdo.core.memories import Attribute, Fact
from recuerdo.core.words import words_of
from recuerdo.memories.extraction.agreed import FIRST_PERSON, without_trailing_words
from recuerdo.memories.extraction.context import Heard, Hint
from recuerdo.memories.extraction.guards import NEARLY, THINKS_BETTER
from recuerdo.memories.extraction.lexicon import clubs, households, names, places
from recuerdo.memories.extraction.patterns import Pattern, any_of
from recuerdo.memories.extraction.readers.plans import is_day
from recuerdo.memories.extraction.relatives import relation
from recuerdo.memories.extraction.sentences import doubt_about, is_taken_back
from recuerdo.memories.extraction.statements import Statement
from recuerdo.memories.extraction.tagger import TaggedValue
from recuerdo.memories.extraction.words import fold
from recuerdo.memories.likeness import same_value
from recuerdo.memories.locales.joined import EXTRACTION, TAGGED
from recuerdo.memories.locales.registry import LOCALES
from recuerdo.memories.slots import OF_PEOPLE, OPPOSITES, SINGLE_VALUED

_STATING = ("corrects", "updates", "tells")
"""Hints whose words may state facts alone, which hold unless what is held explains the hint."""

_SURE = 0.6
_LEAST: Mapping[Attribute, float] = {
    **dict.fromkeys(("name", "employer"), 0.75),  # another one would end the user's own
    "city": 0.7,
    **dict.fromkeys(("family", "pet"), 0.65),
    **dict.fromkeys(("age", "birthday", "phone", "email"), 0.55),
    "origin": 0.5,
}
"""How sure it has to be of attributes of which it is wrong more often than of others, or less often."""

_CERTAIN = 0.8
_CERTAIN_OF_RELATIVES = 0.7
_LEAST_OF_KNOWN, _LEAST_OF_PLACE = 0.45, 0.7
"""How sure it has to be of what is told of a person who may be none of the user's, of one who is known to be, and of a
place, where that one may be on a visit."""

_CERTAIN_OF_STRANGERS = 0.93
"""How sure it has to be of what is told of a bare name that nothing that is held explains."""

_CERTAIN_OF_NAMES = 0.92
_SURE_OF_AN_END: Mapping[Attribute, float] = {"family": 0.8, "pet": 0.75}
_NEVER_NEARLY: tuple[Attribute, ...] = ("city", "employer", "job", "possession", "pet", "studies", "marital_status")
"""Attributes of which nearly coming to a value is having none: `I almost moved to Leeds`."""

_NEVER_OVER: tuple[Attribute, ...] = ("name", "email", "phone", "birthday", "age", "relative", "origin")
_NAMED: tuple[Attribute, ...] = ("pet", "family")
"""Attributes whose values are names where there are any."""

_LONGEST_CLAUSE, _SHORTEST_CLAUSE = 160, 3
"""Characters around a value, or of a statement that is told whole, and words: a shorter clause says too little alone,
as `tem um papagaio aqui, o louro`."""

_CLAUSE_START = any_of([Pattern(r"[,;:()|]\s*"), TAGGED.clause_start])
_WHENCE = Pattern(rf"\W*(?:{EXTRACTION.whence})\s+")
"""All that stands before a name that is not the user's: `de Eva`."""

_WORD = re.compile(r"\w+")
_SELF = Pattern(rf"\b(?:{EXTRACTION.i_am})\s+\Z")
_SUBJECT = Pattern(
    rf"\W*(?:{TAGGED.before_name.source} )?(?P<who>(?!{TAGGED.no_name.source}\b)[a-z]{{3,}}?)"
    rf"(?:'?s (?P<age>(?=\d{{1,2}}\b))|(?:'s)? (?!{TAGGED.here.source}\b))"
)
"""`Craigs 24`, `Macarena ha dejado`."""


def unheard(
    text: str, question: str | None, stated: Sequence[Statement], heard: Heard, tagged: Sequence[TaggedValue]
) -> tuple[list[Fact], list[Hint]]:
    """Return the facts of tagged values that stand in a statement and are part of nothing heard, and hints of others.

    The hints are of endings, and of values that may be of a relative whom only what is held knows.

    `question` is the one that the message answers.
    """
    facts: list[Fact] = []
    hinted: list[Hint] = []
    stated = [Statement(each, fold(each)) for each in (" ".join(one.text.split()) for one in stated)]
    denied = [fold(each.text) for each in heard.denials]
    for one in tagged:
        value = without_trailing_words(text[one.start : one.end])
        folded = fold(value)
        if not value or any(folded in each or each in folded for each in denied):
            continue
        if any(_is_heard(one.attribute, folded, fact) for fact in heard.facts):
            continue
        if any(_is_hinted(one, folded, hint) for hint in heard.hints):
            continue
        span = next(_spans(folded, stated), None)
        if span is None or _may_order(span.statement):
            continue
        statement, start = span.statement, span.start
        taken = one.attribute == "health" and TAGGED.taken_away.search(statement.folded, 0, start)
        if taken or (one.attribute == "plan" and TAGGED.cancelled.search(statement.folded)):
            hinted.append(Hint("ends", value, span.clause(), (one.attribute,)))
        elif one.tense == "holds" and not is_taken_back(statement.folded, span.end):
            is_doubtful = one.attribute in OF_PEOPLE and (
                one.confidence < _CERTAIN_OF_STRANGERS or _corrects_of_relative(folded, heard.hints)
            )
            may_be_anybody = is_doubtful and not _is_of_own(statement, text, question)
            found = [] if may_be_anybody else [*_fact(one, value, span, question, [*heard.facts, *facts])]
            facts += found
            least = _LEAST_OF_PLACE if folded in places.KNOWN else _LEAST_OF_KNOWN
            if not found and one.attribute == "relative" and one.confidence >= least:
                hinted.append(Hint("mentions", value, span.clause_of_person(names.GIVEN), ("relative",)))
        elif (
            NEARLY.search(statement.folded, 0, start)
            or THINKS_BETTER.search(statement.folded, span.end)
            or (one.attribute in _NAMED and TAGGED.parts.search(statement.folded) is None)
        ):
            continue
        elif one.attribute not in _NEVER_OVER and one.confidence >= _SURE_OF_AN_END.get(one.attribute, _SURE):
            told = statement.text if one.attribute == "family" else span.clause()
            hinted.append(Hint("ends", value, told, (one.attribute,)))
    return facts, hinted


def _corrects_of_relative(folded: str, hints: Sequence[Hint]) -> bool:
    """Whether the value stands in a correction of what was told of a relative: `ops, a Ana tem 9`."""
    return any(each.how == "tells" and each.whole and folded in fold(each.text) for each in hints)


def _is_of_own(statement: Statement, text: str, question: str | None) -> bool:
    """Whether a statement speaks of the user, or its message or question of a relative or friend.

    A bare name may be anybody's: `Arjun is allergic to shellfish`.
    """
    is_of_user = FIRST_PERSON.search(statement.folded) or TAGGED.pairs.search(statement.folded)
    return is_of_user is not None or any(map(households.is_close, words_of(f"{question or ''} {text}")))


def _is_heard(attribute: Attribute, folded: str, fact: Fact) -> bool:
    """Whether the fact is the same, or has the very words: of `amo meu Opala` the car may be told beside the love."""
    heard = fold(fact.value)
    if folded == heard:
        return True
    alike = (attribute, OPPOSITES.get(attribute), "remember")
    return fact.attribute in alike and (folded in heard or heard in folded)


def _is_hinted(one: TaggedValue, folded: str, hint: Hint) -> bool:
    """Whether a hint of such values has the words, unless they state something alone."""
    words = fold(hint.words)
    if hint.how == "moves" and hint.instead:
        return False  # what has that day may be no plan that is held
    if hint.how == "tells" and one.confidence < _CERTAIN and one.attribute in OF_PEOPLE and folded in fold(hint.text):
        return True  # anybody may have the name
    if hint.how in _STATING and one.tense == "holds":
        is_bare = hint.how == "corrects" and len(words.split()) <= len(folded.split()) + 1
        return (hint.whole and hint.how != "tells") or (is_bare and folded in words)
    attributes = (*hint.attributes, "birthday") if hint.how == "moves" else hint.attributes  # a day looks like one
    return (not attributes or one.attribute in attributes) and (folded in words or words in folded)


class _ValueSpan(NamedTuple):
    """Where a value stands in its statement."""

    statement: Statement
    start: int
    end: int

    def clause(self) -> str:
        """The clause with the value: what tells about it may stand after it."""
        return self._clause_from(self.start)

    def clause_of_person(self, people: Collection[str]) -> str:
        """The statement, or if it is long the part from the last clause on that names a relative or one of `people`."""
        text, folded = self.statement
        words = _WORD.finditer(folded, 0, self.end)
        named = [each.start() for each in words if households.is_of_family(each[0]) or each[0] in people]
        is_long = len(text) > _LONGEST_CLAUSE
        return self._clause_from(min(named[-1], self.start)) if named and is_long else " ".join(text.split())

    def _clause_from(self, start: int) -> str:
        text, folded = self.statement
        earliest, latest = max(0, start - _LONGEST_CLAUSE), self.end + _LONGEST_CLAUSE
        starts = [each for each in _CLAUSE_START.finditer(folded, earliest, latest) if not self._is_verb(each)]
        begins = [earliest, *(each.end() for each in starts if each.end() <= start)]
        end = next((each.start() for each in starts if each.start() >= self.end), latest)
        clause = text[begins[-1] : end].split()
        return " ".join(clause if len(clause) >= _SHORTEST_CLAUSE else text[begins[-2:][0] : end].split())

    def _is_verb(self, found: re.Match[str]) -> bool:
        """Whether the word is `é`, which without its accent is Portuguese for `and`."""
        return self.statement.text[found.start() : found.end()].strip() == "é"


def _spans(folded: str, stated: Sequence[Statement]) -> Iterator[_ValueSpan]:
    """Where the words of a value stand, and not a part of other words: the `st` of `gosto` is none."""
    words = re.compile(rf"(?<!\w){re.escape(folded)}(?!\w)")
    return (_ValueSpan(each, *at.span()) for each in stated for at in words.finditer(each.folded))


def _fact(
    one: TaggedValue, value: str, span: _ValueSpan, question: str | None, heard: Sequence[Fact]
) -> Iterator[Fact]:
    """The fact, unless it is doubtful, or another one of which there is one at a time was heard."""
    people = {word for fact in heard if fact.attribute == "family" for word in words_of(fact.value)}
    is_known = one.attribute == "relative" and not people.isdisjoint(words_of(span.clause()))
    is_known |= one.attribute == "likes" and fold(value) in clubs.SUPPORTERS
    if one.confidence < (_LEAST_OF_KNOWN if is_known else _LEAST.get(one.attribute, _SURE)):
        return
    alone = one.attribute in SINGLE_VALUED or (one.attribute in _NAMED and (question or _counts(value)))
    if any(fact.attribute == one.attribute and (alone or same_value(fact.value, value)) for fact in heard):
        return
    if one.attribute == "birthday":
        told = f"{fold(question or '')} {span.statement.folded}"
        if TAGGED.birthdays.search(told) is None:
            return
    if one.attribute in ("employer", "job") and TAGGED.seeks.search(span.statement.folded, 0, span.start):
        return
    if one.attribute == "employer" and TAGGED.until_retired.match(span.statement.folded, span.end):
        return
    if one.attribute == "employer" and TAGGED.lives.search(span.statement.folded, 0, span.start):
        if any(fact.attribute == "city" for fact in heard):
            return
        one = one._replace(attribute="city")
    if one.attribute == "origin" and fold(value) in names.GIVEN and _SELF.search(span.statement.folded, 0, span.start):
        one = one._replace(attribute="name")  # `sou Wellington`, who need not come from there
    if one.attribute == "origin" and one.confidence < _SURE and fold(value) not in clubs.SUPPORTERS:
        return
    is_doctor = TAGGED.no_relative.match(fold(value)) or TAGGED.doctor.search(span.statement.folded, 0, span.start)
    if one.attribute == "family" and is_doctor:
        return
    if one.attribute == "job" and TAGGED.plays.search(span.statement.folded, 0, span.start):
        return
    if one.attribute == "city" and TAGGED.moves_away.search(fold(span.clause())):
        return
    if one.attribute in _NEVER_NEARLY and NEARLY.search(fold(span.clause())):
        return
    if one.attribute == "birthday" and TAGGED.day_of_another.search(span.statement.folded, 0, span.start):
        return
    if one.attribute == "name" and _WHENCE.fullmatch(span.statement.folded, 0, span.start):
        return
    if one.attribute == "name" and one.confidence < _CERTAIN_OF_NAMES and _is_description(fold(value).split()[0]):
        return
    before = span.statement.folded[: span.start]
    if value.isdigit() and (TAGGED.turns.search(before) or (one.attribute == "age" and TAGGED.once.search(before))):
        return
    clause = span.clause()
    if one.attribute == "likes" and TAGGED.averse.match(span.statement.folded, span.end):
        one = one._replace(attribute="dislikes")
    if one.attribute not in OF_PEOPLE:
        if one.attribute != "name" and _is_of_another(span):
            return
        if one.confidence >= _CERTAIN or doubt_about(one.attribute, span.statement, span.start) is None:
            yield Fact(one.attribute, value, clause)
    elif one.confidence < _CERTAIN and doubt_about(one.attribute, span.statement, span.start) is not None:
        return
    elif text := _of_relative(one, span, question, people):
        value = value.removesuffix("'s") if one.attribute == "family" else value
        yield Fact(one.attribute, value, text)


def _is_description(word: str) -> bool:
    """`Lutheran`, `Igbo`: what one is, and no name."""
    return word not in names.GIVEN and (word in names.NEVER or names.is_belonging(word))


def _is_of_another(span: _ValueSpan) -> bool:
    """Whether the sentence begins with the name of another person, and speaks of no one else: `Liams started at` it."""
    said = span.statement.folded
    titled = TAGGED.titled.match(said, 0, span.start)
    if titled and not TAGGED.oneself.search(said, titled.end(), span.start):
        return True
    subject = _SUBJECT.match(said)
    if subject is None or FIRST_PERSON.search(said, subject.end(), span.start):
        return False
    word = subject["who"]
    known = word in names.GIVEN or word.removesuffix("s") in names.GIVEN
    has_age = subject["age"] is not None and not is_day(subject[0])  # no age is `martes 14`
    return has_age or (known and word not in names.AMBIGUOUS)


def _counts(value: str) -> bool:
    """Whether it is a number of something: `dos gatos`, of which the names are told beside it."""
    first = fold(value).partition(" ")[0]
    return first.isdigit() or first in households.NUMBERS


def _may_order(statement: Statement) -> bool:
    """Whether the statement may be an order to forget, which names things that are not told."""
    orders = (locale.detection.forgetting for locale in LOCALES.values())
    return any(
        (each.verbs.search(statement.folded) and each.asks.search(statement.folded))
        or each.behind.match(statement.folded)
        for each in orders
    )


def _of_relative(one: TaggedValue, span: _ValueSpan, question: str | None, people: Collection[str]) -> str | None:
    """The words from the relative who is named before the value up to it, or else the statement.

    None when no relative is named there, unless the tagger is nearly certain.
    """
    statement = span.statement
    named = [
        who.start()
        for locale in LOCALES.values()
        if (dialogue := locale.detection.dialogue)
        for who in dialogue.mine.finditer(statement.folded, 0, span.start)
    ]
    if named:
        return " ".join(statement.text[max(named) : span.end].split())
    if relation(statement.text) is None and one.confidence < _CERTAIN_OF_RELATIVES:
        return None
    return f"{question} {statement.text}" if question else span.clause_of_person(people)

"""Settles what the detectors and the tagger hear differently in a message."""

import re
from collections.abc import Sequence

from recuerdo.core.memories import Attribute, Fact
from recuerdo.memories.extraction.lexicon import households
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.extraction.tagger import TaggedValue
from recuerdo.memories.extraction.words import fold
from recuerdo.memories.locales.joined import EXTRACTION, WORDS
from recuerdo.memories.slots import OPPOSITES, SINGLE_VALUED

_CERTAIN_OF_BOUNDS = 0.85
_OF_ANOTHER = (("relative", "holds"), ("family", "holds"), ("pet", "holds"))
_NEVER_MISSED: tuple[Attribute, ...] = ("name", "job", "studies", "plan", "preference", "possession", "health")
"""Attributes of which the tagger misses so little that detectors err where it hears nothing."""

_NEVER_MISTAKEN: tuple[Attribute, ...] = ("likes", "dislikes", "remember")
"""Attributes of which detectors are right as often where the tagger hears another one."""

_BOUNDED: tuple[Attribute, ...] = ("plan", "preference", "remember", "health", "pet", "family", "likes", "dislikes")
"""Attributes of which the detectors' bounds are as good: `artritis en las manos`, `el mate amargo`."""

_WHOLE: tuple[Attribute, ...] = ("relative", "plan", "preference", "remember")
"""Attributes whose values are told in whole phrases."""

_LISTS: tuple[Attribute, ...] = ("allergy",)
"""Attributes whose values are single words or two, so that joined ones are several."""

_JOINT = re.compile(rf"\s*,\s*(?:(?:{WORDS.ands}|&)\s+)?|\s+(?:{WORDS.ands}|&)\s+", re.IGNORECASE)

FIRST_PERSON = Pattern(rf"\b(?:{'|'.join(sorted(EXTRACTION.oneself))})\b")
CORRECTION = Pattern(rf"\b(?:{EXTRACTION.amends})\b")
"""Words between a value and the one that was meant: `tengo 44, digo 45`."""

_WORD = re.compile(r"\w+")
_ANY = Pattern(rf"\b(?:{WORDS.an})\s(?:\w+\s){{0,2}}\Z|[,(]\s?\Z")
_NEAR = 40
"""Characters between a word for an animal and its name."""


def agreed(facts: Sequence[Fact], text: str, tagged: Sequence[TaggedValue]) -> list[Fact]:
    """Return the detectors' facts, without those that the tagger hears as over or as something else.

    Where it is certain, most values begin and end as it says.
    """
    kept: list[Fact] = []
    for fact in facts:
        around = [one for one in tagged if _is_about(without_trailing_words(text[one.start : one.end]), fact)]
        same = [one for one in around if (one.attribute, one.tense) == (fact.attribute, "holds")]
        other = [one for one in around if not (_is_own(one, fact) or one.attribute == OPPOSITES.get(fact.attribute))]
        if fact.attribute in SINGLE_VALUED and _is_corrected(fact, text, tagged):
            continue
        if len(same) == 1 and same[0].confidence > _CERTAIN_OF_BOUNDS and fact.attribute not in _BOUNDED:
            kept.append(_within(same[0], fact, text))
        elif same or (fact.attribute in _NEVER_MISTAKEN if other else fact.attribute not in _NEVER_MISSED):
            kept.append(fact)
    return kept


def _is_corrected(fact: Fact, text: str, tagged: Sequence[TaggedValue]) -> bool:
    """Whether another value of the attribute follows that is said to be the right one."""
    end = text.find(fact.value) + len(fact.value)
    later = [one for one in tagged if (one.attribute, one.tense) == (fact.attribute, "holds") and one.start >= end]
    return any(CORRECTION.search(fold(text), end, one.start) for one in later)


def _is_own(one: TaggedValue, fact: Fact) -> bool:
    """Whether the user says `I` or `my` of what the tagger hears as another's: `me vine a` `Ecatepec` `con Dani`."""
    before = fold(fact.text).partition(fold(fact.value))[0]
    return (one.attribute, one.tense) in _OF_ANOTHER and FIRST_PERSON.search(before) is not None


def _is_about(value: str, fact: Fact) -> bool:
    value, told = fold(value), fold(fact.value)
    return value != "" and (value in told or told in value)


def _within(one: TaggedValue, fact: Fact, text: str) -> Fact:
    """The fact with the tagged value, where that stands in its clause or goes on after it."""
    value = " ".join(without_trailing_words(text[one.start : one.end]).split())
    clause = fact.text.removesuffix(fact.value) + value if value.startswith(fact.value) else fact.text
    said = " ".join(text.split())
    return Fact(fact.attribute, value, clause) if value in clause and clause in said else fact


def apart(facts: Sequence[Fact], text: str, tagged: Sequence[TaggedValue]) -> list[Fact]:
    """Return the facts, of which one that holds several values becomes one for each: `Luna y Pelusa`."""
    told: list[Fact] = []
    for fact in facts:
        values = _listed(fact.value) if fact.attribute in _LISTS else _tagged_in(fact, text, tagged)
        told += [Fact(fact.attribute, value, fact.text) for value in values] if len(values) > 1 else [fact]
    return told


def _listed(value: str) -> list[str]:
    return [each for each in map(str.strip, _JOINT.split(value)) if each]


def _tagged_in(fact: Fact, text: str, tagged: Sequence[TaggedValue]) -> list[str]:
    """The tagged values in a fact, if nothing else stands between them."""
    values = [
        value
        for one in tagged
        if (one.attribute, one.tense) == (fact.attribute, "holds")
        and fact.attribute not in SINGLE_VALUED
        and fact.attribute not in _WHOLE
        and (value := without_trailing_words(text[one.start : one.end]))
        and value in fact.value
    ]
    rest = fact.value
    for value in values:
        rest = rest.replace(value, ",", 1)
    between = fold(rest).replace(",", " ").split()
    is_list = (between or "," in fact.value) and EXTRACTION.between.issuperset(between)
    return values if is_list else []


def without_kinds(facts: Sequence[Fact], text: str) -> list[Fact]:
    """Return the facts without a word for an animal or a relative who is named after it: `una husky`, `Kira`."""
    folded = fold(text)
    return [
        fact
        for fact in facts
        if fact.attribute not in ("pet", "family")
        or not _is_kind(fold(fact.value))
        or not any(_names(folded, fact, other) for other in facts if other.attribute == fact.attribute)
    ]


def _names(folded: str, kind: Fact, other: Fact) -> bool:
    """Whether a value stands after `a` word for an animal or a relative, near it, and with no such word between."""
    begin = folded.find(fold(kind.value))
    if not _ANY.search(folded, 0, max(0, begin)):
        return False
    end = folded.find(fold(other.value), begin + 1)
    between = folded[begin + len(kind.value) : end] if 0 <= begin < end else ""
    return 0 < len(between) <= _NEAR and not any(map(_is_kind, _WORD.findall(between)))


def _is_kind(words: str) -> bool:
    """Whether they say what one is, and not who."""
    return all(households.is_animal(word) or households.is_relative(word) for word in words.split())


def without_trailing_words(value: str) -> str:
    """The value without the small words that would go on after it: `mall de`."""
    words = value.split()
    while words and fold(words[-1]) in EXTRACTION.ends_no_value:
        words.pop()
    return " ".join(words)

"""Tells of whom among the user's relatives a memory or a fact is."""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import TypeVar

from recuerdo.core.memories import Fact, Memory
from recuerdo.core.words import normalize, words_of
from recuerdo.memories.extraction.lexicon import households, traits
from recuerdo.memories.extraction.relatives import is_relative_of_another, named_relative
from recuerdo.memories.extraction.words import fold
from recuerdo.memories.likeness import telling_words
from recuerdo.memories.locales.joined import COMPARISONS, TAGGED, WORDS
from recuerdo.memories.replacing import Held
from recuerdo.memories.slots import OF_PEOPLE, slot

_Told = TypeVar("_Told", bound=Held)

CLAUSE = re.compile(rf"([;()]\s*|[,:](?!\d)\s*|\s(?:{WORDS.ands}|{WORDS.buts})\s)", re.IGNORECASE)
"""Stands between the clauses of a sentence."""

_PRONOUN = re.compile(rf"\A(?:{COMPARISONS.who}) ", re.IGNORECASE)
_WORD_WITH_MY = re.compile(rf"\b(?:(?:{WORDS.my}) )?\w+")
"""A word, and the one before it that says whose that is: `my mum`."""

_NO_NAME = re.compile(COMPARISONS.of_persons)
"""Between a word for a relative and a value: `Ana, mi hija,` `tiene` `9`."""

_AGE = re.compile(r"(\d{1,3})(?: (?:anos?|anitos?|aninhos?|years?(?: old)?|yrs?))?")

_NAME_BEFORE = re.compile(r"([^\W\d_a-z]\w+),?\s+(?:[\w']+\s+){0,2}\Z")
"""A capitalised word up to two words before a value: `Waylon` `whos` `5`."""


def names_of_relatives(held: Sequence[Memory | Fact]) -> set[str]:
    """The names of the user's relatives, normalized."""
    return {" ".join(words_of(each.value)) for each in held if each.attribute == "family" and each.value}


def name_words(people: Iterable[str]) -> set[str]:
    """The words of the people's names."""
    return {word for each in people for word in telling_words(each)}


def named_in(said: Collection[str], people: Iterable[str]) -> list[str]:
    """The people of whose names the telling words of a text have one, with an `s` or without: `greigs packed in`."""
    words = {*said, *(each.removesuffix("s") for each in said)}
    return [each for each in people if not words.isdisjoint(telling_words(each))]


def is_of_counterpart(told: str, said: Collection[str]) -> bool:
    """Whether words name the other of a pair, and not the one that was told of: `mi viejo`, of `mi vieja vive aquí`."""
    words = {*words_of(told)}
    others = words & {each[:-1] + ("o" if each[-1] == "a" else "a") for each in said if each[-1:] in ("a", "o")}
    return any(map(households.is_of_family, others)) and not any(map(households.is_of_family, words.intersection(said)))


def of_relation(kin: str, family: Sequence[_Told]) -> list[_Told]:
    """The user's own relatives for whom there is this folded word, in any language."""
    called = (each for each in family if households.are_same_relation(kin, named_relative(each.text, each.value)))
    return [each for each in called if not is_relative_of_another(each.text, each.value)]


def may_part(relative: Memory) -> bool:
    """Whether the relative may be one no longer: a partner, or a friend."""
    kin = named_relative(relative.text, relative.value)
    return slot("family", kin) == "partner" or not households.is_of_family(kin)


def person_of(memory: Memory | Fact, people: Collection[str]) -> str | None:
    """The relative of a memory or fact: the last who is named up to its value, of `Ana is 9 and Leo 7` for `7` Leo.

    Of `filho Ravi 4, filha Ayla 1` it is nobody for `1` where Ayla isn't among the people.
    """
    text, value = (f" {' '.join(words_of(each))} " for each in (memory.text, memory.value or memory.text))
    before = text[: text.find(value) + len(value)] if value in text else text
    last, whose = max(((before.rfind(f" {each} "), each) for each in people), default=(-1, None))
    between = before[last + 1 : len(before) - len(value)].split()[-2:]
    is_other = len(between) > 1 and households.is_of_family(between[0]) and not _NO_NAME.fullmatch(between[1])
    return whose if last >= 0 and not (is_other and between[1] != whose) else None


def without_others(meant: Sequence[Memory], wanted: Collection[str], people: Collection[str]) -> list[Memory]:
    """The memories without those of relatives whom the words of an order do not name, told in one sentence with others.

    To forget all about Bruno forgets nothing of Sandra of `a Sandra é assistente social, o Bruno é cozinheiro`, unless
    the order has a word of it.
    """
    named = named_in(wanted, people)
    return [each for each in meant if not named or not _is_of_other(each, wanted, named, people)]


def up_to_own_clause(fact: Fact, people: Collection[str]) -> Fact:
    """Cut off what the text of a relative's fact tells behind the value's clause, or behind the name of a relative.

    The text stays whole if only words behind the value say who is meant: `Ana is 9,` *she's my daughter*.
    """
    before, value, behind = fact.text.partition(fact.value)
    words = words_of(before)
    if not (any(map(households.is_close, words)) or (fact.attribute == "relative" and named_in(words, people))):
        return fact
    clause = "" if fact.attribute == "family" else CLAUSE.split(behind, maxsplit=1)[0]
    return Fact(fact.attribute, value, f"{before}{value}{clause}")


def own_clause(memory: Memory | Fact, people: Collection[str]) -> str:
    """The clause with the memory's value, behind the person if another clause names them: `my mum Ann: 71`."""
    before, value, behind = memory.text.partition(memory.value or memory.text)
    if not value:
        return memory.text
    begin = max((each.end() for each in CLAUSE.finditer(before)), default=0)
    clause = f"{before[begin:]}{value}{CLAUSE.split(behind, maxsplit=1)[0]}"
    whose = person_of(memory, people) if memory.attribute == "relative" else None
    is_named = (whose and whose in normalize(clause)) or any(map(households.is_of_family, words_of(clause)))
    if is_named or memory.attribute not in OF_PEOPLE:
        return clause
    told = before[:begin]
    start = fold(told).find(whose) if whose else -1
    if whose is None or start < 0:
        named = _relatives_in(told)
    else:
        kin = _relatives_in(CLAUSE.split(told[:start])[-1])
        named = [" ".join((*kin[:1], told[start : start + len(whose)]))]
    return f"{named[-1]}: {_PRONOUN.sub('', clause.strip())}" if named else clause


def _relatives_in(told: str) -> list[str]:
    """The words for relatives in a text, as in `my mum`."""
    found = _WORD_WITH_MY.finditer(fold(told))
    return [told[slice(*each.span())] for each in found if households.is_of_family(each[0].rpartition(" ")[2])]


def _is_of_other(memory: Memory, wanted: Collection[str], named: Sequence[str], people: Collection[str]) -> bool:
    whose = person_of(memory, people) if memory.attribute in OF_PEOPLE else None
    return whose is not None and whose not in named and set(wanted).isdisjoint(telling_words(memory.value))


def outgrown(told: Sequence[Fact], held: Sequence[Memory], people: Collection[str]) -> list[Memory]:
    """The ages of relatives of whom the message tells another, and not of the next one: `Waylon whos 5`."""
    told = [each for each in told if each.attribute == "relative" and _age(each.value)]
    before = [_NAME_BEFORE.search(each.text.partition(each.value)[0]) for each in told]
    people = [*people, *(normalize(found[1]) for found in before if found)]
    aged = [each for each in held if told and each.attribute == "relative" and _age(each.value)]
    ages = {(person_of(each, people), _age(each.value)) for each in told if aged}
    whose = [(each, person_of(each, people)) for each in aged]
    return [each for each, who in whose if who and any(who == one and _age(each.value) != age for one, age in ages)]


def _age(value: str | None) -> str | None:
    """The years of a value that is an age: of `8 añitos` the 8."""
    found = _AGE.fullmatch(normalize(value or ""))
    return found[1] if found else None


def ended_marriages(ended: Sequence[Memory], held: Sequence[Memory], told: Sequence[Fact]) -> list[Memory]:
    """The memories and notes of a marriage, when the spouse's has ended and nothing is told in its place."""
    gone = [named_relative(each.text, each.value) for each in ended if each.attribute == "family"]
    if any(each.attribute in ("family", "marital_status") for each in told) or not any(map(households.is_spouse, gone)):
        return []
    over = [
        each
        for each in held
        if each.attribute == "marital_status" and each not in ended and normalize(each.value or "") in traits.PAIRED
    ]
    notes = [each for each in held if not each.attribute and any(one.text in each.text for one in over)]
    return [*over, *notes]


def told_of_the_dead(ended: Sequence[Memory], held: Sequence[Memory], message: str) -> list[Memory]:
    """The other memories of relatives whose death ends one: they live nowhere, and have no age."""
    if not TAGGED.deaths.search(normalize(message)):
        return []
    people = names_of_relatives(held)
    dead = {person_of(each, people) for each in ended if each.attribute in OF_PEOPLE} - {None}
    left = [each for each in held if each not in ended and each.attribute in OF_PEOPLE]
    return [each for each in left if person_of(each, people) in dead]

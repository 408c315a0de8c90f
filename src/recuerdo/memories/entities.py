"""People, animals, places and things of a user's memories, and how they relate: read out of the memories themselves."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from operator import attrgetter
from typing import Literal, NamedTuple

import msgspec

from recuerdo.core.memories import Attribute, Memory
from recuerdo.core.words import normalize
from recuerdo.memories.extraction.lexicon.households import RELATIVES

EntityKind = Literal["user", "person", "animal", "place", "organisation", "thing"]

USER = "user"
"""The id of the entity that is the user."""

_RELATIONS: dict[Attribute, tuple[str, EntityKind]] = {
    "employer": ("works_at", "organisation"),
    "department": ("works_in", "organisation"),
    "team": ("works_in", "organisation"),
    "job": ("works_as", "thing"),
    "city": ("lives_in", "place"),
    "country": ("lives_in", "place"),
    "origin": ("comes_from", "place"),
    "studies": ("studies", "thing"),
    "language": ("speaks", "thing"),
    "likes": ("likes", "thing"),
    "dislikes": ("dislikes", "thing"),
    "allergy": ("is_allergic_to", "thing"),
    "diet": ("eats", "thing"),
}
_RELATIVE = re.compile(rf"\b({RELATIVES})\b")
_ANIMAL = "has"
_VERBS: tuple[tuple[re.Pattern[str], str, EntityKind], ...] = (
    (re.compile(r"\b(?:trabaj|labor|labur|chamb|curr|work|trabalh|employ)\w*"), "works_at", "organisation"),
    (re.compile(r"\b(?:viv|resid|mor[ao]|live|lives|living|based)\w*"), "lives_in", "place"),
    (re.compile(r"\b(?:estudi|estud|study|studies|studying)\w*"), "studies", "thing"),
)


class Entity(msgspec.Struct, frozen=True):
    """A person or thing that memories are about. `memories` are the ids of those that name it."""

    id: str
    name: str
    kind: EntityKind
    memories: list[str]


class Relation(msgspec.Struct, frozen=True):
    """That `subject` stands to `object` as `name` says: `works_at`, `lives_in`, or a word for a relative, `hermano`.

    Both are ids of entities. It holds from `since` until before `until`, None while it holds; `memories` say so.
    """

    subject: str
    name: str
    object: str
    since: datetime
    until: datetime | None
    memories: list[str]


class EntityGraph(msgspec.Struct, frozen=True):
    """The entities of a user's memories, and the relations between them."""

    entities: list[Entity]
    relations: list[Relation]


def entities_of(memories: Sequence[Memory]) -> EntityGraph:
    """Return the entities and relations that approved memories name, including memories that have ended."""
    told = sorted((each for each in memories if each.status == "approved"), key=attrgetter("began_at"))
    links = [link for memory in told for link in _links(memory, told)]
    found: dict[str, Entity] = {USER: Entity(USER, USER, "user", [])}
    for link in links:
        for end in (link.subject, link.object):
            known = found.setdefault(end.id, Entity(end.id, end.name, end.kind, []))
            if link.memory.id not in known.memories:
                known.memories.append(link.memory.id)
    return EntityGraph(list(found.values()), [*_relations(links)])


class _EntityEnd(NamedTuple):
    id: str
    name: str
    kind: EntityKind


class _Link(NamedTuple):
    subject: _EntityEnd
    name: str
    object: _EntityEnd
    memory: Memory


_SELF = _EntityEnd(USER, USER, "user")


def _relations(links: Sequence[_Link]) -> Iterator[Relation]:
    """Each relation once for each time that it held."""
    merged: dict[tuple[str, str, str, datetime | None], list[_Link]] = {}
    for link in links:
        key = (link.subject.id, link.name, link.object.id, link.memory.valid_until)
        merged.setdefault(key, []).append(link)
    for (subject, name, object_, until), each in merged.items():
        since = min(link.memory.began_at for link in each)
        yield Relation(subject, name, object_, since, until, list(dict.fromkeys(link.memory.id for link in each)))


def _links(memory: Memory, all_of_them: Sequence[Memory]) -> Iterator[_Link]:
    if memory.attribute is None or not memory.value:
        return
    if memory.attribute in _RELATIONS:
        name, kind = _RELATIONS[memory.attribute]
        yield _Link(_SELF, name, _end(memory.value, kind), memory)
    elif memory.attribute == "pet":
        yield _Link(_SELF, _ANIMAL, _end(memory.value, "animal"), memory)
    elif memory.attribute == "family":
        yield _Link(_SELF, _word_for(memory) or "family", _end(memory.value, "person"), memory)
    elif memory.attribute == "relative" and (word := _word_for(memory)):
        who = _relative(memory, word, all_of_them)
        if who.id == f"person:{word}":
            yield _Link(_SELF, word, who, memory)
        told = normalize(memory.text)
        verb, of = next((each[1:] for each in _VERBS if each[0].search(told)), _IS)
        yield _Link(who, verb, _end(memory.value, of), memory)


_IS: tuple[str, EntityKind] = ("is", "thing")


def _relative(memory: Memory, word: str, all_of_them: Sequence[Memory]) -> _EntityEnd:
    """The relative that the memory is about: by name where another memory names them, else by what they are."""
    said = set(normalize(memory.text).split())
    family = [each for each in all_of_them if each.attribute == "family" and each.value and _word_for(each) == word]
    named = next((each for each in family if set(normalize(each.value or "").split()) <= said), None)
    if named is None and len(family) == 1:
        named = family[0]
    return _end(named.value, "person") if named and named.value else _end(word, "person")


def _word_for(memory: Memory) -> str | None:
    """Return the word that the text uses for the relative: `hermano`."""
    found = _RELATIVE.search(normalize(memory.text))
    return found[1] if found else None


def _end(name: str, kind: EntityKind) -> _EntityEnd:
    return _EntityEnd(f"{kind}:{' '.join(normalize(name).split())}", name, kind)

"""The kinds of facts about people: each once, with the reader of its values, whatever the language.

A new kind is an Attribute of `core.memories`, a reader here, and its cues in each language's `kinds.py`.
"""

from collections.abc import Iterator, Mapping, Sequence

from recuerdo.core.memories import Attribute
from recuerdo.memories.extraction import readers as read
from recuerdo.memories.extraction.language import Cue, Kind, Language, Reader, cue, pattern
from recuerdo.memories.extraction.patterns import Pattern

READERS: Mapping[Attribute, Reader] = {
    "age": read.age,
    "origin": read.origin,
    "marital_status": read.marital_status,
    "studies": read.studies,
    "health": read.health,
    "allergy": read.allergy,
    "diet": read.diet,
    "possession": read.possession,
}
"""Of the kinds whose cues all stand in `kinds.py`."""

OF_RELATIVES: Mapping[Attribute, Reader] = {
    **{attribute: reader for attribute, reader in READERS.items() if attribute != "possession"},
    "city": read.city,
    "employer": read.employer,
    "job": read.occupation,
    "birthday": read.birthday,
    "age": read.any_age,
    "likes": read.phrase("likes"),
    "dislikes": read.phrase("dislikes"),
}
"""Of what is told of relatives, in the order in which it is tried."""


def cues_of(kinds: Mapping[Attribute, Kind]) -> Iterator[Cue]:
    """The cues of users' own values."""
    for attribute, kind in kinds.items():
        if kind.says:
            yield cue(READERS[attribute], *kind.says)
        yield from kind.also


def objects_of(language: Language) -> Iterator[tuple[Sequence[Attribute], Pattern]]:
    """Yield the names of each kind in requests to forget."""
    for attribute, kind in language.kinds.items():
        if kind.named:
            yield (attribute,), pattern(*kind.named)

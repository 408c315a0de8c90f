"""Finds the memories that a message of the user contradicts or ends, and those that it asks to forget.

Patterns know some of the words for it, see understand.py. A network knows the others: it reads the message beside the
memories, see extraction/cross_encoder.py.
"""

from collections.abc import Collection, Sequence
from typing import Literal

from recuerdo.core.memories import Attribute, Memory, Source
from recuerdo.memories.likeness import telling_words

MOST = 16
"""Memories that are compared: the latest of the same conversation, and those that share most words."""

_LATEST = 4
_LONGEST = 400
"""Characters of a message: a longer one tells of too many things."""

CONTRADICTED, REPLACED, MEANT = 0.94, 0.97, 0.8
"""How sure the network has to be that a memory no longer holds, that it is replaced by another value of its kind, which
often stands beside it, and that it is to be forgotten."""


def contradicted(message: str, held: Sequence[Memory], source: Source, told: Collection[Attribute]) -> list[Memory]:
    """The memories that no longer hold, or were wrong, after a message that told values of some attributes."""
    if "remember" in told:  # whatever the user wants to be remembered stands beside what they wanted before
        held = [each for each in held if each.attribute != "remember"]
    concerned = _concerned("end", message, held, source)
    return [
        memory for memory, chance in concerned if chance >= (REPLACED if memory.attribute in told else CONTRADICTED)
    ]


def meant(order: str, held: Sequence[Memory], source: Source) -> list[Memory]:
    """The memories that an order to forget means."""
    return [memory for memory, chance in _concerned("forget", order, held, source) if chance >= MEANT]


def _concerned(
    task: Literal["end", "forget"], message: str, held: Sequence[Memory], source: Source
) -> list[tuple[Memory, float]]:
    from recuerdo.memories.extraction import cross_encoder  # a network, for those who remember

    encoder = cross_encoder.load() if held and len(message) <= _LONGEST else None
    if encoder is None:
        return []
    likely = comparable(message, held, source)
    sentences = [cross_encoder.ComparedSentence(each.text, remembered=True) for each in likely]
    return [*zip(likely, (encoder.ended if task == "end" else encoder.forgotten)(message, sentences), strict=True)]


def comparable(message: str, held: Sequence[Memory], source: Source) -> list[Memory]:
    """The memories that the message may be about, at most MOST, oldest first."""
    ordered = sorted(held, key=lambda each: (each.created_at, each.source.seq or 0))
    if len(ordered) <= MOST:
        return ordered
    said = set(telling_words(message))
    here = [place for place, each in enumerate(ordered) if each.source.thread == source.thread][-_LATEST:]
    shared = [len(said.intersection(telling_words(f"{each.text} {each.value or ''}"))) for each in ordered]
    best = sorted(range(len(ordered)), key=lambda place: (place in here, shared[place], place), reverse=True)
    return [ordered[place] for place in sorted(best[:MOST])]

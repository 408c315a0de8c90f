"""A user's profile: the attributes of which only the latest value holds, and what a prompt carries of it."""

from collections.abc import Iterable, Sequence
from itertools import chain

from recuerdo.core.memories import Attribute, Memory

SINGLE_VALUED: tuple[Attribute, ...] = (
    "name",
    "employer",
    "job",
    "city",
    "department",
    "team",
    "birthday",
    "email",
    "phone",
)
"""Attributes that have one value at a time, the most telling first."""


def same_value(one: str | None, other: str | None) -> bool:
    """Whether two values are the same but for case, spaces and a full stop."""
    return _normalise(one) == _normalise(other)


def _normalise(value: str | None) -> str:
    return " ".join((value or "").casefold().split()).rstrip(".!")


def merge(profile: Sequence[Memory], hits: Sequence[Memory], limit: int) -> list[Memory]:
    """What a prompt should carry: the best hits and the profile, each memory once, at most `limit`.

    Half of the places belong to the best hits, so that a long profile never crowds out what was asked about.
    A hit that the profile has a later value for is left out.
    """
    current = {memory.attribute: memory.id for memory in profile}
    hits = [memory for memory in hits if current.get(memory.attribute, memory.id) == memory.id]
    half = (limit + 1) // 2
    return _distinct(chain(hits[:half], profile, hits[half:]))[:limit]


def _distinct(memories: Iterable[Memory]) -> list[Memory]:
    return list({memory.id: memory for memory in memories}.values())

"""What a prompt carries of a user: the profile, and what was asked about."""

from collections.abc import Iterable, Sequence
from itertools import chain

from recuerdo.core.memories import Memory


def merge(profile: Sequence[Memory], hits: Sequence[Memory], limit: int) -> list[Memory]:
    """What a prompt should carry: the best hits and the profile, each memory once, at most `limit`.

    Half of the places belong to the best hits, so that a long profile never crowds out what was asked about.
    """
    half = (limit + 1) // 2
    return _distinct(chain(hits[:half], profile, hits[half:]))[:limit]


def _distinct(memories: Iterable[Memory]) -> list[Memory]:
    return list({memory.id: memory for memory in memories}.values())

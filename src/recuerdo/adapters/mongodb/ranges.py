"""Ranges of seqs as one flat list `[first, end, first, end, ...]`, as documents have them.

They are ascending, each without its end and apart from the next: a place in the list tells by its parity whether it is
inside.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

Range = tuple[int, int]
Ranges = list[int]


def pairs(ranges: Sequence[int]) -> Iterator[Range]:
    """The ranges one by one."""
    return zip(ranges[::2], ranges[1::2], strict=True)


def covers(ranges: Sequence[int], seq: int) -> bool:
    """Whether the seq is in one of the ranges."""
    return bisect_right(ranges, seq) % 2 == 1


def size(ranges: Sequence[int]) -> int:
    """How many seqs the ranges hold."""
    return sum(end - first for first, end in pairs(ranges))


def marked(ranges: Sequence[int], first: int, end: int, inside: bool) -> Ranges:
    """The ranges with all of first..end, or without any of it. Needs first < end."""
    left, right = bisect_left(ranges, first), bisect_right(ranges, end)
    new_first = [first] if left % 2 != inside else []
    new_end = [end] if right % 2 != inside else []
    return [*ranges[:left], *new_first, *new_end, *ranges[right:]]


def within(ranges: Sequence[int], first: int, end: int) -> Ranges:
    """The part of the ranges in first..end."""
    return _flat((max(first, low), min(end, high)) for low, high in pairs(ranges))


def outside(ranges: Sequence[int], first: int, end: int) -> Ranges:
    """The part of first..end that is in none of the ranges."""
    return _flat(pairs([first, *within(ranges, first, end), end]))


def _flat(some: Iterator[Range]) -> Ranges:
    return [bound for low, high in some if low < high for bound in (low, high)]

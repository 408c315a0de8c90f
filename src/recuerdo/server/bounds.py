"""Bounds of lists in bytes."""

from collections.abc import Iterable
from typing import TypeVar

import msgspec

T = TypeVar("T")


def fitting(entries: Iterable[T], most_bytes: int) -> list[T]:
    """The first entries, up to the one with which they have so many bytes as JSON."""
    found: list[T] = []
    for entry in entries:
        found.append(entry)
        most_bytes -= len(msgspec.json.encode(entry))
        if most_bytes <= 0:
            break
    return found

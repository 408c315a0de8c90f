"""The texts to embed: a long passage in parts, a short one with the one before it, often the question it answers."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from recuerdo.searching.neighbours import PAUSE
from recuerdo.searching.passages import Passage

SUFFIX = "/parts-1"
"""A suffix of the model's name, so that vectors of differently built texts are never compared."""


class _Last(NamedTuple):
    line: str
    said_at: datetime


class Lines:
    """The texts of passages without vectors, and the last short line of each thread."""

    def __init__(self) -> None:
        self.waiting: dict[int, list[str]] = {}
        self._last: dict[str, _Last] = {}

    def first(self, count: int) -> dict[int, list[str]]:
        """The passages with the first lines that wait, at least one of them, with about this many lines."""
        found: dict[int, list[str]] = {}
        for number, lines in self.waiting.items():
            if found and count < len(lines):
                break
            found[number] = lines
            count -= len(lines)
        return found

    def keeping(self, numbers: Sequence[int], threads: Collection[str]) -> "Lines":
        """The lines of these passages, renumbered in order, and the last lines of these threads."""
        kept, renumbered = Lines(), {number: place for place, number in enumerate(numbers)}
        kept.waiting = {renumbered[number]: lines for number, lines in self.waiting.items() if number in renumbered}
        kept._last = {thread: last for thread, last in self._last.items() if thread in threads}
        return kept

    def add(self, number: int, passage: Passage, *, has_vectors: bool) -> None:
        """Add the next passage of its thread."""
        before = self._last.pop(passage.place.thread, None)
        if not passage.is_long:
            self._last[passage.place.thread] = _Last(passage.line, passage.said_at)
        if not has_vectors:
            self.waiting[number] = passage.part_lines if passage.is_long else [_joined(before, passage)]


def _joined(before: _Last | None, passage: Passage) -> str:
    is_near = before is not None and (passage.said_at - before.said_at).total_seconds() <= PAUSE
    return f"{before.line} {passage.line}" if before and is_near else passage.line

"""The texts to embed: each passage with the one before it, often the question that it answers."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from recuerdo.searching.neighbours import PAUSE
from recuerdo.searching.passages import Passage

SUFFIX = "/turns-1"
"""A suffix of the model's name, so that vectors of differently built texts are never compared."""


class _Last(NamedTuple):
    line: str
    said_at: datetime


class Lines:
    """The texts of passages without a vector, and the last line of each thread."""

    def __init__(self) -> None:
        self.waiting: dict[int, str] = {}
        self._last: dict[str, _Last] = {}

    def keeping(self, numbers: Sequence[int], threads: Collection[str]) -> "Lines":
        """The lines of these passages, renumbered in order, and the last lines of these threads."""
        kept, renumbered = Lines(), {number: place for place, number in enumerate(numbers)}
        kept.waiting = {renumbered[number]: line for number, line in self.waiting.items() if number in renumbered}
        kept._last = {thread: last for thread, last in self._last.items() if thread in threads}
        return kept

    def add(self, number: int, passage: Passage, *, has_vector: bool) -> None:
        """Add the next passage of its thread."""
        before = self._last.get(passage.place.thread)
        self._last[passage.place.thread] = _Last(passage.line, passage.said_at)
        if has_vector:
            return
        is_near = before is not None and (passage.said_at - before.said_at).total_seconds() <= PAUSE
        self.waiting[number] = f"{before.line} {passage.line}" if before and is_near else passage.line

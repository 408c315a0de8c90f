"""How quick a disk is: while it is, brief work on it needs no other thread than the event loop's."""

import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

LONGEST_SECONDS = 0.001
"""How long the event loop may stand still. Waking a thread and being woken by it takes 0.1 to 0.2 ms."""

P = ParamSpec("P")
T = TypeVar("T")


class LatencyGate:
    """The time that the last work of one kind took, wherever it ran.

    After slow work the way leads through other threads, until some of theirs was quick.
    """

    def __init__(self) -> None:
        self._last_seconds = 0.0

    @property
    def is_quick(self) -> bool:
        """Whether brief work may be done at once, where it holds up everybody else."""
        return self._last_seconds < LONGEST_SECONDS

    def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of the work, whose time counts."""
        start = time.perf_counter()
        try:
            return work(*args, **kwargs)
        finally:
            self.note(time.perf_counter() - start)

    def note(self, seconds: float) -> None:
        """Work that was done in another way took this time."""
        self._last_seconds = seconds

"""Conflicting writers: how long each waits before it tries again."""

import time
from collections.abc import Iterator
from random import random

from recuerdo.core.errors import DatabaseUnavailable

CONFLICT_SECONDS = 20.0
"""How long a write tries again when others change the same thread."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.002, 0.1


def pauses() -> Iterator[float]:
    """How long to wait before each next try, for as long as it makes sense to try."""
    end, longest = time.monotonic() + CONFLICT_SECONDS, _FIRST_PAUSE
    while time.monotonic() < end:
        yield random() * longest  # noqa: S311
        longest = min(longest * 2, _LONGEST_PAUSE)


def contended() -> DatabaseUnavailable:
    """The error for when the pauses have ended."""
    return DatabaseUnavailable("Others change this thread all the time. Try again when there is less going on.")

"""Whether a request is sent again, and when: the same for every client."""

import random
import time
from collections.abc import Callable

from recuerdo.core.errors import ModelUnavailable, OutcomeUnknown, RecuerdoError, Unavailable

FIRST_PAUSE = 0.2
LONGEST_PAUSE = 5.0
"""Seconds between two attempts, unless the server asks for more."""


class Attempts:
    """The attempts at one request, for `seconds` at most from its beginning or its last sign of life.

    An error that says that nothing was done is always followed by another attempt. If the outcome is unknown, only a
    request that has the same effect twice is sent again: one that reads, or that has an idempotency key.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self.progressed()

    def progressed(self) -> None:
        """Count anew: part of an answer has come."""
        self._deadline = self._clock() + self._seconds
        self._pause = FIRST_PAUSE

    def pause_after(self, error: RecuerdoError, *, repeatable: bool) -> float:
        """Return the seconds to wait before the next attempt at a request that is `repeatable` or not.

        Raises the error if there is none.
        """
        if not isinstance(error, Unavailable):
            raise error
        if isinstance(error, OutcomeUnknown | ModelUnavailable) and not repeatable:
            raise error
        spread = self._pause * (0.5 + random.random() / 2)  # noqa: S311 - many clients must not come back at once
        pause = max(error.retry_after, spread)
        if self._clock() + pause > self._deadline:
            raise error
        self._pause = min(2 * self._pause, LONGEST_PAUSE)
        return pause

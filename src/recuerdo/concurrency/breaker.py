"""A circuit breaker, and timeouts that adapt, for servers that do not answer."""

import asyncio
import random
import time
from collections.abc import Callable
from math import inf

from recuerdo.core.errors import DatabaseUnavailable

FAILURES_TO_OPEN = 3
FIRST_PAUSE = 0.25
LONGEST_PAUSE = 2.0


class Breaker:
    """A circuit breaker: it opens after some failures in a row, and then admits one trial after each pause.

    Pauses grow up to a limit.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures = 0
        self._pause = FIRST_PAUSE
        self._closed = True
        self._next_trial = 0.0

    @property
    def is_open(self) -> bool:
        """Whether calls are refused at the moment."""
        return not self._closed

    def admits(self) -> bool:
        """Whether this call may be made. While the breaker is open, True admits one trial."""
        if self._closed:
            return True
        if self._clock() < self._next_trial:
            return False
        self._schedule_trial()
        return True

    def succeeded(self) -> None:
        """The server answered."""
        self._failures = 0
        self._pause = FIRST_PAUSE
        self._closed = True

    def failed(self) -> None:
        """The server did not answer in time."""
        self._failures += 1
        if self._closed and self._failures >= FAILURES_TO_OPEN:
            self._closed = False
            self._schedule_trial()

    def _schedule_trial(self) -> None:
        self._next_trial = self._clock() + self._pause * random.uniform(0.5, 1.0)  # noqa: S311
        self._pause = min(2 * self._pause, LONGEST_PAUSE)


SECONDS_FOR_A_SUSPECT = 1.0
"""The timeout of a suspect server, until it answers again."""

SECONDS_OF_LIFE = 0.3
"""A server that has answered so lately is there: a call that times out is too long for it, and no other has to wait."""

SECONDS_OF_REST = 0.5
"""How long it is not asked at all after a timeout: a chat turn makes several calls, and should wait for one."""


class AdaptiveTimeout:
    """How long to wait for a server: no limit of its own, or a second while the server `is_suspect`."""

    def __init__(self) -> None:
        self.is_suspect = False
        self._rests_until = 0.0
        self._answered_at = 0.0

    @property
    def seconds(self) -> float:
        """The time limit of the next call. Raises DatabaseUnavailable shortly after a timeout."""
        if self.is_suspect and time.monotonic() < self._rests_until:
            raise DatabaseUnavailable("The database did not answer a moment ago. Check the server, and try again.")
        return SECONDS_FOR_A_SUSPECT if self.is_suspect else inf

    def lost(self) -> None:
        """A call timed out, and had no effect."""
        self.is_suspect = True
        self._rests_until = time.monotonic() + SECONDS_OF_REST

    def unanswered(self) -> None:
        """A call timed out on a connection that may be whole: it is lost unless the server answers others."""
        if time.monotonic() - self._answered_at > SECONDS_OF_LIFE:
            self.lost()

    def answered(self) -> None:
        """The server answered, and is no longer suspect."""
        self.is_suspect = False
        self._answered_at = time.monotonic()


_PARTS = 20


class Countdown:
    """Calls back when the event loop has waited this many seconds for an answer.

    A loop that is late, because it is busy with thousands of other calls, has not heard the answer that may be there.
    The time is therefore counted in parts, each of which begins when the loop is there.
    """

    def __init__(self, seconds: float, callback: Callable[[], object]) -> None:
        self._loop = asyncio.get_running_loop()
        self._part = seconds / _PARTS
        self._left = _PARTS
        self._callback = callback
        self._timer = self._loop.call_later(self._part, self._count)

    def cancel(self) -> None:
        """Call back no more."""
        self._timer.cancel()

    def _count(self) -> None:
        self._left -= 1
        if self._left:
            self._timer = self._loop.call_later(self._part, self._count)
        else:
            self._callback()

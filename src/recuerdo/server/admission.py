"""Admission control: a process begins as many requests as it can serve in time, and refuses the others at once."""

import logging
import math
import time
from asyncio import get_running_loop, sleep

_log = logging.getLogger(__name__)

BUSY = "The server is overloaded and did not start this request. Send it again after the seconds in Retry-After."
CHATS = frozenset({"/v1/chat", "/v1/chat/stream", "/api/v1/chatbot/stream"})
"""Where the turns of chats are asked for."""

TICK = 0.05
_LATE = 0.2
"""Seconds that the event loop, or a thread for work, may be late. Every request waits for them several times."""

_FEWEST = 32
"""So many requests are always begun together: so few do not hold the loop up by their number."""

_SLOW = 0.5
"""Seconds that requests may take which wait for no model: their mean, in each look."""

_AT_FIRST = 200
"""So many are begun before it is known how many can be: a thousand that come together would all be late."""

_LEAST, _LESS, _MORE = 0.25, 0.7, 1.05
_LONGEST_WAIT = 5


class AdmissionControl:
    """How many requests may be under way: fewer while the process is late, and more again when it isn't.

    It is late if the event loop comes to a timer late, or if work that is handed to the loop's threads waits long for
    one, or if requests that wait for no model, but maybe for the database, take long; twice in a row means that it has
    too much to do. A model that takes its time makes nothing late, so that any number of requests, up to `most`, may
    wait for one.
    """

    def __init__(self, most: float, *, is_limited: bool = True) -> None:
        self.chats_with_model = CHATS
        """The chats that wait for a model; none where the offline one answers: their time is this process's own."""
        self._most = most
        self._is_limited = is_limited
        self.allowed = self._at_first = min(most, _AT_FIRST) if is_limited else math.inf
        self._is_overloaded = False
        self._was_late = False
        self.working = self.plain = 0
        """How many are under way, their bodies being there, and how many of them wait for no model."""
        self.begun = self.refused = 0
        self.seconds, self.ended = 0.0, 0
        """The seconds of the plain ones that have ended since the last look, added up, and their number."""
        self._since = self.lowered = time.monotonic()
        self.wait = 1
        """Seconds after which a refused request is to be sent again: by then it can be served."""

    async def run(self) -> None:
        """Measure how late the event loop and its threads are, until cancelled. Returns at once without a limit."""
        if not self._is_limited:
            return
        loop = get_running_loop()
        asked, thread = time.monotonic(), loop.run_in_executor(None, time.monotonic)
        while True:
            due = time.monotonic() + TICK
            await sleep(TICK)
            now = time.monotonic()
            waited = (thread.result() if thread.done() else now) - asked
            self.look(max(now - due, waited), now)
            if thread.done():
                asked, thread = now, loop.run_in_executor(None, time.monotonic)

    def look(self, late: float, now: float) -> None:
        """Allow fewer or more requests: the process is `late` seconds late at `now`."""
        mean = self.seconds / self.ended if self.ended else 0.0
        is_slow, is_unknown = mean > _SLOW, self.plain >= _FEWEST and not self.ended
        self.seconds, self.ended = 0.0, 0
        is_late, was_late = late > _LATE or is_slow, self._was_late
        self._was_late = is_late
        if is_late and was_late:
            if not self._is_overloaded and self.working > _FEWEST:
                _log.warning("overloaded: %d requests are under way; further ones are refused", self.working)
                self._is_overloaded = True
            # By Little's law half of them are answered in half the time.
            less = max(_LEAST, min(_LESS, _SLOW / mean)) if is_slow else _LESS
            fewer = min(self.allowed, self.working) * less
            self.allowed = max(min(_FEWEST, self._most), fewer)
            self.lowered, self._was_late = now, False
        elif late < _LATE / 2 and not is_slow and not is_unknown:
            self._grow()
        if now - self._since >= 1:
            self.wait = min(_LONGEST_WAIT, max(1, math.ceil((self.wait + self.refused / max(1, self.begun)) / 2)))
            self.begun = self.refused = 0
            self._since = now

    def _grow(self) -> None:
        """Raise the limit while it is used, and let it fall back to where it began while it is not."""
        if self.allowed < self._at_first or self.working > self.allowed / 2:
            self.allowed = min(self._most, self.allowed * _MORE)
        else:
            self.allowed = max(self._at_first, self.allowed / _MORE)
            self._is_overloaded = False

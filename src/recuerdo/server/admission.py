"""Which requests are begun: as many as this process can serve in time; the others are told at once to come again."""

import logging
import math
import time
from asyncio import get_running_loop, sleep

from starlette.types import ASGIApp, Receive, Scope, Send

from recuerdo.server.answers import JsonResponse
from recuerdo.server.guards import STILL_ANSWERED
from recuerdo.server.limits import is_run_stream, waits_for_a_model

_log = logging.getLogger(__name__)

_BUSY = "The server has more to do than it can. It has not taken up this request: send it again when it says."
_TICK = 0.05
_LATE = 0.2
"""Seconds that the event loop, or a thread for work, may be late. Every request waits for them several times."""

_FEWEST = 32
"""So many requests are always begun together: what holds the loop up then is something else than their number."""

_SLOW = 0.5
"""Seconds that requests may take which wait for no model: their mean, in each look."""

_AT_FIRST = 200
"""So many are begun before it is known how many can be: a thousand that come together would all be late."""

_LESS, _MORE = 0.7, 1.05
_LONGEST_WAIT = 5


class AdmissionControl:
    """How many requests may be under way: fewer while the process is late, and more again when it isn't.

    It is late if the event loop comes to a timer late, or if work that is handed to the loop's threads waits long for
    one, or if requests that wait for no model, but maybe for the database, take long; twice in a row means that it has
    too much to do. A model that takes its time makes nothing late, so that any number of requests, up to `most`, may
    wait for one.
    """

    def __init__(self, most: float) -> None:
        self._most = most
        self._allowed = self._at_first = min(most, _AT_FIRST)
        self._is_overloaded = False
        self._was_late = False
        self._working = self._plain = self._begun = self._refused = 0
        self._since = self._lowered = time.monotonic()
        self._seconds, self._ended = 0.0, 0
        self.wait = 1
        """Seconds after which a refused request is to be sent again: in so many, what was refused can be served."""

    @property
    def is_full(self) -> bool:
        """Whether no further request may begin."""
        return self._working >= self._allowed

    def begin(self, *, plain: bool = True) -> None:
        """Count a request that is worked on from now. A plain one waits for no model."""
        self._working += 1
        self._begun += 1
        self._plain += plain

    def end(self, seconds: float = 0.0, *, plain: bool = True) -> None:
        """Count a request no longer, which took so long."""
        self._working -= 1
        self._plain -= plain
        if plain and time.monotonic() - seconds >= self._lowered:  # an older one says nothing of how it is now
            self._seconds += seconds
            self._ended += 1

    def refuse(self) -> None:
        """Count a request that was not begun."""
        self._refused += 1

    async def run(self) -> None:
        """Until cancelled: look at how late the event loop and its threads are."""
        loop = get_running_loop()
        asked, thread = time.monotonic(), loop.run_in_executor(None, time.monotonic)
        while True:
            due = time.monotonic() + _TICK
            await sleep(_TICK)
            now = time.monotonic()
            waited = (thread.result() if thread.done() else now) - asked
            self.look(max(now - due, waited), now)
            if thread.done():
                asked, thread = now, loop.run_in_executor(None, time.monotonic)

    def look(self, late: float, now: float) -> None:
        """Allow fewer or more requests, as the process is so many seconds late now."""
        is_slow, is_unknown = self._seconds > _SLOW * self._ended, self._plain >= _FEWEST and not self._ended
        self._seconds, self._ended = 0.0, 0
        is_late, was_late = late > _LATE or is_slow, self._was_late
        self._was_late = is_late
        if is_late and was_late:
            if not self._is_overloaded and self._working > _FEWEST:
                _log.warning("overloaded: %d requests are under way; further ones are refused", self._working)
                self._is_overloaded = True
            fewer = min(self._allowed, self._working) * _LESS
            self._allowed = max(min(_FEWEST, self._most), fewer)
            self._lowered, self._was_late = now, False
        elif late < _LATE / 2 and not is_slow and not is_unknown:
            self._grow()
        if now - self._since >= 1:
            self.wait = min(_LONGEST_WAIT, max(1, math.ceil((self.wait + self._refused / max(1, self._begun)) / 2)))
            self._begun = self._refused = 0
            self._since = now

    def _grow(self) -> None:
        """Allow more where it is used; where it is not, forget that so many were well served."""
        if self._allowed < self._at_first or self._working > self._allowed / 2:
            self._allowed = min(self._most, self._allowed * _MORE)
        else:
            self._allowed = max(self._at_first, self._allowed / _MORE)
            self._is_overloaded = False


class AdmissionGuard:
    """Refuses a request with a 503 before anything is done for it, where too many are under way.

    The state of the process is always told, and streams of runs, which may be idle for hours, are not counted.
    """

    def __init__(self, app: ASGIApp, control: AdmissionControl) -> None:
        self._app = app
        self._control = control

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        control = self._control
        if scope["type"] != "http" or scope["path"] in STILL_ANSWERED or is_run_stream(scope["path"]):
            return await self._app(scope, receive, send)
        if control.is_full:
            control.refuse()
            answer = JsonResponse({"detail": _BUSY, "code": "overloaded"}, 503, {"Retry-After": str(control.wait)})
            return await answer(scope, receive, send)
        began, plain = time.monotonic(), not waits_for_a_model(scope["path"])
        control.begin(plain=plain)
        try:
            return await self._app(scope, receive, send)
        finally:
            control.end(time.monotonic() - began, plain=plain)

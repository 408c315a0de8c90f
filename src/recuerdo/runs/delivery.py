"""Who has heard of the end of a run, for those who come right behind it."""

from collections.abc import Set as AbstractSet
from datetime import timedelta

from recuerdo.core.ports import Clock
from recuerdo.core.runs import Run

_NEWS = timedelta(seconds=5)
_MOST_KEPT = 1000


class DeliveryTracker:
    """Which channels were listened to when the ends of runs were told, in this process.

    LangGraph's client starts a run and asks for its events at the same moment, in two requests, and again when it
    wants more channels. A quick run may have ended before they come: unless it is told anew, the client waits for ever.
    But when it hears of a run before that, it takes the words of that run for those of its own.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._heard: dict[str, AbstractSet[str]] = {}

    def note(self, run_id: str, channels: AbstractSet[str]) -> None:
        """Somebody who listens to the channels has heard how the run ended."""
        self._heard[run_id] = self._heard.pop(run_id, frozenset()) | channels
        if len(self._heard) > _MOST_KEPT:
            del self._heard[next(iter(self._heard))]

    def is_news(self, run: Run, channels: AbstractSet[str]) -> bool:
        """Whether the run ended just now, and nobody has heard all of it who listens to the channels."""
        is_recent = not run.is_open and self._clock() - run.updated_at < _NEWS
        return run.kwargs.thread_events and is_recent and not channels <= self._heard.get(run.run_id, frozenset())

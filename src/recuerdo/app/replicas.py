"""The number of servers over a database, as a gauge: each tells the others from time to time that it is there."""

import asyncio
import math
import time
from collections.abc import Callable

from recuerdo.core.graph_ports import Signals
from recuerdo.core.identifiers import new_id
from recuerdo.observability.metrics import Metrics

PAUSE = 10.0
"""Seconds between two signs of life."""

_ABSENT_AFTER = 3 * PAUSE
_HERE, _GONE = "replica:", "replica-gone:"


class ReplicaGauge:
    """The gauge `replicas`. It is NaN where this server can't receive signals of others."""

    def __init__(self, signals: Signals, metrics: Metrics, now: Callable[[], float] = time.monotonic) -> None:
        self._signals = signals
        self._now = now
        self._name = new_id()
        self._heard: dict[str, float] = {}
        signals.subscribe(self._on_signal)
        metrics.watch_gauge("replicas", "Servers over this database that were heard of in the last 30 s.", self.count)

    def count(self) -> float:
        """The number of servers, this one included."""
        if not self._signals.can_listen:
            return math.nan
        since = self._now() - _ABSENT_AFTER
        self._heard = {name: at for name, at in self._heard.items() if at >= since}
        return len({*self._heard, self._name})

    async def run(self) -> None:
        """Tell the others that this server is there, until cancelled, and then that it is gone."""
        try:
            while True:
                self._signals.publish(_HERE + self._name)
                await asyncio.sleep(PAUSE)
        finally:
            self._signals.publish(_GONE + self._name)

    def _on_signal(self, signal: str) -> None:
        if signal.startswith(_HERE):
            self._heard[signal.removeprefix(_HERE)] = self._now()
        elif signal.startswith(_GONE):
            self._heard.pop(signal.removeprefix(_GONE), None)

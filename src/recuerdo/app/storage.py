"""How much the database stores, and how many runs wait in it, as gauges that are measured from time to time."""

import asyncio
import logging

from recuerdo.adapters import registry
from recuerdo.app.recuerdo import Recuerdo
from recuerdo.core.errors import RecuerdoError
from recuerdo.history.history import utc_now
from recuerdo.observability.metrics import Metrics

_log = logging.getLogger(__name__)

PAUSE = 30.0
"""Seconds between two measurements."""


class StorageGauges:
    """The gauges `stored_bytes` and `runs_waiting`."""

    def __init__(self, memory: Recuerdo, database_url: str, metrics: Metrics) -> None:
        self._memory = memory
        self._url = database_url
        self._bytes = self._runs = 0
        metrics.watch_gauge("stored_bytes", "Bytes that the database takes.", lambda: self._bytes)
        metrics.watch_gauge("runs_waiting", "Runs that are due and not executing yet.", lambda: self._runs)

    async def run(self) -> None:
        """Until cancelled: measure, and wait."""
        while True:
            try:
                await self.measure()
            except RecuerdoError as error:
                _log.warning("What the database stores can't be measured now: %s", error)
            await asyncio.sleep(PAUSE)

    async def measure(self) -> None:
        """Measure once. Raises DatabaseUnavailable."""
        self._bytes = await registry.stored_bytes(self._url)
        if self._memory.documents is not None:
            self._runs = await self._memory.documents.count_due("run", utc_now())

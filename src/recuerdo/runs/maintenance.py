"""Does what has become due: abandoned or delayed runs, schedules, threads whose time to live is over, old results."""

import asyncio
from collections.abc import Collection

from recuerdo.core.documents import Decision, Document, reader
from recuerdo.core.graph_ports import DocumentRepository, Signals
from recuerdo.core.ports import Clock
from recuerdo.core.runs import AgentThread
from recuerdo.core.scope import Owner
from recuerdo.jobs.leases import DueLoop
from recuerdo.runs.crons import Crons
from recuerdo.runs.engine import Engine, RunLocation
from recuerdo.runs.threads import Threads
from recuerdo.runs.work import HANDED_BACK

SECONDS_BETWEEN_LOOKS = 0.5
"""The longest that a run whose lease is over waits to be noticed."""

_LOOKS_BETWEEN_SWEEPS = 20
_MOST_AT_ONCE = 100
_thread = reader("thread", AgentThread)


class RunMaintenance:
    """One for each process. Several may look at the same documents: each step is decided in a transaction."""

    def __init__(
        self,
        documents: DocumentRepository,
        engine: Engine,
        crons: Crons,
        threads: Threads,
        clock: Clock,
        signals: Signals,
    ) -> None:
        self._documents = documents
        self._engine = engine
        self._crons = crons
        self._threads = threads
        self._clock = clock
        self._looks = 0
        self._loop = DueLoop(self.look, lambda: (HANDED_BACK,), lambda: SECONDS_BETWEEN_LOOKS, signals)

    async def run(self) -> None:
        """Look every SECONDS_BETWEEN_LOOKS, and when runs are handed back, until cancelled."""
        await self._loop.run()

    async def look(self, _queues: Collection[str] = ()) -> None:
        """Look once."""
        now = self._clock()
        for owner, document in await self._documents.due("run", now, _MOST_AT_ONCE):
            self._engine.wake(RunLocation(owner, document.group, document.id))
        for owner, document in await self._documents.due("cron", now, _MOST_AT_ONCE):
            await self._crons.fire(owner, document.id)
        for owner, document in await self._documents.due("thread", now, _MOST_AT_ONCE):
            await self._threads.expire(owner, _thread(document.body))
        if self._looks % _LOOKS_BETWEEN_SWEEPS == 0:
            await self._sweep()
        self._looks += 1

    async def _sweep(self) -> None:
        """Remove results that nobody waits for any more."""
        found = [None] * _MOST_AT_ONCE
        while len(found) == _MOST_AT_ONCE:
            found = await self._documents.due("result", self._clock(), _MOST_AT_ONCE)
            await asyncio.gather(*(self._remove(owner, document) for owner, document in found))

    async def _remove(self, owner: Owner, document: Document) -> None:
        await self._documents.change(owner, document.group, [], lambda _: Decision(None, delete=[document.key]))

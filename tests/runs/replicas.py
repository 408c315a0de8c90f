"""Replicas over one database, in one process: each with its own connections, engine and signals."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from recuerdo.adapters.local import LocalRunEvents
from recuerdo.adapters.registry import open_repositories
from recuerdo.adapters.signals import LocalSignals
from recuerdo.core.ports import Clock
from recuerdo.core.runs import Run
from recuerdo.core.scope import Owner
from recuerdo.history.history import utc_now
from recuerdo.runs.engine import Host, Tell
from recuerdo.runs.lifecycle import RunOutcome
from recuerdo.runs.services import RunServices, running_services
from recuerdo.runs.webhooks import Webhooks


class Lingering:
    """A Host whose runs go on until they are stopped."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()

    async def execute(self, _owner: Owner, _run: Run, _tell: Tell) -> RunOutcome:
        self.begun.set()
        await asyncio.Event().wait()
        raise AssertionError("nobody sets that event")

    async def left(self, _owner: Owner, _run: Run) -> RunOutcome:
        return RunOutcome("interrupted", "idle", {})

    async def undo(self, _owner: Owner, _run_id: str) -> None: ...


@asynccontextmanager
async def replica(
    url: str, host: Host, lease: float, webhooks: Webhooks | None = None, clock: Clock = utc_now
) -> AsyncGenerator[RunServices]:
    async with open_repositories(url) as repositories:
        assert repositories.documents is not None
        signals = repositories.signals or LocalSignals()
        graphs, made = {"g": None}, (lambda: host)
        async with running_services(
            repositories.documents, LocalRunEvents(), graphs, made, clock, signals, lease=lease, webhooks=webhooks
        ) as services:
            yield services

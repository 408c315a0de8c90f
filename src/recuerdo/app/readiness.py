"""The parts of `/ready`: whether this server can take requests, and the parts that are away."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Literal

from recuerdo.adapters import registry
from recuerdo.app.doctor import find_model
from recuerdo.app.recuerdo import Recuerdo
from recuerdo.app.settings import Settings
from recuerdo.core.errors import RecuerdoError
from recuerdo.core.health import PartHealth
from recuerdo.core.scope import ANONYMOUS, DEFAULT_TENANT, Owner

_SECONDS = 2.0
"""How long one part may take: probes of Kubernetes wait three seconds."""

_SOMEBODY = Owner(DEFAULT_TENANT, ANONYMOUS)
_SECONDS_KEPT = {"database": 0.0, "migrations": 60.0, "cache": 5.0, "model": 30.0, "warm_up": 0.0}
"""How long an answer counts: probes come every two seconds, to each replica."""


_TIMEOUT_SECONDS = 5.0
"""How long a step of the warm-up waits at most for requests to be answered: some take minutes."""


class WarmUp:
    """Loads the parts that the first answer would wait for, one after the other, while the server is answering already.

    Each step takes a whole core for a second: it begins when no request is under way, which would take twice as long.
    """

    def __init__(self, *steps: Callable[[], Awaitable[object]]) -> None:
        self._steps = steps
        self._done = 0

    async def run(self, answered: Callable[[float], Awaitable[object]]) -> None:
        """Take all steps. `answered` waits until no request is under way, but no longer than so many seconds."""
        for step in self._steps:
            await answered(_TIMEOUT_SECONDS)
            await step()
            self._done += 1

    async def examine(self) -> PartHealth:
        """Return `degraded` with the progress until all is loaded."""
        if self._done == len(self._steps):
            return PartHealth("ok")
        return PartHealth(
            "degraded", "models are being loaded: a first answer takes longer", self._done / len(self._steps)
        )


class ReadinessProbe:
    """Examines the parts that a server needs, all at once."""

    def __init__(self, memory: Recuerdo, settings: Settings, warm_up: WarmUp | None = None) -> None:
        self._memory = memory
        self._settings = settings
        self._parts: dict[str, Callable[[], Awaitable[PartHealth]]] = {
            "database": self._database,
            "migrations": self._migrations,
            "cache": self._cache,
            "model": self._model,
            "warm_up": (warm_up or WarmUp()).examine,
        }
        self._known: dict[str, tuple[float, PartHealth]] = {}

    async def examine(self) -> dict[str, PartHealth]:
        """The parts by name. None of them takes longer than two seconds."""
        found = await asyncio.gather(*[self._examined(name) for name in self._parts])
        return dict(zip(self._parts, found, strict=True))

    async def _examined(self, name: str) -> PartHealth:
        now = time.monotonic()
        if name in self._known and now - self._known[name][0] < _SECONDS_KEPT[name]:
            return self._known[name][1]
        try:
            async with asyncio.timeout(_SECONDS):
                found = await self._parts[name]()
        except TimeoutError:
            found = PartHealth(_silent(name), f"no answer within {_SECONDS:.0f} s")
        except RecuerdoError as error:
            found = PartHealth(_silent(name), str(error))
        self._known[name] = now, found
        return found

    async def _database(self) -> PartHealth:
        await self._memory.history.threads(_SOMEBODY, limit=1)
        return PartHealth("ok")

    async def _migrations(self) -> PartHealth:
        pending = await registry.pending(self._settings.database_url)
        if pending:
            return PartHealth("failed", f"{len(pending)} updates of the tables are pending: run `recuerdo db upgrade`")
        return PartHealth("ok")

    async def _cache(self) -> PartHealth:
        if self._settings.cache_url is None:
            return PartHealth("skipped", "no shared cache is named")
        async with registry.open_shared_cache(self._settings.cache_url) as cache:
            await cache.ping()
        return PartHealth("ok")

    async def _model(self) -> PartHealth:
        found = await find_model(self._settings)
        return PartHealth("degraded" if found.state == "failed" else "ok", found.detail)


def _silent(name: str) -> Literal["degraded", "failed"]:
    """The state of a part that does not answer: without a cache or a model a server still serves."""
    return "failed" if name == "database" else "degraded"

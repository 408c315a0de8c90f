"""The events of runs in Redis Streams, for all replicas."""

import asyncio
from collections.abc import Sequence
from typing import Any

from recuerdo.adapters.redis import scripts
from recuerdo.adapters.redis.connection import Call, RedisCache, translated
from recuerdo.core.runs import RunEvent

MOST_EVENTS = 100_000
"""Of one run: what is older is gone for those who listen from the start."""

SECONDS_KEPT = 3600
"""How long the events of a run can be had after the last one."""

_MOST_AT_ONCE = 1000
_PATIENCE = 1.0
"""Seconds beyond those that a reader is willing to wait, after which Redis counts as gone."""


class RedisEventLog:
    """The EventLog over Redis, a Valkey or a cluster: one stream for each run."""

    def __init__(self, cache: RedisCache) -> None:
        self._client = cache.client
        self._write = cache.script(scripts.load("log_events"))

    async def last(self, run_id: str) -> str:
        """See EventLog."""
        found = await self._ask(self._client.xrevrange(_stream(run_id), count=1), 0)
        return found[0][0].decode() if found else ""

    async def add(self, run_id: str, token: int, events: Sequence[RunEvent]) -> bool:
        """See EventLog."""
        told = [part for event in events for part in (event.id, event.name, event.data)]
        keys = (_stream(run_id), f"{_stream(run_id)}:token")
        return bool(await self._write.run(Call(keys, (token, MOST_EVENTS, SECONDS_KEPT * 1000, *told))))

    async def read(self, run_id: str, after: str, seconds: float) -> list[RunEvent]:
        """See EventLog."""
        place = {_stream(run_id): after or "0-0"}
        found = await self._ask(self._client.xread(place, _MOST_AT_ONCE, int(seconds * 1000) or 1), seconds)
        return [
            RunEvent(event_id.decode(), fields[b"name"].decode(), fields[b"data"])
            for _, entries in found
            for event_id, fields in entries
        ]

    async def _ask(self, question: Any, seconds: float) -> Any:
        with translated():
            async with asyncio.timeout(seconds + _PATIENCE):
                return await question or []


def _stream(run_id: str) -> str:
    return f"recuerdo:events:{{{run_id}}}"

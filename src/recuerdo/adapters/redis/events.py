"""The events of runs in Redis Streams, for all replicas."""

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from recuerdo.adapters.redis import scripts
from recuerdo.adapters.redis.connection import Call, RedisCache, translated
from recuerdo.core.graph_ports import EventLog, LogOutcome
from recuerdo.core.runs import RunEvent
from recuerdo.core.scope import Owner

MOST_EVENTS = 100_000
"""The maximum number of events of one run; older ones are dropped."""

SECONDS_KEPT = 3600
"""How long the events of a run can be had after the last one."""

SECONDS_SEALED = 86400
"""How long a sealed log refuses events, and a log is found by its owner: longer than a run or a turn works."""

_EVERY_RUN = "*"
"""The mark that seals all runs of an index, also those that began before and are added later."""

_OUTCOMES: Mapping[int, LogOutcome] = {1: "written", 0: "refused", -1: "unknown"}
_MOST_AT_ONCE = 1000
_TIMEOUT_SECONDS = 1.0
"""Seconds beyond those that a reader is willing to wait, after which Redis counts as gone."""


class RedisEventLog(EventLog):
    """The EventLog over Redis, a Valkey or a cluster: one stream for each run."""

    def __init__(self, cache: RedisCache) -> None:
        self._client = cache.client
        self._write = cache.script(scripts.load("log_events"))
        self._take = cache.script(scripts.load("log_take"))
        self._note = cache.script(scripts.load("log_begin"))
        self._seal = cache.script(scripts.load("log_seal"))

    async def last(self, run_id: str) -> str:
        found = await self._ask(self._client.xrevrange(_stream(run_id), count=1), 0)
        return found[0][0].decode() if found else ""

    async def add(self, run_id: str, token: int, events: Sequence[RunEvent], *, is_begun: bool = False) -> LogOutcome:
        told = [part for event in events for part in (event.id, event.name, event.data)]
        keys = (_stream(run_id), _token(run_id))
        arguments = (token, MOST_EVENTS, SECONDS_KEPT * 1000, int(is_begun), *told)
        return _OUTCOMES[await self._write.run(Call(keys, arguments))]

    async def take_over(self, run_id: str) -> int:
        return int(await self._take.run(Call((_token(run_id),), (SECONDS_KEPT * 1000,))))

    async def read(self, run_id: str, after: str, seconds: float) -> list[RunEvent]:
        place = {_stream(run_id): after or "0-0"}
        found = await self._ask(self._client.xread(place, _MOST_AT_ONCE, int(seconds * 1000) or 1), seconds)
        return [
            RunEvent(event_id.decode(), fields[b"name"].decode(errors="replace"), fields[b"data"])
            for _, entries in found
            for event_id, fields in entries
            if fields.keys() >= {b"name", b"data"}
        ]

    async def begin(self, owner: Owner, thread: str, run_id: str, ago: float = 0) -> bool:
        # First the token, without which events of a run that was begun are refused: when Redis loses everything, it
        # never keeps the token alone, and with it the right to write what no seal would find.
        await self._ask(self._client.set(_token(run_id), 0, nx=True, px=SECONDS_SEALED * 1000), 0)
        indexes = (_index(owner), _index(owner, thread))
        return bool(await self._note.run(Call(indexes, (int(ago * 1000), SECONDS_SEALED * 1000, run_id))))

    async def seal(self, owner: Owner, thread: str | None = None) -> Sequence[str]:
        index = _index(owner, thread)
        await self._note.run(Call((index,), (0, SECONDS_SEALED * 1000, _EVERY_RUN)))
        noted = await self._ask(self._client.zrange(index, 0, -1), 0)
        sealed = [each.decode(errors="replace") for each in noted if each != _EVERY_RUN.encode()]
        for first in range(0, len(sealed), _MOST_AT_ONCE):
            some = sealed[first : first + _MOST_AT_ONCE]
            keys = [(_stream(run_id), _token(run_id)) for run_id in some]
            await self._seal.run_all([Call(each, (SECONDS_KEPT * 1000, SECONDS_SEALED * 1000)) for each in keys])
            await self._ask(self._client.zrem(index, *some), 0)
        return sealed

    async def is_sealed(self, run_id: str) -> bool | None:
        token = await self._ask(self._client.get(_token(run_id)), 0)
        return token == b"inf" if token else None

    async def _ask(self, question: Any, seconds: float) -> Any:
        with translated():
            async with asyncio.timeout(seconds + _TIMEOUT_SECONDS):
                return await question or []


def _stream(run_id: str) -> str:
    return f"recuerdo:events:{{{run_id}}}"


def _token(run_id: str) -> str:
    return f"{_stream(run_id)}:token"


def _index(owner: Owner, thread: str | None = None) -> str:
    """Return the key of the logs of an owner, or of one thread, which doesn't reveal their names."""
    index = f"recuerdo:logs:{{{_digest(repr((owner.tenant, owner.user)))}}}"
    return index if thread is None else f"{index}:{_digest(thread)}"


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()

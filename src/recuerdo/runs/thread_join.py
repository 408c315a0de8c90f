"""All that happens on a thread, run after run, as each run tells it."""

from collections.abc import AsyncGenerator, Collection
from contextlib import aclosing, suppress
from datetime import datetime
from typing import Any, Literal

import msgspec

from recuerdo.core.errors import NotFound
from recuerdo.core.runs import Run, RunEvent
from recuerdo.core.scope import Owner
from recuerdo.runs.encoding import encode
from recuerdo.runs.runs import Runs
from recuerdo.runs.thread_stream import coming, ended_at, id_of, listed, milliseconds, over_before, seq_of
from recuerdo.runs.threads import Threads

ThreadMode = Literal["run_modes", "lifecycle", "state_update"]
"""What runs tell; only that they begin and end; what others write into the state."""

_STATE_UPDATE = "state_update"


class _JoinedEventParams(msgspec.Struct):
    data: msgspec.Raw
    namespace: list[str] = []


class ThreadJoin:
    """Follows threads."""

    def __init__(self, runs: Runs, threads: Threads) -> None:
        self._runs = runs
        self._threads = threads

    async def follow(
        self, owner: Owner, thread_id: str, modes: Collection[ThreadMode], after: str = "", idle: float = 3600.0
    ) -> AsyncGenerator[RunEvent]:
        """What happens on the thread behind the event `after`, until nothing has happened for `idle` seconds.

        Without `after` it begins with the runs that are not finished now. Raises NotFound.
        """
        since = seq_of(after) if after else None
        state_at = (await self._threads.get(owner, thread_id)).state_updated_at
        told = over_before(await listed(self._runs, owner, thread_id), since)
        return self._told(owner, thread_id, modes, after, idle, told, state_at)

    async def _told(
        self,
        owner: Owner,
        thread_id: str,
        modes: Collection[ThreadMode],
        after: str,
        idle: float,
        told: set[str],
        state_at: datetime,
    ) -> AsyncGenerator[RunEvent]:
        try:
            async with aclosing(coming(self._runs, owner, thread_id, told, idle)) as runs:
                async for run in runs:
                    if _STATE_UPDATE in modes:
                        for update in await self._update(owner, thread_id, state_at, run):
                            yield update
                    async with aclosing(self._of(owner, run, after)) as events:
                        async for event in events:
                            if _passes(event, modes):
                                yield event
                    state_at = (await self._threads.get(owner, thread_id)).state_updated_at
        except NotFound:  # somebody has deleted the thread
            return

    async def _update(self, owner: Owner, thread_id: str, known: datetime, run: Run | None) -> list[RunEvent]:
        """What became of the state since it was known, when it was not the run that has changed it."""
        changed_at = (await self._threads.get(owner, thread_id)).state_updated_at
        if changed_at <= known or (run is not None and changed_at > run.created_at):
            return []
        state = await self._threads.state(owner, thread_id)
        shown = encode({"state": state, "thread_id": thread_id})
        return [RunEvent(id_of(milliseconds(changed_at) * 1000), _STATE_UPDATE, shown)]

    async def _of(self, owner: Owner, run: Run | None, after: str) -> AsyncGenerator[RunEvent]:
        if run is None:
            return
        last = 0
        async with aclosing(self._runs.follow(owner, run, after)) as events:
            async for event in events:
                last = seq_of(event.id)
                yield _plain(event) if run.kwargs.thread_events else event
        yield await self._ending(owner, run, last)

    async def _ending(self, owner: Owner, run: Run, last: int) -> RunEvent:
        with suppress(NotFound):  # it was taken back
            last = max(last, ended_at(await self._runs.get(owner, run.thread_id, run.run_id)) - 1)
        done: dict[str, Any] = {"status": "run_done", "run_id": run.run_id}
        return RunEvent(id_of(last + 1), "metadata", msgspec.json.encode(done))


def _passes(event: RunEvent, modes: Collection[ThreadMode]) -> bool:
    return "run_modes" in modes or ("lifecycle" in modes and event.name == "metadata")


def _plain(event: RunEvent) -> RunEvent:
    """An event of the thread-centric protocol as other runs would tell it."""
    if event.name in ("metadata", "error"):
        return event
    params = msgspec.json.decode(event.data, type=_JoinedEventParams)
    return RunEvent(event.id, "|".join((event.name, *params.namespace)), bytes(params.data))

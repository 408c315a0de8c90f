"""All that happens on a thread, run after run, as the thread-centric protocol tells it."""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from datetime import datetime
from typing import Any, NamedTuple, cast

import msgspec

from recuerdo.core.documents import DocumentQuery
from recuerdo.core.errors import NotFound
from recuerdo.core.runs import AgentThread, Run, RunEvent
from recuerdo.core.scope import Owner
from recuerdo.runs.runs import Runs
from recuerdo.runs.threads import Threads

_SECONDS_BETWEEN_LOOKS = 1.0
"""For runs that another replica has made; of those made here the arrivals tell at once."""

_MOST_RUNS = 100
_LAST_OF_A_MILLISECOND = 999
_SHOWN_OF_OTHERS = ("values", "updates", "tasks")
_ENDINGS = {"success": "completed", "error": "failed", "timeout": "failed"}


class ThreadEvent(NamedTuple):
    """One event: `params` is JSON, and `namespace` and `name` (a custom channel's, or a question's) say which."""

    seq: int
    event_id: str
    method: str
    params: bytes
    namespace: Sequence[str] = ()
    name: str | None = None


class _Params(msgspec.Struct):
    namespace: list[str] = []


class _Named(msgspec.Struct):
    name: str | None = None
    interrupt_id: str | None = None


class _NamedParams(msgspec.Struct):
    data: _Named
    namespace: list[str] = []


class ThreadStream:
    """Follows threads."""

    def __init__(self, runs: Runs, threads: Threads) -> None:
        self._runs = runs
        self._threads = threads

    async def follow(
        self, owner: Owner, thread_id: str, since: int | None = None, idle: float = 3600.0
    ) -> AsyncGenerator[ThreadEvent]:
        """What happens on the thread behind the event `since`, until nothing has happened for `idle` seconds.

        Without `since` it begins with the runs that are not finished; where there are none, with the only one that
        there ever was, or with the questions that the thread waits for. Raises NotFound.
        """
        told = await self._told_before(owner, thread_id, since)
        asked: set[str] = set()
        waited = 0.0
        while waited < idle:
            arrival = self._runs.arrivals.expect(owner, thread_id)
            run = await self._next(owner, thread_id, told)
            if run is None:
                for event in await self._questions(owner, thread_id, asked) if since is None and not waited else ():
                    yield event
                patience = min(_SECONDS_BETWEEN_LOOKS, idle)
                waited += 0 if await _came(arrival, patience) else patience
                continue
            waited = 0.0
            async with aclosing(self._of(owner, run, since)) as events:
                async for event in events:
                    if event.method == "input.requested" and event.name:
                        asked.add(event.name)
                    yield event

    async def _told_before(self, owner: Owner, thread_id: str, since: int | None) -> set[str]:
        """The runs that nobody has to hear of any more."""
        runs = await self._listed(owner, thread_id)
        if since is not None:
            return {run.run_id for run in runs if not run.is_open and _ended(run) <= since}
        keeps_all = len(runs) == 1
        return set() if keeps_all else {run.run_id for run in runs if not run.is_open}

    async def _next(self, owner: Owner, thread_id: str, told: set[str]) -> Run | None:
        runs = await self._listed(owner, thread_id)
        told &= {run.run_id for run in runs}
        found = next((run for run in reversed(runs) if run.run_id not in told), None)
        if found is not None:
            told.add(found.run_id)
        return found

    async def _listed(self, owner: Owner, thread_id: str) -> list[Run]:
        return await self._runs.select(owner, thread_id, DocumentQuery(limit=_MOST_RUNS))

    async def _of(self, owner: Owner, run: Run, since: int | None) -> AsyncGenerator[ThreadEvent]:
        last = 0
        async with aclosing(self._runs.follow(owner, run, _id_of(since) if since is not None else "")) as events:
            async for event in events:
                last = _seq_of(event.id)
                if (shown := _shown(run, event)) is not None:
                    yield shown
        ending = await self._ending(owner, run, last)
        if since is None or ending.seq > since:
            yield ending

    async def _ending(self, owner: Owner, run: Run, last: int) -> ThreadEvent:
        """How the run ended, as it is stored: who hears of it and asks for the state gets the final one."""
        data: dict[str, Any] = {"event": "interrupted"}
        seq = last + 1
        try:
            run = await self._runs.get(owner, run.thread_id, run.run_id)
            seq = max(seq, _ended(run))
            data = {"event": _ENDINGS.get(run.status, "interrupted"), "graph_name": run.graph_id}
            if run.status == "success" and run.waits:
                data["event"] = "interrupted"
            if run.status == "error":
                data["error"] = _message(run.error)
        except NotFound:  # it was taken back, or it left nothing behind
            pass
        return _event(seq, f"{run.run_id}:end", "lifecycle", {"namespace": [], "timestamp": seq // 1000, "data": data})

    async def _questions(self, owner: Owner, thread_id: str, asked: set[str]) -> list[ThreadEvent]:
        """What the thread has waited for since before anybody listened."""
        thread = await self._threads.get(owner, thread_id)
        new = [each for each in _interrupts(thread) if each["id"] not in asked]
        asked.update(each["id"] for each in new)
        seq = _milliseconds(thread.state_updated_at) * 1000
        params: dict[str, Any] = {"namespace": [], "timestamp": seq // 1000}
        return [_event(seq, f"{each['id']}:{seq}", "input.requested", {**params, "data": _asks(each)}) for each in new]


def seq_before(run: Run) -> int:
    """The seq that all events of the run come behind."""
    return _milliseconds(run.created_at) * 1000 - 1


async def _came(arrival: asyncio.Event, seconds: float) -> bool:
    try:
        await asyncio.wait_for(arrival.wait(), seconds)
    except TimeoutError:
        return False
    return True


def _shown(run: Run, event: RunEvent) -> ThreadEvent | None:
    """A run's event in the protocol. Of runs that tell theirs otherwise, what means the same."""
    seq, event_id = _seq_of(event.id), f"{run.run_id}:{event.id}"
    if event.name == "metadata":
        data = {"event": "started" if run.attempts <= 1 else "running", "graph_name": run.graph_id}
        return _event(seq, event_id, "lifecycle", {"namespace": [], "timestamp": seq // 1000, "data": data})
    if run.kwargs.thread_events and event.name != "error":
        return _passed_on(seq, event_id, event)
    method, _, place = event.name.partition("|")
    if method not in _SHOWN_OF_OTHERS:
        return None
    namespace = place.split("|") if place else []
    params = {"namespace": namespace, "timestamp": seq // 1000, "data": msgspec.Raw(event.data)}
    return _event(seq, event_id, method, params)


def _passed_on(seq: int, event_id: str, event: RunEvent) -> ThreadEvent:
    if event.name in ("custom", "input.requested"):
        named = msgspec.json.decode(event.data, type=_NamedParams)
        return ThreadEvent(
            seq, event_id, event.name, event.data, named.namespace, named.data.interrupt_id or named.data.name
        )
    namespace = msgspec.json.decode(event.data, type=_Params).namespace
    return ThreadEvent(seq, event_id, event.name, event.data, namespace)


def _event(seq: int, event_id: str, method: str, params: dict[str, Any]) -> ThreadEvent:
    return ThreadEvent(seq, event_id, method, msgspec.json.encode(params), params["namespace"])


def _interrupts(thread: AgentThread) -> Iterator[dict[str, Any]]:
    for each in thread.interrupts.values() if thread.status == "interrupted" else ():
        yield from each


def _asks(interrupt: dict[str, Any]) -> dict[str, Any]:
    return {"interrupt_id": interrupt["id"], "payload": interrupt["value"], "value": interrupt["value"]}


def _message(error: Any) -> str:
    return f"{error['error']}: {error['message']}" if isinstance(error, dict) else str(cast(object, error))


def _ended(run: Run) -> int:
    """The seq of the run's last event."""
    return _milliseconds(run.updated_at) * 1000 + _LAST_OF_A_MILLISECOND


def _milliseconds(time: datetime) -> int:
    return int(time.timestamp() * 1000)


def _seq_of(event_id: str) -> int:
    milliseconds, _, rest = event_id.partition("-")
    return int(milliseconds) * 1000 + int(rest or 0)


def _id_of(seq: int) -> str:
    return f"{seq // 1000}-{seq % 1000}"

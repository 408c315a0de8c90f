"""All that happens on a thread, run after run: in the thread-centric protocol, and as each run tells it."""

import asyncio
from collections.abc import AsyncGenerator, Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import aclosing, suppress
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple, cast

import msgspec

from recuerdo.core.documents import DocumentQuery
from recuerdo.core.errors import NotFound
from recuerdo.core.ports import Clock
from recuerdo.core.runs import AgentThread, Run, RunEvent
from recuerdo.core.scope import Owner
from recuerdo.runs.encoding import encode
from recuerdo.runs.runs import Runs
from recuerdo.runs.threads import Threads

_NEWS = timedelta(seconds=5)
_MOST_KEPT = 1000
_SECONDS_BETWEEN_LOOKS = 1.0
"""For runs that another replica has made; of those made here the arrivals tell at once."""

_MOST_RUNS = 100
_LAST_OF_A_MILLISECOND = 999

_SHOWN_OF_OTHERS = ("values", "updates", "tasks")
_ENDINGS = {"success": "completed", "error": "failed", "timeout": "failed"}


ThreadMode = Literal["run_modes", "lifecycle", "state_update"]
"""The events of runs; only their starts and ends; states that were written by hand."""

_STATE_UPDATE = "state_update"


class ThreadEvent(NamedTuple):
    """One event: `params` is JSON, and `namespace` and `name` (a custom channel's, or a question's) say which."""

    seq: int
    event_id: str
    method: str
    params: bytes
    namespace: Sequence[str] = ()
    name: str | None = None


class _StreamedEventParams(msgspec.Struct):
    namespace: list[str] = []


class _NamedRequest(msgspec.Struct):
    name: str | None = None
    interrupt_id: str | None = None


class _NamedParams(msgspec.Struct):
    data: _NamedRequest
    namespace: list[str] = []


class DeliveryTracker:
    """Which channels were listened to when the ends of runs were sent, in this process.

    LangGraph's client starts a run and asks for its events at the same moment, in two requests, and again when it
    wants more channels. A quick run may have ended before they come: unless it is sent again, the client waits forever.
    But when it hears of a run before that, it takes the words of that run for those of its own.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._heard: dict[str, AbstractSet[str]] = {}

    def note(self, run_id: str, channels: AbstractSet[str]) -> None:
        """A subscriber of the channels has received the end of the run."""
        self._heard[run_id] = self._heard.pop(run_id, frozenset()) | channels
        if len(self._heard) > _MOST_KEPT:
            del self._heard[next(iter(self._heard))]

    def is_news(self, run: Run, channels: AbstractSet[str]) -> bool:
        """Whether the run has just ended, and its end was not yet sent to a listener of all these channels."""
        is_recent = not run.is_open and self._clock() - run.updated_at < _NEWS
        return run.kwargs.thread_events and is_recent and not channels <= self._heard.get(run.run_id, frozenset())


class ThreadStream:
    """Follows threads in the thread-centric protocol."""

    def __init__(self, runs: Runs, threads: Threads, deliveries: DeliveryTracker) -> None:
        self._runs = runs
        self._threads = threads
        self._deliveries = deliveries

    def guarded(self, runs: Runs, threads: Threads) -> "ThreadStream":
        """A stream for a subscriber that sees only these runs and threads."""
        return ThreadStream(runs, threads, self._deliveries)

    async def follow(
        self,
        owner: Owner,
        thread_id: str,
        since: int | None = None,
        idle: float = 3600.0,
        *,
        channels: AbstractSet[str] = frozenset(),
        sent: Collection[str] | None = None,
    ) -> AsyncGenerator[ThreadEvent | None]:
        """The events of the thread after the event `since`, until none has come for `idle` seconds.

        Without `since` it begins with the runs that are not `sent`: with those that are not finished, and the latest
        if it is news to a subscriber of the `channels`; where there are none, with the only one that there
        ever was, or with the questions that the thread waits for. None comes whenever there is nothing more for now.
        Raises NotFound.
        """
        sent = set(await self._sent_before(owner, thread_id, since, channels) if sent is None else sent)
        asked: set[str] = set()
        quiet = False
        async with aclosing(coming(self._runs, owner, thread_id, sent, idle)) as runs:
            async for run in runs:
                if run is not None:
                    events = self._of(owner, run, since, channels)
                else:
                    events = self._questions(owner, thread_id, asked, known=quiet or since is not None)
                quiet = run is None
                async with aclosing(events):
                    async for event in events:
                        if event.method == "input.requested" and event.name:
                            asked.add(event.name)
                        yield event
                if quiet:
                    yield None

    async def listen(self, owner: Owner, thread_id: str, idle: float) -> "ThreadListener":
        """Listen to the thread from now on. Raises NotFound."""
        return ThreadListener(
            self, owner, thread_id, idle, await self._sent_before(owner, thread_id, None, frozenset())
        )

    async def _sent_before(
        self, owner: Owner, thread_id: str, since: int | None, channels: AbstractSet[str]
    ) -> set[str]:
        """The runs that are not reported any more."""
        runs = await latest_runs(self._runs, owner, thread_id)
        if since is not None:
            return over_before(runs, since)
        news = [run.run_id for run in runs[:1] if len(runs) == 1 or self._deliveries.is_news(run, channels)]
        return over_before(runs, None).difference(news)

    async def _of(
        self, owner: Owner, run: Run, since: int | None, channels: AbstractSet[str]
    ) -> AsyncGenerator[ThreadEvent]:
        last = 0
        async with aclosing(self._runs.follow(owner, run, id_of(since) if since is not None else "")) as events:
            async for event in events:
                last = seq_of(event.id)
                if (shown := _shown(run, event)) is not None:
                    yield shown
        ending = await self._ending(owner, run, last)
        self._deliveries.note(run.run_id, channels)
        if since is None or ending.seq > since:
            yield ending

    async def _ending(self, owner: Owner, run: Run, last: int) -> ThreadEvent:
        """The run's end, after it was stored: a listener that then asks for the state gets the final one."""
        data: dict[str, Any] = {"event": "interrupted"}
        seq = last + 1
        try:
            run = await self._runs.get(owner, run.thread_id, run.run_id)
            seq = max(seq, ended_at(run))
            data = {"event": _ENDINGS.get(run.status, "interrupted"), "graph_name": run.graph_id}
            if run.status == "success" and run.waits:
                data["event"] = "interrupted"
            if run.status == "error":
                data["error"] = _message(run.error)
        except NotFound:  # it was taken back, or it left nothing behind
            pass
        return _event(seq, f"{run.run_id}:end", "lifecycle", {"namespace": [], "timestamp": seq // 1000, "data": data})

    async def _questions(
        self, owner: Owner, thread_id: str, asked: set[str], *, known: bool
    ) -> AsyncGenerator[ThreadEvent]:
        """The questions that the thread asked before anybody listened."""
        if known:
            return
        thread = await self._threads.get(owner, thread_id)
        seq = milliseconds(thread.state_updated_at) * 1000
        params: dict[str, Any] = {"namespace": [], "timestamp": seq // 1000}
        for each in _interrupts(thread):
            if each["id"] not in asked:
                data = {"interrupt_id": each["id"], "payload": each["value"], "value": each["value"]}
                yield _event(seq, f"{each['id']}:{seq}", "input.requested", {**params, "data": data})


class ThreadListener:
    """One listener of a thread, who may follow it several times: each time from where it began to listen."""

    def __init__(self, stream: ThreadStream, owner: Owner, thread_id: str, idle: float, sent: Collection[str]) -> None:
        self._stream = stream
        self._owner = owner
        self._thread_id = thread_id
        self._idle = idle
        self._sent = sent

    def follow(self, since: int | None = None) -> AsyncGenerator[ThreadEvent | None]:
        """The events of the thread; see ThreadStream.follow."""
        sent = self._sent if since is None else None
        return self._stream.follow(self._owner, self._thread_id, since, self._idle, sent=sent)


def seq_before(run: Run) -> int:
    """The seq that all events of the run come after."""
    return milliseconds(run.created_at) * 1000 - 1


def _shown(run: Run, event: RunEvent) -> ThreadEvent | None:
    """A run's event in the protocol. Of runs that tell theirs otherwise, what means the same."""
    seq, event_id = seq_of(event.id), f"{run.run_id}:{event.id}"
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
    namespace = msgspec.json.decode(event.data, type=_StreamedEventParams).namespace
    return ThreadEvent(seq, event_id, event.name, event.data, namespace)


def _event(seq: int, event_id: str, method: str, params: dict[str, Any]) -> ThreadEvent:
    return ThreadEvent(seq, event_id, method, msgspec.json.encode(params), params["namespace"])


def _interrupts(thread: AgentThread) -> Iterator[dict[str, Any]]:
    for each in thread.interrupts.values() if thread.status == "interrupted" else ():
        yield from each


def _message(error: Any) -> str:
    return f"{error['error']}: {error['message']}" if isinstance(error, dict) else str(cast(object, error))


async def coming(runs: Runs, owner: Owner, thread_id: str, sent: set[str], idle: float) -> AsyncGenerator[Run | None]:
    """The thread's runs that are not in `sent`, each once; None whenever there is none for now.

    It ends when none has come for `idle` seconds. Raises NotFound when the thread is gone.
    """
    waited = 0.0
    while waited < idle:
        arrival = runs.arrivals.expect(owner, thread_id)
        run = await _next(runs, owner, thread_id, sent)
        yield run
        if run is not None:
            waited = 0.0
            continue
        pause = min(_SECONDS_BETWEEN_LOOKS, idle)
        waited += 0 if await _has_arrived(arrival, pause) else pause


async def latest_runs(runs: Runs, owner: Owner, thread_id: str) -> list[Run]:
    """The thread's latest runs, the latest first. Raises NotFound."""
    return await runs.select(owner, thread_id, DocumentQuery(limit=_MOST_RUNS))


def over_before(runs: Iterable[Run], seq: int | None) -> set[str]:
    """The ids of those that tell nothing behind the seq; without one, of those that are over."""
    return {run.run_id for run in runs if not run.is_open and (seq is None or ended_at(run) <= seq)}


def ended_at(run: Run) -> int:
    """The seq of the run's last event."""
    return milliseconds(run.updated_at) * 1000 + _LAST_OF_A_MILLISECOND


def milliseconds(time: datetime) -> int:
    """Since 1970."""
    return int(time.timestamp() * 1000)


def seq_of(event_id: str) -> int:
    """The place of an event in its thread, of the event's id."""
    since_1970, _, rest = event_id.partition("-")
    return int(since_1970) * 1000 + int(rest or 0)


def id_of(seq: int) -> str:
    """The id of the event at this place."""
    return f"{seq // 1000}-{seq % 1000}"


async def _next(runs: Runs, owner: Owner, thread_id: str, sent: set[str]) -> Run | None:
    found = await latest_runs(runs, owner, thread_id)
    sent &= {run.run_id for run in found}
    following = next((run for run in reversed(found) if run.run_id not in sent), None)
    if following is not None:
        sent.add(following.run_id)
    return following


async def _has_arrived(arrival: asyncio.Event, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await arrival.wait()
    except TimeoutError:
        return False
    return True


class _JoinedEventParams(msgspec.Struct):
    data: msgspec.Raw
    namespace: list[str] = []


class ThreadJoin:
    """Follows the runs of threads, one after the other, by the events that each run emits."""

    def __init__(self, runs: Runs, threads: Threads) -> None:
        self._runs = runs
        self._threads = threads

    async def follow(
        self, owner: Owner, thread_id: str, modes: Collection[ThreadMode], after: str = "", idle: float = 3600.0
    ) -> AsyncGenerator[RunEvent]:
        """The events of the thread after the event `after`, until none has come for `idle` seconds.

        Without `after` it begins with the runs that are not finished now. Raises NotFound.
        """
        since = seq_of(after) if after else None
        state_at = (await self._threads.get(owner, thread_id)).state_updated_at
        sent = over_before(await latest_runs(self._runs, owner, thread_id), since)
        return self._stream_of(owner, thread_id, modes, after, idle, sent, state_at)

    async def _stream_of(
        self,
        owner: Owner,
        thread_id: str,
        modes: Collection[ThreadMode],
        after: str,
        idle: float,
        sent: set[str],
        state_at: datetime,
    ) -> AsyncGenerator[RunEvent]:
        try:
            async with aclosing(coming(self._runs, owner, thread_id, sent, idle)) as runs:
                async for run in runs:
                    if _STATE_UPDATE in modes:
                        for update in await self._update(owner, thread_id, state_at, run):
                            yield update
                    async with aclosing(self._of(owner, run, after)) as events:
                        async for event in events:
                            if "run_modes" in modes or ("lifecycle" in modes and event.name == "metadata"):
                                yield event
                    state_at = (await self._threads.get(owner, thread_id)).state_updated_at
        except NotFound:  # the thread was deleted
            return

    async def _update(self, owner: Owner, thread_id: str, known: datetime, run: Run | None) -> list[RunEvent]:
        """The state as an event, if something else than the run has changed it since it was known."""
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


def _plain(event: RunEvent) -> RunEvent:
    """An event of the thread-centric protocol as other runs would tell it."""
    if event.name in ("metadata", "error"):
        return event
    params = msgspec.json.decode(event.data, type=_JoinedEventParams)
    return RunEvent(event.id, "|".join((event.name, *params.namespace)), bytes(params.data))

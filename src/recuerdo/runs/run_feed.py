"""The runs of a thread as they come, one behind the other, and where each stands in the thread's time."""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from datetime import datetime

from recuerdo.core.documents import DocumentQuery
from recuerdo.core.runs import Run
from recuerdo.core.scope import Owner
from recuerdo.runs.runs import Runs

_SECONDS_BETWEEN_LOOKS = 1.0
"""For runs that another replica has made; of those made here the arrivals tell at once."""

_MOST_RUNS = 100
_LAST_OF_A_MILLISECOND = 999


async def coming(runs: Runs, owner: Owner, thread_id: str, told: set[str], idle: float) -> AsyncGenerator[Run | None]:
    """The thread's runs that are not in `told`, each once; None whenever there is none for now.

    It ends when none has come for `idle` seconds. Raises NotFound when the thread is gone.
    """
    waited = 0.0
    while waited < idle:
        arrival = runs.arrivals.expect(owner, thread_id)
        run = await _next(runs, owner, thread_id, told)
        yield run
        if run is not None:
            waited = 0.0
            continue
        patience = min(_SECONDS_BETWEEN_LOOKS, idle)
        waited += 0 if await _rang(arrival, patience) else patience


async def listed(runs: Runs, owner: Owner, thread_id: str) -> list[Run]:
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


async def _next(runs: Runs, owner: Owner, thread_id: str, told: set[str]) -> Run | None:
    found = await listed(runs, owner, thread_id)
    told &= {run.run_id for run in found}
    following = next((run for run in reversed(found) if run.run_id not in told), None)
    if following is not None:
        told.add(following.run_id)
    return following


async def _rang(arrival: asyncio.Event, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await arrival.wait()
    except TimeoutError:
        return False
    return True

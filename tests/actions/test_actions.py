"""Actions over every database: taken once, held while they are worked on, tried again, and given up in the open."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from acting import SCOPE, Working, query, take_and_die, working_over

from recuerdo.actions import Actions, Retries
from recuerdo.actions.records import read_handover
from recuerdo.core.errors import DatabaseUnavailable, ModelUnavailable, NotFound
from recuerdo.core.graph_ports import DocumentRepository
from recuerdo.core.identifiers import new_id
from recuerdo.core.scope import Scope
from recuerdo.testing import FakeClock
from servers.patience import PATIENCE

FOR_EVER = datetime(2999, 1, 1, tzinfo=UTC)
OTHERS = [Scope("zeta", "emi", "t-1"), Scope("acme", "ana", "t-1")]


@pytest.fixture(params=["memory", "sqlite", "postgres", "mongodb"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgres":
        return request.getfixturevalue("empty_postgres_url")
    if request.param == "mongodb":
        return f"{request.getfixturevalue('mongodb_url')}actions-{new_id()}?timeoutMS=60000"
    return {"memory": "memory://", "sqlite": f"sqlite:///{tmp_path / 'actions.db'}"}[request.param]


@pytest.fixture
async def working(url: str) -> AsyncGenerator[Working]:
    async with working_over(url) as opened:
        yield opened


class Duty:
    """Does actions by writing them down, after it has failed so many times."""

    def __init__(self, failures: int = 0, error: Exception | None = None) -> None:
        self.effects: list[str] = []
        self._failures = failures
        self._error = error or DatabaseUnavailable("away", retry_after=0.001)

    async def __call__(self, action: Any, _: Any) -> int:
        await asyncio.sleep(0)
        if self._failures:
            self._failures -= 1
            raise self._error
        self.effects.append(f"{action.tenant} {action.user} {action.action_id}")
        return len(self.effects)


async def test_an_action_takes_effect_once_however_often_it_is_handed_over(working: Working) -> None:
    actions, worker, *_ = working
    duty = Duty()
    worker.take("query", duty)
    results = await asyncio.gather(*[actions.do(query()) for _ in range(20)])
    assert {each.value for each in results} == {1}
    assert not await actions.enqueue(query()), "it was handed over before"
    assert (await actions.do(query())).value == 1
    assert duty.effects == ["acme emi a-1"]


async def test_an_action_of_somebody_else_is_another_though_its_id_is_the_same(working: Working) -> None:
    actions, worker, *_ = working
    duty = Duty()
    assert await actions.enqueue(query())
    for other in OTHERS:
        with pytest.raises(NotFound):
            await actions.result(query(scope=other))
        assert await actions.enqueue(query(scope=other))
    worker.take("query", duty)
    await actions.flush()
    for scope in (SCOPE, *OTHERS):
        await actions.wait(query(scope=scope))
    assert sorted(duty.effects) == ["acme ana a-1", "acme emi a-1", "zeta emi a-1"]


async def test_what_is_away_is_tried_again(working: Working) -> None:
    actions, worker, *_ = working
    worker.take("query", Duty(failures=2))
    done = await actions.do(query())
    assert (done.value, done.attempts, done.error) == (1, 3, None)


async def test_poison_goes_to_the_dead_letters_and_can_be_tried_again(working: Working) -> None:
    actions, worker, *_ = working
    worker.take("query", Duty(failures=1, error=ValueError("broken")))
    given_up = await actions.do(query())
    assert (given_up.attempts, given_up.error) == (1, "ValueError: broken")
    assert (await actions.do(query("good"))).error is None
    assert [letter.payload for letter in await actions.dead_letters()] == [query()]
    assert [letter.payload for letter in await actions.dead_letters(SCOPE.owner)] == [query()]
    for other in OTHERS:
        assert await actions.dead_letters(other.owner) == []
        with pytest.raises(NotFound):
            await actions.retry(other.owner, "a-1")
    await actions.retry(SCOPE.owner, "a-1")
    assert (await actions.wait(query())).error is None
    assert await actions.dead_letters() == []
    with pytest.raises(NotFound):
        await actions.retry(SCOPE.owner, "a-1")


async def test_what_is_always_away_is_given_up_and_may_be_handed_over_again(working: Working) -> None:
    actions, worker, *_ = working
    worker.take("query", Duty(failures=5))
    given_up = await actions.do(query())
    assert (given_up.attempts, given_up.error) == (5, "DatabaseUnavailable: away")
    assert await actions.enqueue(query()), "what was given up may be handed over again"
    assert (await actions.wait(query())).value == 1


async def test_a_retry_comes_when_the_error_asks_for_it(url: str) -> None:
    clock = FakeClock()
    async with working_over(url, clock) as (actions, worker, _, documents):
        worker.take("query", Duty(failures=1, error=ModelUnavailable("over its rate limit", retry_after=1800)))
        await actions.enqueue(query())
        due = await next_attempt(documents, clock())
        assert timedelta(seconds=1800) <= due - clock() <= timedelta(seconds=1800 * 1.25)
        clock.set(due)
        assert (await actions.wait(query())).attempts == 2


@pytest.mark.parametrize("url", ["memory"], indirect=True)
async def test_what_is_away_for_three_minutes_makes_no_dead_letters(url: str) -> None:
    clock = FakeClock()
    back = clock() + timedelta(minutes=3)

    async def look(_action: Any, _: Any) -> str:
        if clock() < back:
            raise ModelUnavailable("restarts")
        return "found"

    async with working_over(url, clock, retries=Retries()) as (actions, worker, _, documents):
        worker.take("query", look)
        await actions.enqueue(query())
        while clock() < back:
            clock.set(await next_attempt(documents, clock()))
        assert (await actions.wait(query())).value == "found"


def test_pauses_double_up_to_the_longest_and_are_never_shorter_than_what_is_asked_for() -> None:
    retries = Retries(first_pause=1, longest_pause=60)
    assert 0.1 <= retries.pause(1, 0.1) <= 0.125, "a lone failure is tried again as soon as it asks"
    for attempts, least in [(2, 2), (3, 4), (6, 32), (7, 60), (30, 60)]:
        assert least <= retries.pause(attempts, 0.1) <= least * 1.25
    assert retries.pause(3, 90) >= 90


async def next_attempt(documents: DocumentRepository, now: datetime) -> datetime:
    """When an action is tried again, as soon as its attempt at this time has failed."""
    while True:
        for _, document in await documents.due("query_action", FOR_EVER, 1):
            row = read_handover(document.body)
            if row.status == "waiting" and row.due > now:
                return row.due
        await asyncio.sleep(0.01)


async def test_a_queue_has_so_many_under_way_at_a_time(url: str) -> None:
    now, most, full = 0, 0, asyncio.Event()

    async def look(_action: Any, _: Any) -> None:
        nonlocal now, most
        now += 1
        most = max(most, now)
        if now == 3:
            full.set()
        await full.wait()
        await asyncio.sleep(0.01)
        now -= 1

    async with working_over(url, concurrency=3) as (actions, worker, *_):
        worker.take("query", look)
        for number in range(12):
            await actions.enqueue(query(f"a-{number}"))
        await actions.flush()
    assert most == 3


async def test_an_action_waits_until_its_time(url: str) -> None:
    clock = FakeClock()
    duty = Duty()
    async with working_over(url, clock) as (actions, worker, *_):
        worker.take("query", duty)
        await actions.enqueue(query("later"), after=60)
        await actions.do(query("now"))
        assert duty.effects == ["acme emi now"]
        clock.advance(timedelta(seconds=61))
        assert (await actions.wait(query("later"))).value == 2


async def test_results_and_dead_letters_are_forgotten_in_the_end(url: str) -> None:
    clock = FakeClock()
    async with working_over(url, clock) as (actions, worker, *_):
        worker.take("query", Duty(failures=1, error=ValueError("broken")))
        await actions.do(query("dead"))
        await actions.do(query("done"))
        clock.advance(timedelta(days=31))
        await until_forgotten(actions, "done")
        await until_forgotten(actions, "dead")


async def test_stopping_hands_back_what_is_under_way(url: str) -> None:
    """The next worker begins with it at once, and the broken attempt does not count."""
    begun = asyncio.Event()

    async def never_ends(_action: Any, _: Any) -> None:
        begun.set()
        await asyncio.Event().wait()

    async with working_over(url, lease=3600) as (actions, worker, *_):
        worker.take("query", never_ends)
        await actions.enqueue(query())
        await begun.wait()
        await worker.aclose()
        worker.take("query", Duty())
        done = await actions.wait(query())
        assert (done.value, done.attempts) == (1, 1)


async def test_who_has_lost_the_lease_changes_nothing(url: str) -> None:
    """A worker that stood still while another took over: its result is not the action's."""
    clock, begun, stands_still = FakeClock(), asyncio.Event(), asyncio.Event()

    async def slow(_action: Any, _: Any) -> str:
        begun.set()
        await stands_still.wait()
        return "the zombie's"

    async with working_over(url, clock, lease=3600) as (actions, worker, another, _):
        worker.take("query", slow)
        await actions.enqueue(query())
        await begun.wait()
        clock.advance(timedelta(seconds=3601))
        another().take("query", Duty())
        assert (await actions.wait(query())).value == 1
        stands_still.set()
        await actions.do(query("next"))
        done = await actions.wait(query())
        assert (done.value, done.attempts) == (1, 2)


async def test_what_takes_its_process_with_it_each_time_is_given_up(url: str) -> None:
    clock = FakeClock()
    async with working_over(url, clock, retries=Retries(most_attempts=2)) as (actions, worker, _, documents):
        await actions.enqueue(query())
        for alone in (False, False, True, True):
            await take_and_die(documents, query(), clock(), lease=10, alone=alone)
            clock.advance(timedelta(seconds=11))
        worker.take("query", Duty())
        given_up = await actions.wait(query())
        assert given_up.error is not None
        assert "4 times, and each time its process died" in given_up.error
        assert len(await actions.dead_letters()) == 1


async def test_what_is_beside_an_action_that_kills_its_process_loses_no_attempt(url: str) -> None:
    clock = FakeClock()
    async with working_over(url, clock, retries=Retries(most_attempts=1)) as (actions, worker, _, documents):
        beside = [query(f"a-{number}") for number in range(5)]
        for each in beside:
            await actions.enqueue(each)
        for _ in range(2):
            for each in beside:
                await take_and_die(documents, each, clock(), lease=10)
            clock.advance(timedelta(seconds=11))
        most, now = 0, 0

        async def look(_action: Any, _: Any) -> str:
            nonlocal most, now
            now += 1
            most = max(most, now)
            await asyncio.sleep(0.01)
            now -= 1
            return "done"

        worker.take("query", look)
        assert {(await actions.wait(each)).value for each in beside} == {"done"}
        assert most == 1, "those that their processes died of twice are done one by one"


async def test_many_workers_do_each_action_once(url: str) -> None:
    duty = Duty()
    async with working_over(url, concurrency=4) as (actions, worker, another, _):
        for number in range(60):
            await actions.enqueue(query(f"a-{number}"))
        for each in (worker, another(), another()):
            each.take("query", duty)
        for number in range(60):
            await actions.wait(query(f"a-{number}"))
    assert len(duty.effects) == len({*duty.effects}) == 60


@pytest.mark.parametrize("url", ["memory"], indirect=True)
@pytest.mark.parametrize("ticks", range(5))
async def test_a_worker_stops_though_news_come_at_that_very_moment(url: str, ticks: int) -> None:
    async with working_over(url, pause=60) as (actions, worker, *_):
        worker.take("query", Duty())
        await actions.do(query())
        await asyncio.sleep(0.02)
        worker.signals.publish("query")
        for _ in range(ticks):
            await asyncio.sleep(0)
        async with asyncio.timeout(PATIENCE):
            await worker.aclose()


async def until_forgotten(actions: Actions, action_id: str) -> None:
    with suppress(NotFound):
        while await actions.result(query(action_id)):  # noqa: ASYNC110 - nobody tells when it is forgotten
            await asyncio.sleep(0.02)

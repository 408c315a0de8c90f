"""The decisions about the states of runs, without a database or a graph."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import pytest

from recuerdo.core.documents import Decision, Document
from recuerdo.core.errors import NotFound, ThreadBusy
from recuerdo.core.runs import AgentThread, Run, RunRequest
from recuerdo.runs.lifecycle import RunOutcome, ThreadWork, admit_run, begin, cancel, end, hand_back, renew

T = TypeVar("T")
NOW = datetime(2026, 1, 1, tzinfo=UTC)
DONE = RunOutcome("success", "idle", {})
LEASE = timedelta(seconds=30)


class Desk:
    """The documents of one thread, changed by one decision after the other."""

    def __init__(self) -> None:
        self.documents: dict[Any, Document] = {}
        self.writes = 0

    def decide(self, decision: Callable[..., Decision[T]], *arguments: Any) -> T:
        change = decision(ThreadWork("t", [*self.documents.values()]), *arguments)
        self._write(change.put, change.delete)
        if change.erase:
            self.documents.clear()
        return change.result

    def _write(self, put: Sequence[Document], delete: Sequence[Any]) -> None:
        for key in delete:
            del self.documents[key]
        for document in put:
            self.documents[document.key] = document
            self.writes += 1

    @property
    def work(self) -> ThreadWork:
        return ThreadWork("t", [*self.documents.values()])

    def admit(self, run_id: str, strategy: Any = "enqueue", **more: Any) -> Any:
        return self.decide(admit_run, made(run_id, multitask_strategy=strategy, **more), THREAD)

    def begin(self, run_id: str, now: datetime = NOW) -> Run | None:
        return self.decide(begin, run_id, now, now + LEASE)

    def started(self, run_id: str, now: datetime = NOW) -> Run:
        run = self.begin(run_id, now)
        assert run is not None
        return run

    def due(self) -> list[str]:
        return [document.id for document in self.documents.values() if document.due is not None]


THREAD = AgentThread(thread_id="t", created_at=NOW, updated_at=NOW, state_updated_at=NOW)


def made(run_id: str, **more: Any) -> Run:
    request = more.pop("kwargs", RunRequest())
    return Run(
        run_id=run_id,
        thread_id="t",
        assistant_id="a",
        graph_id="g",
        kwargs=request,
        created_at=more.pop("created_at", NOW),
        updated_at=NOW,
        **more,
    )


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_a_run_on_an_idle_thread_may_start_at_once(desk: Desk) -> None:
    assert desk.admit("1").starts
    assert desk.work.thread is not None
    assert desk.work.thread.status == "busy"
    assert desk.started("1").token == 1


def test_runs_wait_for_their_turn_and_only_the_next_one_is_looked_for(desk: Desk) -> None:
    assert [desk.admit(each).starts for each in ("1", "2", "3")] == [True, False, False]
    assert desk.due() == ["1"]
    assert desk.begin("2") is None
    ended = desk.decide(end, desk.started("1"), DONE, NOW)
    assert ended is not None
    assert ended.next is not None
    assert ended.next.run_id == "2"
    assert desk.due() == ["2"]


def test_runs_have_their_turn_as_they_came_whatever_their_clocks_say(desk: Desk) -> None:
    """Clocks of replicas are some milliseconds apart, and one may be set back by an hour."""
    for run_id, created_at in (("3", NOW), ("2", NOW - timedelta(milliseconds=20)), ("1", NOW - timedelta(hours=1))):
        desk.admit(run_id, created_at=created_at)
    assert [run.run_id for run in desk.work.open_runs] == ["3", "2", "1"]


def test_a_long_queue_is_not_written_again_with_each_decision(desk: Desk) -> None:
    for number in range(10, 60):
        desk.admit(str(number))
    written = desk.writes
    desk.started("10")
    assert desk.writes - written == 1


def test_a_run_is_started_by_one_only(desk: Desk) -> None:
    desk.admit("1")
    desk.started("1")
    assert desk.begin("1") is None


def test_a_run_whose_lease_is_over_is_started_again_and_the_first_one_changes_nothing(desk: Desk) -> None:
    desk.admit("1")
    zombie = desk.started("1")
    later = NOW + LEASE
    second = desk.started("1", later)
    assert (second.token, second.attempts) == (2, 2)
    assert desk.decide(renew, zombie, later + LEASE) is None
    before = dict(desk.documents)
    assert desk.decide(end, zombie, RunOutcome("error", "error", {}), later) is None
    assert desk.documents == before
    desk.decide(end, second, DONE, later)
    assert desk.work.runs["1"].status == "success"


def test_a_renewed_lease_keeps_the_run_and_tells_of_a_cancellation(desk: Desk) -> None:
    desk.admit("1")
    run = desk.started("1")
    desk.decide(cancel, ["1"], "rollback", NOW)
    renewed = desk.decide(renew, run, NOW + 2 * LEASE)
    assert renewed is not None
    assert renewed.cancel == "rollback"
    assert desk.begin("1", NOW + LEASE) is None


def test_a_run_that_is_handed_back_is_the_next_one_and_no_attempt_is_lost(desk: Desk) -> None:
    desk.admit("1")
    desk.admit("2")
    assert desk.decide(hand_back, desk.started("1"), NOW)
    assert desk.begin("2") is None
    assert desk.started("1").attempts == 1


def test_a_busy_thread_rejects(desk: Desk) -> None:
    desk.admit("1")
    with pytest.raises(ThreadBusy):
        desk.admit("2", "reject")


@pytest.mark.parametrize("action", ["interrupt", "rollback"])
def test_a_run_that_makes_room_stops_the_others(desk: Desk, action: str) -> None:
    """The one at work is asked to stop, those that wait are over: kept with `interrupt`, gone with `rollback`."""
    desk.admit("1")
    running = desk.started("1")
    desk.admit("2")
    admission = desk.admit("3", action)
    assert [run.run_id for run in admission.stopping] == ["1"]
    assert not admission.starts
    assert ("2" in desk.work.runs) == (action == "interrupt")
    ended = desk.decide(end, running, RunOutcome("interrupted", "idle", {}), NOW)
    assert ended is not None
    assert ended.next is not None
    assert ended.next.run_id == "3"


def test_an_absent_thread_is_made_only_where_the_run_brings_one(desk: Desk) -> None:
    with pytest.raises(NotFound):
        desk.decide(admit_run, made("1"), None)


def test_a_delayed_run_lets_others_go_first(desk: Desk) -> None:
    desk.admit("1", start_at=NOW + timedelta(minutes=1))
    assert desk.begin("1") is None
    assert desk.admit("2").starts
    desk.decide(end, desk.started("2"), DONE, NOW)
    assert desk.started("1", NOW + timedelta(minutes=1)).status == "running"


def test_a_run_that_is_undone_leaves_no_trace(desk: Desk) -> None:
    desk.admit("1")
    desk.decide(end, desk.started("1"), RunOutcome("interrupted", "idle", {}, undone=True), NOW)
    assert not desk.work.runs


def test_a_temporary_run_takes_its_thread_with_it(desk: Desk) -> None:
    desk.admit("1", kwargs=RunRequest(temporary=True, on_completion="delete"))
    desk.decide(end, desk.started("1"), DONE, NOW)
    assert not desk.documents


def test_cancelling_what_waits_lets_the_thread_rest(desk: Desk) -> None:
    desk.admit("1")
    done = desk.decide(cancel, ["1", "unknown"], "interrupt", NOW)
    assert [run.run_id for run in done.ended] == ["1"]
    assert desk.work.thread is not None
    assert desk.work.thread.status == "idle"

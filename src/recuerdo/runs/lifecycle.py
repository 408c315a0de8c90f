"""The lifecycle of runs: decisions, each a pure function of a thread and its unfinished runs.

pending -> running -> success | error | timeout | interrupted. A start gives the run a new token and a lease; only the
holder of the token may renew or end it. A request with an older token changes nothing.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from recuerdo.core.documents import Decision, Document, DocumentKey, reader
from recuerdo.core.errors import NotFound, ThreadBusy
from recuerdo.core.graph_ports import DocumentRepository
from recuerdo.core.runs import AgentThread, CancelAction, Run, RunResult, RunStatus, ThreadStatus
from recuerdo.core.scope import Owner
from recuerdo.runs.encoding import encode

T = TypeVar("T")
_encode = msgspec.json.Encoder().encode
_thread = reader("thread", AgentThread)
_run = reader("run", Run)

HANDED_BACK = "runs"
"""The signal that runs wait for another process to continue them."""


MOST_ATTEMPTS = 3
"""How often a run is started at most: one that kills its process each time must not be repeated for ever."""

RESULTS_KEPT = timedelta(minutes=5)
"""How long the result of a run can be had whose row is gone: of one without a thread, and one that was taken back."""

_LEAST = timedelta(microseconds=1)
CANCELLED: Mapping[CancelAction, Mapping[str, str]] = {
    "interrupt": {"error": "UserInterrupt", "message": "the run was cancelled"},
    "rollback": {"error": "UserRollback", "message": "the run was cancelled and its effects were taken back"},
}
"""The errors of runs that were cancelled."""


class ThreadWork:
    """A thread and its runs, to be changed freely; `change` is what became different.

    Of runs that wait only the next one is due, so that a long queue costs nothing to look for.
    """

    def __init__(self, thread_id: str, documents: Sequence[Document]) -> None:
        self._seen: dict[DocumentKey, Document] = {}
        self.thread_id = thread_id
        self.thread: AgentThread | None = None
        self.runs: dict[str, Run] = {}
        self._results: list[Document] = []
        for document in documents:
            if document.kind == "thread":
                self.thread = _thread(document.body)
            elif document.kind == "run":
                self.runs[document.id] = _run(document.body)
            else:
                continue
            self._seen[document.key] = document

    @property
    def open_runs(self) -> list[Run]:
        """The unfinished runs, in the order of their turns."""
        return sorted(filter(attrgetter("is_open"), self.runs.values()), key=_turn)

    @property
    def next(self) -> Run | None:
        """The run that may start now, or at its time; None while one is running."""
        following = self.open_runs
        for run in following:
            if run.status == "running":
                return None
        return following[0] if following else None

    def forget(self, run: Run, result: Any, until: datetime) -> None:
        """Remove the run's row, and keep its result until then: a caller may wait for it at another replica."""
        self.runs.pop(run.run_id, None)
        kept = RunResult(_unasked(run), msgspec.Raw(encode(result)))
        self._results.append(Document("result", run.run_id, run.thread_id, _encode(kept), due=until))

    def change(
        self, result: T, *, erase: bool = False, fleeting: bool = False, signals: Sequence[str] = ()
    ) -> Decision[T]:
        """The difference to what was read, with a decision's result; `erase` removes the thread with all its runs."""
        if erase:
            return Decision(result, self._results, erase=True, signals=signals)
        following, documents = self.next, list[Document]()
        for run in self.runs.values():
            due = run.lease_until if run.status == "running" else None
            if run is following:
                due = run.start_at or run.created_at
            documents.append(Document("run", run.run_id, run.thread_id, _encode(run), run.is_open, due))
        if self.thread is not None:
            documents.append(thread_document(self.thread))
        for document in documents:
            if self._seen.pop(document.key, None) != document:
                self._results.append(document)
        return Decision(result, self._results, [*self._seen], fleeting=fleeting, signals=signals)


def thread_document(thread: AgentThread) -> Document:
    """The row of a thread, which is due when its time to live is over."""
    return Document("thread", thread.thread_id, thread.thread_id, _encode(thread), due=thread.expires_at)


def run_signal(run_id: str) -> str:
    """The signal that makes the process that executes the run look at its row."""
    return f"run {run_id}"


async def change_work(
    documents: DocumentRepository,
    owner: Owner,
    thread_id: str,
    decide: Callable[[ThreadWork], Decision[T]],
    *keys: DocumentKey,
) -> T:
    """Decide on a thread's unfinished work, and on these documents, in one transaction."""
    return await documents.change(owner, thread_id, keys, lambda found: decide(ThreadWork(thread_id, found)))


def _turn(run: Run) -> tuple[datetime, str]:
    return run.start_at or run.created_at, run.run_id


class Admission(NamedTuple):
    """A new run, whether it may start at once, and runs in its way that were asked to stop."""

    run: Run
    starts: bool
    stopping: Sequence[Run] = ()


class RunOutcome(NamedTuple):
    """How a run ended: its status, error and result, and how it left the thread. `undone`: as if it had never been.

    `checkpoint_id` is the last checkpoint that there was. `outdated`: its thread was cleared or erased before, so that
    what the run was asked must not stay.
    """

    status: RunStatus
    thread_status: ThreadStatus
    interrupts: dict[str, Any]
    error: Any = None
    undone: bool = False
    result: Any = None
    checkpoint_id: str | None = None
    outdated: bool = False

    @property
    def answer(self) -> Any:
        """The answer for callers that wait for the run: its values, or why there are none."""
        is_gone = self.undone or (self.error is not None and self.checkpoint_id is None)
        return {"__error__": self.error} if self.status == "error" or is_gone else self.result


class Ended(NamedTuple):
    """A run that is over, and the one that comes next."""

    run: Run
    next: Run | None


class Cancelled(NamedTuple):
    """Runs that were cancelled: those that waited are over, those that run have been asked to stop."""

    ended: Sequence[Run]
    stopping: Sequence[Run]
    next: Run | None


def admit_run(work: ThreadWork, run: Run, new_thread: AgentThread | None) -> Decision[Admission]:
    """Queue a run, and make room for it as its multitask strategy says.

    `new_thread` is made when the thread is absent. Raises NotFound without one, and ThreadBusy for the strategy
    `reject` on a thread that has work.
    """
    thread = work.thread or new_thread
    if thread is None:
        raise NotFound("thread", work.thread_id, "Create it first, or send the run with `if_not_exists`: `create`.")
    in_the_way = work.open_runs
    if in_the_way and run.multitask_strategy == "reject":
        raise ThreadBusy(work.thread_id)
    stopping: Sequence[Run] = ()
    if run.multitask_strategy in ("interrupt", "rollback"):
        stopping = _stop(work, in_the_way, run.multitask_strategy, run.created_at).stopping
    created_at = run.created_at
    for other in in_the_way:  # replicas have clocks of their own, which may also be set back
        created_at = created_at if other.start_at else max(created_at, other.created_at + _LEAST)
    run = replace(run, metadata={**thread.metadata, **run.metadata}, created_at=created_at)
    metadata = {**thread.metadata, "graph_id": run.graph_id, "assistant_id": run.assistant_id}
    work.thread = replace(thread, status="busy", metadata=metadata, updated_at=run.created_at, error=None)
    work.runs[run.run_id] = run
    admission = Admission(run, work.next == run and run.start_at is None, stopping)
    return work.change(admission, signals=[run_signal(each.run_id) for each in stopping])


def _unasked(run: Run) -> Run:
    """The run without what its caller said."""
    return replace(run, kwargs=replace(run.kwargs, input=None, command=None, config={}, context={}))


def begin(work: ThreadWork, run_id: str, now: datetime, lease_until: datetime) -> Decision[Run | None]:
    """Give the run to the caller, with a new token; None when it is not its turn, or another process has it."""
    run = work.runs.get(run_id)
    if run is None or not run.is_open:
        return Decision(None)
    if run.status == "running":
        must_wait = run.lease_until is not None and run.lease_until > now
    else:
        must_wait = work.next != run or (run.start_at is not None and run.start_at > now)
    if must_wait:
        return Decision(None)
    started = replace(
        run, status="running", token=run.token + 1, attempts=run.attempts + 1, lease_until=lease_until, updated_at=now
    )
    work.runs[run_id] = started
    return work.change(started)


def renew(work: ThreadWork, run: Run, lease_until: datetime) -> Decision[Run | None]:
    """Hold the run for longer. None when another process has it now; the returned run shows a cancellation."""
    current = _held(work, run)
    if current is None:
        return Decision(None)
    work.runs[run.run_id] = current = replace(current, lease_until=lease_until)
    return work.change(current, fleeting=True)  # if that is lost, another process takes over earlier


def hand_back(work: ThreadWork, run: Run, now: datetime) -> Decision[bool]:
    """Let another process continue the run, from its last checkpoint: this attempt does not count."""
    current = _held(work, run)
    if current is None:
        return Decision(False)
    work.runs[run.run_id] = replace(
        current, status="pending", lease_until=None, attempts=current.attempts - 1, updated_at=now
    )
    return work.change(True, signals=[HANDED_BACK])


def end(work: ThreadWork, run: Run, outcome: RunOutcome, now: datetime) -> Decision[Ended | None]:
    """The run is over; None for a token that is not the run's any more, of whose attempt nothing remains."""
    current = _held(work, run)
    if current is None or work.thread is None:
        return Decision(None)
    work.runs[run.run_id] = over = replace(
        _unasked(current) if outcome.outdated else current,
        status=outcome.status,
        error=outcome.error,
        waits=outcome.thread_status == "interrupted",
        checkpoint_id=outcome.checkpoint_id,
        lease_until=None,
        updated_at=now,
    )
    vanishes = _vanishes(work, over)
    if outcome.undone or vanishes:
        work.forget(over, outcome.answer, now + RESULTS_KEPT)
    work.thread = replace(
        work.thread,
        status="busy" if work.open_runs else outcome.thread_status,
        interrupts=outcome.interrupts,
        error=outcome.error,
        updated_at=now,
        state_updated_at=now,
    )
    return work.change(Ended(over, work.next), erase=vanishes)


def cancel(work: ThreadWork, run_ids: Collection[str], action: CancelAction, now: datetime) -> Decision[Cancelled]:
    """Stop those of the runs that are not finished."""
    stopped = _stop(work, [run for run in work.open_runs if run.run_id in run_ids], action, now)
    vanishes = any(_vanishes(work, run) for run in stopped.ended)
    return work.change(stopped, erase=vanishes, signals=[run_signal(run.run_id) for run in stopped.stopping])


def _stop(work: ThreadWork, runs: Sequence[Run], action: CancelAction, now: datetime) -> Cancelled:
    ended, stopping = [run for run in runs if run.status == "pending"], [run for run in runs if run.status == "running"]
    for run in ended:
        work.runs[run.run_id] = over = replace(run, status="interrupted", error=CANCELLED[action], updated_at=now)
        if action == "rollback" or _vanishes(work, over):
            work.forget(over, {"__error__": CANCELLED[action]}, now + RESULTS_KEPT)
    for run in stopping:
        work.runs[run.run_id] = replace(run, cancel=action)
    if ended and work.thread is not None and not work.open_runs:
        status: ThreadStatus = "interrupted" if work.thread.interrupts else "idle"
        work.thread = replace(work.thread, status=status, updated_at=now)
    return Cancelled(ended, stopping, work.next)


def _vanishes(work: ThreadWork, run: Run) -> bool:
    """Whether the thread goes with this run, as one does that was made for it alone."""
    return run.kwargs.temporary and run.kwargs.on_completion == "delete" and not work.open_runs


def _held(work: ThreadWork, run: Run) -> Run | None:
    current = work.runs.get(run.run_id)
    mine = current is not None and current.status == "running" and current.token == run.token
    return current if mine else None

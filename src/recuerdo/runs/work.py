"""The work of one thread, as the decisions of its lifecycle see and change it."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from recuerdo.core.documents import Decision, Document, DocumentKey, reader
from recuerdo.core.runs import AgentThread, Run, RunResult
from recuerdo.runs.encoding import encode

T = TypeVar("T")
_encode = msgspec.json.Encoder().encode
_thread = reader("thread", AgentThread)
_run = reader("run", Run)


HANDED_BACK = "runs"
"""The word for runs that wait for somebody to go on with them."""


class ThreadWork:
    """A thread and its runs, to be changed freely; `change` is what became different.

    Of runs that wait only the next one is due, so that a long queue costs nothing to look for.
    """

    def __init__(self, thread_id: str, documents: Sequence[Document]) -> None:
        self._seen = {document.key: document for document in documents}
        self.thread_id = thread_id
        self.thread: AgentThread | None = None
        self.runs: dict[str, Run] = {}
        self._results: list[Document] = []
        for document in documents:
            if document.kind == "thread":
                self.thread = _thread(document.body)
            elif document.kind == "run":
                self.runs[document.id] = _run(document.body)

    @property
    def open_runs(self) -> list[Run]:
        """The runs that are not finished, in the order in which they come."""
        return sorted((run for run in self.runs.values() if run.is_open), key=_turn)

    @property
    def running(self) -> Run | None:
        """The run that somebody executes."""
        return next((run for run in self.open_runs if run.status == "running"), None)

    @property
    def next(self) -> Run | None:
        """The run that may start now, or at its time; None while one is running."""
        return None if self.running else next(iter(self.open_runs), None)

    def forget(self, run: Run, result: Any, until: datetime) -> None:
        """Let the run's row go, and keep its result until then: somebody may wait for it at another replica."""
        self.runs.pop(run.run_id, None)
        asked = replace(run.kwargs, input=None, command=None, config={}, context={})
        kept = RunResult(replace(run, kwargs=asked), msgspec.Raw(encode(result)))
        self._results.append(Document("result", run.run_id, run.thread_id, _encode(kept), due=until))

    def change(
        self, result: T, *, erase: bool = False, fleeting: bool = False, words: Sequence[str] = ()
    ) -> Decision[T]:
        """What has become different, with a decision's result; with `erase` the thread goes with all its runs."""
        if erase:
            return Decision(result, self._results, erase=True, words=words)
        documents = [self._run_document(run) for run in self.runs.values()]
        if self.thread is not None:
            documents.append(thread_document(self.thread))
        kept = {document.key for document in documents}
        gone = [key for key in self._seen if key.kind in ("run", "thread") and key not in kept]
        new = [each for each in documents if self._seen.get(each.key) != each]
        return Decision(result, [*new, *self._results], gone, fleeting=fleeting, words=words)

    def _run_document(self, run: Run) -> Document:
        due: datetime | None = None
        if run.status == "running":
            due = run.lease_until
        elif run.is_open and run == self.next:
            due = run.start_at or run.created_at
        return Document("run", run.run_id, run.thread_id, _encode(run), run.is_open, due)


def thread_document(thread: AgentThread) -> Document:
    """The row of a thread, which is due when its time to live is over."""
    return Document("thread", thread.thread_id, thread.thread_id, _encode(thread), due=thread.expires_at)


def thread_key(thread_id: str) -> DocumentKey:
    return DocumentKey("thread", thread_id)


def run_key(run_id: str) -> DocumentKey:
    return DocumentKey("run", run_id)


def result_key(run_id: str) -> DocumentKey:
    return DocumentKey("result", run_id)


def called(run_id: str) -> str:
    """The word for whoever executes the run: something was asked of it."""
    return f"run {run_id}"


def on_thread(
    thread_id: str, decide: Callable[[ThreadWork], Decision[T]]
) -> Callable[[Sequence[Document]], Decision[T]]:
    """A decision on documents, made of one on the thread's work."""
    return lambda documents: decide(ThreadWork(thread_id, documents))


def _turn(run: Run) -> tuple[datetime, str]:
    return run.start_at or run.created_at, run.run_id

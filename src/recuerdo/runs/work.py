"""The work of one thread, as the decisions of its lifecycle see and change it."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from recuerdo.core.documents import Decision, Document, DocumentKey, reader
from recuerdo.core.graph_ports import DocumentRepository
from recuerdo.core.runs import AgentThread, Run, RunResult
from recuerdo.core.scope import Owner
from recuerdo.runs.encoding import encode

T = TypeVar("T")
_encode = msgspec.json.Encoder().encode
_thread = reader("thread", AgentThread)
_run = reader("run", Run)

HANDED_BACK = "runs"
"""The signal that runs wait for another process to continue them."""


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
        return sorted([run for run in self.runs.values() if run.is_open], key=_turn)

    @property
    def next(self) -> Run | None:
        """The run that may start now, or at its time; None while one is running."""
        following = self.open_runs
        for run in following:
            if run.status == "running":
                return None
        return following[0] if following else None

    def forget(self, run: Run, result: Any, until: datetime) -> None:
        """Let the run's row go, and keep its result until then: somebody may wait for it at another replica."""
        self.runs.pop(run.run_id, None)
        asked = replace(run.kwargs, input=None, command=None, config={}, context={})
        kept = RunResult(replace(run, kwargs=asked), msgspec.Raw(encode(result)))
        self._results.append(Document("result", run.run_id, run.thread_id, _encode(kept), due=until))

    def change(
        self, result: T, *, erase: bool = False, fleeting: bool = False, words: Sequence[str] = ()
    ) -> Decision[T]:
        """The difference to what was read, with a decision's result; `erase` removes the thread with all its runs."""
        if erase:
            return Decision(result, self._results, erase=True, words=words)
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
        return Decision(result, self._results, [*self._seen], fleeting=fleeting, words=words)


def thread_document(thread: AgentThread) -> Document:
    """The row of a thread, which is due when its time to live is over."""
    return Document("thread", thread.thread_id, thread.thread_id, _encode(thread), due=thread.expires_at)


def run_signal(run_id: str) -> str:
    """The word that makes the process that executes the run look at its row."""
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

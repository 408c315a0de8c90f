"""Runs: on a thread, or without one, in which case each gets a thread of its own that is gone with it."""

from functools import partial
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Response
from pydantic import Field

from recuerdo.core.documents import DocumentQuery
from recuerdo.core.errors import InvalidInput, NotFound
from recuerdo.core.identifiers import new_id
from recuerdo.core.runs import CancelAction, MultitaskStrategy, OnCompletion, Run, RunRequest, RunStatus
from recuerdo.runs.runs import NewRun
from recuerdo.runs.webhooks import check_webhook, shown
from recuerdo.server.answers import JsonResponse
from recuerdo.server.documentation import documented, event_stream
from recuerdo.server.limits import TAKE_RUNS
from recuerdo.server.requests import ApiCall, Expectation, Expected, RuledCall
from recuerdo.server.routes.langgraph.answering import (
    BodyUuid,
    CheckpointBody,
    LangGraphBody,
    LastEventId,
    Metadata,
    Nodes,
    PathThreadId,
    StreamMode,
    ThreadId,
    answer,
    bounded_page,
)
from recuerdo.server.streaming.sse import EventStream, frames, result_unless_gone, run_headers

router = APIRouter(tags=["runs"])
_ON_THREAD = "/threads/{thread_id}/runs"
_OPEN = ("pending", "running")
_CLIENT_CLOSED_REQUEST = 499
"""The status logged for a request whose client has disconnected; it is sent to no client."""

_STREAMED = "The run's events: `metadata` first, then what the stream modes ask for, `error` when it fails."
_RunField = Literal[
    "run_id",
    "thread_id",
    "assistant_id",
    "created_at",
    "updated_at",
    "status",
    "metadata",
    "kwargs",
    "multitask_strategy",
    "cancel_reason",
]
Modes = Annotated[list[str] | None, Query(description="Only events of these modes.")]
OnDisconnect = Annotated[bool, Query(description="Whether to cancel the run when the reader leaves.")]


class WorkFields(LangGraphBody):
    """The fields that runs and schedules have in common."""

    assistant_id: str
    input: Any = None
    command: dict[str, Any] | None = None
    metadata: Metadata | None = None
    config: dict[str, Any] | None = None
    context: dict[str, Any] | None = None
    webhook: str | None = None
    interrupt_before: Nodes | None = None
    interrupt_after: Nodes | None = None
    stream_mode: StreamMode | list[StreamMode] | None = None
    stream_subgraphs: bool = False
    stream_resumable: bool = False
    durability: Literal["sync", "async", "exit"] | None = None
    checkpoint_during: bool | None = None
    multitask_strategy: MultitaskStrategy = "enqueue"


class RunBody(WorkFields):
    """A run to start."""

    checkpoint: CheckpointBody | None = None
    checkpoint_id: str | None = None
    feedback_keys: list[str] | None = None
    on_completion: OnCompletion | None = None
    on_disconnect: Literal["cancel", "continue"] = "continue"
    after_seconds: float = Field(0, ge=0, le=10**8)
    if_not_exists: Literal["create", "reject"] = "reject"
    thread_id: ThreadId | None = None
    expected_epoch: int | None = Field(None, ge=0)

    def new_run(self, thread_id: str | None = None, expected_epoch: int | None = None) -> NewRun:
        """The same in our words. Raises InvalidInput."""
        if self.webhook is not None:
            check_webhook(self.webhook)
        modes = self.stream_mode if isinstance(self.stream_mode, list) else [self.stream_mode or "values"]
        checkpoint = self.checkpoint.model_dump() if self.checkpoint else None
        if self.checkpoint_id:
            checkpoint = {**(checkpoint or {}), "checkpoint_id": self.checkpoint_id}
        request = RunRequest(
            input=self.input,
            command=self.command,
            config=self.config or {},
            context=self.context or {},
            stream_mode=[*modes],
            subgraphs=self.stream_subgraphs,
            resumable=self.stream_resumable,
            interrupt_before=self.interrupt_before,
            interrupt_after=self.interrupt_after,
            checkpoint=checkpoint,
            durability=self.durability or ("exit" if self.checkpoint_during is False else "async"),
            webhook=self.webhook,
            feedback_keys=self.feedback_keys,
            on_completion=self.on_completion or ("keep" if thread_id else "delete"),
            expected_epoch=expected_epoch,
        )
        return NewRun(
            self.assistant_id,
            request,
            thread_id,
            self.metadata or {},
            self.multitask_strategy,
            self.if_not_exists == "create",
            self.after_seconds,
        )


class CancelBody(LangGraphBody):
    """Which runs to stop: those of the ids on the thread, or all of a status."""

    thread_id: ThreadId | None = None
    run_ids: list[BodyUuid] | None = None
    status: Literal["pending", "running", "all"] | None = None


class RunStarter:
    """Starts the runs that a request asks for, and answers with their results."""

    def __init__(self, call: ApiCall, expected: Expectation) -> None:
        self._call = call
        self._expected = expected
        self._runs = call.graphs.runs

    async def start(self, body: RunBody, thread_id: ThreadId | None = None) -> Run:
        """Queue the run, on the thread or on a temporary one, if its history is in the epoch that is expected."""
        scope = self._call.thread(thread_id or new_id())
        epoch = await self._expected.epoch(self._call.services.history, scope, body.expected_epoch)
        return await self._runs.create(self._call.owner, body.new_run(thread_id, epoch))

    async def start_all(self, bodies: list[RunBody]) -> list[Run]:
        """Queue the runs of a batch. Raises RateLimited when they are more than the caller may start."""
        if (take := self._call.connection.scope.get(TAKE_RUNS)) is not None:
            await take(len(bodies))
        return [await self.start(each, each.thread_id) for each in bodies]

    async def stream(self, body: RunBody, thread_id: ThreadId | None = None) -> EventStream:
        """Start the run, and tell its events."""
        run = await self.start(body, thread_id)
        return _streamed(self._call, run, cancels=body.on_disconnect == "cancel")

    async def wait(self, body: RunBody, thread_id: ThreadId | None = None) -> Response:
        """Start the run, and answer with its result."""
        run, owner = await self.start(body, thread_id), self._call.owner
        waiting = self._runs.wait(owner, run)
        if body.on_disconnect != "cancel":
            return answer(await waiting, run_headers(run, "join"))
        done = await result_unless_gone(self._call.receive, waiting)
        if done is None:
            await _cancel(self._call, run)
            return Response(status_code=_CLIENT_CLOSED_REQUEST)
        return answer(done[0], run_headers(run, "join"))


async def _run_starter(call: RuledCall, expected: Expected) -> RunStarter:
    return RunStarter(call, expected)


NewRuns = Annotated[RunStarter, Depends(_run_starter)]


Action = Annotated[CancelAction, Query(description="`interrupt` keeps what was done, `rollback` takes it back.")]


@router.post(_ON_THREAD, responses=documented(None, 404, 409, 412))
async def create_run(thread_id: PathThreadId, body: RunBody, runs: NewRuns) -> JsonResponse:
    """Queue a run without waiting for it."""
    run = await runs.start(body, thread_id)
    return answer(shown(run), run_headers(run))


@router.post("/runs", responses=documented(None, 404, 412))
async def create_stateless_run(body: RunBody, runs: NewRuns) -> JsonResponse:
    """Queue a run without waiting for it."""
    run = await runs.start(body)
    return answer(shown(run), run_headers(run))


@router.post(f"{_ON_THREAD}/stream", responses=event_stream(_STREAMED, 404, 409, 412))
async def stream_run(thread_id: PathThreadId, body: RunBody, runs: NewRuns) -> EventStream:
    """Start a run and stream its events."""
    return await runs.stream(body, thread_id)


@router.post("/runs/stream", responses=event_stream(_STREAMED, 404, 412))
async def stream_stateless_run(body: RunBody, runs: NewRuns) -> EventStream:
    """Start a run and stream its events."""
    return await runs.stream(body)


@router.post(f"{_ON_THREAD}/wait", responses=documented(None, 404, 409, 412))
async def wait_for_run(thread_id: PathThreadId, body: RunBody, runs: NewRuns) -> Response:
    """Start a run, wait for it, and return the values of its state; `__error__` when it fails."""
    return await runs.wait(body, thread_id)


@router.post("/runs/wait", responses=documented(None, 404, 412))
async def wait_for_stateless_run(body: RunBody, runs: NewRuns) -> Response:
    """Start a run, wait for it, and return its last values; `__error__` when it fails."""
    return await runs.wait(body)


@router.post("/runs/batch", responses=documented(None, 404, 412))
async def create_runs(body: list[RunBody], runs: NewRuns) -> JsonResponse:
    """Queue several runs, each on its thread or on one of its own."""
    return answer([*map(shown, await runs.start_all(body))])


@router.post("/runs/cancel", status_code=204, responses=documented(None, 404, status=204))
async def cancel_runs(body: CancelBody, call: RuledCall, action: Action = "interrupt") -> Response:
    """Stop runs that are not finished: some of a thread's, or all of the caller's."""
    runs, owner = call.graphs.runs, call.owner
    if body.thread_id is not None and body.run_ids:
        await runs.cancel(owner, body.thread_id, [str(each) for each in body.run_ids], action)
    elif body.status is not None:
        await runs.cancel_all(owner, _OPEN if body.status == "all" else [body.status], action)
    else:
        raise InvalidInput("status", "is needed where no thread_id and run_ids say which runs to stop")
    return Response(status_code=204)


@router.get(_ON_THREAD, responses=documented(None, 404))
async def list_runs(
    thread_id: PathThreadId,
    call: RuledCall,
    limit: Annotated[int, Query(ge=1, le=1000)] = 10,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    status: Annotated[RunStatus | None, Query(description="Only runs of this status.")] = None,
    select: Annotated[list[_RunField] | None, Query(description="Only these fields.")] = None,
) -> JsonResponse:
    """The thread's runs, the latest first."""
    query = DocumentQuery(where={"status": status} if status else {}, limit=limit, offset=offset)
    found = await call.graphs.runs.select(call.owner, thread_id, query)
    return bounded_page(call, [*map(shown, found)], offset, select=select)


@router.get(f"{_ON_THREAD}/{{run_id}}", responses=documented(None, 404))
async def get_run(thread_id: PathThreadId, run_id: UUID, call: RuledCall) -> JsonResponse:
    """One run."""
    return answer(shown(await call.graphs.runs.get(call.owner, thread_id, str(run_id))))


@router.delete(f"{_ON_THREAD}/{{run_id}}", status_code=204, responses=documented(None, 404, status=204))
async def delete_run(thread_id: PathThreadId, run_id: UUID, call: RuledCall) -> Response:
    """Forget a run, and stop it first when it is not finished."""
    await call.graphs.runs.delete(call.owner, thread_id, str(run_id))
    return Response(status_code=204)


@router.post(f"{_ON_THREAD}/{{run_id}}/cancel", responses=documented(None, 404))
async def cancel_run(
    thread_id: PathThreadId,
    run_id: UUID,
    call: RuledCall,
    wait: Annotated[bool, Query(description="Whether to answer only when the run has stopped.")] = False,
    action: Action = "interrupt",
) -> JsonResponse:
    """Stop a run that is not finished."""
    runs, owner = call.graphs.runs, call.owner
    run = await runs.get(owner, thread_id, str(run_id))
    await runs.cancel(owner, thread_id, [run.run_id], action)
    if wait:
        await runs.finished(owner, run)
    return answer({}, run_headers(run, "join"))


@router.get(f"{_ON_THREAD}/{{run_id}}/join", responses=documented(None, 404))
async def join_run(thread_id: PathThreadId, run_id: UUID, call: RuledCall) -> JsonResponse:
    """Wait for a run, and return the values of its state."""
    run = await call.graphs.runs.found(call.owner, thread_id, str(run_id))
    return answer(await call.graphs.runs.result(call.owner, run), run_headers(run, "join"))


@router.get(f"{_ON_THREAD}/{{run_id}}/stream", responses=event_stream(_STREAMED, 404))
async def join_run_stream(
    thread_id: PathThreadId,
    run_id: UUID,
    call: RuledCall,
    stream_mode: Modes = None,
    cancel_on_disconnect: OnDisconnect = False,
    last_event_id: LastEventId = "",
) -> EventStream:
    """Stream the events of a run that is under way, or ended less than a minute ago."""
    run = await call.graphs.runs.found(call.owner, thread_id, str(run_id))
    return _streamed(
        call,
        run,
        cancels=cancel_on_disconnect,
        after=last_event_id,
        modes=[mode for mode in stream_mode or () if mode] or None,  # the SDK sends an empty one for none
    )


def _streamed(
    call: ApiCall, run: Run, *, cancels: bool = False, after: str = "", modes: list[str] | None = None
) -> EventStream:
    """The run's events; the headers say which run it is, and where they go on when the connection breaks.

    With `cancels` the run ends with its reader.
    """
    abandoned = partial(_cancel, call, run) if cancels else None
    told = frames(call.graphs.runs, call.owner, run, after=after, modes=modes, abandoned=abandoned)
    stream = EventStream(told, call.options.heartbeat)
    stream.headers.update(run_headers(run, "stream"))
    return stream


async def _cancel(call: ApiCall, run: Run) -> None:
    """Cancel a run after its last waiting client has disconnected."""
    try:
        await call.graphs.runs.cancel(call.owner, run.thread_id, [run.run_id], "interrupt")
    except NotFound:  # it had finished
        return

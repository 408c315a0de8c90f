"""Runs on threads."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Response

from recuerdo.core.documents import DocumentQuery
from recuerdo.core.errors import NotFound
from recuerdo.core.runs import Run, RunStatus
from recuerdo.runs.runs import Runs
from recuerdo.runs.webhooks import shown
from recuerdo.server.auth.principal import Principal, RuledPrincipal
from recuerdo.server.documentation import documented, event_stream
from recuerdo.server.expectations import Expected
from recuerdo.server.options import Options
from recuerdo.server.responses import JsonResponse
from recuerdo.server.routes.langgraph.answering import answer, selected
from recuerdo.server.routes.langgraph.bodies import Action, LastEventId, RunBody, Select
from recuerdo.server.services import GraphServices, OpenServices
from recuerdo.server.streaming.run_events import RunStream, frames, run_headers

router = APIRouter(prefix="/threads/{thread_id}/runs", tags=["runs"])

STREAMED = "The run's events: `metadata` first, then what the stream modes ask for, `error` when it fails."
Modes = Annotated[list[str] | None, Query(description="Only events of these modes.")]
OnDisconnect = Annotated[bool, Query(description="Whether to cancel the run when the reader leaves.")]


@router.post("", responses=documented(None, 404, 409, 412))
async def create_run(
    thread_id: UUID,
    body: RunBody,
    principal: RuledPrincipal,
    services: GraphServices,
    all_services: OpenServices,
    expected: Expected,
) -> JsonResponse:
    """Queue a run, and don't wait for it."""
    epoch = await expected.check(all_services.history, principal.thread(str(thread_id)), body.expected_epoch)
    run = await services.runs.create(principal.owner, body.new_run(str(thread_id), epoch))
    return answer(shown(run), run_headers(run))


@router.post("/stream", responses=event_stream(STREAMED, 404, 409, 412))
async def stream_run(
    thread_id: UUID,
    body: RunBody,
    principal: RuledPrincipal,
    services: GraphServices,
    all_services: OpenServices,
    expected: Expected,
    options: Options,
) -> RunStream:
    """Start a run, and hear of it while it works."""
    epoch = await expected.check(all_services.history, principal.thread(str(thread_id)), body.expected_epoch)
    run = await services.runs.create(principal.owner, body.new_run(str(thread_id), epoch))
    return streamed(services.runs, principal, run, options.heartbeat, cancels=body.on_disconnect == "cancel")


@router.post("/wait", responses=documented(None, 404, 409, 412))
async def wait_for_run(
    thread_id: UUID,
    body: RunBody,
    principal: RuledPrincipal,
    services: GraphServices,
    all_services: OpenServices,
    expected: Expected,
) -> JsonResponse:
    """Start a run, and get the values that it leaves; `__error__` when it fails."""
    epoch = await expected.check(all_services.history, principal.thread(str(thread_id)), body.expected_epoch)
    run = await services.runs.create(principal.owner, body.new_run(str(thread_id), epoch))
    return answer(await services.runs.wait(principal.owner, run), run_headers(run, "join"))


@router.get("", responses=documented(None, 404))
async def list_runs(
    thread_id: UUID,
    principal: RuledPrincipal,
    services: GraphServices,
    limit: Annotated[int, Query(ge=1, le=1000)] = 10,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    status: Annotated[RunStatus | None, Query(description="Only runs of this status.")] = None,
    select: Select = None,
) -> JsonResponse:
    """The thread's runs, the latest first."""
    query = DocumentQuery(where={"status": status} if status else {}, limit=limit, offset=offset)
    found = await services.runs.select(principal.owner, str(thread_id), query)
    return answer([selected(shown(run), select) for run in found])


@router.get("/{run_id}", responses=documented(None, 404))
async def get_run(thread_id: UUID, run_id: UUID, principal: RuledPrincipal, services: GraphServices) -> JsonResponse:
    """One run."""
    return answer(shown(await services.runs.get(principal.owner, str(thread_id), str(run_id))))


@router.delete("/{run_id}", status_code=204, responses=documented(None, 404, status=204))
async def delete_run(thread_id: UUID, run_id: UUID, principal: RuledPrincipal, services: GraphServices) -> Response:
    """Forget a run, and stop it first when it is not finished."""
    await services.runs.delete(principal.owner, str(thread_id), str(run_id))
    return Response(status_code=204)


@router.post("/{run_id}/cancel", responses=documented(None, 404))
async def cancel_run(
    thread_id: UUID,
    run_id: UUID,
    principal: RuledPrincipal,
    services: GraphServices,
    wait: Annotated[bool, Query(description="Whether to answer only when the run has stopped.")] = False,
    action: Action = "interrupt",
) -> JsonResponse:
    """Stop a run that is not finished."""
    runs, owner = services.runs, principal.owner
    run = await runs.get(owner, str(thread_id), str(run_id))
    await runs.cancel(owner, str(thread_id), [run.run_id], action)
    if wait:
        await runs.finished(owner, run)
    return answer({}, run_headers(run, "join"))


@router.get("/{run_id}/join", responses=documented(None, 404))
async def join_run(thread_id: UUID, run_id: UUID, principal: RuledPrincipal, services: GraphServices) -> JsonResponse:
    """Wait for a run, and get the values that it leaves."""
    run = await services.runs.found(principal.owner, str(thread_id), str(run_id))
    return answer(await services.runs.result(principal.owner, run), run_headers(run, "join"))


@router.get("/{run_id}/stream", responses=event_stream(STREAMED, 404))
async def join_run_stream(
    thread_id: UUID,
    run_id: UUID,
    principal: RuledPrincipal,
    services: GraphServices,
    options: Options,
    stream_mode: Modes = None,
    cancel_on_disconnect: OnDisconnect = False,
    last_event_id: LastEventId = "",
) -> RunStream:
    """Hear of a run that is under way, or over for less than a minute."""
    run = await services.runs.found(principal.owner, str(thread_id), str(run_id))
    return streamed(
        services.runs,
        principal,
        run,
        options.heartbeat,
        cancels=cancel_on_disconnect,
        after=last_event_id,
        modes=[mode for mode in stream_mode or () if mode] or None,  # the SDK sends an empty one for none
    )


def streamed(
    runs: Runs,
    principal: Principal,
    run: Run,
    heartbeat: float,
    *,
    cancels: bool = False,
    after: str = "",
    modes: list[str] | None = None,
) -> RunStream:
    """The run as a stream; with `cancels` the run ends with its reader."""

    async def abandoned() -> None:
        try:
            await runs.cancel(principal.owner, run.thread_id, [run.run_id], "interrupt")
        except NotFound:  # it had finished
            return

    told = frames(runs, principal.owner, run, after=after, modes=modes, abandoned=abandoned if cancels else None)
    return RunStream(told, run, heartbeat)

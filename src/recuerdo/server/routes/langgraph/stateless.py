"""Runs without a thread: each gets one of its own, which is gone with it."""

from fastapi import APIRouter, Response

from recuerdo.core.errors import InvalidInput
from recuerdo.runs.webhooks import shown
from recuerdo.server.auth.principal import RuledPrincipal
from recuerdo.server.documentation import documented, event_stream
from recuerdo.server.options import Options
from recuerdo.server.responses import JsonResponse
from recuerdo.server.routes.langgraph.answering import answer
from recuerdo.server.routes.langgraph.bodies import Action, CancelBody, RunBody
from recuerdo.server.routes.langgraph.runs import STREAMED, streamed
from recuerdo.server.services import GraphServices
from recuerdo.server.streaming.run_events import RunStream, run_headers

router = APIRouter(prefix="/runs", tags=["runs"])

_OPEN = ("pending", "running")


@router.post("", responses=documented(None, 404))
async def create_stateless_run(body: RunBody, principal: RuledPrincipal, services: GraphServices) -> JsonResponse:
    """Queue a run, and don't wait for it."""
    run = await services.runs.create(principal.owner, body.new_run())
    return answer(shown(run), run_headers(run))


@router.post("/stream", responses=event_stream(STREAMED, 404))
async def stream_stateless_run(
    body: RunBody, principal: RuledPrincipal, services: GraphServices, options: Options
) -> RunStream:
    """Start a run, and hear of it while it works."""
    run = await services.runs.create(principal.owner, body.new_run())
    return streamed(services.runs, principal, run, options.heartbeat, cancels=body.on_disconnect == "cancel")


@router.post("/wait", responses=documented(None, 404))
async def wait_for_stateless_run(body: RunBody, principal: RuledPrincipal, services: GraphServices) -> JsonResponse:
    """Start a run, and get the values that it ends with; `__error__` when it fails."""
    run = await services.runs.create(principal.owner, body.new_run())
    return answer(await services.runs.wait(principal.owner, run), run_headers(run, "join"))


@router.post("/batch", responses=documented(None, 404))
async def create_runs(body: list[RunBody], principal: RuledPrincipal, services: GraphServices) -> JsonResponse:
    """Queue several runs, each on its thread or on one of its own."""
    threads = [str(each.thread_id) if each.thread_id else None for each in body]
    new = [each.new_run(thread) for each, thread in zip(body, threads, strict=True)]
    return answer([shown(await services.runs.create(principal.owner, each)) for each in new])


@router.post("/cancel", status_code=204, responses=documented(None, 404, status=204))
async def cancel_runs(
    body: CancelBody, principal: RuledPrincipal, services: GraphServices, action: Action = "interrupt"
) -> Response:
    """Stop runs that are not finished: some of a thread's, or all of the caller's."""
    runs, owner = services.runs, principal.owner
    if body.thread_id is not None and body.run_ids:
        await runs.cancel(owner, str(body.thread_id), [str(each) for each in body.run_ids], action)
    elif body.status is not None:
        await runs.cancel_all(owner, _OPEN if body.status == "all" else [body.status], action)
    else:
        raise InvalidInput("status", "is needed where no thread_id and run_ids say which runs to stop")
    return Response(status_code=204)

"""The state of a thread: what it is, what it was, and writing into it."""

from typing import Any
from uuid import UUID

from fastapi import APIRouter

from recuerdo.runs.threads import Threads
from recuerdo.server.auth.principal import Principal, RuledPrincipal
from recuerdo.server.documentation import documented
from recuerdo.server.response_cache import CachedResponseRoute
from recuerdo.server.responses import Holds, JsonResponse
from recuerdo.server.routes.langgraph.answering import answer, selected
from recuerdo.server.routes.langgraph.bodies import (
    CheckpointBody,
    HistoryBody,
    Select,
    StateAtBody,
    StateBody,
    Subgraphs,
)
from recuerdo.server.services import GraphServices

router = APIRouter(prefix="/threads/{thread_id}", tags=["states of threads"], route_class=CachedResponseRoute)


@router.get("/state", responses=documented(None, 404))
async def get_state(
    thread_id: UUID,
    principal: RuledPrincipal,
    services: GraphServices,
    subgraphs: Subgraphs = False,
    select: Select = None,
) -> JsonResponse:
    """The state that the thread is in."""
    holds = None if subgraphs else await _is_stored(services.threads, principal, str(thread_id))
    state = await services.threads.state(principal.owner, str(thread_id), subgraphs=subgraphs)
    return answer(selected(state, select), holds=holds)


@router.get("/state/{checkpoint_id}", responses=documented(None, 404))
async def get_state_at(
    thread_id: UUID,
    checkpoint_id: str,
    principal: RuledPrincipal,
    services: GraphServices,
    subgraphs: Subgraphs = False,
    select: Select = None,
) -> JsonResponse:
    """The state that the thread was in at a checkpoint."""
    place = {"checkpoint_id": checkpoint_id}
    state = await services.threads.state(principal.owner, str(thread_id), place, subgraphs=subgraphs)
    return answer(selected(state, select))


@router.post("/state/checkpoint", responses=documented(None, 404))
async def get_state_at_checkpoint(
    thread_id: UUID, body: StateAtBody, principal: RuledPrincipal, services: GraphServices
) -> JsonResponse:
    """The state that the thread, or a subgraph of it, was in at a checkpoint."""
    state = await services.threads.state(
        principal.owner, str(thread_id), body.checkpoint.model_dump(), subgraphs=body.subgraphs
    )
    return answer(selected(state, body.select))


@router.post("/state", responses=documented(None, 400, 404, 409))
async def update_state(
    thread_id: UUID, body: StateBody, principal: RuledPrincipal, services: GraphServices
) -> JsonResponse:
    """Write values into the state, as if a node had."""
    place = body.checkpoint.model_dump() if body.checkpoint else {}
    if body.checkpoint_id:
        place["checkpoint_id"] = body.checkpoint_id
    checkpoint = await services.threads.update_state(
        principal.owner, str(thread_id), body.values, as_node=body.as_node, checkpoint=place
    )
    return answer(
        {"checkpoint": checkpoint, "configurable": checkpoint, "checkpoint_id": checkpoint.get("checkpoint_id")}
    )


@router.post("/history", responses=documented(None, 404))
async def get_history(
    thread_id: UUID, principal: RuledPrincipal, services: GraphServices, body: HistoryBody | None = None
) -> JsonResponse:
    """The states that the thread was in, the latest first."""
    body = body or HistoryBody()
    states = await services.threads.history(
        principal.owner,
        str(thread_id),
        limit=body.limit,
        before=_before(body),
        metadata=body.metadata,
        checkpoint=body.checkpoint.model_dump() if body.checkpoint else None,
    )
    return answer([selected(state, body.select) for state in states])


async def _is_stored(threads: Threads, principal: Principal, thread_id: str) -> Holds | None:
    """Whether the state is what it is now; None where rules of somebody's own are asked first."""
    if principal.access is not None:
        return None
    stored = await threads.stored_state(principal.owner, thread_id)

    async def is_stored() -> bool:
        return await threads.stored_state(principal.owner, thread_id) == stored

    return is_stored


def _before(body: HistoryBody) -> str | dict[str, Any] | None:
    return body.before.model_dump() if isinstance(body.before, CheckpointBody) else body.before

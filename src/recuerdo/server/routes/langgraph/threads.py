"""Threads, as runs see them."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Header, Query, Response

from recuerdo.core.identifiers import new_id
from recuerdo.core.runs import AgentThread
from recuerdo.runs.thread_join import ThreadMode
from recuerdo.server.auth.principal import RuledPrincipal
from recuerdo.server.documentation import documented, event_stream
from recuerdo.server.options import Options
from recuerdo.server.responses import JsonResponse
from recuerdo.server.routes.langgraph.answering import answer, extracted, page, selected
from recuerdo.server.routes.langgraph.bodies import (
    LastEventId,
    PruneBody,
    ThreadBody,
    ThreadChange,
    ThreadCount,
    ThreadSearch,
    ttl_of,
)
from recuerdo.server.services import GraphServices
from recuerdo.server.streaming.run_events import EVERYTHING
from recuerdo.server.streaming.sse import EventStream
from recuerdo.server.streaming.thread_events import joined_frames

router = APIRouter(prefix="/threads", tags=["threads of runs"])

ThreadModes = Annotated[
    list[ThreadMode] | None,
    Query(
        description="`run_modes` for what runs tell, `lifecycle` for their beginnings and ends, `state_update` for "
        "states that were written by hand."
    ),
]

_HIDDEN = ("ttl", "ttl_strategy", "expires_at")


@router.post("", responses=documented(None, 409))
async def create_run_thread(body: ThreadBody, principal: RuledPrincipal, services: GraphServices) -> JsonResponse:
    """Make a thread, perhaps with the steps of another one."""
    threads, owner = services.threads, principal.owner
    new = threads.new(str(body.thread_id or new_id()), body.metadata, ttl_of(body.ttl))
    thread = await threads.create(owner, new, reuse=body.if_exists == "do_nothing")
    if body.supersteps:
        await threads.play(owner, thread.thread_id, [step.model_dump() for step in body.supersteps])
        thread = await threads.get(owner, thread.thread_id)
    return answer(await _shown(services, principal, thread))


@router.post("/search", responses=documented(None))
async def search_run_threads(body: ThreadSearch, principal: RuledPrincipal, services: GraphServices) -> JsonResponse:
    """The caller's threads that match."""
    ids = [str(each) for each in body.ids] if body.ids is not None else None
    query = body.query(ids=ids, **body.part())
    found, total = await services.threads.search(principal.owner, query, body.values or {})
    entries: list[dict[str, Any]] = []
    for thread in found:
        needs_values = body.select is None or "values" in body.select or bool(body.extract)
        entry = await _shown(services, principal, thread, with_values=needs_values)
        chosen = selected(entry, body.select)
        entries.append({**chosen, "extracted": extracted(entry, body.extract)} if body.extract else chosen)
    return page(entries, total, body.limit, body.offset)


@router.post("/count", responses=documented(None))
async def count_run_threads(body: ThreadCount, principal: RuledPrincipal, services: GraphServices) -> JsonResponse:
    """How many match."""
    return answer(await services.threads.count(principal.owner, body.query(), body.values or {}))


@router.post("/prune", responses=documented(None))
async def prune_run_threads(body: PruneBody, principal: RuledPrincipal, services: GraphServices) -> JsonResponse:
    """Delete threads, or cut them down to their latest checkpoint."""
    ids = [str(each) for each in body.thread_ids]
    return answer({"pruned_count": await services.threads.prune(principal.owner, ids, body.strategy)})


@router.get("/{thread_id}", responses=documented(None, 404))
async def get_run_thread(
    thread_id: UUID,
    principal: RuledPrincipal,
    services: GraphServices,
    include: Annotated[str | None, Query(description="`ttl` to be shown how long the thread lives.")] = None,
) -> JsonResponse:
    """One thread, with the values of its state."""
    thread = await services.threads.get(principal.owner, str(thread_id))
    shown = await _shown(services, principal, thread)
    if include and "ttl" in include.split(",") and thread.ttl is not None:
        shown["ttl"] = {"ttl_minutes": thread.ttl, "strategy": thread.ttl_strategy, "expires_at": thread.expires_at}
    return answer(shown)


@router.patch("/{thread_id}", responses=documented(None, 404))
async def update_run_thread(
    thread_id: UUID,
    body: ThreadChange,
    principal: RuledPrincipal,
    services: GraphServices,
    prefer: Annotated[str | None, Header(description="`return=minimal` for an empty answer.")] = None,
) -> Response:
    """Merge metadata into the thread's."""
    thread = await services.threads.update(principal.owner, str(thread_id), body.metadata, ttl_of(body.ttl))
    if prefer == "return=minimal":
        return Response(status_code=204)
    return answer(await _shown(services, principal, thread))


@router.delete("/{thread_id}", status_code=204, responses=documented(None, 404, status=204))
async def delete_run_thread(thread_id: UUID, principal: RuledPrincipal, services: GraphServices) -> Response:
    """Erase the thread, its runs and its checkpoints."""
    await services.runs.delete_thread(principal.owner, str(thread_id))
    return Response(status_code=204)


@router.post("/{thread_id}/copy", responses=documented(None, 404))
async def copy_run_thread(thread_id: UUID, principal: RuledPrincipal, services: GraphServices) -> JsonResponse:
    """A new thread with the same checkpoints."""
    thread = await services.threads.copy(principal.owner, str(thread_id))
    return answer(await _shown(services, principal, thread))


@router.get("/{thread_id}/stream", responses=event_stream("Events of the thread's runs, run after run.", 404))
async def join_thread_stream(
    thread_id: UUID,
    principal: RuledPrincipal,
    services: GraphServices,
    options: Options,
    stream_mode: ThreadModes = None,
    last_event_id: LastEventId = "",
) -> EventStream:
    """Hear of every run of the thread as it comes, from now on or behind an event. It ends when nobody uses it."""
    after = "0-0" if last_event_id == EVERYTHING else last_event_id
    modes = stream_mode or ["run_modes"]
    events = await services.join.follow(principal.owner, str(thread_id), modes, after, options.idle)
    return EventStream(joined_frames(events), options.heartbeat)


async def _shown(services: Any, principal: Any, thread: AgentThread, *, with_values: bool = True) -> dict[str, Any]:
    """A thread as clients see it."""
    shown = {name: value for name, value in selected(thread, None).items() if name not in _HIDDEN}
    return {**shown, "values": await services.threads.values(principal.owner, thread) if with_values else None}

"""Long-term memories of the caller.

The anonymous user has none: lists and searches are empty, ids are unknown (404), and saving is a 422 that names the
header, because what is missing from the request is who the user is.
"""

from collections.abc import AsyncGenerator
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from starlette.responses import StreamingResponse

from recuerdo.core.memories import Attribute, Kind, MemoryQuery, Status
from recuerdo.memories.maintenance.audit import Audit
from recuerdo.server.answers import ChangeList, Hit, Hits, Imported, KnownChange, KnownMemory, MemoryList
from recuerdo.server.auth.principal import CurrentPrincipal
from recuerdo.server.documentation import documented
from recuerdo.server.responses import JsonResponse
from recuerdo.server.schemas import Limit, MemoryBody, MemoryChangeBody, MemoryId, ReviewBody, SearchBody, Time
from recuerdo.server.services import OpenServices

router = APIRouter(prefix="/v1/memories", tags=["memories"])


@router.get("", responses=documented(MemoryList))
async def list_memories(
    principal: CurrentPrincipal,
    services: OpenServices,
    limit: Limit = 50,
    before: Annotated[str | None, Query(description="The `before` of the page before.")] = None,
    kind: Annotated[Kind | None, Query(description="Only this kind.")] = None,
    attribute: Annotated[Attribute | None, Query(description="Only this attribute.")] = None,
    status: Annotated[Status | None, Query(description="Those of this status, whenever they hold.")] = None,
    as_of: Annotated[Time | None, Query(description="Those that held at that time; without it now.")] = None,
    thread_id: Annotated[str | None, Query(description="Only what was said in this thread.")] = None,
    since: Annotated[Time | None, Query(description="Only those made at this time or later.")] = None,
    until: Annotated[Time | None, Query(description="Only those made before this time.")] = None,
) -> JsonResponse:
    """The caller's memories that hold now, the latest created first."""
    query = MemoryQuery(
        limit=limit,
        before=before,
        kind=kind,
        attribute=attribute,
        status=status,
        holding_at=as_of,
        thread=thread_id,
        since=since,
        until=until,
    )
    memories = await services.memories.list(principal.owner, query)
    following = memories[-1].id if len(memories) == limit else None
    return JsonResponse(MemoryList([*map(KnownMemory.of, memories)], following))


@router.post("", status_code=201, responses=documented(KnownMemory, status=201))
async def add_memory(body: MemoryBody, principal: CurrentPrincipal, services: OpenServices) -> JsonResponse:
    """Save one memory as it is given."""
    memory = await services.memories.add(
        principal.owner, body.text, kind=body.kind, attribute=body.attribute, value=body.value, **body.life
    )
    return JsonResponse(KnownMemory.of(memory), 201)


@router.post("/search", responses=documented(Hits))
async def search_memories(body: SearchBody, principal: CurrentPrincipal, services: OpenServices) -> JsonResponse:
    """The memories nearest to the query, best first, in whatever language either is."""
    names = ("limit", "kind", "attribute", "since", "until", "as_of")
    filters: dict[str, Any] = {name: getattr(body, name) for name in names}
    hits = await services.memories.search(principal.owner, body.query, thread=body.thread_id, **filters)
    return JsonResponse(Hits([*map(Hit.of, hits)]))


@router.get("/export", response_class=StreamingResponse, responses=documented(None))
async def export_memories(principal: CurrentPrincipal, services: OpenServices) -> StreamingResponse:
    """All of the caller's memories as JSON lines: those that hold, those that held, and those that wait."""
    return StreamingResponse(
        services.memories.export(principal.owner),
        media_type="application/x-ndjson",
        headers={"Cache-Control": "no-store", "Content-Disposition": 'attachment; filename="memories.jsonl"'},
    )


@router.post("/import", responses=documented(Imported))
async def import_memories(request: Request, principal: CurrentPrincipal, services: OpenServices) -> JsonResponse:
    """Save the JSON lines of an export as the caller's; what is there already is left. 1 MB at a time."""
    body = await request.body()

    async def lines() -> AsyncGenerator[bytes]:
        for line in body.splitlines():
            yield line

    return JsonResponse(Imported(await services.memories.read_in(principal.owner, lines())))


@router.get("/audit", responses=documented(Audit))
async def audit_memories(principal: CurrentPrincipal, services: OpenServices) -> JsonResponse:
    """What of the caller's memories is junk, and how much. It changes nothing."""
    return JsonResponse(await services.memories.audit(principal.owner))


@router.get("/{memory_id}", responses=documented(KnownMemory, 404))
async def get_memory(memory_id: MemoryId, principal: CurrentPrincipal, services: OpenServices) -> JsonResponse:
    """One memory."""
    return JsonResponse(KnownMemory.of(await services.memories.get(principal.owner, memory_id)))


@router.patch("/{memory_id}", responses=documented(KnownMemory, 404))
async def update_memory(
    memory_id: MemoryId, body: MemoryChangeBody, principal: CurrentPrincipal, services: OpenServices
) -> JsonResponse:
    """Change what is given and keep the rest."""
    fields: dict[str, Any] = {name: getattr(body, name) for name in ("text", "kind", "attribute", "value")}
    memory = await services.memories.update(principal.owner, memory_id, **fields, **body.life)
    return JsonResponse(KnownMemory.of(memory))


@router.delete("/{memory_id}", status_code=204, responses=documented(None, 404, status=204))
async def delete_memory(memory_id: MemoryId, principal: CurrentPrincipal, services: OpenServices) -> Response:
    """Remove the memory for good."""
    await services.memories.delete(principal.owner, memory_id)
    return Response(status_code=204)


@router.get("/{memory_id}/history", responses=documented(ChangeList))
async def memory_history(
    memory_id: MemoryId, principal: CurrentPrincipal, services: OpenServices, limit: Limit = 50
) -> JsonResponse:
    """What was done to one memory, the latest first."""
    changes = await services.memories.history(principal.owner, memory_id, limit=limit)
    return JsonResponse(ChangeList([*map(KnownChange.of, changes)]))


@router.post("/{memory_id}/undo", responses=documented(KnownChange, 404, 409))
async def undo_memory(memory_id: MemoryId, principal: CurrentPrincipal, services: OpenServices) -> JsonResponse:
    """Take back the latest change that touched the memory, exactly."""
    return JsonResponse(KnownChange.of(await services.memories.undo(principal.owner, memory_id)))


@router.post("/{memory_id}/approve", responses=documented(KnownMemory, 404))
async def approve_memory(
    memory_id: MemoryId, body: ReviewBody, principal: CurrentPrincipal, services: OpenServices
) -> JsonResponse:
    """Let a memory that waits hold from now on; what contradicts it ends."""
    owner = principal.owner
    memory = await services.memories.approve(owner, memory_id, by=owner.user, reason=body.reason)
    return JsonResponse(KnownMemory.of(memory))


@router.post("/{memory_id}/reject", responses=documented(KnownMemory, 404))
async def reject_memory(
    memory_id: MemoryId, body: ReviewBody, principal: CurrentPrincipal, services: OpenServices
) -> JsonResponse:
    """Keep a memory from being used."""
    owner = principal.owner
    memory = await services.memories.reject(owner, memory_id, by=owner.user, reason=body.reason)
    return JsonResponse(KnownMemory.of(memory))

"""Long-term memories: of the caller, and of the caller's tenant; and MCP.

The anonymous user has none: lists and searches are empty, ids are unknown (404), and saving is a 422 that names the
header, because the request doesn't say who the user is. Any other user may propose shared memories,
admins approve them, and all users read them; without authentication every caller is an admin.
"""

from collections.abc import AsyncGenerator
from datetime import timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from starlette.responses import StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from recuerdo.core.errors import Forbidden, InvalidInput, NotFound
from recuerdo.core.memories import Attribute, Kind, Memory, MemoryQuery, Status
from recuerdo.core.roles import ADMIN_ROLE
from recuerdo.core.scope import Owner, TenantOwner
from recuerdo.memories.entities import EntityGraph
from recuerdo.memories.maintenance.audit import Audit
from recuerdo.server.answers import (
    ChangeList,
    Hit,
    Hits,
    Imported,
    JsonResponse,
    KnownChange,
    KnownMemory,
    MemoryList,
    first_entries,
)
from recuerdo.server.documentation import documented
from recuerdo.server.requests import ApiCall, CurrentCall, find_principal, refuse_if_ruled
from recuerdo.server.schemas import (
    Limit,
    MemoryBody,
    MemoryChangeBody,
    MemoryId,
    ProposalBody,
    ReviewBody,
    SearchBody,
    SharedId,
    Skip,
    Time,
)

router = APIRouter(prefix="/v1", tags=["memories"])

Before = Annotated[str | None, Query(description="The `before` of the page before.")]
OfKind = Annotated[Kind | None, Query(description="Only this kind.")]


@router.get("/memories", responses=documented(MemoryList))
async def list_memories(
    call: CurrentCall,
    limit: Limit = 50,
    before: Before = None,
    skip: Skip = 0,
    kind: OfKind = None,
    attribute: Annotated[Attribute | None, Query(description="Only this attribute.")] = None,
    status: Annotated[Status | None, Query(description="Those of this status, whenever they hold.")] = None,
    as_of: Annotated[Time | None, Query(description="Those that held at that time; without it now.")] = None,
    thread_id: Annotated[str | None, Query(description="Only what was said in this thread.")] = None,
    since: Annotated[Time | None, Query(description="Only those made at this time or later.")] = None,
    until: Annotated[Time | None, Query(description="Only those made before this time.")] = None,
    pinned: Annotated[bool | None, Query(description="Only those that are pinned, or that are not.")] = None,
) -> JsonResponse:
    """The caller's memories that hold now, the latest created first."""
    query = MemoryQuery(
        limit=limit,
        before=before,
        skip=skip,
        kind=kind,
        attribute=attribute,
        status=status,
        holding_at=as_of,
        thread=thread_id,
        since=since,
        until=until,
        pinned=pinned,
    )
    return await _listed(call, call.owner, query)


@router.post("/memories", status_code=201, responses=documented(KnownMemory, status=201))
async def add_memory(body: MemoryBody, call: CurrentCall) -> JsonResponse:
    """Save one memory as it is given."""
    fields: dict[str, Any] = {"kind": body.kind, "attribute": body.attribute, "value": body.value, **body.life}
    return JsonResponse(KnownMemory.of(await call.services.memories.add(call.owner, body.text, **fields)), 201)


@router.post("/memories/search", responses=documented(Hits))
async def search_memories(body: SearchBody, call: CurrentCall) -> JsonResponse:
    """The memories nearest to the query, best first, in whatever language either is."""
    hits = await call.services.memories.search(
        call.owner,
        body.query,
        limit=body.limit,
        kind=body.kind,
        attribute=body.attribute,
        thread=body.thread_id,
        since=body.since,
        until=body.until,
        as_of=body.as_of,
    )
    found: list[Hit] = []
    for memory, score in hits:
        found.append(Hit(KnownMemory.of(memory), score))
    return JsonResponse(Hits(found))


@router.get("/memories/export", response_class=StreamingResponse, responses=documented(None))
async def export_memories(call: CurrentCall) -> StreamingResponse:
    """All of the caller's memories as JSON lines: those that hold, those that held, and those that wait."""
    call.audit("memories.exported")
    return StreamingResponse(
        call.services.memories.export(call.owner),
        media_type="application/x-ndjson",
        headers={"Cache-Control": "no-store", "Content-Disposition": 'attachment; filename="memories.jsonl"'},
    )


@router.post("/memories/import", responses=documented(Imported))
async def import_memories(request: Request, call: CurrentCall) -> JsonResponse:
    """Import the JSON lines of an export as the caller's; existing memories are kept. At most 1 MB at a time."""
    body = await request.body()

    async def lines() -> AsyncGenerator[bytes]:
        for line in body.splitlines():
            yield line

    return JsonResponse(Imported(await call.services.memories.import_lines(call.owner, lines())))


@router.get("/entities", responses=documented(EntityGraph))
async def list_entities(call: CurrentCall) -> JsonResponse:
    """The people, places, employers and things of the caller's memories, and how they relate, since when and until."""
    return JsonResponse(await call.services.memories.entities(call.owner))


@router.get("/memories/audit", responses=documented(Audit))
async def audit_memories(call: CurrentCall) -> JsonResponse:
    """Report junk among the caller's memories. It changes nothing."""
    return JsonResponse(await call.services.memories.audit(call.owner))


@router.get("/memories/{memory_id}", responses=documented(KnownMemory, 404))
async def get_memory(memory_id: MemoryId, call: CurrentCall) -> JsonResponse:
    """One memory."""
    return JsonResponse(KnownMemory.of(await call.services.memories.get(call.owner, memory_id)))


@router.patch("/memories/{memory_id}", responses=documented(KnownMemory, 404))
async def update_memory(memory_id: MemoryId, body: MemoryChangeBody, call: CurrentCall) -> JsonResponse:
    """Change the given fields."""
    fields: dict[str, Any] = {name: getattr(body, name) for name in ("text", "kind", "attribute", "value", "pinned")}
    memory = await call.services.memories.update(call.owner, memory_id, **fields, **body.life)
    return JsonResponse(KnownMemory.of(memory))


@router.delete("/memories/{memory_id}", status_code=204, responses=documented(None, 404, status=204))
async def delete_memory(memory_id: MemoryId, call: CurrentCall) -> Response:
    """Remove the memory for good."""
    await call.services.memories.delete(call.owner, memory_id)
    return Response(status_code=204)


@router.get("/memories/{memory_id}/history", responses=documented(ChangeList))
async def memory_history(memory_id: MemoryId, call: CurrentCall, limit: Limit = 50) -> JsonResponse:
    """List the changes of one memory, the latest first."""
    return await _changes(call, call.owner, memory_id, limit)


@router.post("/memories/{memory_id}/undo", responses=documented(KnownChange, 404, 409))
async def undo_memory(memory_id: MemoryId, call: CurrentCall) -> JsonResponse:
    """Take back the latest change that touched the memory, exactly."""
    return JsonResponse(KnownChange.of(await call.services.memories.undo(call.owner, memory_id)))


@router.post("/memories/{memory_id}/approve", responses=documented(KnownMemory, 404))
async def approve_memory(memory_id: MemoryId, call: CurrentCall, body: ReviewBody | None = None) -> JsonResponse:
    """Approve a waiting memory; memories that it contradicts end."""
    return await _reviewed(call, call.owner, memory_id, body, approved=True)


@router.post("/memories/{memory_id}/reject", responses=documented(KnownMemory, 404))
async def reject_memory(memory_id: MemoryId, call: CurrentCall, body: ReviewBody | None = None) -> JsonResponse:
    """Keep a memory from being used."""
    return await _reviewed(call, call.owner, memory_id, body, approved=False)


@router.get("/tenant/memories", responses=documented(MemoryList, 403))
async def list_tenant_memories(
    call: CurrentCall,
    limit: Limit = 50,
    before: Before = None,
    skip: Skip = 0,
    kind: OfKind = None,
    status: Annotated[Status | None, Query(description="Those of this status, for admins.")] = None,
) -> JsonResponse:
    """The shared memories that hold now, the latest created first; with a `status`, for admins, those that wait."""
    if status is not None:
        _check_admin(call)
        call.audit("user.read", what="proposals")
    query = MemoryQuery(limit=limit, before=before, skip=skip, kind=kind, status=status)
    return await _listed(call, _tenant(call), query)


@router.post("/tenant/memories", status_code=201, responses=documented(KnownMemory, 409, status=201))
async def propose_memory(body: ProposalBody, call: CurrentCall) -> JsonResponse:
    """Propose a memory for all users of the tenant. It is hidden until an admin approves it."""
    ttl = None if body.ttl is None else timedelta(seconds=body.ttl)
    propose = call.services.memories.propose
    memory = await propose(_tenant(call), body.text, by=call.owner.user, kind=body.kind, ttl=ttl)
    return JsonResponse(KnownMemory.of(memory), 201)


@router.get("/tenant/memories/{shared_id}", responses=documented(KnownMemory, 404))
async def get_tenant_memory(shared_id: SharedId, call: CurrentCall) -> JsonResponse:
    """One shared memory; one that is not approved is shown to admins and its proposer only."""
    return JsonResponse(KnownMemory.of(await _visible(call, shared_id)))


@router.delete("/tenant/memories/{shared_id}", status_code=204, responses=documented(None, 403, 404, status=204))
async def delete_tenant_memory(shared_id: SharedId, call: CurrentCall) -> Response:
    """Remove a shared memory for good. Its proposer may withdraw it as long as it waits."""
    memory = await _visible(call, shared_id)
    if memory.status != "proposed":
        _check_admin(call)
    await call.services.memories.delete(_tenant(call), shared_id)
    return Response(status_code=204)


@router.get("/tenant/memories/{shared_id}/history", responses=documented(ChangeList, 403))
async def tenant_memory_history(shared_id: SharedId, call: CurrentCall, limit: Limit = 50) -> JsonResponse:
    """List a shared memory's changes (proposed, approved, rejected, by whom, when), the latest first. For admins."""
    _check_admin(call)
    return await _changes(call, _tenant(call), shared_id, limit)


@router.post("/tenant/memories/{shared_id}/approve", responses=documented(KnownMemory, 403, 404))
async def approve_tenant_memory(shared_id: SharedId, call: CurrentCall, body: ReviewBody | None = None) -> JsonResponse:
    """Approve a shared memory: from now on all users of the tenant see it. For admins."""
    _check_admin(call)
    return await _reviewed(call, _tenant(call), shared_id, body, approved=True)


@router.post("/tenant/memories/{shared_id}/reject", responses=documented(KnownMemory, 403, 404))
async def reject_tenant_memory(shared_id: SharedId, call: CurrentCall, body: ReviewBody | None = None) -> JsonResponse:
    """Keep a memory from being shown, also one that was approved before. For admins."""
    _check_admin(call)
    return await _reviewed(call, _tenant(call), shared_id, body, approved=False)


class _Mcp:
    """MCP under `/mcp`: the caller is authenticated before the protocol's own library sees the request.

    An endpoint of Starlette's: a class, so that it is given the request as it comes.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        owner = refuse_if_ruled(await find_principal(request)).owner
        if owner.is_anonymous:
            raise InvalidInput("user", "the anonymous user has no long-term memory; say who the user is")
        await request.app.state.mcp.handle(owner, scope, receive, send)


mcp_route = Route("/mcp", _Mcp(), methods=["GET", "POST", "DELETE"], include_in_schema=False)


def _tenant(call: ApiCall) -> TenantOwner:
    return TenantOwner(call.owner.tenant)


def _check_admin(call: ApiCall) -> None:
    if not call.may(ADMIN_ROLE):
        raise Forbidden(f"What all users of a tenant share is for the role {ADMIN_ROLE!r} to decide.")


async def _listed(call: ApiCall, owner: Owner, query: MemoryQuery) -> JsonResponse:
    found = await call.services.memories.list(owner, query)
    memories = first_entries(map(KnownMemory.of, found), call.services.history.most_bytes)
    following = memories[-1].id if len(found) == query.limit or len(memories) < len(found) else None
    return JsonResponse(MemoryList(memories, following))


async def _changes(call: ApiCall, owner: Owner, memory_id: str, limit: int) -> JsonResponse:
    changes = await call.services.memories.history(owner, memory_id, limit=limit)
    return JsonResponse(ChangeList([*map(KnownChange.of, changes)]))


async def _reviewed(
    call: ApiCall, owner: Owner, memory_id: str, body: ReviewBody | None, *, approved: bool
) -> JsonResponse:
    memories = call.services.memories
    decide = memories.approve if approved else memories.reject
    reason = body.reason if body is not None else None
    memory = await decide(owner, memory_id, by=call.owner.user, reason=reason)
    call.audit("memory.approved" if approved else "memory.rejected", memory_id)
    return JsonResponse(KnownMemory.of(memory))


async def _visible(call: ApiCall, shared_id: str) -> Memory:
    memory = await call.services.memories.get(_tenant(call), shared_id)
    is_own = memory.source.by == call.owner.user and not call.owner.is_anonymous
    if memory.status == "approved" or is_own or call.may(ADMIN_ROLE):
        return memory
    raise NotFound("memory", shared_id)

"""Memories that all users of the caller's tenant share: proposed by anybody, approved of by admins, read by all.

The anonymous user reads them, and proposes nothing. Without authentication whoever reaches the server is its admin.
"""

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Query, Response

from recuerdo.core.errors import Forbidden, NotFound
from recuerdo.core.memories import Kind, Memory, MemoryQuery, Status
from recuerdo.core.scope import TenantOwner
from recuerdo.server.answers import ChangeList, KnownChange, KnownMemory, MemoryList
from recuerdo.server.auth.principal import ADMIN_ROLE, CurrentPrincipal, Principal
from recuerdo.server.documentation import documented
from recuerdo.server.options import Options, ServerOptions
from recuerdo.server.responses import JsonResponse
from recuerdo.server.schemas import Limit, ProposalBody, ReviewBody, SharedId
from recuerdo.server.services import OpenServices, Services

router = APIRouter(prefix="/v1/tenant/memories", tags=["memories"])


def _check_admin(principal: Principal, options: ServerOptions) -> None:
    if not options.allows(principal.role, ADMIN_ROLE):
        raise Forbidden(f"What all users of a tenant share is for the role {ADMIN_ROLE!r} to decide.")


def _owner(principal: Principal) -> TenantOwner:
    return TenantOwner(principal.owner.tenant)


@router.get("", responses=documented(MemoryList, 403))
async def list_tenant_memories(
    principal: CurrentPrincipal,
    services: OpenServices,
    options: Options,
    limit: Limit = 50,
    before: Annotated[str | None, Query(description="The `before` of the page before.")] = None,
    kind: Annotated[Kind | None, Query(description="Only this kind.")] = None,
    status: Annotated[Status | None, Query(description="Those of this status, for admins.")] = None,
) -> JsonResponse:
    """The shared memories that hold now, the latest created first; with a `status`, for admins, those that wait."""
    if status is not None:
        _check_admin(principal, options)
    query = MemoryQuery(limit=limit, before=before, kind=kind, status=status)
    memories = await services.memories.list(_owner(principal), query)
    following = memories[-1].id if len(memories) == limit else None
    return JsonResponse(MemoryList([*map(KnownMemory.of, memories)], following))


@router.post("", status_code=201, responses=documented(KnownMemory, 409, status=201))
async def propose_memory(body: ProposalBody, principal: CurrentPrincipal, services: OpenServices) -> JsonResponse:
    """Propose a memory for all users of the tenant. Nobody is shown it before an admin approves of it."""
    ttl = None if body.ttl is None else timedelta(seconds=body.ttl)
    memory = await services.memories.propose(
        _owner(principal), body.text, by=principal.owner.user, kind=body.kind, ttl=ttl
    )
    return JsonResponse(KnownMemory.of(memory), 201)


@router.get("/{shared_id}", responses=documented(KnownMemory, 404))
async def get_tenant_memory(
    shared_id: SharedId, principal: CurrentPrincipal, services: OpenServices, options: Options
) -> JsonResponse:
    """One shared memory; one that is not approved is there for admins and for who proposed it."""
    return JsonResponse(KnownMemory.of(await _visible(shared_id, principal, services, options)))


@router.delete("/{shared_id}", status_code=204, responses=documented(None, 403, 404, status=204))
async def delete_tenant_memory(
    shared_id: SharedId, principal: CurrentPrincipal, services: OpenServices, options: Options
) -> Response:
    """Remove a shared memory for good. Who proposed one may withdraw it as long as it waits."""
    memory = await _visible(shared_id, principal, services, options)
    if memory.status != "proposed":
        _check_admin(principal, options)
    await services.memories.delete(_owner(principal), shared_id)
    return Response(status_code=204)


@router.get("/{shared_id}/history", responses=documented(ChangeList, 403))
async def tenant_memory_history(
    shared_id: SharedId, principal: CurrentPrincipal, services: OpenServices, options: Options, limit: Limit = 50
) -> JsonResponse:
    """Who proposed, approved and rejected a shared memory, and when, the latest first. For admins."""
    _check_admin(principal, options)
    changes = await services.memories.history(_owner(principal), shared_id, limit=limit)
    return JsonResponse(ChangeList([*map(KnownChange.of, changes)]))


@router.post("/{shared_id}/approve", responses=documented(KnownMemory, 403, 404))
async def approve_tenant_memory(
    shared_id: SharedId, body: ReviewBody, principal: CurrentPrincipal, services: OpenServices, options: Options
) -> JsonResponse:
    """Let all users of the tenant be shown a memory from now on. For admins."""
    _check_admin(principal, options)
    decided = await services.memories.approve(_owner(principal), shared_id, by=principal.owner.user, reason=body.reason)
    return JsonResponse(KnownMemory.of(decided))


@router.post("/{shared_id}/reject", responses=documented(KnownMemory, 403, 404))
async def reject_tenant_memory(
    shared_id: SharedId, body: ReviewBody, principal: CurrentPrincipal, services: OpenServices, options: Options
) -> JsonResponse:
    """Keep a memory from being shown, also one that was approved before. For admins."""
    _check_admin(principal, options)
    decided = await services.memories.reject(_owner(principal), shared_id, by=principal.owner.user, reason=body.reason)
    return JsonResponse(KnownMemory.of(decided))


async def _visible(shared_id: str, principal: Principal, services: Services, options: ServerOptions) -> Memory:
    memory = await services.memories.get(_owner(principal), shared_id)
    is_own = memory.source.by == principal.owner.user and not principal.is_anonymous
    if memory.status == "approved" or is_own or options.allows(principal.role, ADMIN_ROLE):
        return memory
    raise NotFound("memory", shared_id)

"""Threads: list, look, fork, clear, delete."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from recuerdo.core.identifiers import new_id
from recuerdo.server.answers import Cleared, KnownMemory, ThreadDetail, ThreadEntry, ThreadList, ThreadSummary
from recuerdo.server.auth.principal import CurrentPrincipal
from recuerdo.server.documentation import documented
from recuerdo.server.responses import JsonResponse, version_headers
from recuerdo.server.schemas import ForkBody, Limit, ThreadId
from recuerdo.server.services import OpenServices

router = APIRouter(prefix="/v1/threads", tags=["threads"])


@router.get("", responses=documented(ThreadList))
async def list_threads(
    principal: CurrentPrincipal,
    services: OpenServices,
    limit: Limit = 50,
    cursor: Annotated[str | None, Query(description="The cursor of the page before.")] = None,
) -> JsonResponse:
    """The caller's threads, the latest changed first."""
    return JsonResponse(ThreadList.of(await services.history.threads(principal.owner, limit=limit, cursor=cursor)))


@router.get("/{thread_id}", responses=documented(ThreadDetail, 404))
async def get_thread(thread_id: ThreadId, principal: CurrentPrincipal, services: OpenServices) -> JsonResponse:
    """One thread, with the number of its messages by role."""
    scope = principal.thread(thread_id)
    thread = await services.history.thread(scope)
    counts = await services.history.count(scope)
    return JsonResponse(ThreadDetail.of(thread, counts=counts), headers=version_headers(thread.version))


@router.delete("/{thread_id}", status_code=204, responses=documented(None, 404, status=204))
async def delete_thread(thread_id: ThreadId, principal: CurrentPrincipal, services: OpenServices) -> Response:
    """Erase the thread and its messages for good."""
    await services.history.delete(principal.thread(thread_id))
    return Response(status_code=204)


@router.post("/{thread_id}/clear", responses=documented(Cleared, 404))
async def clear_thread(thread_id: ThreadId, principal: CurrentPrincipal, services: OpenServices) -> JsonResponse:
    """Erase the messages for good and keep the empty thread."""
    version = await services.history.clear(principal.thread(thread_id))
    return JsonResponse(Cleared(str(version)), headers=version_headers(version))


@router.post("/{thread_id}/summarise", responses=documented(ThreadSummary, 404))
async def summarise_thread(thread_id: ThreadId, principal: CurrentPrincipal, services: OpenServices) -> JsonResponse:
    """Bring the thread's summary up to its end; null where there is nothing to say, or the caller is anonymous."""
    scope = principal.thread(thread_id)
    await services.history.thread(scope)
    memory = await services.summaries.summarise(scope) if services.summaries else None
    return JsonResponse(ThreadSummary(KnownMemory.of(memory) if memory else None))


@router.post("/{thread_id}/fork", status_code=201, responses=documented(ThreadEntry, 404, 409, status=201))
async def fork_thread(
    thread_id: ThreadId, principal: CurrentPrincipal, services: OpenServices, body: ForkBody | None = None
) -> JsonResponse:
    """Copy the thread, as a whole or up to a seq, into a new one."""
    body = body or ForkBody()
    target = new_id() if body.target is None else body.target
    thread = await services.history.fork(principal.thread(thread_id), target, at_seq=body.at_seq)
    return JsonResponse(ThreadEntry.of(thread), 201, headers=version_headers(thread.version))

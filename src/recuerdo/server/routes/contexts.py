"""Execution contexts: what threads run with."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from recuerdo.core.contexts import ExecutionContext
from recuerdo.core.errors import Forbidden, NotFound
from recuerdo.core.scope import Scope
from recuerdo.server.answers import KnownContext
from recuerdo.server.auth.principal import OPERATOR_ROLE, CurrentPrincipal, Principal
from recuerdo.server.documentation import documented
from recuerdo.server.options import Options, options_of
from recuerdo.server.responses import JsonResponse
from recuerdo.server.schemas import InvalidationBody, ThreadId
from recuerdo.server.services import OpenServices, Services

router = APIRouter(prefix="/v1/contexts", tags=["contexts"])

AssistantId = Annotated[str, Query(description="The assistant: its id, or the name of its graph.")]


async def context_for(
    request: Request, principal: Principal, services: Services, scope: Scope, assistant_id: str
) -> ExecutionContext:
    """What the thread runs with, for who asks, and with what their headers set."""
    role = options_of(request).role_of(principal)
    return await services.contexts.get_or_create(scope, assistant_id, request.headers, role=role, tier=principal.tier)


@router.get("/{thread_id}", responses=documented(KnownContext, 403, 404))
async def get_context(
    thread_id: ThreadId,
    request: Request,
    principal: CurrentPrincipal,
    services: OpenServices,
    assistant_id: AssistantId = "recuerdo",
) -> JsonResponse:
    """The thread's context with the assistant, made if there is none. Headers may set some of it."""
    scope = principal.thread(thread_id)
    return JsonResponse(KnownContext.of(await context_for(request, principal, services, scope, assistant_id)))


@router.patch("/{thread_id}", responses=documented(KnownContext, 403, 404))
async def update_context(
    thread_id: ThreadId,
    request: Request,
    principal: CurrentPrincipal,
    services: OpenServices,
    assistant_id: AssistantId = "recuerdo",
) -> JsonResponse:
    """Set what the headers say, for every replica. 404 where there is no context."""
    scope = principal.thread(thread_id)
    role = options_of(request).role_of(principal)
    context = await services.contexts.update(scope, assistant_id, request.headers, role=role)
    if context is None:
        raise NotFound("context of the thread", thread_id)
    return JsonResponse(KnownContext.of(context))


@router.delete("/{thread_id}", status_code=204, responses=documented(None, status=204))
async def invalidate_context(
    thread_id: ThreadId,
    principal: CurrentPrincipal,
    services: OpenServices,
    assistant_id: AssistantId = "recuerdo",
) -> Response:
    """Forget the thread's context, on every replica: the next message is enriched anew."""
    await services.contexts.invalidate(principal.thread(thread_id), assistant_id)
    return Response(status_code=204)


@router.post("/invalidate", status_code=204, responses=documented(None, 403, status=204))
async def invalidate_contexts(
    body: InvalidationBody, principal: CurrentPrincipal, services: OpenServices, options: Options
) -> Response:
    """Forget the tenant's contexts, or those of one assistant. With authentication: for the role `operator`."""
    if not options.allows(principal.role, OPERATOR_ROLE):
        raise Forbidden(f"To invalidate the contexts of others is for the role {OPERATOR_ROLE!r}.")
    if body.assistant_id is None:
        await services.contexts.invalidate_tenant(principal.owner.tenant)
    else:
        await services.contexts.invalidate_assistant(principal.owner.tenant, body.assistant_id)
    return Response(status_code=204)

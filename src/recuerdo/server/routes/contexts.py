"""Execution contexts: what threads run with."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from recuerdo.core.errors import Forbidden, NotFound
from recuerdo.core.roles import EDITOR_ROLE
from recuerdo.server.answers import JsonResponse, KnownContext
from recuerdo.server.documentation import documented
from recuerdo.server.requests import CurrentCall
from recuerdo.server.schemas import InvalidationBody, ThreadId

router = APIRouter(prefix="/v1/contexts", tags=["contexts"])

AssistantId = Annotated[str, Query(description="The assistant: its id, or the name of its graph.")]


@router.get("/{thread_id}", responses=documented(KnownContext, 403, 404))
async def get_context(thread_id: ThreadId, call: CurrentCall, assistant_id: AssistantId = "recuerdo") -> JsonResponse:
    """The thread's context with the assistant, created if absent. Headers may set some of it."""
    scope = call.thread(thread_id)
    return JsonResponse(KnownContext.of(await call.context(scope, assistant_id)))


@router.patch("/{thread_id}", responses=documented(KnownContext, 403, 404))
async def update_context(
    thread_id: ThreadId, call: CurrentCall, assistant_id: AssistantId = "recuerdo"
) -> JsonResponse:
    """Set what the headers say, for every replica. 404 where there is no context."""
    scope = call.thread(thread_id)
    role = call.options.role_of(call.principal)
    context = await call.services.contexts.update(scope, assistant_id, call.connection.headers, role=role)
    if context is None:
        raise NotFound("context of the thread", thread_id)
    return JsonResponse(KnownContext.of(context))


@router.delete("/{thread_id}", status_code=204, responses=documented(None, status=204))
async def invalidate_context(
    thread_id: ThreadId, call: CurrentCall, assistant_id: AssistantId = "recuerdo"
) -> Response:
    """Forget the thread's context, on every replica: the next message is enriched anew."""
    await call.services.contexts.invalidate(call.thread(thread_id), assistant_id)
    return Response(status_code=204)


@router.post("/invalidate", status_code=204, responses=documented(None, 403, status=204))
async def invalidate_contexts(body: InvalidationBody, call: CurrentCall) -> Response:
    """Forget the tenant's contexts, or those of one assistant. With authentication: for the role `editor`."""
    if not call.may(EDITOR_ROLE):
        raise Forbidden(f"To invalidate the contexts of others is for the role {EDITOR_ROLE!r}.")
    if body.assistant_id is None:
        await call.services.contexts.invalidate_tenant(call.owner.tenant)
    else:
        await call.services.contexts.invalidate_assistant(call.owner.tenant, body.assistant_id)
    return Response(status_code=204)

"""Chat: one message in, one reply out, whole or in pieces."""

from fastapi import APIRouter, Request

from recuerdo.agents.events import ChatEvent, Finished, Started
from recuerdo.core.identifiers import derived_id, new_id
from recuerdo.core.scope import Scope
from recuerdo.server.answers import ChatAnswer, ChatStart
from recuerdo.server.auth.principal import CurrentPrincipal, Principal
from recuerdo.server.documentation import documented, event_stream
from recuerdo.server.expectations import Expected
from recuerdo.server.options import Options
from recuerdo.server.responses import JsonResponse, version_headers
from recuerdo.server.routes.contexts import context_for
from recuerdo.server.schemas import ChatBody, IdempotencyKey
from recuerdo.server.services import OpenServices
from recuerdo.server.streaming.sse import STOPPED, EventStream, encode, until_failure

router = APIRouter(prefix="/v1/chat", tags=["chat"])


@router.post("", responses=documented(ChatAnswer, 404, 409, 410, 412, 502))
async def chat(
    body: ChatBody,
    request: Request,
    principal: CurrentPrincipal,
    services: OpenServices,
    expected: Expected,
    idempotency_key: IdempotencyKey = None,
) -> JsonResponse:
    """Say something and get the whole reply. Both messages are stored in the thread."""
    scope = _thread(body, principal, idempotency_key)
    context = await context_for(request, principal, services, scope, body.assistant_id)
    reply = await services.chat.reply(
        scope,
        body.message,
        idempotency_key=idempotency_key,
        expected_epoch=await expected.epoch(services.history, scope, body.expected_epoch),
        context=context,
    )
    return JsonResponse(ChatAnswer.of(reply), headers=version_headers(reply.version))


@router.post(
    "/stream",
    responses=event_stream(
        "Events: `metadata` (a ChatStart), `token` ({text}) as often as needed, then `done` (a ChatAnswer) or "
        "`error` ({detail, status, code}). Comments keep the connection alive while the model is silent.",
        *(404, 409, 410, 412, 502),
    ),
)
async def chat_stream(
    body: ChatBody,
    request: Request,
    principal: CurrentPrincipal,
    services: OpenServices,
    options: Options,
    expected: Expected,
    idempotency_key: IdempotencyKey = None,
) -> EventStream:
    """Say something and get the reply in pieces, as server-sent events. Disconnecting stops the model."""
    scope = _thread(body, principal, idempotency_key)
    context = await context_for(request, principal, services, scope, body.assistant_id)
    events = services.chat.stream(
        scope,
        body.message,
        idempotency_key=idempotency_key,
        expected_epoch=await expected.epoch(services.history, scope, body.expected_epoch),
        context=context,
    )
    return EventStream(until_failure(events, _frame, request), options.heartbeat, STOPPED)


def _thread(body: ChatBody, principal: Principal, key: str | None) -> Scope:
    """The thread that is named, or a new one: the same for every try with the same key."""
    if body.thread_id is not None:
        return principal.thread(body.thread_id)
    owner = principal.owner
    return principal.thread(new_id() if key is None else derived_id(owner.tenant, owner.user, key))


def _frame(event: ChatEvent) -> bytes:
    if isinstance(event, Started):
        return encode("metadata", ChatStart.of(event))
    if isinstance(event, Finished):
        return encode("done", ChatAnswer.of(event.reply))
    return encode("token", {"text": event.text})

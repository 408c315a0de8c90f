"""Chat: one message in, one reply out, whole or in pieces; also in the form that gateways know from LangGraph."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query

from recuerdo.agents.events import ChatEvent, Finished, Reply, Started, Token
from recuerdo.agents.layers import relevance_of, retrieved
from recuerdo.agents.orchestrator import AGENTS_NAME, Agent, choose, seen_by
from recuerdo.core.contexts import OWN_ASSISTANT, ExecutionContext
from recuerdo.core.errors import NotFound
from recuerdo.core.identifiers import derived_id, new_id
from recuerdo.core.library import ChunkHit
from recuerdo.core.messages import Message
from recuerdo.core.scope import Scope
from recuerdo.server.answers import ChatAnswer, ChatStart, JsonResponse, Why, version_headers
from recuerdo.server.documentation import documented, event_stream
from recuerdo.server.requests import ApiCall, CurrentCall, Expected
from recuerdo.server.schemas import ChatBody, ChatbotBody, IdempotencyKey, ThreadId
from recuerdo.server.streaming.sse import STOPPED, EventStream, encode, until_failure

router = APIRouter(tags=["chat"])


@router.post("/v1/chat", responses=documented(ChatAnswer, 403, 404, 409, 410, 412, 502))
async def chat(
    body: ChatBody, call: CurrentCall, expected: Expected, idempotency_key: IdempotencyKey = None
) -> JsonResponse:
    """Say something and get the whole reply. Both messages are stored in the thread."""
    scope = _thread(body, call, idempotency_key)
    context = await call.context(scope, body.assistant_id, body.settings)
    reply = await call.services.chat.reply(
        scope,
        body.said,
        idempotency_key=idempotency_key,
        expected_epoch=await expected.epoch(call.services.history, scope, body.expected_epoch),
        context=context,
    )
    return JsonResponse(ChatAnswer.of(reply), headers=version_headers(reply.version))


@router.post(
    "/v1/chat/stream",
    responses=event_stream(
        "Events: `metadata` (a ChatStart), `token` ({text}) as often as needed, then `done` (a ChatAnswer) or "
        "`error` ({detail, status, code}). Comments keep the connection alive while the model is silent.",
        *(404, 409, 410, 412, 502),
    ),
)
async def chat_stream(
    body: ChatBody, call: CurrentCall, expected: Expected, idempotency_key: IdempotencyKey = None
) -> EventStream:
    """Say something and get the reply in pieces, as server-sent events. Disconnecting stops the model."""
    scope = _thread(body, call, idempotency_key)
    context = await call.context(scope, body.assistant_id, body.settings)
    events = call.services.chat.stream(
        scope,
        body.said,
        idempotency_key=idempotency_key,
        expected_epoch=await expected.epoch(call.services.history, scope, body.expected_epoch),
        context=context,
    )
    return EventStream(until_failure(events, _frame, call.connection), call.options.heartbeat, STOPPED)


@router.get("/v1/threads/{thread_id}/messages/{seq}/why", responses=documented(Why, 404))
async def explain_reply(
    thread_id: ThreadId,
    seq: Annotated[int, Path(ge=1, description="The reply's seq.")],
    call: CurrentCall,
    assistant_id: Annotated[str | None, Query(description="The assistant; without it, the one that answered.")] = None,
) -> JsonResponse:
    """Explain a reply of the chat: the prompt, the parts left out, and the fate of its memories."""
    scope = call.thread(thread_id)
    await call.services.history.thread(scope)
    answered = assistant_id or await call.services.chat.answered_by(scope, seq)
    try:
        context = await call.context(scope, answered)
    except NotFound:
        if assistant_id is not None:
            raise
        context = await call.context(scope, OWN_ASSISTANT)  # the one that answered is deleted: the rest is still known
    return JsonResponse(Why.of(await call.services.chat.explain(scope, seq, context)))


def _thread(body: ChatBody, call: ApiCall, key: str | None) -> Scope:
    """The thread that is named, or a new one: the same for every try with the same key."""
    if body.thread_id is not None:
        return call.thread(body.thread_id)
    owner = call.owner
    return call.thread(new_id() if key is None else derived_id(owner.tenant, owner.user, key))


def _frame(event: ChatEvent) -> bytes:
    if isinstance(event, Started):
        return encode("metadata", ChatStart.of(event))
    if isinstance(event, Finished):
        return encode("done", ChatAnswer.of(event.reply))
    return encode("token", {"text": event.text})


_EVENT = "events"


@router.post(
    "/api/v1/chatbot/stream",
    responses=event_stream(
        "Events of the name `events`: `on_chain_start`, `on_chat_model_stream` as often as needed with the agent in "
        "`metadata.langgraph_node`, then `on_chain_end` with both messages and the sources; or `error`.",
        *(404, 409, 410, 412, 502),
    ),
)
async def chatbot_stream(body: ChatbotBody, call: CurrentCall, expected: Expected) -> EventStream:
    """Say something in a session. The anonymous user is answered by the public agent, and is not remembered."""
    session_id = new_id() if body.session_id is None else body.session_id
    session = await call.services.sessions.bind(call.owner, session_id)
    scope = call.thread(session.thread)
    context = await call.context(scope, session.assistant_id)
    found = await call.services.chat.look_up(scope, body.message, context)
    agent = choose(call.owner, found)
    epoch = await expected.epoch(call.services.history, scope, body.expected_epoch)
    turn = _ChatbotEvents(agent, seen_by(agent, found), session_id, scope.thread, epoch)
    events = turn.events(call, scope, body.message, context)
    return EventStream(
        until_failure(events, lambda event: encode(_EVENT, event), call.connection), call.options.heartbeat, STOPPED
    )


class _ChatbotEvents:
    """One message and its answer, as events of a run of LangGraph."""

    def __init__(
        self, agent: Agent, found: Sequence[ChunkHit], session_id: str, thread_id: str, expected_epoch: int | None
    ) -> None:
        self._agent = agent
        self._found = found
        self._run_id = new_id()
        self._expected_epoch = expected_epoch
        self._about = {"session_id": session_id, "thread_id": thread_id}

    async def events(
        self, call: ApiCall, scope: Scope, message: str, context: ExecutionContext
    ) -> AsyncGenerator[dict[str, Any]]:
        stream = call.services.chat.stream(
            scope, message, expected_epoch=self._expected_epoch, context=context, found=self._found
        )
        async with aclosing(stream) as events:
            async for event in events:
                if isinstance(event, Token):
                    yield self._event("on_chat_model_stream", self._agent, {"chunk": _chunk(event.text, self._run_id)})
                elif isinstance(event, Finished):
                    yield self._event("on_chain_end", AGENTS_NAME, {"output": self._output(event.reply)})
                else:
                    said = {"messages": [_shown(event.message)]}
                    yield self._event("on_chain_start", AGENTS_NAME, {"input": said})

    def _event(self, kind: str, name: str, data: dict[str, Any]) -> dict[str, Any]:
        return {
            "event": kind,
            "name": name,
            "run_id": self._run_id,
            "tags": [],
            "parent_ids": [],
            "metadata": {"langgraph_node": self._agent, **self._about},
            "data": data,
        }

    def _output(self, reply: Reply) -> dict[str, Any]:
        metadata = {**reply.reply.metadata, **self._about, "agent": self._agent}
        return {
            "messages": [_shown(reply.message), {**_shown(reply.reply), "response_metadata": metadata}],
            "response": reply.reply.text,
            "current_agent": self._agent,
            "retrieved_context": retrieved(self._found),
            "relevance_score": relevance_of(self._found),
            "sources": [_source(each) for each in reply.reply.metadata.get("sources", [])],
            "metadata": metadata,
        }


def _chunk(text: str, run_id: str) -> dict[str, Any]:
    return {"type": "AIMessageChunk", "content": text, "id": run_id}


def _shown(message: Message) -> dict[str, Any]:
    kind = {"user": "human", "assistant": "ai"}.get(message.role, message.role)
    return {"type": kind, "content": message.content, "id": message.id, "created_at": message.created_at}


def _source(source: dict[str, Any]) -> dict[str, Any]:
    """As gateways name it, with what we know besides."""
    return {"source_name": source.get("title", ""), "score": source.get("score", 0.0), **source}

"""The chat of gateways and web front ends: a session, and events in LangGraph's form."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

from fastapi import APIRouter, Request

from recuerdo.agents.events import Finished, Reply, Token
from recuerdo.agents.orchestrator import Agent, choose, seen_by
from recuerdo.core.contexts import ExecutionContext
from recuerdo.core.identifiers import new_id
from recuerdo.core.library import ChunkHit
from recuerdo.core.messages import Message
from recuerdo.core.scope import Scope
from recuerdo.server.auth.principal import CurrentPrincipal
from recuerdo.server.documentation import event_stream
from recuerdo.server.expectations import Expected
from recuerdo.server.options import Options
from recuerdo.server.routes.contexts import context_for
from recuerdo.server.schemas import ChatbotBody
from recuerdo.server.services import OpenServices, Services
from recuerdo.server.streaming.sse import STOPPED, EventStream, encode, until_failure

router = APIRouter(prefix="/api/v1/chatbot", tags=["chat"])

_EVENT = "events"


@router.post(
    "/stream",
    responses=event_stream(
        "Events of the name `events`: `on_chain_start`, `on_chat_model_stream` as often as needed with the agent in "
        "`metadata.langgraph_node`, then `on_chain_end` with both messages and the sources; or `error`.",
        *(404, 409, 410, 412, 502),
    ),
)
async def chatbot_stream(
    body: ChatbotBody,
    request: Request,
    principal: CurrentPrincipal,
    services: OpenServices,
    options: Options,
    expected: Expected,
) -> EventStream:
    """Say something in a session. The anonymous user is answered by the public agent, and is not remembered."""
    session_id = new_id() if body.session_id is None else body.session_id
    session = await services.sessions.bind(principal.owner, session_id)
    scope = principal.thread(session.thread)
    context = await context_for(request, principal, services, scope, session.assistant_id)
    found = await services.chat.look_up(scope, body.message, context)
    agent = choose(principal.owner, found)
    epoch = await expected.epoch(services.history, scope, body.expected_epoch)
    turn = _ChatbotEvents(agent, session_id, scope.thread, epoch)
    events = turn.events(services, scope, body.message, context, seen_by(agent, found))
    return EventStream(until_failure(events, lambda event: encode(_EVENT, event), request), options.heartbeat, STOPPED)


class _ChatbotEvents:
    """One message and its answer, as events of a run of LangGraph."""

    def __init__(self, agent: Agent, session_id: str, thread_id: str, expected_epoch: int | None) -> None:
        self._agent = agent
        self._run_id = new_id()
        self._expected_epoch = expected_epoch
        self._about = {"session_id": session_id, "thread_id": thread_id}

    async def events(
        self, services: Services, scope: Scope, message: str, context: ExecutionContext, found: Sequence[ChunkHit]
    ) -> AsyncGenerator[dict[str, Any]]:
        stream = services.chat.stream(scope, message, expected_epoch=self._expected_epoch, context=context, found=found)
        async with aclosing(stream) as events:
            async for event in events:
                if isinstance(event, Token):
                    yield self._event("on_chat_model_stream", self._agent, {"chunk": _chunk(event.text, self._run_id)})
                elif isinstance(event, Finished):
                    yield self._event("on_chain_end", "LangGraph", {"output": self._output(event.reply)})
                else:
                    said = {"messages": [_shown(event.message)]}
                    yield self._event("on_chain_start", "LangGraph", {"input": said})

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

"""The thread-centric protocol: commands to a thread, and the stream of all that happens on it.

The protocol is the one of https://github.com/langchain-ai/langchain-protocol; the page about the LangGraph API says
which parts of it are served.
"""

from functools import partial
from typing import Any
from urllib.parse import unquote

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from starlette.websockets import WebSocket

from recuerdo.core.errors import NotFound
from recuerdo.server.answers import JsonResponse
from recuerdo.server.documentation import documented, event_stream
from recuerdo.server.errors import status_of
from recuerdo.server.requests import ApiCall, RuledCall, find_principal
from recuerdo.server.routes.langgraph.answering import PathThreadId, answer, checked_thread_id
from recuerdo.server.streaming.frames import accept, closed_with_reason, headers_of
from recuerdo.server.streaming.sse import EventFilter, EventStream, thread_frames
from recuerdo.server.streaming.thread_socket import ThreadSocket

router = APIRouter(prefix="/threads/{thread_id}", tags=["the protocol of threads"])

_MOST_CHANNELS = 64
_LARGEST = 2**53
_CLOSED_WITH = 4000
"""And the status that HTTP would have answered with: a browser can't read the status of a refused upgrade."""


class CommandBody(BaseModel):
    """One command, and the id that its answer repeats."""

    model_config = ConfigDict(extra="ignore", strict=True)

    id: int = Field(ge=0, lt=_LARGEST)
    method: str = Field(max_length=100)
    params: dict[str, Any] = {}


class EventsBody(BaseModel):
    """The events to stream, and the `seq` after which they begin."""

    model_config = ConfigDict(extra="ignore", strict=True)

    channels: list[str] = Field(max_length=_MOST_CHANNELS)
    namespaces: list[list[str]] | None = Field(None, max_length=1000)
    depth: int | None = Field(None, ge=0, lt=_LARGEST)
    since: int | None = Field(None, ge=0, lt=_LARGEST)


@router.post("/commands", responses=documented(None, 404))
async def command_thread(thread_id: PathThreadId, body: CommandBody, call: RuledCall) -> JsonResponse:
    """Run a command: `run.start`, `input.respond`, `state.get`, `state.listCheckpoints`, `state.fork`.

    A refused command is answered in the protocol's words, with the status 200.
    """
    commands = call.graphs.commands
    return answer(await commands.answer(call.owner, thread_id, body.id, body.method, body.params))


@router.post("/stream/events", responses=event_stream("Events of the thread, run after run.", 404))
async def stream_thread_events(thread_id: PathThreadId, body: EventsBody, call: RuledCall) -> EventStream:
    """Stream all events of the thread, from now on or after `since`."""
    await call.graphs.threads.get(call.owner, thread_id)
    channels = frozenset(body.channels)
    events = call.graphs.stream.follow(call.owner, thread_id, body.since, call.options.idle, channels=channels)
    chosen = EventFilter(body.channels, body.namespaces, body.depth)
    return EventStream(thread_frames(events, chosen), call.options.heartbeat)


@router.websocket("/stream/events")
async def converse_with_thread(socket: WebSocket, thread_id: str) -> None:
    """The same with commands and events in frames. Tenant and user come from the credential alone."""
    await accept(socket)
    async with closed_with_reason(socket, lambda error: _CLOSED_WITH + status_of(error)):
        await _converse(socket, thread_id)


async def _converse(socket: WebSocket, thread_id: str) -> None:
    call = ApiCall(socket, await find_principal(socket, headers_of(socket)))
    runs, owner = call.graphs, call.owner
    thread_id = _checked(thread_id)
    await runs.threads.get(owner, thread_id)
    listening = await runs.stream.listen(owner, thread_id, call.options.idle)
    await ThreadSocket(socket, partial(runs.commands.answer, owner, thread_id), listening.follow).run()


def _checked(thread_id: str) -> str:
    try:
        return checked_thread_id(unquote(thread_id))
    except ValueError:
        raise NotFound("thread", thread_id) from None

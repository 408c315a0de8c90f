"""Sessions over WebSockets."""

from contextlib import suppress
from typing import Annotated

from fastapi import APIRouter, Query, WebSocket
from starlette.datastructures import Headers

from recuerdo.core.contexts import ExecutionContext, Session
from recuerdo.core.errors import Forbidden, InvalidInput, NotFound, RecuerdoError, Unauthenticated, Unavailable
from recuerdo.server.auth.principal import Principal, authenticate
from recuerdo.server.auth.subprotocols import accept, headers_of
from recuerdo.server.options import options_of
from recuerdo.server.services import Services, open_services
from recuerdo.server.streaming import frames
from recuerdo.server.streaming.turns import Turns
from recuerdo.server.streaming.websocket import Resumption, SessionConnection

router = APIRouter(tags=["sessions"])

_CODES: tuple[tuple[type[RecuerdoError], int], ...] = (
    (InvalidInput, frames.MALFORMED),
    (Unauthenticated, frames.UNKNOWN_CALLER),
    (Forbidden, frames.FORBIDDEN),
    (NotFound, frames.NOT_FOUND),
    (Unavailable, frames.AWAY),
)


class Connections:
    """The connections of this process, one a session."""

    def __init__(self, turns: Turns) -> None:
        self.turns = turns
        self._open: dict[tuple[str, str, str], SessionConnection] = {}

    def enter(self, session: Session, conversation: SessionConnection) -> None:
        """This is the session's connection now."""
        key = (session.tenant, session.user, session.session)
        older = self._open.get(key)
        self._open[key] = conversation
        if older is not None:
            older.replace()

    def leave(self, session: Session, conversation: SessionConnection) -> None:
        """The connection is over."""
        key = (session.tenant, session.user, session.session)
        if self._open.get(key) is conversation:
            del self._open[key]


@router.websocket("/ws/{session_id}")
async def converse(
    socket: WebSocket,
    session_id: str,
    thread_id: Annotated[str | None, Query()] = None,
    assistant_id: Annotated[str | None, Query()] = None,
    last_frame_id: Annotated[str | None, Query()] = None,
) -> None:
    """Chat in frames, in the thread that the session is bound to. Tenant and user come from the credential alone."""
    await accept(socket)
    async with frames.closed_with_reason(socket, _code):
        await _converse(socket, session_id, thread_id, assistant_id, last_frame_id)


async def _converse(
    socket: WebSocket, session_id: str, thread_id: str | None, assistant_id: str | None, last_frame_id: str | None
) -> None:
    headers = headers_of(socket)
    principal = await authenticate(socket, headers)
    resumption = Resumption.read(last_frame_id) if last_frame_id else None
    services = await open_services(socket)
    session = await services.sessions.bind(principal.owner, session_id, thread_id, assistant_id)

    used, role = session, options_of(socket).role_of(principal)

    async def find_context() -> ExecutionContext:
        """The thread's context, for a message. It is a use of the session."""
        nonlocal used
        with suppress(Unavailable):  # the turn says what it can't do without the database
            used = await services.sessions.renew(used)
        return await _context(services, session, principal, role, headers)

    await find_context()  # who names no assistant of theirs is told so now
    connections: Connections = socket.app.state.connections
    conversation = SessionConnection(socket, session, connections.turns, find_context, socket.app.state.drain)
    connections.enter(session, conversation)
    try:
        await conversation.run(resumption)
    finally:
        connections.leave(session, conversation)


async def _context(
    services: Services, session: Session, principal: Principal, role: str, headers: Headers
) -> ExecutionContext:
    return await services.contexts.get_or_create(
        session.owner.thread(session.thread),
        session.assistant_id,
        headers,
        role=role,
        tier=principal.tier,
        session=session.session,
    )


def _code(error: RecuerdoError) -> int:
    return next((code for kind, code in _CODES if isinstance(error, kind)), frames.FAILED)

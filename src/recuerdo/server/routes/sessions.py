"""A session over a WebSocket: frames of JSON both ways, within limits, closed with codes that say why."""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress
from typing import Annotated, Any, NamedTuple
from urllib.parse import unquote

import msgspec
from fastapi import APIRouter, Query
from msgspec.structs import replace
from pydantic import AfterValidator
from starlette.websockets import WebSocket, WebSocketDisconnect

from recuerdo.concurrency.tasks import stop
from recuerdo.core.checks import UNREADABLE
from recuerdo.core.contexts import ExecutionContext, Headers, Session
from recuerdo.core.errors import Forbidden, InvalidInput, NotFound, RecuerdoError, Unauthenticated, Unavailable
from recuerdo.core.graph_ports import Signals
from recuerdo.core.identifiers import derived_id, new_id
from recuerdo.core.runs import RunEvent
from recuerdo.core.scope import check_id
from recuerdo.server.errors import code_of, plain_detail_of, status_of
from recuerdo.server.guards import Drain
from recuerdo.server.requests import ApiCall, find_principal, refuse_if_ruled
from recuerdo.server.streaming import frames
from recuerdo.server.streaming.frames import FLOOD, REPLACED, RESTARTING, TOO_LARGE, Closing, Frames, accept, headers_of
from recuerdo.server.streaming.turns import LAST, SessionTurn, Turns

MOST_BYTES = 64 * 1024
"""The largest frame that a client may send."""

MOST_WAITING = 8
"""How many messages may wait for their answers."""

BURST, PER_SECOND = 30, 5.0
"""How many frames a client may send at once, and how many a second from then on."""


class Say(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="message", tag_field="type"):
    """The user says something. The same `id` sent again is the same message.

    With an `expected_epoch` it is refused when the thread was cleared or deleted since. Its `headers` set parts of the
    thread's context as those of a request do, and count more than the connection's.
    """

    text: str
    id: Annotated[str, msgspec.Meta(min_length=1)] | None = None
    expected_epoch: Annotated[int, msgspec.Meta(ge=0)] | None = None
    headers: dict[str, str] = {}


class Ping(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="ping", tag_field="type"):
    """The client asks whether anybody is there."""


class Stop(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="stop", tag_field="type"):
    """The answer under way is not wanted any more."""


_PAUSE = 0.02
_CONNECTED = "session connected "
"""The signal between processes, followed by the key of the session and the id of its new connection."""

_EVENT_ID = re.compile(r"[0-9]+-[0-9]+")
_decoder: msgspec.json.Decoder[Say | Ping | Stop] = msgspec.json.Decoder(Say | Ping | Stop)


class Resumption(NamedTuple):
    """Where a client wants to go on: after this event of this attempt at the turn of this message."""

    message_id: str
    attempt: str
    event_id: str

    @classmethod
    def read(cls, frame_id: str) -> "Resumption":
        """From the id of a frame. Raises InvalidInput."""
        parts = frame_id.split(":", 2)
        if len(parts) < 3 or not all(parts) or not _EVENT_ID.fullmatch(parts[0]):
            raise InvalidInput("last_frame_id", "is not the id of a frame; leave it out to start again")
        event_id, attempt, message_id = parts
        return cls(message_id, attempt, event_id)

    def __str__(self) -> str:
        return f"{self.event_id}:{self.attempt}:{self.message_id}"


class _FrameRate:
    """The limit of frames: a burst, and a rate per second."""

    def __init__(self) -> None:
        self._left = float(BURST)
        self._at = time.monotonic()

    def take(self) -> bool:
        now = time.monotonic()
        self._left = min(BURST, self._left + (now - self._at) * PER_SECOND)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class SessionConnection:
    """One connection of a session: reads the client's messages, and answers in order."""

    def __init__(
        self,
        socket: WebSocket,
        session: Session,
        turns: Turns,
        find_context: Callable[[Headers], Awaitable[ExecutionContext]],
        drain: Drain,
        visitor_token: str | None = None,
    ) -> None:
        self.id = new_id()
        self._drain = drain
        self._greeting = {"visitor": visitor_token} if visitor_token else {}
        self._frames = Frames(socket)
        self._session = session
        self._turns = turns
        self._find_context = find_context
        self._waiting: asyncio.Queue[Say] = asyncio.Queue(MOST_WAITING)
        self._allowance = _FrameRate()
        self._current: tuple[SessionTurn, str] | None = None
        self._begins = self._is_unwanted = False
        self._replaced = asyncio.Event()

    def replace(self) -> None:
        """A newer connection has the session now."""
        self._replaced.set()

    async def run(self, resumption: Resumption | None) -> None:
        """Converse until the client goes away. Raises Closing."""
        if resumption is not None:  # the client may stop this answer as soon as it is connected
            self._current = self._turn(resumption.message_id, ""), resumption.attempt
        await self._send({"type": "ready", **self._named(), **self._greeting})
        work = (self._read(), self._answer(resumption), self._until_replaced(), self._until_stopped())
        tasks = [asyncio.create_task(each) for each in work]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await stop(*tasks)
        for task in done:
            with suppress(WebSocketDisconnect):
                task.result()

    def _named(self) -> dict[str, Any]:
        session = self._session
        return {"session_id": session.session, "thread_id": session.thread, "assistant_id": session.assistant_id}

    async def _until_replaced(self) -> None:
        await self._replaced.wait()
        raise Closing(REPLACED, "the session continues in a newer connection")

    async def _until_stopped(self) -> None:
        """An answer that has begun is sent to its end first, for as long as the server waits for it."""
        await self._drain.began.wait()
        while self._current is not None:  # noqa: ASYNC110
            await asyncio.sleep(_PAUSE)
        raise Closing(RESTARTING, "the server is stopping: connect again")

    async def _read(self) -> None:
        while (frame := await self._frames.receive()) is not None:
            if len(frame) > MOST_BYTES or len(frame.encode()) > MOST_BYTES:
                raise Closing(TOO_LARGE, f"a frame may have {MOST_BYTES} bytes")
            if not self._allowance.take():
                raise Closing(FLOOD, f"more than {PER_SECOND:g} frames a second")
            await self._handle(frame)

    async def _handle(self, frame: str) -> None:
        try:
            said = _decoder.decode(frame)
        except UNREADABLE as error:
            return await self._send({"type": "error", "status": 422, "detail": f"The frame can't be read: {error}"})
        if isinstance(said, Ping):
            return await self._send({"type": "pong"})
        if isinstance(said, Stop):
            return await self._stop()
        try:
            self._waiting.put_nowait(said)
        except asyncio.QueueFull:
            raise Closing(FLOOD, f"more than {MOST_WAITING} messages wait for their answers") from None
        return None

    async def _stop(self) -> None:
        """Stop the current answer; or when there is none the next one, if its message is here, once it has begun."""
        if self._current is None:
            self._is_unwanted = self._begins or not self._waiting.empty()
            return
        try:
            await self._turns.stop(*self._current)
        except Unavailable as error:
            await self._send({"type": "error", **_told(error)})

    async def _answer(self, resumption: Resumption | None) -> None:
        if resumption is not None:
            await self._resume(resumption)
        while True:
            said = await self._waiting.get()
            self._begins = True
            self._current = await self._begin(said)
            self._begins = False
            if self._is_unwanted:
                self._is_unwanted = False
                await self._stop()
            if self._current is not None:
                await self._follow(*self._current)

    async def _begin(self, said: Say) -> tuple[SessionTurn, str] | None:
        """The message's turn and attempt; None for a message that is refused, after its error was sent."""
        message_id = said.id or new_id()
        turn = self._turn(message_id, said.text, said.expected_epoch)
        try:
            check_id("id", message_id)
            return turn, await self._turns.begin(turn, await self._find_context(said.headers))
        except Exception as error:
            await self._send({"type": "error", **_told(error), "message_id": message_id})
            return None

    async def _resume(self, resumption: Resumption) -> None:
        turn = self._turn(resumption.message_id, "")
        if await self._turns.knows(turn, resumption.attempt):
            return await self._follow(turn, resumption.attempt, resumption.event_id)
        self._current = None
        return await self._say_lost(turn)

    async def _say_lost(self, turn: SessionTurn) -> None:
        detail = "The answer is not known any more. Send the message again, with its id."
        await self._send({"type": "lost", "message_id": turn.message_id, "detail": detail})

    def _turn(self, message_id: str, text: str, expected_epoch: int | None = None) -> SessionTurn:
        scope = self._session.owner.thread(self._session.thread)
        return SessionTurn(scope, self._session.session, message_id, text, expected_epoch)

    async def _follow(self, turn: SessionTurn, attempt: str, after: str = "") -> None:
        self._current = turn, attempt
        with self._drain.working():
            try:
                async with aclosing(self._turns.follow(turn, attempt, after)) as events:
                    async for event in events:
                        await self._send_event(Resumption(turn.message_id, attempt, event.id), event)
                        if event.name in LAST:
                            break
                    else:
                        if not await self._turns.knows(turn, attempt):  # its events were erased
                            await self._turns.give_up(turn, attempt)
                            await self._say_lost(turn)
            except TimeoutError:
                await self._say_lost(turn)
            except Unavailable as error:
                await self._send({"type": "error", **_told(error), "message_id": turn.message_id})
        self._current = None

    async def _send_event(self, place: Resumption, event: RunEvent) -> None:
        head = {"type": event.name, "id": str(place), "message_id": place.message_id}
        await self._send({**head, "data": msgspec.Raw(event.data)})

    async def _send(self, frame: dict[str, Any]) -> None:
        await self._frames.send(msgspec.json.encode(frame))


def _told(error: Exception) -> dict[str, Any]:
    return {"status": status_of(error), "detail": plain_detail_of(error), "code": code_of(error)}


router = APIRouter(tags=["sessions"])

_CODES: tuple[tuple[type[RecuerdoError], int], ...] = (
    (InvalidInput, frames.MALFORMED),
    (Unauthenticated, frames.UNKNOWN_CALLER),
    (Forbidden, frames.FORBIDDEN),
    (NotFound, frames.NOT_FOUND),
    (Unavailable, frames.AWAY),
)


class Connections:
    """The connections of this process, one a session. Other processes hear of new ones by a signal."""

    def __init__(self, turns: Turns, signals: Signals) -> None:
        self.turns = turns
        self._signals = signals
        self._open: dict[str, SessionConnection] = {}
        signals.subscribe(self._on_signal)

    def enter(self, session: Session, conversation: SessionConnection) -> None:
        """This is the session's connection now."""
        key = _key(session)
        older = self._open.get(key)
        self._open[key] = conversation
        if older is not None:
            older.replace()
        self._signals.publish(f"{_CONNECTED}{key} {conversation.id}")

    def leave(self, session: Session, conversation: SessionConnection) -> None:
        """The connection is over."""
        key = _key(session)
        if self._open.get(key) is conversation:
            del self._open[key]

    def _on_signal(self, signal: str) -> None:
        if not signal.startswith(_CONNECTED):
            return
        key, _, connection_id = signal.removeprefix(_CONNECTED).partition(" ")
        own = self._open.get(key)
        if own is not None and own.id < connection_id:  # ids are in the order of time
            own.replace()


def _key(session: Session) -> str:
    return derived_id(session.tenant, session.user, session.session)


@router.websocket("/ws/{session_id}")
async def converse(
    socket: WebSocket,
    session_id: Annotated[str, AfterValidator(unquote)],
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
    call = ApiCall(socket, refuse_if_ruled(await find_principal(socket, headers)))
    resumption = Resumption.read(last_frame_id) if last_frame_id else None
    sessions, contexts = call.services.sessions, call.services.contexts
    session = used = await sessions.bind(call.owner, session_id, thread_id, assistant_id)
    scope, role = session.owner.thread(session.thread), call.options.role_of(call.principal)

    async def find_context(own: Headers) -> ExecutionContext:
        """The thread's context, for a message with headers of its own. It is a use of the session."""
        nonlocal used
        with suppress(Unavailable):  # the turn says what it can't do without the database
            used = await sessions.renew(used)
        tier, both = call.principal.tier, {**headers, **{name.lower(): value for name, value in own.items()}}
        return await contexts.get_or_create(
            scope, session.assistant_id, both, role=role, tier=tier, session=session.session
        )

    await find_context({})  # refuses an unknown assistant now, not at the first message
    connections: Connections = socket.app.state.connections
    shown = replace(session, assistant_id=contexts.meant(session.assistant_id))
    conversation = SessionConnection(
        socket, shown, connections.turns, find_context, socket.app.state.drain, call.principal.visitor_token
    )
    connections.enter(session, conversation)
    try:
        await conversation.run(resumption)
    finally:
        connections.leave(session, conversation)


def _code(error: RecuerdoError) -> int:
    return next((code for kind, code in _CODES if isinstance(error, kind)), frames.FAILED)

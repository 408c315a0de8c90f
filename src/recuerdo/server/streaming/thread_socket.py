"""The thread-centric protocol over a WebSocket: commands come in, answers and the events of subscriptions go out."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from typing import Any, NamedTuple

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from recuerdo.concurrency.tasks import stop
from recuerdo.core.checks import UNREADABLE
from recuerdo.core.identifiers import new_id
from recuerdo.runs.commands import error_answer
from recuerdo.runs.thread_stream import ThreadEvent
from recuerdo.server.streaming.frames import Frames
from recuerdo.server.streaming.sse import EventFilter, event_json

MOST_SUBSCRIPTIONS = 64
"""The maximum number of subscriptions of one connection."""

_SENT_KEPT = 10_000

Answering = Callable[[int, str, dict[str, Any]], Awaitable[dict[str, Any]]]
Following = Callable[[int | None], AsyncGenerator[ThreadEvent | None]]


class _Command(msgspec.Struct):
    id: int
    method: str
    params: dict[str, Any] = {}


class Subscription(msgspec.Struct):
    """The events that a subscriber wants, and the seq after which."""

    channels: list[str]
    namespaces: list[list[str]] | None = None
    depth: int | None = None
    since: int | None = None

    @property
    def chosen(self) -> EventFilter:
        return EventFilter(self.channels, self.namespaces, self.depth)


class _PendingSubscription(NamedTuple):
    """A subscription that was asked for: the chosen events after `since`, or all that its connection has to do with.

    Up to `until` the connection had heard of them when it subscribed. Those come first, and then the answer: to
    LangGraph's client a subscription has ended whose older events come after a run's end.
    """

    since: int | None
    until: int
    chosen: EventFilter
    answer: dict[str, Any]
    has_caught_up: asyncio.Event

    def is_for(self, event: ThreadEvent) -> bool:
        return event.seq > (self.until if self.since is None else self.since) and self.chosen.passes(event)

    def is_overtaken_by(self, event: ThreadEvent) -> bool:
        return event.seq > self.until and not self.has_caught_up.is_set()


class ThreadSocket:
    """One connection. `answer` does commands, `follow` gives the thread's events; each is sent once, and in its turn:
    whichever subscription comes to it first sends it for all.
    """

    def __init__(self, socket: WebSocket, answer: Answering, follow: Following) -> None:
        self._frames = Frames(socket)
        self._answer = answer
        self._follow = follow
        self._subscriptions: dict[str, asyncio.Task[None]] = {}
        self._pending: dict[str, _PendingSubscription] = {}
        self._latest = 0
        self._sent: dict[str, None] = {}
        self._failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def run(self) -> None:
        """Serve the connection until the client goes away. Raises Closing."""
        reading = asyncio.create_task(self._read())
        try:
            await asyncio.wait([reading, self._failed], return_when=asyncio.FIRST_COMPLETED)
        finally:
            await stop(reading, *self._subscriptions.values())
        for each in (reading, self._failed):
            if each.done() and not each.cancelled():
                with suppress(WebSocketDisconnect):
                    each.result()

    async def _read(self) -> None:
        while (frame := await self._frames.receive()) is not None:
            try:
                command = msgspec.json.decode(frame, type=_Command)
            except UNREADABLE as error:
                await self._send(error_answer(None, "invalid_argument", f"The frame is not a command: {error}"))
                continue
            if (answer := await self._done(command)) is not None:
                await self._send(answer)

    async def _done(self, command: _Command) -> dict[str, Any] | None:
        """The answer; None when the command has a task that gives it."""
        if command.method == "subscription.subscribe":
            return self._subscribe(command)
        if command.method == "subscription.unsubscribe":
            name = str(command.params.get("subscription_id"))
            task = self._subscriptions.pop(name, None)
            if task is None:
                return error_answer(command.id, "no_such_subscription", "There is no subscription of this id.")
            del self._pending[name]
            task.cancel()
            return {"type": "success", "id": command.id, "result": {}}
        return await self._answer(command.id, command.method, command.params)

    def _subscribe(self, command: _Command) -> dict[str, Any] | None:
        try:
            wanted = msgspec.convert(command.params, Subscription)
        except msgspec.ValidationError as error:
            return error_answer(command.id, "invalid_argument", str(error))
        if len(self._subscriptions) >= MOST_SUBSCRIPTIONS:
            return error_answer(command.id, "invalid_argument", f"A connection has {MOST_SUBSCRIPTIONS} subscriptions.")
        name = new_id()
        answer = {"type": "success", "id": command.id, "result": {"subscription_id": name}}
        self._pending[name] = subscription = _PendingSubscription(
            wanted.since, self._latest, wanted.chosen, answer, asyncio.Event()
        )
        self._subscriptions[name] = task = asyncio.create_task(self._deliver(subscription))
        task.add_done_callback(self._note)
        return None

    def _note(self, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None and not self._failed.done():
            self._failed.set_exception(error)

    async def _deliver(self, subscription: _PendingSubscription) -> None:
        if subscription.until <= (subscription.since or 0):
            await self._catch_up(subscription)
        async with aclosing(self._follow(subscription.since)) as events:
            async for event in events:
                if event is None or event.seq > subscription.until:
                    await self._catch_up(subscription)
                if event is not None:
                    await self._send_in_order(event, subscription)
                    if event.seq == subscription.until:
                        await self._catch_up(subscription)
        await self._catch_up(subscription)

    async def _catch_up(self, subscription: _PendingSubscription) -> None:
        if not subscription.has_caught_up.is_set():
            await self._send(subscription.answer)
            subscription.has_caught_up.set()

    async def _send_in_order(self, event: ThreadEvent, own: _PendingSubscription) -> None:
        """Send the event when all earlier ones have been sent, if it was not sent yet and a subscriber wants it."""
        pending = self._pending.values()
        while late := next((each for each in pending if each.is_overtaken_by(event)), None):
            await late.has_caught_up.wait()
        self._latest = max(self._latest, event.seq)
        wanted = own.chosen.passes(event) or any(each.is_for(event) for each in pending)
        if wanted and event.event_id not in self._sent:
            self._sent[event.event_id] = None
            if len(self._sent) > _SENT_KEPT:
                del self._sent[next(iter(self._sent))]
            await self._frames.send(event_json(event))

    async def _send(self, frame: dict[str, Any]) -> None:
        await self._frames.send(msgspec.json.encode(frame))

"""Chat turns of sessions. A turn continues when its listeners leave, and can be followed again at any replica.

A turn is answered by the server that has its WebSocket (ServerTurns), or by a worker (`worker_turns`). Both run it in
the same way, and publish its events to the same log.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from typing import Literal, NamedTuple, Protocol

import msgspec

from recuerdo.agents.chat import Chat
from recuerdo.agents.events import ChatEvent, Finished, Started
from recuerdo.agents.turns import CheckNotErased
from recuerdo.concurrency.tasks import stop
from recuerdo.core.contexts import ExecutionContext
from recuerdo.core.errors import IdempotencyConflict, LeaseLost, UserErased
from recuerdo.core.graph_ports import RunEvents, Signals
from recuerdo.core.identifiers import derived_id, new_id
from recuerdo.core.messages import Message
from recuerdo.core.runs import FIRST_TOKEN, RunEvent
from recuerdo.core.scope import Scope
from recuerdo.server.answers import ChatAnswer, ChatStart
from recuerdo.server.errors import code_of, plain_detail_of, status_of

_log = logging.getLogger(__name__)

KEPT_SECONDS = 50.0
"""How long a turn that is over can be listened to again: a little less than the log keeps its events."""

ALIVE = "alive"
"""The name of events that only say that a turn is running, for listeners at other replicas."""

ALIVE_SECONDS = 3.0
"""How often that is said."""

SILENCE_SECONDS = 15.0
"""The silence after which a turn is considered dead."""

STOP = "stop turn "
"""The signal between processes, followed by the key of the turn."""

LAST = frozenset({"done", "error", "stopped"})
"""The names of events that end a turn."""

Outcome = Literal["done", "error", "stopped"]


class SessionTurn(NamedTuple):
    """A user's message in a session. The same session and message id are the same turn, sent again."""

    scope: Scope
    session: str
    message_id: str
    text: str
    expected_epoch: int | None = None

    @property
    def key(self) -> str:
        return derived_id(self.scope.tenant, self.scope.user, self.session, self.message_id)

    def log(self, attempt: str) -> str:
        """The log of one attempt's events. It differs for each caller, whatever attempt is named."""
        return derived_id(self.key, attempt)


class Turns(Protocol):
    """Where the turns of sessions are answered."""

    async def begin(self, turn: SessionTurn, context: ExecutionContext) -> str:
        """Start the turn, or start it again if its last attempt failed. Returns the name of the attempt.

        Raises Unavailable when it can't be started now, and IdempotencyConflict when its id was used for another text.
        """
        ...

    async def knows(self, turn: SessionTurn, attempt: str) -> bool:
        """Whether the events of this attempt are still there, at any replica."""
        ...

    def follow(self, turn: SessionTurn, attempt: str, after: str = "") -> AsyncGenerator[RunEvent]:
        """The events of a known attempt after the event `after`.

        Raises TimeoutError when the process that executes the turn has fallen silent: it has died. Raises Unavailable
        for a turn that no attempt has begun.
        """
        ...

    async def give_up(self, turn: SessionTurn, attempt: str) -> None:
        """Give this attempt up: the turn is started again when it is sent again."""
        ...

    async def stop(self, turn: SessionTurn, attempt: str) -> None:
        """Stop the model, in whichever process it runs; the text so far is stored. Raises Unavailable."""
        ...

    async def aclose(self) -> None:
        """Stop this process's turns, and wait until their messages are stored."""
        ...


class TurnRunner:
    """Runs turns, and publishes their events to a log, which authorized readers follow."""

    def __init__(self, chat: Callable[[], Chat], events: RunEvents) -> None:
        self._chat = chat
        self._events = events

    async def run(
        self,
        turn: SessionTurn,
        log: str,
        find_context: Callable[[], Awaitable[ExecutionContext]],
        *,
        check_not_erased: CheckNotErased | None = None,
        token: int = FIRST_TOKEN,
    ) -> Outcome:
        """Run the turn and send how it ended. A turn that is cancelled has not ended yet: see `end_turn`.

        Nothing of the turn is stored when `check_not_erased` raises LeaseLost because it was taken back.
        """
        beating = asyncio.create_task(self._publish_heartbeats(log, token))
        chat, started, was_lost = self._chat(), None, False

        async def stands() -> bool:
            nonlocal was_lost
            if started is None:  # nothing of the user's is told yet, and the question is asked again before it is
                was_lost = True
                return True
            return await chat.stands(turn.scope, started)

        try:
            await self._events.begin(turn.scope.owner, turn.scope.thread, log, stands)
            stream = chat.stream(
                turn.scope,
                Message.user(turn.text),
                idempotency_key=turn.key,
                expected_epoch=turn.expected_epoch,
                context=await find_context(),
                check_not_erased=check_not_erased,
            )
            async with aclosing(stream) as events:
                async for event in events:
                    if isinstance(event, Started):
                        started = event
                        if was_lost and not await stands():
                            await self._events.seal(turn.scope.owner, turn.scope.thread)
                        if await self._events.is_sealed(log):
                            raise UserErased
                    await self._publish(log, *_named(event), token)
            await self._events.end(log, token)
            return "done"
        except LeaseLost:
            return await end_turn(self._events, log, "stopped", {}, token)
        except Exception as error:
            return await fail_turn(self._events, log, error, token)
        finally:
            beating.cancel()

    async def _publish_heartbeats(self, log: str, token: int) -> None:
        while True:
            await asyncio.sleep(ALIVE_SECONDS)
            await self._publish(log, ALIVE, {}, token)

    async def _publish(self, log: str, name: str, data: object, token: int) -> None:
        await self._events.publish(log, name, msgspec.json.encode(data), token)


async def end_turn(events: RunEvents, log: str, outcome: Outcome, data: object, token: int = FIRST_TOKEN) -> Outcome:
    """Tell how a turn ended."""
    await events.publish(log, outcome, msgspec.json.encode(data), token)
    await events.end(log, token)
    return outcome


async def fail_turn(events: RunEvents, log: str, error: Exception, token: int = FIRST_TOKEN) -> Outcome:
    """Tell that a turn ended with the error."""
    if status_of(error) == 500:
        _log.error("a turn failed", exc_info=error)
    told = {"status": status_of(error), "detail": plain_detail_of(error), "code": code_of(error)}
    return await end_turn(events, log, "error", told, token)


async def following(events: RunEvents, log: str, after: str, idle: float) -> AsyncGenerator[RunEvent]:
    """The events of a turn's log. Raises TimeoutError when nothing has come for `idle` seconds."""
    async with aclosing(events.follow(log, after)) as told:
        while True:
            async with asyncio.timeout(idle):
                event = await anext(told, None)
            if event is None:
                return
            if event.name != ALIVE:
                yield event


class _Begun(NamedTuple):
    """A turn that is running, or has ended."""

    attempt: str
    text: str
    task: asyncio.Task[Outcome]

    @property
    def is_good(self) -> bool:
        """Whether it may still come to a whole answer, or has."""
        return not self.task.done() or (not self.task.cancelled() and self.task.result() == "done")


class ServerTurns(Turns):
    """Runs turns in this process, as tasks of their own."""

    def __init__(self, chat: Callable[[], Chat], events: RunEvents, signals: Signals) -> None:
        self._events = events
        self._runner = TurnRunner(chat, events)
        self._signals = signals
        self._begun: dict[str, _Begun] = {}
        signals.subscribe(self._on_signal)

    async def begin(self, turn: SessionTurn, context: ExecutionContext) -> str:
        known = self._begun.get(turn.key)
        if known is None or not known.is_good:
            attempt = new_id()
            task = asyncio.create_task(self._run(turn, context, turn.log(attempt)))
            known = begun = self._begun[turn.key] = _Begun(attempt, turn.text, task)
            task.add_done_callback(lambda _: self._forget_soon(turn.key, begun))
            await asyncio.sleep(0)  # a task that is cancelled before its first step tells nothing
        if known.text != turn.text:
            raise IdempotencyConflict(turn.message_id)
        return known.attempt

    async def knows(self, turn: SessionTurn, attempt: str) -> bool:
        return await self._events.knows(turn.log(attempt))

    def follow(self, turn: SessionTurn, attempt: str, after: str = "") -> AsyncGenerator[RunEvent]:
        return following(self._events, turn.log(attempt), after, SILENCE_SECONDS)

    async def give_up(self, turn: SessionTurn, attempt: str) -> None:
        begun = self._begun.get(turn.key)
        if begun is not None and begun.attempt == attempt:
            begun.task.cancel()
            del self._begun[turn.key]

    async def stop(self, turn: SessionTurn, attempt: str) -> None:
        if not self._stop_here(turn.key):
            self._signals.publish(f"{STOP}{turn.key}")

    def _stop_here(self, key: str) -> bool:
        begun = self._begun.get(key)
        return begun is not None and begun.task.cancel()

    def _on_signal(self, signal: str) -> None:
        if signal.startswith(STOP):
            self._stop_here(signal.removeprefix(STOP))

    async def aclose(self) -> None:
        await stop(*[each.task for each in self._begun.values()], repeat_after=None)

    async def _run(self, turn: SessionTurn, context: ExecutionContext, log: str) -> Outcome:
        async def find_context() -> ExecutionContext:
            return context

        try:
            return await self._runner.run(turn, log, find_context)
        except asyncio.CancelledError:
            with suppress(Exception):
                await asyncio.shield(end_turn(self._events, log, "stopped", {}))
            raise

    def _forget_soon(self, key: str, begun: _Begun) -> None:
        def forget() -> None:
            if self._begun.get(key) is begun:
                del self._begun[key]

        with suppress(RuntimeError):  # the loop is closed
            asyncio.get_running_loop().call_later(KEPT_SECONDS, forget)


def _named(event: ChatEvent) -> tuple[str, object]:
    if isinstance(event, Started):
        return "start", ChatStart.of(event)
    if isinstance(event, Finished):
        return "done", ChatAnswer.of(event.reply)
    return "token", {"text": event.text}

"""Chat turns that go on when nobody listens any more, and that can be listened to again, at any replica."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from typing import NamedTuple

import msgspec

from recuerdo.agents.chat import Chat
from recuerdo.agents.events import ChatEvent, Finished, Started
from recuerdo.concurrency.tasks import stop
from recuerdo.core.contexts import ExecutionContext
from recuerdo.core.errors import UserErased
from recuerdo.core.graph_ports import RunEvents, Signals
from recuerdo.core.identifiers import derived_id, new_id
from recuerdo.core.messages import Message
from recuerdo.core.runs import RunEvent
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

_STOP = "stop turn "
"""The signal between replicas, followed by the key of the turn."""

LAST = frozenset({"done", "error", "stopped"})
"""The names of events that end a turn."""


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
        """Where the events of one attempt at the turn are. Nobody else's turn has it, whatever attempt they name."""
        return derived_id(self.key, attempt)


class _Begun(NamedTuple):
    """A turn at work, or over."""

    attempt: str
    task: asyncio.Task[bool]

    @property
    def is_good(self) -> bool:
        """Whether it may still come to a whole answer, or has."""
        return not self.task.done() or (not self.task.cancelled() and self.task.result())


class Turns:
    """Runs turns as tasks of their own, and tells their events to a log, from which anybody who may can read them."""

    def __init__(self, chat: Callable[[], Chat], events: RunEvents, signals: Signals) -> None:
        self._chat = chat
        self._events = events
        self._signals = signals
        self._begun: dict[str, _Begun] = {}
        signals.hear(self._on_signal)

    def begin(self, turn: SessionTurn, context: ExecutionContext) -> str:
        """Start the turn; again only where it has come to nothing. Returns the name of the attempt."""
        known = self._begun.get(turn.key)
        if known is None or not known.is_good:
            attempt = new_id()
            task = asyncio.create_task(self._run(turn, context, turn.log(attempt)))
            known = begun = self._begun[turn.key] = _Begun(attempt, task)
            task.add_done_callback(lambda _: self._forget_soon(turn.key, begun))
        return known.attempt

    async def knows(self, turn: SessionTurn, attempt: str) -> bool:
        """Whether the events of this attempt are still there, whichever replica has begun it."""
        return await self._events.knows(turn.log(attempt))

    async def follow(self, turn: SessionTurn, attempt: str, after: str = "") -> AsyncGenerator[RunEvent]:
        """The events of an attempt that is known, behind the one of the id `after`.

        Raises TimeoutError when the process that executes the turn has fallen silent: it has died.
        """
        async with aclosing(self._events.follow(turn.log(attempt), after)) as events:
            while True:
                async with asyncio.timeout(SILENCE_SECONDS):
                    event = await anext(events, None)
                if event is None:
                    return
                if event.name != ALIVE:
                    yield event

    def give_up(self, turn: SessionTurn, attempt: str) -> None:
        """Let the turn be begun anew when it is sent again: this attempt can't be listened to any more."""
        begun = self._begun.get(turn.key)
        if begun is not None and begun.attempt == attempt:
            begun.task.cancel()
            del self._begun[turn.key]

    def stop(self, key: str) -> None:
        """Let the model stop, here or wherever it answers; what it has said is stored."""
        if not self._stop_here(key):
            self._signals.tell(f"{_STOP}{key}")

    def _stop_here(self, key: str) -> bool:
        begun = self._begun.get(key)
        return begun is not None and begun.task.cancel()

    def _on_signal(self, word: str) -> None:
        if word.startswith(_STOP):
            self._stop_here(word.removeprefix(_STOP))

    async def aclose(self) -> None:
        """Stop all turns, and wait until what was said is stored."""
        await stop(*[each.task for each in self._begun.values()], patience=None)

    async def _run(self, turn: SessionTurn, context: ExecutionContext, log: str) -> bool:
        """Whether it came to a whole answer."""
        chat, beating = self._chat(), asyncio.create_task(self._say_that_it_lives(log))
        try:
            await self._events.begin(turn.scope.owner, turn.scope.thread, log)
            message = Message.user(turn.text)
            stream = chat.stream(
                turn.scope,
                message,
                idempotency_key=turn.key,
                expected_epoch=turn.expected_epoch,
                context=context,
            )
            async with aclosing(stream) as events:
                async for event in events:
                    if isinstance(event, Started) and await self._events.is_sealed(log):
                        raise UserErased
                    await self._publish(log, *_named(event))
            return True
        except asyncio.CancelledError:
            with suppress(Exception):
                await asyncio.shield(self._publish(log, "stopped", {}))
            raise
        except Exception as error:
            if status_of(error) == 500:
                _log.exception("a turn failed")
            told = {"status": status_of(error), "detail": plain_detail_of(error), "code": code_of(error)}
            await self._publish(log, "error", told)
            return False
        finally:
            beating.cancel()
            await asyncio.shield(self._events.end(log))

    async def _say_that_it_lives(self, log: str) -> None:
        while True:
            await asyncio.sleep(ALIVE_SECONDS)
            await self._publish(log, ALIVE, {})

    async def _publish(self, log: str, name: str, data: object) -> None:
        await self._events.publish(log, name, msgspec.json.encode(data))

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

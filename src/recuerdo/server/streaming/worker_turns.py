"""Turns of sessions that workers answer: the server that has the WebSocket hands them over, and follows them.

A turn is an action with an id of its own, so that the same message, sent again at any server, is the same action as
long as that comes to an answer. Its events come back by the log that replicas share.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from typing import Any

import msgspec

from recuerdo.actions import Actions
from recuerdo.actions.records import ActionRecord, Matches, RecordLocation
from recuerdo.agents.chat import Chat
from recuerdo.concurrency.tasks import stop
from recuerdo.contexts import Contexts
from recuerdo.core.actions import AnswerSession
from recuerdo.core.contexts import ExecutionContext
from recuerdo.core.errors import (
    CacheUnavailable,
    IdempotencyConflict,
    LeaseLost,
    NotFound,
    Unavailable,
    WorkerUnavailable,
)
from recuerdo.core.graph_ports import RunEvents, Signals
from recuerdo.core.identifiers import new_id
from recuerdo.core.ports import Clock
from recuerdo.core.runs import RunEvent
from recuerdo.core.scope import Scope
from recuerdo.server.streaming.turns import (
    STOP,
    Outcome,
    SessionTurn,
    TurnRunner,
    Turns,
    end_turn,
    fail_turn,
    following,
)

_MOST_BEGINNINGS = 5
"""How often workers begin with a turn: one that kills them is not tried for ever."""

_AWAY = (
    "Sessions are answered by workers, whose frames come over the shared cache, and that does not answer now. "
    "Nothing was stored. Send the message again, with its id."
)
_NO_WORKER = (
    "No worker has begun with the message for {:g} seconds, and it was taken back: nothing was stored. Start a worker "
    "of the queue 'agent' (recuerdo worker --queues agent), and send the message again, with its id."
)

_NO_END = (
    f"Workers began with the message {_MOST_BEGINNINGS} times, and none came to an end. Look at their logs, and send "
    "the message again, with its id."
)


class WorkerTurns(Turns):
    """Hands turns over to workers."""

    def __init__(
        self,
        actions: Actions,
        epoch_of: Callable[[Scope], Awaitable[int]],
        events: RunEvents,
        signals: Signals,
        clock: Clock,
        idle: float,
    ) -> None:
        """A turn without an event for `idle` seconds is given up."""
        self._actions = actions
        self._epoch_of = epoch_of
        self._events = events
        self._signals = signals
        self._clock = clock
        self._idle = idle

    async def begin(self, turn: SessionTurn, context: ExecutionContext) -> str:
        """See Turns. The events are noted before the action can be found, so that an erasure finds both or neither."""
        action = await self._action(turn, context)
        await self._events.begin(turn.scope.owner, turn.scope.thread, turn.log(action.attempt))
        stands = await self._actions.offer(action)
        attempt = _attempt(stands)
        if _read_attempt(stands.body).message != turn.text:
            raise IdempotencyConflict(turn.message_id)
        if attempt != action.attempt and not await self._is_good(turn, stands):
            attempt = _attempt(await self._actions.offer(action, _is_attempt(attempt)))
        return attempt

    async def _action(self, turn: SessionTurn, context: ExecutionContext) -> AnswerSession:
        """The turn as an action. It is meant for the thread as it is now, and not for one that was cleared since.

        It has the context itself: a reference would be lost when the cache answers a worker late.
        """
        epoch = turn.expected_epoch
        if epoch is None:
            epoch = await self._epoch_of(turn.scope) or None
        return AnswerSession(
            action_id=turn.key,
            task_id=turn.message_id,
            tenant=turn.scope.tenant,
            user=turn.scope.user,
            thread=turn.scope.thread,
            created_at=self._clock(),
            session=turn.session,
            message_id=turn.message_id,
            message=turn.text,
            attempt=new_id(),
            expected_epoch=epoch,
            assistant_id=context.assistant_id,
            context=context,
        )

    async def _is_good(self, turn: SessionTurn, row: ActionRecord) -> bool:
        """Whether the attempt may still come to a whole answer, or has, and can be listened to."""
        if row.is_open:
            return True
        is_whole = row.result is not None and row.result.value == "done"
        return is_whole and await self.knows(turn, _attempt(row))

    async def knows(self, turn: SessionTurn, attempt: str) -> bool:
        return await self._events.knows(turn.log(attempt))

    async def follow(self, turn: SessionTurn, attempt: str, after: str = "") -> AsyncGenerator[RunEvent]:
        """See Turns. A turn that no worker has begun with is taken back."""
        try:
            async with aclosing(following(self._events, turn.log(attempt), after, self._idle)) as events:
                async for event in events:
                    yield event
        except TimeoutError:
            if _waits(await self._withdraw(turn, attempt)):
                raise await self._reason(turn.log(attempt)) from None
            raise

    async def _reason(self, log: str) -> Unavailable:
        """Why no worker has begun."""
        try:
            await self._events.take_over(log)
        except CacheUnavailable:
            return CacheUnavailable(_AWAY)
        return WorkerUnavailable(_NO_WORKER.format(self._idle))

    async def give_up(self, turn: SessionTurn, attempt: str) -> None:
        await self._withdraw(turn, attempt)

    async def stop(self, turn: SessionTurn, attempt: str) -> None:
        """See Turns. A worker gets the signal, or sees it when it renews its lease."""
        self._signals.publish(f"{STOP}{turn.key}")
        if _waits(await self._withdraw(turn, attempt)):
            log = turn.log(attempt)
            await end_turn(self._events, log, "stopped", {}, await self._events.take_over(log))

    async def _withdraw(self, turn: SessionTurn, attempt: str) -> ActionRecord | None:
        place = RecordLocation(turn.scope.owner, AnswerSession.queue, turn.key)
        return await self._actions.withdraw(place, _is_attempt(attempt))

    async def aclose(self) -> None:
        """See Turns: nothing is done here."""


class SessionWorker:
    """Answers the turns of sessions that servers hand over: the handler of AnswerSession."""

    def __init__(
        self, chat: Callable[[], Chat], actions: Actions, contexts: Contexts, events: RunEvents, signals: Signals
    ) -> None:
        self._runner = TurnRunner(chat, events)
        self._actions = actions
        self._contexts = contexts
        self._events = events
        self._under_way: dict[str, asyncio.Task[Outcome]] = {}
        signals.subscribe(self._on_signal)

    async def answer(self, action: AnswerSession, context: ExecutionContext | None) -> Outcome:
        """Answer the turn, and publish its events. After a worker's death this begins anew, after its events.

        Raises CacheUnavailable: nothing is started without the event log.
        """
        turn = SessionTurn(action.scope, action.session, action.message_id, action.message, action.expected_epoch)
        log = turn.log(action.attempt)
        token = await self._events.take_over(log)
        if token > _MOST_BEGINNINGS:
            return await fail_turn(self._events, log, WorkerUnavailable(_NO_END), token)

        async def find_context() -> ExecutionContext:
            known = context or action.context
            return known or await self._contexts.get_or_create(action.scope, action.assistant_id)

        async def check_not_erased() -> None:
            if not await self._stands(action):
                raise LeaseLost

        running = self._runner.run(turn, log, find_context, check_not_erased=check_not_erased, token=token)
        task = self._under_way[turn.key] = asyncio.create_task(running)
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:  # this process stops, or it is no longer its turn
            await stop(task, repeat_after=None)
            with suppress(Unavailable):
                await asyncio.shield(self._end_unless_it_stands(action, log, token))
            raise
        finally:
            self._under_way.pop(turn.key, None)
        if task.cancelled():
            await end_turn(self._events, log, "stopped", {}, token)
            return "stopped"
        return task.result()

    async def _end_unless_it_stands(self, action: AnswerSession, log: str, token: int) -> None:
        if not await self._stands(action):
            await end_turn(self._events, log, "stopped", {}, token)

    async def _stands(self, action: AnswerSession) -> bool:
        """Whether the turn was neither stopped nor erased: some worker has to answer it."""
        try:
            row = await self._actions.find(action.owner, action.action_id)
        except NotFound:
            return False
        return row.is_open and _attempt(row) == action.attempt

    def _on_signal(self, signal: str) -> None:
        task = self._under_way.get(signal.removeprefix(STOP)) if signal.startswith(STOP) else None
        if task is not None:
            task.cancel()


def _waits(row: ActionRecord | None) -> bool:
    return row is not None and row.status == "waiting"


class _Attempted(msgspec.Struct):
    """The field that tells attempts at one turn apart, and what the user said."""

    attempt: str = ""
    message: str = ""


_read_attempt: Callable[[Any], _Attempted] = msgspec.json.Decoder(_Attempted).decode


def _attempt(row: ActionRecord) -> str:
    return _read_attempt(row.body).attempt


def _is_attempt(attempt: str) -> Matches:
    return lambda row: _attempt(row) == attempt

"""A worker in this process: each action once, with retries, and with what can't be done put aside."""

import asyncio
import logging
import random
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from itertools import count
from typing import Any, Literal, NamedTuple

from recuerdo.core.actions import ActionResult, Audience, DomainAction, audience_of
from recuerdo.core.contexts import ExecutionContext
from recuerdo.core.errors import ConfigurationError, Unavailable

MOST_ATTEMPTS = 5
FIRST_PAUSE = 0.1
_MOST_KNOWN = 10_000

Resolve = Callable[[str, Audience, str], Awaitable[ExecutionContext | None]]
Do = Callable[[Any, ExecutionContext | None], Awaitable[Any]]

_log = logging.getLogger(__name__)


class DeadLetter(NamedTuple):
    """An action that was given up, and why."""

    action: DomainAction
    result: ActionResult


class Worker:
    """Does actions. `duties` say who does which kind, given the action and its context; `resolve` finds contexts.

    An action whose context is gone is done with its own fields: the context is None then, the result says so, and
    `without_context` counts it. An action that is handed on again is not done again: its first result is given.
    What fails because something is away is tried again, later each time; what can't be done is in `dead_letters`.
    """

    def __init__(
        self,
        resolve: Resolve,
        duties: Mapping[Audience, Do],
        *,
        most_attempts: int = MOST_ATTEMPTS,
        first_pause: float = FIRST_PAUSE,
    ) -> None:
        self._resolve = resolve
        self._duties = duties
        self._most_attempts = most_attempts
        self._first_pause = first_pause
        self._results: OrderedDict[tuple[str, str], asyncio.Task[ActionResult]] = OrderedDict()
        self.dead_letters: list[DeadLetter] = []
        self.without_context = 0

    async def do(self, action: DomainAction) -> ActionResult:
        """What becomes of the action. Raises ConfigurationError when this worker has no such duty."""
        audience = audience_of(action)
        if audience not in self._duties:
            raise ConfigurationError(f"This worker does not take actions for {audience!r}. Start one that does.")
        key = (action.tenant, action.action_id)
        task = self._results.get(key)
        if task is None or (task.done() and (task.cancelled() or task.result().error)):
            task = self._results[key] = asyncio.create_task(self._work(action, audience))
            self._forget_old()
        return await asyncio.shield(task)

    async def aclose(self) -> None:
        """Wait for what is under way."""
        await asyncio.gather(*self._results.values(), return_exceptions=True)

    async def _work(self, action: DomainAction, audience: Audience) -> ActionResult:
        context = await self._context(action, audience)
        origin: Literal["reference", "action"] = "action" if context is None else "reference"
        for attempt in count(1):
            try:
                value = await self._duties[audience](action, context)
                return ActionResult(action_id=action.action_id, context=origin, attempts=attempt, value=value)
            except Exception as error:
                if not isinstance(error, Unavailable) or attempt >= self._most_attempts:
                    return self._give_up(action, origin, attempt, error)
            await asyncio.sleep(self._first_pause * 2 ** (attempt - 1) * random.uniform(0.5, 1.5))  # noqa: S311
        raise AssertionError("a count never ends")

    async def _context(self, action: DomainAction, audience: Audience) -> ExecutionContext | None:
        key = action.context_reference_key
        context = None if key is None else await self._resolve(action.tenant, audience, key)
        if key is not None and context is None:
            self.without_context += 1
        return context

    def _give_up(
        self, action: DomainAction, origin: Literal["reference", "action"], attempts: int, error: Exception
    ) -> ActionResult:
        _log.warning("an action is given up: %s", type(error).__name__)
        result = ActionResult(
            action_id=action.action_id,
            context=origin,
            attempts=attempts,
            error=f"{type(error).__name__}: {error}",
        )
        self.dead_letters.append(DeadLetter(action, result))
        del self.dead_letters[:-_MOST_KNOWN]
        return result

    def _forget_old(self) -> None:
        while len(self._results) > _MOST_KNOWN and next(iter(self._results.values())).done():
            self._results.popitem(last=False)

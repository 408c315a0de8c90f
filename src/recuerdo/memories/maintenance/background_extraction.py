"""Reads messages once more with a model, in the background: facts that the detectors missed become memories, too.

A message is handed over when it is stored, and read when a worker comes to it; no caller waits for that. The action has
the message's place and not its text, so that a message that is cleared meanwhile is not read.
"""

from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Any, Protocol

from msgspec.structs import replace

from recuerdo.core.actions import ReadMessage
from recuerdo.core.contexts import ExecutionContext
from recuerdo.core.errors import ConfigurationError, UserErased
from recuerdo.core.identifiers import derived_id
from recuerdo.core.memories import LedgerState, Memory, MemoryQuery, Source
from recuerdo.core.messages import Message, decode_all
from recuerdo.core.ports import Clock, HistoryRepository, StructuredModel
from recuerdo.core.scope import Scope
from recuerdo.core.threads import MessageQuery
from recuerdo.memories.changes import Beginning
from recuerdo.memories.extraction.llm_extraction import ExtractionContext, KnownValue, asked_tokens, extract_with_model
from recuerdo.memories.likeness import telling_words
from recuerdo.memories.memories import Memories
from recuerdo.memories.remember import Said
from recuerdo.memories.spending import Spending

LONGEST_WAIT = timedelta(days=1)
"""How long a message may wait for its tenant's budget."""

_SOON = 1.0
"""Seconds after which a message that was not there is looked for again; later each time."""

_MOST_HELD = 60

_LAST = 200
"""Messages of a thread among which one is looked for whose place was not known."""


class Enqueue(Protocol):
    """Hands an action over, to be begun this many seconds later."""

    def __call__(self, action: ReadMessage, *, after: float = 0) -> Awaitable[object]: ...


class BackgroundExtraction:
    """Hands messages over for reading, and reads them."""

    def __init__(
        self,
        memories: Memories,
        messages: HistoryRepository,
        model: Callable[[], StructuredModel],
        spending: Spending,
        enqueue: Enqueue,
        clock: Clock,
    ) -> None:
        self._memories = memories
        self._messages = messages
        self._model = model
        self._spending = spending
        self._enqueue = enqueue
        self._clock = clock

    async def hand_over(self, scope: Scope, message: Message, beginning: Beginning | None = None) -> ReadMessage | None:
        """Let the user's message be read, and return the action, which is durable; None if it says too little.

        Its facts are not written when the user was erased since the `beginning`, which is now unless it is given.
        """
        if scope.owner.is_anonymous or message.role != "user" or len(telling_words(message.text)) < 2:
            return None
        state = (beginning or await self._memories.begin(scope.owner)).state
        action = ReadMessage(
            action_id=derived_id("read", scope.tenant, scope.user, scope.thread, message.id),
            task_id=message.id,
            tenant=scope.tenant,
            user=scope.user,
            thread=scope.thread,
            created_at=self._clock(),
            message_id=message.id,
            seq=message.seq or 0,
            epoch=state.epoch,
            version=state.version,
        )
        await self._enqueue(action)
        return action

    async def do(self, action: ReadMessage, _: ExecutionContext | None = None) -> Mapping[str, Any]:
        """The ids of the memories that come of it. One whose budget is spent is put off to the next hour, one that is
        still in a spool for a while.

        Raises ModelUnavailable, and ConfigurationError when the budget was spent for a day.
        """
        message = await self._message(action)
        age = self._clock() - action.created_at
        if message is None and not action.seq and age < LONGEST_WAIT:
            return await self._put_off(action, max(_SOON, age.total_seconds()), "the message is not committed yet")
        if message is None:
            return {"memories": [], "why": "the message is gone"}
        asked = asked_tokens(message.text)
        if (wait := await self._spending.take(action.tenant, asked)) is not None:
            self._check_wait(action, wait)
            return await self._put_off(action, wait, "the budget of this hour is spent")
        used = 0
        try:
            scene = await self._scene(action, message)
            heard, tokens, refused = await extract_with_model(model := self._model(), message.text, scene)
            used = tokens or asked
        finally:
            await self._spending.correct(action.tenant, used - asked)
        source = Source(action.thread, message.seq, extractor=model.name)
        said = Said(action.created_at, LedgerState(action.epoch, action.version))
        try:
            memories: list[Memory] = await self._memories.learn(action.owner, message.text, heard, source, said)
        except UserErased:
            return {"memories": [], "why": "the user was erased"}
        done: dict[str, Any] = {"memories": [memory.id for memory in memories]}
        return done | {"refused": [each._asdict() for each in refused]} if refused else done

    async def _scene(self, action: ReadMessage, message: Message) -> ExtractionContext:
        """Return the assistant's question before the message, and the stored values of the user."""
        query = MessageQuery(limit=2, after=max(0, (message.seq or 1) - 2))
        page = decode_all((await self._messages.page(action.scope, query)).records)
        before = next((each for each in page if each.seq == (message.seq or 0) - 1), None)
        asked = before.text if before and before.role == "assistant" else None
        held = await self._memories.list(action.owner, MemoryQuery(limit=_MOST_HELD))
        known = [KnownValue(each.attribute, each.value) for each in held if each.attribute and each.value]
        return ExtractionContext(asked, known, f"{message.created_at or action.created_at:%Y-%m-%d}")

    async def _message(self, action: ReadMessage) -> Message | None:
        """The message where it is said to be, or else among the last of the thread."""
        query = MessageQuery(limit=1, after=action.seq - 1) if action.seq else MessageQuery(limit=_LAST)
        page = await self._messages.page(action.scope, query)
        return next((each for each in decode_all(page.records) if each.id == action.message_id), None)

    def _check_wait(self, action: ReadMessage, seconds: float) -> None:
        if self._clock() + timedelta(seconds=seconds) > action.created_at + LONGEST_WAIT:
            raise ConfigurationError(
                f"The tenant {action.tenant!r} had no budget for this message for a day. "
                "Raise RECUERDO_EXTRACTION_CALLS or RECUERDO_EXTRACTION_TOKENS, and retry the action."
            )

    async def _put_off(self, action: ReadMessage, seconds: float, why: str) -> Mapping[str, Any]:
        again = derived_id("read again", action.action_id)
        await self._enqueue(replace(action, action_id=again), after=seconds)
        return {"memories": [], "why": why, "again_as": again}

"""The chat: recall, ask the model, and store the message and its reply."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Sequence
from contextlib import aclosing, suppress
from functools import partial
from itertools import filterfalse
from typing import Any, TypeVar

import msgspec

from recuerdo.agents.abilities import Models, check, only_model
from recuerdo.agents.events import ChatEvent, Finished, HistoryState, Reply, Started, Token
from recuerdo.agents.layers import (
    chosen_passages,
    earlier_messages,
    find_passages,
    hides,
    look_up,
    read_window,
    sources_of,
    summarises_window,
    without_forgotten_messages,
)
from recuerdo.agents.prompts import SYSTEM_PROMPT, build_prompt
from recuerdo.agents.replies import INCOMPLETE, Replies, reply_id
from recuerdo.agents.turns import CheckNotErased, Turn
from recuerdo.agents.why import RECIPE, Explanation, Explanations, recipe_of
from recuerdo.core.contexts import OWN_ASSISTANT, Enrichment, ExecutionContext, Limits
from recuerdo.core.errors import (
    Conflict,
    Damaged,
    DuplicateMessage,
    EpochChanged,
    InvalidInput,
    ModelUnavailable,
    OutcomeUnknown,
    Unavailable,
    UserErased,
)
from recuerdo.core.identifiers import derived_id, new_id
from recuerdo.core.library import ChunkHit
from recuerdo.core.memories import Memory, Source
from recuerdo.core.messages import Message
from recuerdo.core.ports import ChatModel, Clock
from recuerdo.core.scope import Scope, check_id
from recuerdo.core.threads import NOWHERE, Appended, Consistency, Version
from recuerdo.history import History
from recuerdo.history.history import utc_now
from recuerdo.library import Library
from recuerdo.memories import Memories
from recuerdo.memories.changes import Beginning
from recuerdo.memories.remember import Remembered
from recuerdo.memories.search import Recollection
from recuerdo.windowing import MessageWindow, WindowPolicy
from recuerdo.windowing.tokenizers import default_tokenizer

_log = logging.getLogger(__name__)
_T = TypeVar("_T")

_ExtractLater = Callable[[Scope, Message, Beginning], Awaitable[object]]
"""Called with each stored message of a user and the turn's beginning, for extraction in the background."""

_STRONG_THEN_CACHED: tuple[Consistency, ...] = ("strong", "cached")

DEFAULT_WINDOW = MessageWindow(50)
MOST_MEMORIES = 16
_MOST_WHEN_ASKED_FOR_ALL = 40
"""`What do you know about me?` is answered with more memories than any other question."""

_SECONDS_TO_STORE = 3.0
"""How long a turn waits for its message to be stored. After that it goes on, and so does the write."""

_LAST_SECONDS_TO_STORE = 1.0
"""How long it waits once more after the model has answered."""


class Chat:
    """Answers people with a model that is shown their memories. One Chat serves all tenants and threads.

    While the history or the memories are unavailable the chat still answers: the prompt is built without them, and the
    events say when it is the history. See `stream` for the errors that callers get.
    """

    def __init__(
        self,
        history: History,
        memories: Memories,
        model: ChatModel,
        *,
        window: WindowPolicy = DEFAULT_WINDOW,
        system_prompt: str = SYSTEM_PROMPT,
        clock: Clock = utc_now,
        library: Library | None = None,
        extract_later: _ExtractLater | None = None,
        models: Models | None = None,
    ) -> None:
        """`models` makes the model of an assistant that wants another one than `model`, or other parameters."""
        self._history = history
        self._replies = Replies(history)
        self._explanations = Explanations(history, memories)
        self._memories = memories
        self._model = model
        self._models = models or only_model(model)
        self._window = window
        self._system_prompt = system_prompt
        self._clock = clock
        self._library = library
        self._extract_later = extract_later
        self._background: set[asyncio.Task[Any]] = set()

    @property
    def model_name(self) -> str:
        """The name that users see, e.g. `offline` or `openai:gpt-5`."""
        return self._model.name

    async def reply(
        self,
        scope: Scope,
        message: str | Message,
        *,
        idempotency_key: str | None = None,
        expected_epoch: int | None = None,
        context: ExecutionContext | None = None,
        check_not_erased: CheckNotErased | None = None,
    ) -> Reply:
        """Answer the message, and return the finished turn; see `stream`."""
        stream = self.stream(
            scope,
            message,
            idempotency_key=idempotency_key,
            expected_epoch=expected_epoch,
            context=context,
            check_not_erased=check_not_erased,
        )
        async with aclosing(stream) as events:
            async for event in events:
                if isinstance(event, Finished):
                    return event.reply
        raise AssertionError("a stream ends with Finished or with an error")

    async def stream(
        self,
        scope: Scope,
        message: str | Message,
        *,
        idempotency_key: str | None = None,
        expected_epoch: int | None = None,
        context: ExecutionContext | None = None,
        found: Sequence[ChunkHit] | None = None,
        turn_id: str | None = None,
        check_not_erased: CheckNotErased | None = None,
    ) -> AsyncGenerator[ChatEvent, None]:
        """Answer the message: yields one Started, then Tokens as the model writes them, then one Finished.

        With a `context`, its assistant's model answers, with that assistant's prompt, limits and documents. `found`
        are parts of documents that the caller has looked up already.

        The user's message is stored, and its facts are remembered, before the model is asked. If that takes longer
        than some seconds, the turn goes on as if the history were unavailable, and both are stored once the history
        answers. When the model fails or the caller closes the stream, the part of the reply that there is gets stored,
        with `{"incomplete": True}` in its metadata. The metadata also has the `model`, the `sources`, the
        `user_message_id` that is answered, and the `execution_time` in seconds.

        With an `idempotency_key`, a turn whose outcome is unknown can be sent again, to any replica. The message and
        its reply are stored once: a complete reply is returned again without asking the model, and an incomplete one
        is archived when a complete one replaces it.

        With a `turn_id`, the message may already be in the thread under its id, because a checkpointer stores it too;
        whichever comes first stores it for both. Repeating the turn returns its reply; another turn with the same
        message gets its own. Raises DuplicateMessage if that id has another content.

        Nothing is stored if the user was erased or the thread cleared since the turn began, or the thread cleared
        since it had the `expected_epoch`, or if `check_not_erased` raises, whose error is passed on. A message that
        comes too late raises EpochChanged or UserErased; a reply that comes too late is returned and not stored.
        Raises InvalidInput, DuplicateMessage, IdempotencyConflict and ModelUnavailable as well.
        """
        accepted = self._accept(scope, message, idempotency_key)
        model = self._models(context.model) if context else self._model
        begun_at = time.perf_counter()
        turn = Turn(scope, accepted, [], None, idempotency_key, expected_epoch, model, begun_at, context=context)
        assistant_id = context.assistant_id if context else OWN_ASSISTANT
        turn = await self._begin(turn._replace(turn_id=turn_id, assistant_id=assistant_id), found)
        if check_not_erased is not None:
            await check_not_erased()
        turn = await asyncio.shield(self._in_background(self._store_and_remember(turn)))
        yield Started(
            thread_id=scope.thread,
            message=turn.message,
            memories_used=turn.recalled or [],
            window=turn.window,
            history=turn.history,
            model=model.name,
            passages=[*turn.passages],
            epoch=turn.expected_epoch or None,
            beginning=turn.beginning,
        )
        if turn.answer is not None:
            yield Token(turn.answer.text)
            yield Finished(self._reply(turn, turn.answer))
            return
        turn, prompt = self._prompt(turn)
        pieces: list[str] = []
        try:
            async with aclosing(model.stream(prompt)) as answer:
                async for piece in answer:
                    pieces.append(piece)
                    yield Token(piece)
            if not (said := "".join(pieces)).strip():
                raise ModelUnavailable(
                    f"The model {model.name} answered with nothing. Your message is kept: ask again, "
                    "and if it persists, check the provider's limits and content filters."
                )
        except BaseException:
            await self._store_partial_reply(turn, "".join(pieces).strip())
            raise
        yield Finished(await self._finish(turn, said))

    async def stands(self, scope: Scope, started: Started) -> bool:
        """Whether neither the thread nor its user was erased since the turn began. Raises Unavailable.

        False for a turn that began while the database was away, when it can't be known.
        """
        if started.epoch is None or started.epoch != await self._history.epoch(scope):
            return False
        try:
            if started.beginning is not None:
                await self._memories.check(scope.owner, started.beginning)
        except UserErased:
            return False
        return True

    async def check(self, enrichment: Enrichment) -> None:
        """Raises InvalidInput, naming the part of an assistant's configuration that can't be honoured here."""
        await check(enrichment, self._models, self._library)

    async def look_up(self, scope: Scope, text: str, context: ExecutionContext | None = None) -> list[ChunkHit]:
        """The parts of documents that the text is about and its user may see; none when that fails."""
        return await look_up(self._library, scope, text, context)

    async def recalled(self, scope: Scope, text: str) -> list[Memory]:
        """The memories that the text is about; none for the anonymous user, and none when that fails."""
        recollection = await self._recall(scope, text, None)
        return recollection.memories if recollection else []

    async def explain(self, scope: Scope, seq: int, context: ExecutionContext | None = None) -> Explanation:
        """Explain the reply at that seq of the thread: its prompt, and what became of the memories in it.

        Raises NotFound unless it is a reply of a chat.
        """
        tokenizer = await asyncio.to_thread(default_tokenizer)
        return await self._explanations.explain(scope, seq, self._system_of(context), tokenizer)

    async def answered_by(self, scope: Scope, seq: int) -> str:
        """The assistant that gave the reply at that seq. Raises NotFound unless it is a reply of a chat."""
        return await self._explanations.answered_by(scope, seq)

    async def aclose(self) -> None:
        """Wait for replies still being stored for callers who have left."""
        await asyncio.gather(*self._background, return_exceptions=True)

    def _accept(self, scope: Scope, message: str | Message, key: str | None) -> Message:
        """The message as it is appended. With a key, each attempt appends an equal message, without a time."""
        if not isinstance(scope, Scope):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput("scope", "must be a Scope, e.g. Scope('acme', 'emi', 't-1'), or the .scope of a thread")
        if isinstance(message, str):
            message = Message.user(message)
        if not isinstance(message, Message):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput("message", "must be a text or a Message, e.g. Message.user('...')")
        if message.role != "user":
            raise InvalidInput("message", f"must be the user's, and it has the role {message.role!r}")
        if not message.content or (isinstance(message.content, str) and not message.content.strip()):
            raise InvalidInput("message", "is empty; say something")
        if key is not None:
            check_id("idempotency_key", key)
            message_id = message.id or derived_id(scope.tenant, scope.user, scope.thread, key)
            return msgspec.structs.replace(message, id=message_id)
        return self._dated(msgspec.structs.replace(message, id=message.id or new_id()))

    def _dated(self, message: Message) -> Message:
        return msgspec.structs.replace(message, created_at=message.created_at or self._clock())

    async def _begin(self, turn: Turn, found: Sequence[ChunkHit] | None) -> Turn:
        scope, text, context = turn.scope, turn.message.text, turn.context
        limits = context.limits if context else Limits()
        recalling = asyncio.create_task(self._recall_from_beginning(turn, limits.memories))
        searching = asyncio.create_task(find_passages(self._history, scope, text, limits, self._clock()))
        looking = asyncio.create_task(look_up(self._library, scope, text, context)) if found is None else None
        try:
            read = await self._read(scope, limits)
            turn, recollection = await recalling
            passages = await searching
            found = await looking if looking else found
        finally:
            for task in (recalling, searching, looking):
                if task is not None:
                    task.cancel()
        epoch, window = read or (None, [])
        recalled = None
        if recollection is not None:
            memories = [*recollection.memories, *recollection.former]
            recalled = [*filterfalse(partial(summarises_window, scope, window), memories)]
            if recollection.forgotten:
                passages = [hit for hit in passages if not hides(recollection, hit.message, hit.thread, hit.seq)]
            passages = chosen_passages(passages, scope, turn.message, window)
            turn = turn._replace(passages=passages, scores=recollection.scores)
            if recollection.over:
                shown = {(hit.thread, hit.seq) for hit in turn.passages}
                shown |= {(scope.thread, message.seq) for message in window}
                recalled += recollection.over_in(shown)
        if recollection is None or recollection.forgotten:
            window = without_forgotten_messages(window, scope.thread, recollection)
        if turn.expected_epoch is None:
            turn = turn._replace(expected_epoch=epoch or None)
        state: HistoryState = "unavailable" if read is None else "ok"
        return turn._replace(window=window, recalled=recalled, history=state, found=found or ())

    async def _store_and_remember(self, turn: Turn) -> Turn:
        """Store the message and remember its facts. A message that is not stored is not a source of memories."""
        message = turn.message
        turn = await self._with_beginning(turn)
        storing = self._in_background(self._append_message(turn, message))
        await asyncio.wait({storing}, timeout=_SECONDS_TO_STORE)
        if not storing.done():
            _log.warning("a user's message is not stored after %s seconds: the turn goes on", _SECONDS_TO_STORE)
            turn = turn._replace(unstored=message, storing=storing, history="unavailable")
            return turn._replace(message=self._dated(message))
        try:
            receipt = storing.result()
        except Unavailable as error:
            _log.warning("a user's message can't be stored yet: %s", error)
            may_be_stored = turn.key is None and isinstance(error, OutcomeUnknown)
            turn = turn._replace(unstored=message, may_be_stored=may_be_stored, history="unavailable")
            return turn._replace(message=self._dated(message))
        turn = await self._stored(turn, receipt)
        if turn.key is not None or receipt.replayed:
            turn = await self._with_stored_reply(turn, replayed=receipt.replayed)
        return turn._replace(remembered=await self._remember(turn))

    async def _stored(self, turn: Turn, receipt: Appended) -> Turn:
        """The turn with its stored message. Raises UserErased or EpochChanged if that began an erased thread anew.

        A thread that existed when the turn began refuses the message by its epoch. A new thread has no epoch to compare
        with: an erasure either finds the thread that the message began, or is noticed here, and the message is deleted.
        If others have appended to that thread by now the message stays, as one that was sent after the erasure, and
        the turn goes on without what it had read before.
        """
        message = msgspec.structs.replace(turn.message, seq=receipt.first_seq)
        turn = turn._replace(message=message, version=receipt.version)
        if turn.expected_epoch:
            return turn
        try:
            await self._check_not_erased(turn)
        except (UserErased, EpochChanged):
            if await self._taken_back(turn, receipt):
                raise
            turn = turn._replace(window=[], recalled=[], found=(), passages=(), beginning=None)
        except Unavailable:  # it is looked at again before the reply is stored
            return turn
        return turn._replace(expected_epoch=receipt.version.epoch)

    async def _taken_back(self, turn: Turn, receipt: Appended) -> bool:
        """Delete the thread that the message began; whether the message is gone. Raises OutcomeUnknown."""
        try:
            return await self._history.take_back(turn.scope, receipt)
        except Unavailable as error:
            raise OutcomeUnknown("The user was erased while this was under way, and the database is away.") from error

    async def _check_not_erased(self, turn: Turn) -> None:
        """Raises UserErased or EpochChanged if the user, or the thread of unknown epoch, was erased since."""
        if turn.beginning is not None:
            await self._memories.check(turn.scope.owner, turn.beginning)
        with suppress(Unavailable):  # still: a database that takes a message and can't be read loses none
            if turn.beginning is None and turn.presumed is not None:
                await self._memories.check(turn.scope.owner, turn.presumed)
            await self._history.check_not_emptied(turn.scope, turn.begun_at)

    async def _with_stored_reply(self, turn: Turn, *, replayed: bool) -> Turn:
        """The turn with its message as it is stored, the window before it, and its reply if it is complete.

        If the database is unavailable the model is asked again; a second reply is refused in any case.
        """
        answer, message = None, turn.message
        with suppress(Unavailable, Damaged):
            message = await self._replies.stored(turn.scope, message)
            answer = await self._replies.whole(turn.scope, message, turn.turn_id) if replayed else None
        version = Version(turn.version.epoch, answer.seq) if answer else turn.version
        before = [each for each in turn.window if each.seq < message.seq or not message.seq]
        return turn._replace(message=self._dated(message), answer=answer, version=version, window=before)

    async def _store_partial_reply(self, turn: Turn, said: str) -> None:
        """Store the part of the reply that there is. Without any, store the message if that is still to be done."""
        if said:
            answer = self._answer(turn, said, incomplete=True)
            await asyncio.shield(self._in_background(self._store_reply(turn, answer)))
        elif turn.unstored is not None:
            self._in_background(self._store_unattended(turn, turn.unstored))

    async def _finish(self, turn: Turn, said: str) -> Reply:
        answer = self._answer(turn, said, incomplete=False)
        storing = self._in_background(self._store_reply(turn, answer))
        if turn.storing is not None:
            await asyncio.wait({storing}, timeout=_LAST_SECONDS_TO_STORE)
            if not storing.done():
                return self._reply(turn, answer)
        return await asyncio.shield(storing)

    async def _store_reply(self, turn: Turn, answer: Message) -> Reply:
        """Append the reply, after the user's message if that could not be stored before.

        Nothing is stored while the database is unavailable, or if the thread was cleared meanwhile.
        """
        try:
            if turn.unstored is not None:
                turn = await self._store_late(turn, turn.unstored)
            if not turn.expected_epoch:
                await self._check_not_erased(turn)
            epoch = turn.expected_epoch or turn.version.epoch
            answer, version = await self._replies.store(
                turn.scope, turn.message, answer, epoch, turn.turn_id, turn.assistant_id
            )
        except (Unavailable, Conflict) as error:
            _log.warning("a reply can't be stored: %s", error)
            return self._reply(turn._replace(history="unavailable"), answer)
        return self._reply(turn._replace(version=version), answer)

    async def _store_unattended(self, turn: Turn, message: Message) -> None:
        try:
            await self._store_late(turn, message)
        except (Unavailable, Conflict) as error:
            _log.warning("a user's message can't be stored: %s", error)

    async def _store_late(self, turn: Turn, message: Message) -> Turn:
        """Store the message that the history had not stored in time. Raises Unavailable or Conflict."""
        turn, receipt = await self._with_beginning(turn), None
        if turn.storing is not None:
            try:
                receipt = await turn.storing
            except Unavailable as error:
                turn = turn._replace(may_be_stored=turn.key is None and isinstance(error, OutcomeUnknown))
        turn = await self._stored(turn, receipt or await self._append_message(turn, message))
        return turn._replace(remembered=await self._remember(turn))

    def _reply(self, turn: Turn, answer: Message) -> Reply:
        remembered = Remembered() if turn.remembered is None else turn.remembered
        return Reply(
            thread_id=turn.scope.thread,
            message=turn.message,
            reply=answer,
            memories_used=turn.recalled or [],
            memories_saved=[*remembered],
            model=turn.model.name,
            history=turn.history,
            version=turn.version,
            memories_ended=[*remembered.ended],
            memories_waiting=[*remembered.waiting],
        )

    def _answer(self, turn: Turn, said: str, *, incomplete: bool) -> Message:
        took = round(time.perf_counter() - turn.begun_at, 6)
        metadata: dict[str, Any] = {
            "model": turn.model.name,
            "user_message_id": turn.message.id,
            "execution_time": took,
        }
        if turn.assistant_id != OWN_ASSISTANT:
            metadata["assistant_id"] = turn.assistant_id
        if turn.history != "ok":
            metadata["history"] = turn.history
        if turn.found:
            metadata["sources"] = sources_of(turn.found)
        if turn.recipe:
            metadata[RECIPE] = msgspec.json.decode(msgspec.json.encode(turn.recipe))
        if incomplete:
            metadata[INCOMPLETE] = True
        answer_id = reply_id(turn.message.id, turn.turn_id)
        return Message.assistant(said, id=answer_id, created_at=self._clock(), metadata=metadata)

    def _prompt(self, turn: Turn) -> tuple[Turn, list[Message]]:
        """The turn with the recipe of its prompt, and the prompt."""
        now = self._clock()
        system = self._system_of(turn.context)
        did = turn.remembered
        prompt = build_prompt(system, turn.recalled, turn.window, turn.message, turn.found, turn.passages, now, did)
        known = turn.beginning.state.version if turn.beginning else 0
        recipe = recipe_of(
            prompt, turn.window, turn.message, turn.recalled, turn.passages, now, known, did, turn.scores
        )
        return turn._replace(recipe=recipe), prompt

    def _system_of(self, context: ExecutionContext | None) -> str:
        return (context.prompts.system if context else None) or self._system_prompt

    async def _read(self, scope: Scope, limits: Limits) -> tuple[int, list[Message]] | None:
        """The thread's epoch and window, from the cache while the database is unavailable; None without either."""
        now = self._clock()
        for consistency in _STRONG_THEN_CACHED:
            try:
                return await read_window(self._history, scope, limits, self._window, now, consistency)
            except (Unavailable, Damaged) as error:
                _log.warning("the history can't be read (%s): %s", consistency, error)
        return None

    async def _append_message(self, turn: Turn, message: Message) -> Appended:
        """Append the message. If the turn found no thread it may begin one, or go into one that others began since.

        Raises EpochChanged or UserErased if that thread or its user was erased since the turn began, and EpochChanged
        if the message may have been stored and cleared since.
        """
        if turn.expected_epoch is not None:
            return await self._append_at(turn, message, turn.expected_epoch)
        try:
            return await self._append_at(turn, message, NOWHERE.epoch)
        except EpochChanged as changed:
            if turn.may_be_stored:
                raise
            await self._check_not_erased(turn)
            return await self._append_at(turn, message, changed.actual)

    async def _append_at(self, turn: Turn, message: Message, epoch: int | None) -> Appended:
        try:
            return await self._history.append(
                turn.scope, [message], idempotency_key=turn.key, expected_epoch=epoch, agent_id=turn.assistant_id
            )
        except DuplicateMessage:
            may_be_known = turn.turn_id is not None or turn.may_be_stored
            if may_be_known and (known := await self._replies.receipt(turn.scope, message)):
                return known
            raise
        except EpochChanged:  # perhaps by the message itself, when it began the thread
            if turn.may_be_stored and (known := await self._replies.receipt(turn.scope, message)):
                return known
            raise
        except InvalidInput as error:
            raise InvalidInput(error.field.replace("messages[0]", "message"), error.problem) from None

    async def _recall_from_beginning(self, turn: Turn, most: int | None) -> tuple[Turn, Recollection | None]:
        """The turn with its beginning, and the recollection; None while the database is unavailable."""
        turn = await self._with_beginning(turn)
        if turn.beginning is None:
            return turn, None
        return turn, await self._recall(turn.scope, turn.message.text, most, turn.beginning)

    async def _with_beginning(self, turn: Turn) -> Turn:
        """The turn with the state of the user's memories as its beginning, unless they are unreadable or erased."""
        if turn.beginning is not None or turn.scope.owner.is_anonymous:
            return turn
        try:
            now = await self._memories.begin(turn.scope.owner)
        except Exception as error:  # whatever it is, an answer without memories is better than none
            _log.warning("memories can't be read: %s", type(error).__name__, exc_info=error)
            return turn._replace(presumed=turn.presumed or self._memories.presumed(turn.scope.owner))
        return turn if turn.presumed and turn.presumed.precedes_erasure(now) else turn._replace(beginning=now)

    async def _recall(
        self, scope: Scope, text: str, most: int | None, beginning: Beginning | None = None
    ) -> Recollection | None:
        """None when this user can't be remembered."""
        if scope.owner.is_anonymous:
            return None
        if most == 0:
            return Recollection([])
        try:
            limit, limit_of_all = most or MOST_MEMORIES, most or _MOST_WHEN_ASKED_FOR_ALL
            return await self._memories.recall_all(
                scope.owner, text, limit=limit, limit_of_all=limit_of_all, beginning=beginning
            )
        except Exception as error:  # whatever it is, an answer without memories is better than none
            _log.warning("memories can't be recalled: %s", type(error).__name__, exc_info=error)
            return None

    async def _remember(self, turn: Turn) -> Remembered | None:
        scope, message, beginning = turn.scope, turn.message, turn.beginning
        if beginning is None:
            return None
        source = Source(thread=scope.thread, seq=message.seq, author="user", extractor="detectors")
        last = turn.window[-1] if turn.window else None
        is_answered = last and last.role == "assistant" and (not message.seq or last.seq == message.seq - 1)
        asked = last.text if last and is_answered else None
        earlier, remembered = earlier_messages(scope, turn.window, turn.passages), None
        try:
            remembered = await self._memories.remember(
                scope.owner, message.text, source, question=asked, beginning=beginning, earlier=earlier
            )
            if self._extract_later is not None:
                await self._extract_later(scope, message, beginning)
        except Exception as error:  # the message itself is stored: its facts can be extracted again
            _log.warning("memories can't be saved: %s", type(error).__name__, exc_info=error)
        return remembered

    def _in_background(self, work: Coroutine[Any, Any, _T]) -> "asyncio.Task[_T]":
        """Finish the work even if the caller, who must shield the task, is cancelled."""
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
        return task

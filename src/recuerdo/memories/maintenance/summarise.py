"""Summarises a thread in one memory of the kind `summary`, which grows with the thread."""

import logging
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from recuerdo.core.errors import ModelUnavailable
from recuerdo.core.identifiers import derived_id
from recuerdo.core.memories import Memory, MemoryEntry, MemoryQuery, Source
from recuerdo.core.messages import Message, decode_all
from recuerdo.core.ports import ChatModel, Clock, HistoryRepository, MemoryRepository
from recuerdo.core.scope import Scope
from recuerdo.core.threads import Head, MessageQuery
from recuerdo.memories.changes import MemoryChanges
from recuerdo.memories.maintenance.expire import Expiry
from recuerdo.memories.maintenance.sentences import SPEAKERS, outline
from recuerdo.memories.wording import worded

_log = logging.getLogger(__name__)

BY_SENTENCES = "sentences"
"""The extractor of a summary that no model wrote."""

BOTH = "conversation"
"""The author of a summary: it retells both sides, in the words of neither."""

_PAGE = 200

OpenModel = Callable[[], ChatModel]


class Summaries:
    """The summaries of threads. Each thread has one in each of its epochs, and anonymous users have none.

    When messages that it covers are archived, it is removed, and the next one is made of those that are shown.

    Without a model, and while it fails, a summary is made of the sentences that say the most.
    """

    def __init__(
        self,
        repository: MemoryRepository,
        changes: MemoryChanges,
        expiry: Expiry,
        messages: HistoryRepository,
        clock: Clock,
        model: OpenModel | None = None,
    ) -> None:
        self._repository = repository
        self._changes = changes
        self._expiry = expiry
        self._messages = messages
        self._clock = clock
        self._model = model

    async def of(self, scope: Scope) -> Memory | None:
        """The summary of the thread as it is now; None where there is none. `source.seq` is the last it covers."""
        if scope.owner.is_anonymous:
            return None
        memory = await self._latest(scope, await self._messages.head(scope))
        return memory if memory is not None and memory.holds(self._clock()) else None

    async def summarise(self, scope: Scope) -> Memory | None:
        """Update the thread's summary to its end; only messages after the previous summary are read. None as in `of`.

        Raises DatabaseUnavailable, and Conflict when the user is erased at the same moment.
        """
        if scope.owner.is_anonymous:
            return None
        beginning = await self._changes.begin(scope.owner)
        head = await self._messages.head(scope)
        former = await self._latest(scope, head)
        longer = await self._longer(scope, head, former)
        if longer is not None:

            async def decide() -> list[MemoryEntry]:
                known = await self._repository.get(scope.owner, longer.id)
                quicker = known is not None and _covered(known) >= _covered(longer)
                if quicker or not await self._is_at(scope, head):
                    return []
                shown = [each for each in await self._of_thread(scope) if each.ending is None and each.id != longer.id]
                return [MemoryEntry(known, longer), *[MemoryEntry(each, None) for each in shown]]

            await self._changes.make(scope.owner, "summarised", decide, beginning=beginning)
            if not await self._is_at(scope, head):  # it was cleared, or messages were archived, while this was written
                await self.forget(scope)
        return await self.of(scope)

    async def forget(self, scope: Scope, first: int = 0) -> None:
        """Remove the thread's summaries for good: it was cleared or deleted.

        With `first` those that cover this seq, because messages from there on were archived or are shown again. A
        summary that was forgotten stays, and covers what it told, so that the next one does not tell it again.
        """

        async def decide() -> list[MemoryEntry]:
            known = await self._of_thread(scope)
            return [MemoryEntry(each, None) for each in known if not first or _tells(each, first)]

        if not scope.owner.is_anonymous:
            await self._changes.make(scope.owner, "deleted", decide)

    async def _of_thread(self, scope: Scope) -> list[Memory]:
        return await self._repository.select(scope.owner, MemoryQuery(kind="summary", thread=scope.thread))

    async def _latest(self, scope: Scope, head: Head) -> Memory | None:
        """The thread's summary, behind those that were forgotten; the last of these where none came behind them."""
        memory, behind = None, 0
        while (found := await self._repository.get(scope.owner, _id(scope, head, behind))) is not None:
            memory, behind = found, _covered(found)
            if found.ending is None:
                break
        return memory

    async def _longer(self, scope: Scope, head: Head, former: Memory | None) -> Memory | None:
        """The summary up to the thread's end; None when nothing came, or the thread is not at the epoch any more."""
        text = former.text if former and former.ending is None else ""  # forgotten facts must not be repeated
        covered, extractor, more = _covered(former), BY_SENTENCES, True
        while more:
            page = await self._messages.page(scope, MessageQuery(limit=_PAGE, after=covered))
            if page.version.epoch != head.version.epoch:
                return None
            messages = [each for each in decode_all(page.records) if each.role in SPEAKERS]
            more, covered = page.more, page.records[-1].seq if page.more else page.version.seq
            if messages:
                text, extractor = await self._merged(text, messages)
        return self._made(scope, head, former, text, Source(scope.thread, covered, BOTH, extractor))

    async def _merged(self, former: str, messages: Sequence[Message]) -> tuple[str, str]:
        if self._model is not None:
            try:
                model = self._model()
                if text := await worded(model, former, messages):
                    return text, model.name
            except ModelUnavailable as error:
                _log.warning("A summary is made of sentences, because the model is away: %s", error)
        return outline(former, messages), BY_SENTENCES

    def _made(self, scope: Scope, head: Head, former: Memory | None, text: str, source: Source) -> Memory | None:
        if not text or _covered(former) >= (source.seq or 0):
            return None
        now = self._clock()
        life = self._expiry.lifetime("summary", now)._asdict()
        if former is not None and former.ending is None:
            return replace(former, text=text, source=source, updated_at=now, valid_until=None, **life)
        place = {"id": _id(scope, head, _covered(former)), "owner": scope.owner, "source": source}
        return Memory(**place, text=text, kind="summary", trust=0.5, created_at=now, updated_at=now, **life)  # pyright: ignore[reportArgumentType]

    async def _is_at(self, scope: Scope, head: Head) -> bool:
        now = await self._messages.head(scope)
        return (now.version.epoch, now.revision) == (head.version.epoch, head.revision)


def _id(scope: Scope, head: Head, behind: int = 0) -> str:
    """The id of the thread's summary in its epoch; of one that begins `behind` a forgotten one, which covers so far."""
    place = f"{head.version.epoch}.{behind}" if behind else str(head.version.epoch)
    return derived_id("summary", scope.tenant, scope.user, scope.thread, place)


def _tells(memory: Memory, seq: int) -> bool:
    return memory.ending is None and _covered(memory) >= seq


def _covered(memory: Memory | None) -> int:
    return (memory.source.seq or 0) if memory is not None else 0

"""Commits appends: in groups of those that wait at the same time, or later from a spool."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from datetime import timedelta
from operator import attrgetter

from recuerdo.concurrency.batcher import Batcher
from recuerdo.concurrency.tasks import stop
from recuerdo.core.errors import EpochChanged, OutcomeUnknown, RecuerdoError, Unavailable, UserErased
from recuerdo.core.identifiers import new_id
from recuerdo.core.messages import decode_all
from recuerdo.core.ports import Clock, HistoryRepository, Spool, ThreadRepository
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.threads import NOWHERE, Append, Appended, MessageQuery, by_thread

MOST_APPENDS = 256
MOST_BYTES = 4 * 2**20


class GroupCommit(Batcher[Append, Appended]):
    """Commits appends through a repository, a few batches at a time, no two of them for the same thread.

    A cancelled caller's append may still be committed: use an idempotency key to find out.
    """

    def __init__(self, repository: HistoryRepository, concurrency: int = 1) -> None:
        """`concurrency` is how many batches run at a time: above 1 where the database works on several."""
        super().__init__(
            repository.append,
            concurrency=concurrency,
            most=MOST_APPENDS,
            weigh=lambda request: sum([len(message.body) for message in request.messages]),
            heaviest=MOST_BYTES,
            place=attrgetter("scope"),
            interrupted=lambda: OutcomeUnknown("The append was interrupted."),
        )


SECONDS_TO_GATHER = 0.003
"""While appends keep coming, a commit waits for more of them, and leaves them the processor and the disk."""

FIRST_PAUSE = 0.05
LONGEST_PAUSE = 2.0

_log = logging.getLogger(__name__)

_LARGEST = 2**53
_MOST_LOOKS = 5
"""Times that the ages of erasures are asked for, until it is sure which appends are older."""
_NEVER = timedelta.max

Erased = Callable[[Collection[Owner]], Awaitable[Mapping[Owner, timedelta]]]
"""Returns how long ago each of these owners was erased last; see MemoryRepository."""


class DeferredAppends:
    """Takes appends into a spool and commits them in their order, each with its effect exactly once.

    An append that is refused only later (an idempotency conflict, a thread that was cleared meanwhile, a user who was
    erased meanwhile) is logged and counted: its caller has gone. An unforeseen failure is tried again until it
    succeeds. Use it where losing the database for a while must not stop the conversation.
    """

    def __init__(
        self, repository: HistoryRepository, spool: Spool, threads: ThreadRepository, erased: Erased, clock: Clock
    ) -> None:
        self._repository = repository
        self._spool = spool
        self._threads = threads
        self._erased = erased
        self._clock = clock
        self._committed = 0
        self._advanced = asyncio.Event()
        self._drain: asyncio.Task[None] | None = None
        self.refused = 0

    async def append(self, request: Append) -> Appended:
        """Returns when the append is on disk; its seqs are not known yet. Raises SpoolUnavailable."""
        if request.idempotency_key is None:
            request = request._replace(idempotency_key=f"spool-{new_id()}")
        await self._spool.put(request)
        self.start()
        return Appended(NOWHERE, 0, [message.id for message in request.messages], durability="async")

    def start(self) -> None:
        """Commit the appends in the spool, also an earlier process's, and those to come."""
        if self._drain is None or self._drain.done():
            self._drain = asyncio.create_task(self._commit_for_ever())

    async def flush(self) -> None:
        """Wait until everything that was acknowledged so far is committed, however much comes meanwhile."""
        until = self._committed + self._spool.depth
        while self._spool.depth and self._committed < until:
            self.start()
            await self._advanced.wait()

    async def aclose(self) -> None:
        """Stop. Appends that are not committed wait in the spool for the next process."""
        if self._drain is not None:
            await stop(self._drain)

    async def _commit_for_ever(self) -> None:
        while True:
            batch = await self._spool.oldest(MOST_APPENDS)
            self._report(await self._commit(batch))
            self._committed += len(batch)
            await self._spool.done(len(batch))
            self._advanced.set()
            self._advanced = asyncio.Event()
            if 0 < self._spool.depth < MOST_APPENDS:
                await asyncio.sleep(SECONDS_TO_GATHER)

    async def _commit(self, batch: Sequence[Append]) -> list[Appended | RecuerdoError]:
        pause = FIRST_PAUSE
        while True:
            try:
                return await self._append(batch)
            except Unavailable as error:
                _log.warning("The spool of %d appends waits for the database: %s", self._spool.depth, error)
            except Exception as error:
                if len(batch) > 1:
                    return [outcome for request in batch for outcome in await self._commit([request])]
                if isinstance(error, RecuerdoError):
                    return [error]
                _log.exception("The spool of %d appends waits: its oldest can't be committed.", self._spool.depth)
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    async def _append(self, batch: Sequence[Append]) -> list[Appended | RecuerdoError]:
        """Append what is not older than an erasure of its user, or than a clear or deletion of its thread."""
        late = await self._outdated(batch)
        kept = [place for place in range(len(batch)) if place not in late]
        appended = await self._repository.append([batch[place] for place in kept]) if kept else []
        outcomes = dict[int, Appended | RecuerdoError](zip(kept, appended, strict=True))
        late |= await self._outdated(batch)  # again: an erasure may have looked before the commit
        for scope, requests in by_thread([batch[place] for place in sorted(late)]).items():
            await self._take_back(scope, requests)
        return [late[place] if place in late else outcomes[place] for place in range(len(batch))]

    async def _outdated(self, batch: Sequence[Append]) -> dict[int, RecuerdoError]:
        """The places of appends that were acknowledged before the last erasure of their user or clear of their thread.

        Ages are compared, each by one clock: this machine's and the database's may differ. The time is taken before
        the question: were it taken after a slow answer, an append after the erasure would seem to be older. Where a
        sooner answer may tell that one is older, it is asked for.
        """
        late: dict[int, RecuerdoError] = {}
        for _ in range(_MOST_LOOKS):
            asked_at = self._clock()
            since_erased = await self._erased({request.scope.owner for request in batch})
            since_emptied = await self._threads.since_emptied({request.scope for request in batch})
            latency, is_open = self._clock() - asked_at, False
            for place, request in enumerate(batch):
                age = asked_at - request.appended_at
                erased = since_erased.get(request.scope.owner, _NEVER)
                over = min(erased, since_emptied.get(request.scope, _NEVER))
                if age >= over:
                    late.setdefault(place, UserErased() if age >= erased else EpochChanged(NOWHERE.epoch, None))
                is_open |= place not in late and age + latency >= over
            if not is_open:
                break
        return late

    async def _take_back(self, scope: Scope, requests: Sequence[Append]) -> None:
        """Delete the thread if it has these messages and no others: they were committed after the erasure."""
        ids = {message.id for request in requests for message in request.messages}
        head = await self._repository.head(scope)
        if not 0 < head.version.seq <= len(ids):
            return
        page = await self._repository.page(scope, MessageQuery(limit=len(ids), archived=None, most_bytes=_LARGEST))
        if ids.issuperset(message.id for message in decode_all(page.records)):
            await self._threads.delete(scope, self._clock(), only_at=head)

    def _report(self, outcomes: Sequence[Appended | RecuerdoError]) -> None:
        for outcome in outcomes:
            if isinstance(outcome, RecuerdoError):
                self.refused += 1
                name = type(outcome).__name__
                _log.error("An append that was acknowledged by the spool is refused: %s", name, exc_info=outcome)

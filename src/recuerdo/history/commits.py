"""Commits appends: in groups of those that wait at the same time, or later from a spool."""

import asyncio
import logging
from collections.abc import Sequence
from operator import attrgetter

from recuerdo.concurrency.batcher import Batcher
from recuerdo.concurrency.tasks import stop
from recuerdo.core.errors import OutcomeUnknown, RecuerdoError, Unavailable
from recuerdo.core.identifiers import new_id
from recuerdo.core.ports import HistoryRepository, Spool
from recuerdo.core.threads import NOWHERE, Append, Appended

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


class DeferredAppends:
    """Takes appends into a spool and commits them in their order, each with its effect exactly once.

    An append that is refused only later (an idempotency conflict, a thread that was cleared meanwhile) is logged and
    counted: its caller has gone. An unforeseen failure is tried again until it succeeds. Use it where
    losing the database for a while must not stop the conversation.
    """

    def __init__(self, repository: HistoryRepository, spool: Spool) -> None:
        self._repository = repository
        self._spool = spool
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
                return await self._repository.append(batch)
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

    def _report(self, outcomes: Sequence[Appended | RecuerdoError]) -> None:
        for outcome in outcomes:
            if isinstance(outcome, RecuerdoError):
                self.refused += 1
                name = type(outcome).__name__
                _log.error("An append that was acknowledged by the spool is refused: %s", name, exc_info=outcome)

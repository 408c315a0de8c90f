"""Appends that wait at the same moment are committed together: one transaction, one flush to disk, one round trip."""

import asyncio
from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from recuerdo.core.errors import OutcomeUnknown, Unavailable
from recuerdo.core.ports import HistoryRepository
from recuerdo.core.scope import Scope
from recuerdo.core.threads import Append, Appended

MOST_APPENDS = 256
MOST_BYTES = 4 * 2**20


class _PendingAppend(NamedTuple):
    request: Append
    size: int
    outcome: asyncio.Future[Appended]


class GroupCommit:
    """Commits appends through a repository, a few batches at a time, no two of them for the same thread.

    A lone append is committed by its caller, and waits for nothing; what arrives meanwhile makes up the next batch,
    and so on until nobody waits. Each append has its own outcome. When a batch as a whole fails, its requests are
    tried once more, one by one, unless the database is away. A cancelled caller's append may still be committed: use
    an idempotency key to find out.
    """

    def __init__(self, repository: HistoryRepository, lanes: int = 1) -> None:
        """`lanes` is how many batches are under way at a time: more than one where the database works on several."""
        self._repository = repository
        self._lanes = lanes
        self._queue: deque[_PendingAppend] = deque()
        self._under_way: dict[Scope, int] = {}
        self._workers: set[asyncio.Task[None]] = set()
        self._busy_lanes = 0
        self._idle = asyncio.Event()
        self._idle.set()

    async def append(self, request: Append) -> Appended:
        """Returns when the append is durable. Raises what the repository says of this append."""
        # Of a thread that is not under way nothing waits either while a lane is free: nobody is overtaken.
        if self._busy_lanes >= self._lanes or request.scope in self._under_way:
            waiting = _PendingAppend(request, _size(request), asyncio.get_running_loop().create_future())
            self._queue.append(waiting)
            return await waiting.outcome
        batch = [request]
        self._begin(batch)
        try:
            [outcome] = await self._commit(batch)
        finally:
            self._end(batch)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def aclose(self) -> None:
        """Wait until everything that was asked for is committed."""
        await self._idle.wait()

    def _begin(self, requests: Sequence[Append]) -> None:
        self._idle.clear()
        self._busy_lanes += 1
        for request in requests:
            self._under_way[request.scope] = self._under_way.get(request.scope, 0) + 1

    def _end(self, requests: Sequence[Append]) -> None:
        """Go on with what has come meanwhile, in a task of its own: a leader has its outcome and won't wait."""
        self._busy_lanes -= 1
        for request in requests:
            self._under_way.pop(request.scope, None)
        while self._queue and self._busy_lanes < self._lanes and (batch := self._next_batch()):
            self._begin([waiting.request for waiting in batch])
            worker = asyncio.create_task(self._work(batch))
            self._workers.add(worker)
            worker.add_done_callback(partial(self._worked, batch))
        if not self._busy_lanes:
            self._idle.set()

    async def _work(self, batch: Sequence[_PendingAppend]) -> None:
        outcomes = await self._commit([waiting.request for waiting in batch])
        for waiting, outcome in zip(batch, outcomes, strict=True):
            _settle(waiting.outcome, outcome)

    def _worked(self, batch: Sequence[_PendingAppend], worker: asyncio.Task[None]) -> None:
        """Called one turn of the loop later: those who append again at once come into the next batch.

        It is no part of the worker, which an event loop that ends may cancel before it has begun.
        """
        self._workers.discard(worker)
        for waiting in batch:
            _settle(waiting.outcome, _interrupted())
        self._end([waiting.request for waiting in batch])

    def _next_batch(self) -> list[_PendingAppend]:
        """The appends that have waited longest, of threads that are not under way.

        When there is another lane it leaves work for that, but never parts those of one thread.
        """
        share = -(-(len(self._queue) + sum(self._under_way.values())) // self._lanes)
        batch: list[_PendingAppend] = []
        passed: list[_PendingAppend] = []
        scopes: set[Scope] = set()
        size = 0
        while self._queue and len(batch) < MOST_APPENDS:
            waiting = self._queue.popleft()
            scope = waiting.request.scope
            if scope not in scopes and (scope in self._under_way or len(batch) >= share):
                passed.append(waiting)
                continue
            size += waiting.size
            if batch and size > MOST_BYTES:
                passed.append(waiting)
                break
            scopes.add(scope)
            batch.append(waiting)
        self._queue.extendleft(reversed(passed))
        return batch

    async def _commit(self, requests: Sequence[Append]) -> Sequence[Appended | Exception]:
        try:
            outcomes = await self._repository.append(requests)
        except Exception as error:
            if len(requests) == 1 or isinstance(error, Unavailable):
                return [error] * len(requests)
        else:
            return outcomes if len(outcomes) == len(requests) else [_interrupted()] * len(requests)
        return [outcome for request in requests for outcome in await self._commit([request])]


def _size(request: Append) -> int:
    return sum([len(message.body) for message in request.messages])


def _interrupted() -> OutcomeUnknown:
    return OutcomeUnknown("The append was interrupted.")


def _settle(future: asyncio.Future[Appended], outcome: Appended | Exception) -> None:
    if future.done():
        return
    if isinstance(outcome, Exception):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)

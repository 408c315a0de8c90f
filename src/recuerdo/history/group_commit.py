"""Appends that wait at the same moment are committed together: one transaction, one flush to disk, one round trip."""

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from recuerdo.core.errors import RecuerdoError
from recuerdo.core.ports import HistoryRepository
from recuerdo.core.threads import Append, Appended

MOST_APPENDS = 256
MOST_BYTES = 4 * 2**20


class _Waiting(NamedTuple):
    request: Append
    size: int
    outcome: asyncio.Future[Appended]


class GroupCommit:
    """Commits appends through a repository, one batch in flight at a time.

    A lone append is committed by its caller, and waits for nothing; what arrives meanwhile makes up the next batch,
    and so on until nobody waits. Each append has its own outcome. When a batch as a whole fails, its requests are
    tried once more, one by one, unless the database is away. A cancelled caller's append may still be committed: use
    an idempotency key to find out.
    """

    def __init__(self, repository: HistoryRepository) -> None:
        self._repository = repository
        self._queue: deque[_Waiting] = deque()
        self._worker: asyncio.Task[None] | None = None
        self._idle = asyncio.Event()
        self._idle.set()

    async def append(self, request: Append) -> Appended:
        """Returns when the append is durable. Raises what the repository says of this append."""
        return await (self._lead(request) if self._idle.is_set() else self._follow(request))

    async def aclose(self) -> None:
        """Wait until everything that was asked for is committed."""
        await self._idle.wait()

    async def _lead(self, request: Append) -> Appended:
        self._idle.clear()
        try:
            [outcome] = await self._commit([request])
        finally:
            self._go_on()
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def _follow(self, request: Append) -> Appended:
        waiting = _Waiting(request, _size(request), asyncio.get_running_loop().create_future())
        self._queue.append(waiting)
        return await waiting.outcome

    def _go_on(self) -> None:
        """Commit what has come meanwhile, in a task of its own: the leader has its outcome and won't wait."""
        if self._queue:
            self._worker = asyncio.create_task(self._drain())
        else:
            self._idle.set()

    async def _drain(self) -> None:
        try:
            while self._queue:
                batch = self._next_batch()
                for waiting, outcome in zip(batch, await self._commit([w.request for w in batch]), strict=True):
                    _settle(waiting.outcome, outcome)
        finally:
            self._idle.set()

    def _next_batch(self) -> list[_Waiting]:
        batch = [self._queue.popleft()]
        size = batch[0].size
        while self._queue and len(batch) < MOST_APPENDS and (size := size + self._queue[0].size) <= MOST_BYTES:
            batch.append(self._queue.popleft())
        return batch

    async def _commit(self, requests: Sequence[Append]) -> Sequence[Appended | Exception]:
        try:
            return await self._repository.append(requests)
        except Exception as error:
            if len(requests) == 1 or isinstance(error, RecuerdoError):
                return [error] * len(requests)
        return [outcome for request in requests for outcome in await self._commit([request])]


def _size(request: Append) -> int:
    return sum(len(message.body) for message in request.messages)


def _settle(future: asyncio.Future[Appended], outcome: Appended | Exception) -> None:
    if future.cancelled():
        return
    if isinstance(outcome, Exception):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)

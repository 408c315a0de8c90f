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

    A lone append waits for nothing; what arrives while a batch is being committed makes up the next one. Each append
    has its own outcome. When a batch as a whole fails, its requests are tried once more, one by one, unless the
    database is away. A cancelled caller's append may still be committed: use an idempotency key to find out.
    """

    def __init__(self, repository: HistoryRepository) -> None:
        self._repository = repository
        self._queue: deque[_Waiting] = deque()
        self._worker: asyncio.Task[None] | None = None

    async def append(self, request: Append) -> Appended:
        """Returns when the append is durable. Raises what the repository says of this append."""
        waiting = _Waiting(request, _size(request), asyncio.get_running_loop().create_future())
        self._queue.append(waiting)
        if self._worker is None:
            self._worker = asyncio.create_task(self._drain())
        return await asyncio.shield(waiting.outcome)

    async def aclose(self) -> None:
        """Wait until everything that was asked for is committed."""
        if self._worker is not None:
            await self._worker

    async def _drain(self) -> None:
        while self._queue:
            batch = self._next_batch()
            for waiting, outcome in zip(batch, await self._commit([w.request for w in batch]), strict=True):
                _settle(waiting.outcome, outcome)
        self._worker = None

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
    if isinstance(outcome, Exception):
        future.set_exception(outcome)
        future.exception()  # a caller who was cancelled will not look: that is no error to report
    else:
        future.set_result(outcome)

"""Deletes threads that have not been used for a long time."""

from collections.abc import AsyncGenerator, AsyncIterator
from datetime import datetime
from typing import NamedTuple

from recuerdo.concurrency.tasks import settled
from recuerdo.core.checkpoints import CheckpointQuery, made_at
from recuerdo.core.graph_ports import CheckpointRepository
from recuerdo.core.ports import Clock, HistoryRepository, ThreadRepository
from recuerdo.core.retention import DELETED_AT_ONCE
from recuerdo.core.scope import Scope
from recuerdo.core.threads import MessageQuery, Thread
from recuerdo.history.iteration import OwnerFilter, threads_of


class Pruned(NamedTuple):
    """A thread that was deleted, or would be, and how many messages it had."""

    scope: Scope
    messages: int


class Retention:
    """Prunes threads of all owners, each in transactions of its own, and none that is used at the same moment."""

    def __init__(
        self,
        messages: HistoryRepository,
        threads: ThreadRepository,
        clock: Clock,
        checkpoints: CheckpointRepository | None = None,
        *,
        overlaps: bool = False,
    ) -> None:
        """With `overlaps` several threads are deleted at a time: most of each deletion waits for the database."""
        self._messages = messages
        self._threads = threads
        self._checkpoints = checkpoints
        self._clock = clock
        self._at_once = DELETED_AT_ONCE if overlaps else 1

    async def prune(
        self, choice: OwnerFilter, unused_since: datetime, *, archived_only: bool = False, dry_run: bool = False
    ) -> AsyncGenerator[Pruned]:
        """Delete the chosen threads that were last changed before that time, each as it comes.

        With `archived_only` only threads in which every message is archived; with `dry_run` nothing is deleted. A
        checkpoint that was made since then counts as a change. An append, a clear or an archiving
        at the last moment saves the thread.
        """
        async for several in _several(threads_of(self._threads, choice, unused_since), self._at_once):
            pruning = [self._prune(*each, unused_since, archived_only, dry_run) for each in several]
            async for pruned in settled(pruning):
                if pruned is not None:
                    yield pruned

    async def _prune(
        self, scope: Scope, thread: Thread, unused_since: datetime, archived_only: bool, dry_run: bool
    ) -> Pruned | None:
        if await self._has_checkpoints_since(scope, unused_since):
            return None
        head = await self._messages.head(scope)  # first: whatever changes after it keeps the thread from deletion
        if head.version != thread.version or (archived_only and not await self._is_archived(scope, thread)):
            return None
        if not dry_run and not await self._threads.delete(scope, self._clock(), head):
            return None
        return Pruned(scope, thread.message_count)

    async def _has_checkpoints_since(self, scope: Scope, since: datetime) -> bool:
        if self._checkpoints is None:
            return False
        made = await last_made(self._checkpoints, scope)
        return made is not None and made >= since

    async def _is_archived(self, scope: Scope, thread: Thread) -> bool:
        if not thread.message_count:
            return False
        return not (await self._messages.page(scope, MessageQuery(limit=1))).records


async def _several(found: AsyncIterator[tuple[Scope, Thread]], most: int) -> AsyncGenerator[list[tuple[Scope, Thread]]]:
    """The threads in batches of `most`."""
    several: list[tuple[Scope, Thread]] = []
    async for each in found:
        several.append(each)
        if len(several) == most:
            yield several
            several = []
    if several:
        yield several


async def last_made(checkpoints: CheckpointRepository, scope: Scope) -> datetime | None:
    """When the latest checkpoint of the thread was made; None where there is none, or it does not tell."""
    latest = await checkpoints.select(CheckpointQuery(scope.owner, scope.thread, limit=1))
    return made_at(latest[0].checkpoint.id) if latest else None

"""`recuerdo` with one thing broken: mutants.py NAME serve ...; each must be found by the checker."""
# pyright: basic, reportAttributeAccessIssue=false, reportArgumentType=false

import asyncio
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from recuerdo.adapters.postgres import PostgresHistory, threads
from recuerdo.caching.guard import GuardedCache
from recuerdo.caching.history import CachedHistory, CachedThreads
from recuerdo.contexts import Sessions
from recuerdo.core.errors import DatabaseUnavailable, NotFound
from recuerdo.core.threads import NOWHERE, Append, Appended, Version
from recuerdo.memories import Memories
from recuerdo.runs.lifecycle import ThreadWork
from recuerdo.runs.runs import Runs


def no_cache_append() -> None:
    """The shared cache is never told of an append."""

    async def append(self: GuardedCache, changes: Sequence[Any]) -> None:
        pass

    GuardedCache.append = append


def acknowledged_before_commit() -> None:
    """The receipt goes out while the commit is under way."""
    commit = PostgresHistory.append
    under_way: set[asyncio.Task[Any]] = set()

    async def append(self: PostgresHistory, batch: Sequence[Append]) -> list[Any]:
        task = asyncio.create_task(commit(self, batch))
        under_way.add(task)
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        with suppress(TimeoutError):
            return await asyncio.wait_for(asyncio.shield(task), 0.1)
        return [await _hoped_for(self, request) for request in batch]

    PostgresHistory.append = append


async def _hoped_for(history: PostgresHistory, request: Append) -> Appended:
    version = Version(1, 0)
    with suppress(DatabaseUnavailable):
        version = (await history.head(request.scope)).version
    count = len(request.messages)
    return Appended(version._replace(seq=version.seq + count), version.seq + 1, [each.id for each in request.messages])


def forgotten_keys() -> None:
    """Idempotency keys are not looked at: what is tried again is there twice."""
    commit = PostgresHistory.append

    async def append(self: PostgresHistory, batch: Sequence[Append]) -> list[Any]:
        return await commit(self, [request._replace(idempotency_key=None) for request in batch])

    PostgresHistory.append = append


def strong_reads_from_the_cache() -> None:
    """Nobody asks the database for the head."""

    async def at_head(self: CachedHistory, scope: Any) -> Any:
        return await self._tiers.known(scope, NOWHERE, lambda: self._load(scope))

    CachedHistory._at_head = at_head


def unpurged_erasures() -> None:
    """The caches are not told of a clear or a delete."""
    CachedThreads.clear = lambda self, *arguments: self._repository.clear(*arguments)
    CachedThreads.delete = lambda self, *arguments: self._repository.delete(*arguments)


def lost_neighbours() -> None:
    """Of appends that are committed together the last one is only acknowledged."""
    commit = PostgresHistory.append

    async def append(self: PostgresHistory, batch: Sequence[Append]) -> list[Any]:
        outcomes = await commit(self, batch[: max(1, len(batch) - 1)])
        return outcomes + outcomes[-1:] * (len(batch) - len(outcomes))

    PostgresHistory.append = append


def late_memory_epochs() -> None:
    """A turn takes the epoch of its user's memories when it remembers, and not when it begins."""
    remember = Memories.remember

    async def remember_anything(self: Memories, *arguments: Any, **named: Any) -> Any:
        return await remember(self, *arguments, **{**named, "beginning": None})

    Memories.remember = remember_anything


def results_gone_with_their_runs() -> None:
    """The result of a run without a thread goes with its row, and whoever waits at another replica is told of none."""
    forget, result = ThreadWork.forget, Runs._result

    def forget_all(self: ThreadWork, *arguments: Any) -> None:
        forget(self, *arguments)
        self._results.clear()

    async def whatever_is_left(self: Runs, *arguments: Any) -> Any:
        try:
            return await result(self, *arguments)
        except NotFound:
            return {}

    ThreadWork.forget = forget_all
    Runs._result = whatever_is_left


def keys_gone_with_their_epoch() -> None:
    """Clearing or deleting a thread drops its idempotency keys."""
    threads._SPEND_KEYS = threads._SPEND_KEYS.replace("FROM gone", "FROM gone WHERE false")


def sessions_of_whoever_comes() -> None:
    """A session is whose connection is the latest."""
    Sessions._of = lambda self, *arguments: None


MUTANTS: dict[str, Callable[[], None]] = {
    mutant.__name__: mutant
    for mutant in (
        no_cache_append,
        acknowledged_before_commit,
        forgotten_keys,
        strong_reads_from_the_cache,
        unpurged_erasures,
        lost_neighbours,
    )
}


BROKEN_PROMISES: dict[str, Callable[[], None]] = {
    "erased": late_memory_epochs,
    "wait": results_gone_with_their_runs,
    "key": keys_gone_with_their_epoch,
    "session": sessions_of_whoever_comes,
}
"""By the rule of the judge that finds them."""


if __name__ == "__main__":
    from recuerdo.cli import main

    {**MUTANTS, **BROKEN_PROMISES}[sys.argv.pop(1)]()
    main()

"""Periodic maintenance: applies the retention policy and deletes expired data."""

import asyncio
import logging
import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from recuerdo.adapters.registry import Repositories
from recuerdo.core.conditions import conditions_of
from recuerdo.core.errors import CacheUnavailable, Unavailable
from recuerdo.core.graph_ports import CheckpointRepository, DocumentRepository, ItemRepository, RunEvents
from recuerdo.core.items import ItemQuery, Put, StoreScope
from recuerdo.core.ports import (
    ApiKeyRepository,
    AuditRepository,
    Clock,
    HistoryRepository,
    MemoryRepository,
    SessionRepository,
    ThreadRepository,
)
from recuerdo.core.retention import RetentionForecast, RetentionPolicy
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.threads import SPENT_KEYS_KEPT
from recuerdo.history.iteration import OwnerFilter, known_owners, threads_of
from recuerdo.history.retention import Retention, last_made
from recuerdo.memories.erase import Remove
from recuerdo.memories.erasures import Erasures
from recuerdo.memories.maintenance.expire import Expiry
from recuerdo.memories.maintenance.idle import IdleThreads

if TYPE_CHECKING:
    from recuerdo.history.search import MessageSearch

_log = logging.getLogger(__name__)

PAUSE = 60.0
"""Seconds between two sweeps of expired memories and store items."""

LONG_PAUSE = 3600.0
"""Seconds between two applications of the policy."""

FORECAST_SECONDS = 10.0
"""The longest time that a policy's deletions are counted for: a page waits for the answer."""

EVERYTHING = OwnerFilter()

FEEDBACK = ("feedback",)
"""The namespace in which the page keeps what users thought of replies, each item with its `thread`."""

_PAGE = 200


class Searches:
    """The open search indexes, from which an erased owner is removed."""

    def __init__(self) -> None:
        self._open: list[MessageSearch] = []

    def opened(self, search: "MessageSearch") -> "MessageSearch":
        """Register and return the search."""
        self._open.append(search)
        return search

    async def forget(self, owner: Owner) -> int:
        """Drop the owner's index. It is not counted in the receipt."""
        for search in self._open:
            search.forget(owner)
        return 0


def removals(
    documents: DocumentRepository | None,
    items: ItemRepository | None,
    api_keys: ApiKeyRepository | None,
    sessions: Remove,
) -> dict[str, Remove]:
    """Return the removals of an erasure besides history, checkpoints and memories, by the receipt's names."""
    others: dict[str, Remove] = {"sessions": sessions}
    if api_keys is not None:
        others["api_keys"] = api_keys.erase
    if documents is not None:
        others["runs"] = documents.erase
    if items is not None:
        others["items"] = lambda owner: items.erase(StoreScope(owner.tenant, owner.user))
    return others


def forgetting(
    summary: Callable[[Scope], Awaitable[None]], events: RunEvents, repositories: Repositories, clock: Clock
) -> Callable[[Scope], Awaitable[None]]:
    """Return a function that removes a cleared or deleted thread's data besides its messages.

    These are its summary, the states of graphs, which hold messages too, its runs' events, and the feedback on replies.
    """

    async def forget(scope: Scope) -> None:
        await summary(scope)
        if repositories.checkpoints is not None:
            await repositories.checkpoints.erase(scope)
        if repositories.items is not None:
            await _forget_feedback(repositories.items, scope, clock())
        with suppress(CacheUnavailable):
            await events.seal(scope.owner, scope.thread)

    return forget


async def _forget_feedback(items: ItemRepository, scope: Scope, now: datetime) -> None:
    store = StoreScope(scope.owner.tenant, scope.owner.user)
    given = ItemQuery(FEEDBACK, conditions_of({"thread": scope.thread}), _PAGE)
    while hits := await items.search(store, given):
        await items.write(store, [Put(hit.item.place, None) for hit in hits], now)


class RemovalCounts(NamedTuple):
    """How much was or would be deleted: threads with their messages, only checkpoints of threads, and memories."""

    threads: int = 0
    messages: int = 0
    checkpoints: int = 0
    memories: int = 0

    def plus(self, **counts: int) -> "RemovalCounts":
        return self._replace(**{name: getattr(self, name) + count for name, count in counts.items()})


class Maintenance:
    """Applies a retention policy, and deletes expired memories, sessions, store items, idempotency keys, audit entries.

    Any number of processes may do so concurrently. With `idle` it also summarises idle threads.
    """

    def __init__(
        self,
        messages: HistoryRepository,
        threads: ThreadRepository,
        checkpoints: CheckpointRepository | None,
        memories: MemoryRepository,
        expiry: Expiry,
        clock: Clock,
        items: ItemRepository | None = None,
        idle: IdleThreads | None = None,
        sessions: SessionRepository | None = None,
        erasures: Erasures | None = None,
        audit: AuditRepository | None = None,
        *,
        overlaps: bool = False,
    ) -> None:
        self.idle = idle
        self._retention = Retention(messages, threads, clock, checkpoints, overlaps=overlaps)
        self._threads = threads
        self._checkpoints = checkpoints
        self._memories = memories
        self._expiry = expiry
        self._items = items
        self._sessions = sessions
        self._erasures = erasures
        self._audit = audit
        self._clock = clock

    async def run(self, policy: RetentionPolicy) -> None:
        """Until cancelled: delete expired data each minute, and apply the policy each hour."""
        rounds = round(LONG_PAUSE / PAUSE)
        while True:
            for number in range(rounds):
                await self._quietly(policy if number == 0 else None)
                await asyncio.sleep(PAUSE * random.uniform(0.5, 1.0))  # noqa: S311

    async def apply(
        self, policy: RetentionPolicy, choice: OwnerFilter = EVERYTHING, *, dry_run: bool = False
    ) -> AsyncGenerator[RemovalCounts]:
        """Delete the data that the policy no longer keeps, or with `dry_run` count it. Yields the counts so far."""
        kept, now = RemovalCounts(), self._clock()
        if policy.threads is not None:
            async for each in self._retention.prune(choice, now - policy.threads, dry_run=dry_run):
                kept = kept.plus(threads=1, messages=each.messages)
                yield kept
        if policy.checkpoints is not None and self._checkpoints is not None:
            async for scope in self._unused_checkpoints(self._checkpoints, choice, now - policy.checkpoints):
                if not dry_run:
                    await self._checkpoints.erase(scope)
                kept = kept.plus(checkpoints=1)
                yield kept
        async for owner in known_owners(self._memories, choice.tenant, choice.user):
            kept = kept.plus(memories=await self._expiry.retire(owner, policy, dry_run=dry_run))
            yield kept

    async def forecast(self, policy: str) -> RetentionForecast:
        """Count the deletions of a policy, for some seconds at most. Raises InvalidInput."""
        wanted, counts, complete = RetentionPolicy.parse(policy), RemovalCounts(), True
        try:
            async with asyncio.timeout(FORECAST_SECONDS), aclosing(self.apply(wanted, dry_run=True)) as counted:
                async for so_far in counted:
                    counts = so_far
        except TimeoutError:
            complete = False
        return RetentionForecast(policy=policy, **counts._asdict(), complete=complete)

    async def _unused_checkpoints(
        self, checkpoints: CheckpointRepository, choice: OwnerFilter, since: datetime
    ) -> AsyncGenerator[Scope]:
        async for scope, _ in threads_of(self._threads, choice, since):
            made = await last_made(checkpoints, scope)
            if made is not None and made < since:
                yield scope

    async def _sweep_items(self) -> None:
        now, swept = self._clock(), 1
        while self._items is not None and swept:
            stores = await self._items.expired(now, _PAGE)
            swept = sum([await self._items.sweep(store, now) for store in stores])

    async def _sweep_sessions(self) -> None:
        while self._sessions is not None and await self._sessions.sweep(self._clock(), _PAGE) == _PAGE:
            pass

    async def _sweep_audit(self, policy: RetentionPolicy) -> None:
        while policy.audit is not None and self._audit is not None:
            if await self._audit.sweep(self._clock() - policy.audit, _PAGE) < _PAGE:
                return

    async def _quietly(self, policy: RetentionPolicy | None) -> None:
        try:
            if self._erasures is not None:
                await self._erasures.work()
            await self._expiry.sweep()
            await self._sweep_items()
            await self._sweep_sessions()
            await self._threads.forget_keys(self._clock() - SPENT_KEYS_KEPT)
            if self.idle is not None:
                await self.idle.summarise()
            if policy:
                async for _ in self.apply(policy):
                    pass
                await self._sweep_audit(policy)
        except Unavailable as error:
            _log.warning("Expired data can't be deleted now: %s", error)
        except Exception:
            _log.exception("Expired data could not be deleted; the next round tries again.")

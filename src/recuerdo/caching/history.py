"""Repositories over repositories: the same answers, most of them without reading a message from the database."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

from recuerdo.caching.snapshots import MOST_RECORDS, is_cacheable, page_of, tail_of
from recuerdo.caching.tiers import HistoryTiers
from recuerdo.core.errors import Damaged, RecuerdoError, Unavailable
from recuerdo.core.messages import Record
from recuerdo.core.ports import HistoryRepository, ThreadRepository
from recuerdo.core.scope import Scope
from recuerdo.core.threads import (
    Append,
    Appended,
    Change,
    Head,
    MessageQuery,
    Page,
    Snapshot,
    Tail,
    Thread,
    Version,
)


class CachedHistory:
    """The HistoryRepository over another one and the cache tiers. Reads are strong: each asks the database's head."""

    def __init__(self, repository: HistoryRepository, tiers: HistoryTiers) -> None:
        self._repository = repository
        self._tiers = tiers
        self.head = repository.head
        self.snapshot = repository.snapshot
        self.count = repository.count

    async def append(self, batch: Sequence[Append]) -> list[Appended | RecuerdoError]:
        """See HistoryRepository; returns when the caches know."""
        try:
            outcomes = await self._repository.append(batch)
        except Unavailable:  # nothing is acknowledged; the sweeper finds what was committed all the same
            raise
        except BaseException:
            await self._tiers.changed([request.scope for request in batch])
            raise
        changes: list[Change] = []
        replayed: list[Scope] = []
        for request, outcome in zip(batch, outcomes, strict=True):
            if isinstance(outcome, RecuerdoError):
                continue
            if outcome.replayed:
                replayed.append(request.scope)
            else:
                changes.append(_change(request, outcome))
        await self._tiers.appended(changes)
        if replayed:  # whoever committed it may have died, or not yet have told the caches
            await self._tiers.changed(replayed)
        return outcomes

    async def tail(self, scope: Scope, limit: int) -> Tail:
        """See HistoryRepository."""
        if limit <= MOST_RECORDS:
            try:
                tail = tail_of(await self._at_head(scope), limit)
            except Damaged:  # perhaps in a message that only the snapshot reaches back to
                tail = None
            if tail is not None:
                return tail
        return await self._repository.tail(scope, limit)

    async def page(self, scope: Scope, query: MessageQuery) -> Page:
        """See HistoryRepository."""
        if is_cacheable(query):
            try:
                page = page_of(await self._at_head(scope), query)
            except Damaged:  # as in `tail`
                page = None
            if page is not None:
                return page
        return await self._repository.page(scope, query)

    async def archive(self, scope: Scope, first: int, last: int, archived: bool) -> int:
        """See HistoryRepository."""
        try:
            return await self._repository.archive(scope, first, last, archived)
        finally:
            await self._tiers.changed([scope])

    async def cached_tail(self, scope: Scope, limit: int, at_least: Version) -> Tail:
        """See CachedReads."""
        try:
            for wanted in _enough_for(limit):
                known = await self._tiers.known(scope, at_least, lambda: self._at_head(scope), wanted)
                if (tail := tail_of(known, limit)) is not None:
                    return tail
        except Damaged:  # as in `tail`
            pass
        return await self._repository.tail(scope, limit)

    async def cached_page(self, scope: Scope, query: MessageQuery, at_least: Version) -> Page:
        """See CachedReads."""
        try:
            for wanted in _enough_for(query.limit) if is_cacheable(query) else ():
                known = await self._tiers.known(scope, at_least, lambda: self._at_head(scope), wanted)
                if (page := page_of(known, query)) is not None:
                    return page
        except Damaged:  # as in `tail`
            pass
        return await self._repository.page(scope, query)

    async def _at_head(self, scope: Scope) -> Snapshot:
        head = await self._repository.head(scope)
        return await self._tiers.at(scope, head, lambda: self._load(scope))

    async def _load(self, scope: Scope) -> Snapshot:
        return await self._repository.snapshot(scope, MOST_RECORDS)


class CachedThreads:
    """The ThreadRepository over another one, which tells the caches what it erased."""

    erased: Callable[[Scope], Awaitable[None]] | None = None
    """Is told of what was erased as well, before whoever asked for it is."""

    def __init__(self, repository: ThreadRepository, tiers: HistoryTiers) -> None:
        self._repository = repository
        self._tiers = tiers
        self.get = repository.get
        self.select = repository.select
        self.changed = repository.changed
        self.owners = repository.owners
        self.forget_keys = repository.forget_keys

    async def clear(self, scope: Scope, at: datetime) -> Version | None:
        """See ThreadRepository."""
        try:
            version = await self._repository.clear(scope, at)
        finally:
            await self._tiers.changed([scope])
        if self.erased is not None:
            await self.erased(scope)
        return version

    async def delete(self, scope: Scope, at: datetime, only_at: Head | None = None) -> bool:
        """See ThreadRepository."""
        try:
            deleted = await self._repository.delete(scope, at, only_at)
        finally:
            await self._tiers.changed([scope])
        if self.erased is not None and (deleted or only_at is None):
            await self.erased(scope)
        return deleted

    async def fork(self, scope: Scope, at_seq: int, target: str, at: datetime) -> Thread:
        """See ThreadRepository."""
        try:
            return await self._repository.fork(scope, at_seq, target, at)
        finally:
            await self._tiers.changed([scope.owner.thread(target)])


def _enough_for(limit: int) -> list[int]:
    """How many messages to ask a cache for: so many that most threads can answer, and then all that it has."""
    return sorted({min(limit + 1, MOST_RECORDS), MOST_RECORDS})


def _change(request: Append, receipt: Appended) -> Change:
    records = [Record(seq, False, message.body) for seq, message in enumerate(request.messages, receipt.first_seq)]
    return Change(request.scope, receipt.version.epoch, records, receipt.revision)

"""A thread's history over two tiers of caches: this process's snapshots, and those that all replicas share.

The repositories here stand before a database's and give the same answers, most of them without reading a message. Where
a function returns None the database must be asked.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from datetime import datetime
from itertools import islice
from operator import itemgetter
from typing import Any

from recuerdo.caching.replicas import ReadReplica
from recuerdo.concurrency.coalescer import SingleFlight
from recuerdo.concurrency.lru import LruCache
from recuerdo.core.cache_ports import CachedReads, HistoryCache
from recuerdo.core.errors import Damaged, RecuerdoError, Unavailable
from recuerdo.core.messages import Record, rows_within
from recuerdo.core.ports import HistoryRepository, ThreadRepository
from recuerdo.core.scope import Scope
from recuerdo.core.thread_metadata import ThreadMetadata
from recuerdo.core.threads import (
    BEGINNING,
    MOST_READ_BYTES,
    NOWHERE,
    Append,
    Appended,
    AppendedRecords,
    ChangedThreads,
    Head,
    Lease,
    MessageQuery,
    Page,
    Snapshot,
    Tail,
    Thread,
    Version,
)

MOST_RECORDS = 200
"""How many of a thread's newest messages caches keep."""

DEFAULT_BYTES = 64 * 2**20

RETRY_SECONDS = 0.5
"""Seconds that a cached read retries a shared cache that did not answer in time, while the database is away."""

_PAUSE = 0.02

LoadSnapshot = Callable[[], Coroutine[Any, Any, Snapshot]]

_is_archived = itemgetter(1)
_BODY = 2
"""The place of the body in a record."""

_body = itemgetter(_BODY)


class Load:
    """A promise to fill an entry, which any earlier change of the thread breaks."""

    def __init__(self) -> None:
        self.broken = False


class LocalTier:
    """The snapshots in this process by scope, at most `most_bytes` in all. Any may be lost at any time."""

    def __init__(self, most_bytes: int = DEFAULT_BYTES) -> None:
        self._entries: LruCache[Scope, Snapshot] = LruCache(most_bytes)
        self._loads: dict[Scope, Load] = {}
        self.get = self._entries.get

    def begin(self, scope: Scope) -> Load:
        """Announce that a snapshot is about to be read; it may be put in only while nothing changes the thread."""
        return self._loads.setdefault(scope, Load())

    def put(self, scope: Scope, load: Load, snapshot: Snapshot) -> bool:
        """Keep the snapshot. False when the thread changed since `begin`: what was read may be old."""
        if self._loads.get(scope) is load:
            del self._loads[scope]
        if load.broken:
            return False
        load.broken = True  # a second reader of the same load may be older than the first
        self._entries.put(scope, snapshot, snapshot_size(snapshot))
        return True

    def abandon(self, scope: Scope, load: Load) -> None:
        """The read failed. Others that share the load may go on, but not put: changes can no longer break it."""
        if self._loads.get(scope) is load:
            self._break(scope)

    def append(self, change: AppendedRecords) -> None:
        """The messages were committed: extend the entry, or drop one that they don't fit."""
        scope = change.scope
        self._break(scope)
        entry = self._entries.get(scope)
        if entry is None or entry.head.version.epoch > change.epoch:
            return
        extended = extend(entry, change)
        if extended is None:
            self.drop(scope)
        elif extended is not entry:
            added = extended.head.version.seq - entry.head.version.seq
            dropped = len(entry.records) + added - len(extended.records)
            growth = _size_of(extended.records[-added:]) - _size_of(entry.records[:dropped])
            self._entries.replace(scope, extended, growth)

    def drop(self, scope: Scope) -> None:
        """Forget the entry."""
        self._break(scope)
        self._entries.pop(scope)

    def drop_all(self) -> None:
        """Forget every entry, and break every load."""
        for scope in [*self._entries, *self._loads]:
            self.drop(scope)

    def verify(self, heads: Mapping[Scope, Head]) -> int:
        """The database was at these heads: drop what is behind them. Returns how many entries were dropped."""
        entries = len(self._entries)
        for scope, head in heads.items():
            entry = self._entries.peek(scope)
            if entry is None or is_behind(entry.head, head):
                self.drop(scope)
        return entries - len(self._entries)

    def _break(self, scope: Scope) -> None:
        load = self._loads.pop(scope, None)
        if load is not None:
            load.broken = True


def reaches_start(snapshot: Snapshot) -> bool:
    """Whether the snapshot has the thread's first message, or the thread is empty."""
    return len(snapshot.records) == snapshot.head.version.seq


def is_behind(known: Head, true: Head) -> bool:
    """Whether a thread that the database had at `true` has changed since `known`."""
    (known_epoch, known_seq), (epoch, seq) = known.version, true.version
    if known_epoch != epoch:
        return known_epoch < epoch or true.version == NOWHERE
    return known_seq < seq or known.revision < true.revision


def is_cacheable(query: MessageQuery) -> bool:
    """Whether a snapshot could answer the query at all: a record does not know its time."""
    return query.limit <= MOST_RECORDS and not (query.since or query.until or query.ids or query.skip)


def tail_of(snapshot: Snapshot, limit: int, most_bytes: int = MOST_READ_BYTES) -> Tail | None:
    """The answer to HistoryRepository.tail, unless it needs older messages than the snapshot has."""
    shown = snapshot.records[-limit - 1 :]
    system_seq = snapshot.system.seq if snapshot.system else 0
    # in most threads nothing has to be left out, and looking at each message is spared
    if shown and (system_seq >= shown[0].seq or any(map(_is_archived, shown))):
        newest = (record for record in reversed(snapshot.records) if not record.archived and not record.is_system)
        shown = list(islice(newest, limit + 1))[::-1]
    found, is_full = _filling(shown[: -limit - 1 : -1], most_bytes)
    if is_full:
        return Tail(snapshot.head, snapshot.system, found[::-1], complete=False, is_full=True)
    if len(shown) <= limit and len(snapshot.records) < snapshot.head.version.seq:
        return None
    return Tail(snapshot.head, snapshot.system, shown[-limit:], complete=len(shown) <= limit)


def page_of(snapshot: Snapshot, query: MessageQuery) -> Page | None:
    """The answer to HistoryRepository.page, unless it needs older messages or looks at times."""
    if not is_cacheable(query):
        return None
    if query.after is not None:
        found = [record for record in snapshot.records if _matches(query, record)]
        first_seq = snapshot.head.version.seq - len(snapshot.records) + 1
        covered = reaches_start(snapshot) or first_seq <= query.after + 1
        cut, is_full = _filling(found[: query.limit], query.most_bytes)
    else:
        found = _newest_matching(snapshot, query)
        newest, is_full = _filling(found[: -query.limit - 1 : -1], query.most_bytes)
        covered = reaches_start(snapshot) or len(found) > query.limit or is_full
        cut = newest[::-1]
    return Page(snapshot.head.version, cut, more=len(found) > query.limit or is_full) if covered else None


def _newest_matching(snapshot: Snapshot, query: MessageQuery) -> list[Record]:
    """Up to one message more than the query's limit, oldest first."""
    newest = snapshot.records[-query.limit - 1 :]
    archived_matter = query.archived is True or (query.archived is False and any(map(_is_archived, newest)))
    if query.before is None and not query.roles and not archived_matter:
        return newest
    matching = (record for record in reversed(snapshot.records) if _matches(query, record))
    return list(islice(matching, query.limit + 1))[::-1]


def _filling(records: list[Record], most_bytes: int) -> tuple[list[Record], bool]:
    """The records that `rows_within` returns, without counting each where all have room, as nearly always."""
    if sum(map(len, map(_body, records))) < most_bytes:
        return records, False
    return rows_within(records, most_bytes, _BODY)


def extend(snapshot: Snapshot, change: AppendedRecords) -> Snapshot | None:
    """The snapshot with the appended messages after it.

    The same snapshot when it already has them, and None when the two don't meet: another epoch, a gap, or an archiving
    in between.
    """
    head = snapshot.head
    if change.epoch != head.version.epoch or change.records[0].seq > head.version.seq + 1:
        return None
    new = change.records[head.version.seq + 1 - change.records[0].seq :]
    if not new:
        return snapshot
    if change.revision != head.revision:
        return None
    system = snapshot.system
    for record in new:
        if record.is_system:
            system = record
    records = [*snapshot.records, *new][-MOST_RECORDS:]
    return Snapshot(Head(Version(change.epoch, new[-1].seq), head.revision), system, records)


def snapshot_size(snapshot: Snapshot) -> int:
    """About how many bytes the snapshot takes in memory."""
    return 500 + _size_of(snapshot.records)


def _size_of(records: Sequence[Record]) -> int:
    size = 0
    for _, _, body in records:
        size += len(body) + 150
    return size


def _matches(query: MessageQuery, record: Record) -> bool:
    return (
        (query.before is None or record.seq < query.before)
        and (query.after is None or record.seq > query.after)
        and (not query.roles or record.role in query.roles)
        and query.archived in (None, record.archived)
    )


class HistoryTiers:
    """Finds the newest part of a thread in the nearest tier that has it, and keeps both tiers up to date.

    `shared` must not raise: see GuardedCache.
    """

    erased: Callable[[Scope], Awaitable[None]] | None = None
    """Called with each thread whose messages were erased, before the erasure returns."""

    archived: Callable[[Scope, int], Awaitable[None]] | None = None
    """Called with a thread and the seq from which on messages were archived or shown again, before that returns."""

    def __init__(self, local: LocalTier, shared: HistoryCache | None = None) -> None:
        self._local = local
        self._shared = shared
        self._lookups: SingleFlight[Snapshot] = SingleFlight()
        self._mark: str | None = None

    async def at(self, scope: Scope, head: Head, load: LoadSnapshot) -> Snapshot:
        """The snapshot of a head that the database has just shown, or of a later one."""
        if head.version == NOWHERE:
            return Snapshot(head, None, [])
        entry = self._local.get(scope)
        if entry is not None and _has_reached(entry.head, head):
            return entry
        return await self._lookups.run((scope, head), lambda: self._fetch(scope, head, load))

    async def known(self, scope: Scope, at_least: Version, look: LoadSnapshot, wanted: int = MOST_RECORDS) -> Snapshot:
        """The snapshot that the nearest authority without a database knows; where none does, what `look` finds.

        It may hold no more than the `wanted` newest messages.

        That authority is the shared tier, and in its absence this process. Each caller asks it anew: an answer that
        was asked for before the caller came may miss what the caller has been told of since.
        """
        if self._shared is None:
            entry = self._local.get(scope)
            return entry if entry is not None and entry.head.version >= at_least else await look()
        found = await self._shared.read(scope, at_least, wanted)
        if isinstance(found, Snapshot):
            return found
        try:
            return await self._fill(self._shared, scope, found, look)
        except Unavailable:
            again = await self._ask_again(self._shared, scope, at_least, wanted) if found.is_unknown else None
            if again is None:
                raise
            return again

    async def _ask_again(self, shared: HistoryCache, scope: Scope, at_least: Version, wanted: int) -> Snapshot | None:
        """Ask a shared cache that did not answer in time again, for RETRY_SECONDS at most."""
        loop = asyncio.get_running_loop()
        end = loop.time() + RETRY_SECONDS
        while loop.time() < end:
            found = await shared.read(scope, at_least, wanted)
            if isinstance(found, Snapshot):
                return found
            if not found.is_unknown:
                return None
            await asyncio.sleep(_PAUSE)
        return None

    async def appended(self, changes: Sequence[AppendedRecords]) -> None:
        """Messages were committed."""
        for change in changes:
            self._local.append(change)
        if self._shared is not None and changes:
            await self._shared.append(changes)

    async def changed(self, scopes: Sequence[Scope]) -> None:
        """The threads may have been changed by something other than a known append."""
        for scope in scopes:
            self._local.drop(scope)
        if self._shared is not None and scopes:
            await self._shared.purge(scopes)

    async def verify(self, changed: ChangedThreads) -> int:
        """The database was at these heads: forget what is behind them. Returns how many entries were forgotten.

        Only the authority of cached reads is verified; strong reads see for themselves. Raises CacheUnavailable.
        """
        if self._shared is not None:
            return await self._shared.verify(changed)
        if self._mark is None:
            self._local.drop_all()  # what was kept before the first mark may have missed anything
        self._mark = changed.mark
        return self._local.verify(changed.heads)

    async def mark(self) -> str | None:
        """The mark to continue verifying from; None if there is none yet. Raises CacheUnavailable."""
        if self._shared is None:
            return self._mark
        mark = await self._shared.mark()
        return BEGINNING if mark is None else mark

    async def _fetch(self, scope: Scope, head: Head, load: LoadSnapshot) -> Snapshot:
        promise = self._local.begin(scope)
        try:
            snapshot = await self._from_shared_or_database(scope, head, load)
        except BaseException:
            self._local.abandon(scope, promise)
            raise
        self._local.put(scope, promise, snapshot)
        return snapshot

    async def _from_shared_or_database(self, scope: Scope, head: Head, load: LoadSnapshot) -> Snapshot:
        if self._shared is None:
            return await load()
        found = await self._shared.read(scope, head.version, MOST_RECORDS, head)
        return found if isinstance(found, Snapshot) else await self._fill(self._shared, scope, found, load)

    async def _fill(self, shared: HistoryCache, scope: Scope, lease: Lease, load: LoadSnapshot) -> Snapshot:
        snapshot = await load()
        if lease.token is not None:
            await shared.fill(scope, lease, snapshot)
        return snapshot


class CachedHistory(HistoryRepository, CachedReads):
    """The HistoryRepository over another one and the cache tiers. Reads are strong: each asks the database's head.

    Where no cache knows a thread, cached reads take its messages from the `replica`, if it has reached that head. While
    the database is away it alone answers them, and no cache keeps what it says.
    """

    def __init__(self, repository: HistoryRepository, tiers: HistoryTiers, replica: ReadReplica | None = None) -> None:
        self._repository = repository
        self._tiers = tiers
        self._replica = replica
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
        changes: list[AppendedRecords] = []
        replayed: list[Scope] = []
        for request, outcome in zip(batch, outcomes, strict=True):
            if isinstance(outcome, RecuerdoError):
                continue
            if outcome.replayed:
                replayed.append(request.scope)
                continue
            records: list[Record] = []
            for seq, message in enumerate(request.messages, outcome.first_seq):
                records.append(Record(seq, False, message.body))
            changes.append(AppendedRecords(request.scope, outcome.version.epoch, records, outcome.revision))
        await self._tiers.appended(changes)
        if replayed:  # the process that committed it may have died, or not yet have updated the caches
            await self._tiers.changed(replayed)
        return outcomes

    async def replace(self, request: Append) -> Appended:
        try:
            receipt = await self._repository.replace(request)
        finally:
            await self._tiers.changed([request.scope])
        if self._tiers.erased is not None and not receipt.replayed:
            await self._tiers.erased(request.scope)
        return receipt

    async def tail(self, scope: Scope, limit: int, *, most_bytes: int = MOST_READ_BYTES) -> Tail:
        if limit <= MOST_RECORDS:
            try:
                tail = tail_of(await self._at_head(scope), limit, most_bytes)
            except Damaged:  # perhaps in a message that only the snapshot reaches back to
                tail = None
            if tail is not None:
                return tail
        return await self._repository.tail(scope, limit, most_bytes=most_bytes)

    async def page(self, scope: Scope, query: MessageQuery) -> Page:
        if is_cacheable(query):
            try:
                page = page_of(await self._at_head(scope), query)
            except Damaged:  # as in `tail`
                page = None
            if page is not None:
                return page
        return await self._repository.page(scope, query)

    async def archive(self, scope: Scope, first: int, last: int, archived: bool) -> int:
        try:
            changed = await self._repository.archive(scope, first, last, archived)
        finally:
            await self._tiers.changed([scope])
        if self._tiers.archived is not None:  # also if nothing changed: the first try may have failed behind the commit
            await self._tiers.archived(scope, first)
        return changed

    async def cached_tail(
        self, scope: Scope, limit: int, at_least: Version, *, most_bytes: int = MOST_READ_BYTES
    ) -> Tail:
        try:
            for wanted in _enough_for(limit):
                known = await self._tiers.known(scope, at_least, lambda: self._near_head(scope), wanted)
                if (tail := tail_of(known, limit, most_bytes)) is not None:
                    return tail
            return await self._repository.tail(scope, limit, most_bytes=most_bytes)
        except Damaged:  # as in `tail`
            return await self._repository.tail(scope, limit, most_bytes=most_bytes)
        except Unavailable:
            found = await self._replica.tail(scope, limit, at_least, most_bytes) if self._replica else None
            if found is None:
                raise
            return found

    async def cached_page(self, scope: Scope, query: MessageQuery, at_least: Version) -> Page:
        try:
            for wanted in _enough_for(query.limit) if is_cacheable(query) else ():
                known = await self._tiers.known(scope, at_least, lambda: self._near_head(scope), wanted)
                if (page := page_of(known, query)) is not None:
                    return page
            return await self._repository.page(scope, query)
        except Damaged:  # as in `tail`
            return await self._repository.page(scope, query)
        except Unavailable:
            found = await self._replica.page(scope, query, at_least) if self._replica else None
            if found is None:
                raise
            return found

    async def _at_head(self, scope: Scope) -> Snapshot:
        head = await self._repository.head(scope)
        return await self._tiers.at(scope, head, lambda: self._load(scope))

    async def _near_head(self, scope: Scope) -> Snapshot:
        """The snapshot, read through the replica: as new, because the head is the database's own."""
        head = await self._repository.head(scope)
        return await self._tiers.at(scope, head, lambda: self._load_near(scope, head))

    async def _load(self, scope: Scope) -> Snapshot:
        return await self._repository.snapshot(scope, MOST_RECORDS)

    async def _load_near(self, scope: Scope, head: Head) -> Snapshot:
        if self._replica is None:
            return await self._load(scope)
        found = await self._replica.snapshot(scope, MOST_RECORDS, lambda its: _has_reached(its, head))
        return await self._load(scope) if found is None else found


class CachedThreads(ThreadRepository):
    """The ThreadRepository over another one, which tells the caches what it erased."""

    def __init__(self, repository: ThreadRepository, tiers: HistoryTiers) -> None:
        self._repository = repository
        self._tiers = tiers
        self.get = repository.get
        self.select = repository.select
        self.changed = repository.changed
        self.owners = repository.owners
        self.rename = repository.rename
        self.since_emptied = repository.since_emptied
        self.forget_keys = repository.forget_keys

    async def clear(self, scope: Scope, at: datetime, expected_epoch: int | None = None) -> Version | None:
        try:
            version = await self._repository.clear(scope, at, expected_epoch)
        finally:
            await self._tiers.changed([scope])
        if self._tiers.erased is not None:
            await self._tiers.erased(scope)
        return version

    async def delete(
        self, scope: Scope, at: datetime, only_at: Head | None = None, expected_epoch: int | None = None
    ) -> bool:
        try:
            deleted = await self._repository.delete(scope, at, only_at, expected_epoch)
        finally:
            await self._tiers.changed([scope])
        if self._tiers.erased is not None and (deleted or only_at is None):
            await self._tiers.erased(scope)
        return deleted

    async def fork(self, scope: Scope, at_seq: int, target: str, at: datetime) -> Thread:
        try:
            return await self._repository.fork(scope, at_seq, target, at)
        finally:
            await self._tiers.changed([scope.owner.thread(target)])

    async def set_metadata(
        self, scope: Scope, metadata: ThreadMetadata, instead_of: ThreadMetadata | None, at: datetime
    ) -> bool:
        try:
            return await self._repository.set_metadata(scope, metadata, instead_of, at)
        finally:
            if instead_of is None:  # a thread that begins has an epoch of its own
                await self._tiers.changed([scope])


def _enough_for(limit: int) -> list[int]:
    """How many messages to ask a cache for: enough for most threads, and then all that it has."""
    return sorted({min(limit + 1, MOST_RECORDS), MOST_RECORDS})


def _has_reached(known: Head, asked: Head) -> bool:
    return (
        known.version.epoch == asked.version.epoch
        and known.revision == asked.revision
        and known.version.seq >= asked.version.seq
    )

"""Snapshots of threads: those that this process keeps, and what can be answered from one.

Where a function returns None the database must be asked.
"""

from collections.abc import Mapping, Sequence
from itertools import islice
from operator import itemgetter

from recuerdo.concurrency.lru import LruCache
from recuerdo.core.messages import Record, filling
from recuerdo.core.scope import Scope
from recuerdo.core.threads import MOST_READ_BYTES, NOWHERE, Change, Head, MessageQuery, Page, Snapshot, Tail, Version

MOST_RECORDS = 200
"""How many of a thread's newest messages caches keep."""

DEFAULT_BYTES = 64 * 2**20

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
        self._entries.put(scope, snapshot, size_of(snapshot))
        return True

    def abandon(self, scope: Scope, load: Load) -> None:
        """The read failed. Others that share the load may go on, but not put: changes can no longer break it."""
        if self._loads.get(scope) is load:
            self._break(scope)

    def append(self, change: Change) -> None:
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


def is_whole(snapshot: Snapshot) -> bool:
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
        covered = is_whole(snapshot) or first_seq <= query.after + 1
        cut, is_full = _filling(found[: query.limit], query.most_bytes)
    else:
        found = _newest_matching(snapshot, query)
        newest, is_full = _filling(found[: -query.limit - 1 : -1], query.most_bytes)
        covered = is_whole(snapshot) or len(found) > query.limit or is_full
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
    """The same as `filling`, without a look at each record where all have room, as nearly always."""
    if sum(map(len, map(_body, records))) < most_bytes:
        return records, False
    return filling(records, most_bytes, _BODY)


def extend(snapshot: Snapshot, change: Change) -> Snapshot | None:
    """The snapshot with the appended messages behind it.

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


def size_of(snapshot: Snapshot) -> int:
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

"""What can be answered from a snapshot, and how an append makes the next one. None means: ask the database."""

from collections.abc import Sequence
from itertools import islice
from operator import itemgetter

from recuerdo.core.messages import Record
from recuerdo.core.threads import NOWHERE, Change, Head, MessageQuery, Page, Snapshot, Tail, Version

MOST_RECORDS = 200
"""How many of a thread's newest messages caches keep."""

_is_archived = itemgetter(1)


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
    return query.limit <= MOST_RECORDS and not (query.since or query.until)


def tail_of(snapshot: Snapshot, limit: int) -> Tail | None:
    """The answer to HistoryRepository.tail, unless it needs older messages than the snapshot has."""
    shown = _newest_shown(snapshot, limit + 1)
    if len(shown) <= limit and not is_whole(snapshot):
        return None
    return Tail(snapshot.head, snapshot.system, shown[-limit:], complete=len(shown) <= limit)


def page_of(snapshot: Snapshot, query: MessageQuery) -> Page | None:
    """The answer to HistoryRepository.page, unless it needs older messages or looks at times."""
    if not is_cacheable(query):
        return None
    if query.after is not None:
        found = [record for record in snapshot.records if _matches(query, record)]
        covered = is_whole(snapshot) or _first_seq(snapshot) <= query.after + 1
        cut = found[: query.limit]
    else:
        found = _newest_matching(snapshot, query)
        covered = is_whole(snapshot) or len(found) > query.limit
        cut = found[-query.limit :]
    return Page(snapshot.head.version, cut, more=len(found) > query.limit) if covered else None


def _newest_shown(snapshot: Snapshot, count: int) -> list[Record]:
    """Up to `count` messages that are neither archived nor system messages, oldest first."""
    newest = snapshot.records[-count:]
    system_seq = snapshot.system.seq if snapshot.system else 0
    if newest and system_seq < newest[0].seq and not any(map(_is_archived, newest)):
        return newest  # as most threads are: nobody has to look at each message
    shown = (record for record in reversed(snapshot.records) if not record.archived and not record.is_system)
    return list(islice(shown, count))[::-1]


def _newest_matching(snapshot: Snapshot, query: MessageQuery) -> list[Record]:
    """Up to one message more than the query's limit, oldest first."""
    newest = snapshot.records[-query.limit - 1 :]
    archived_matter = query.archived is True or (query.archived is False and any(map(_is_archived, newest)))
    if query.before is None and not query.roles and not archived_matter:
        return newest
    matching = (record for record in reversed(snapshot.records) if _matches(query, record))
    return list(islice(matching, query.limit + 1))[::-1]


def extend(snapshot: Snapshot, change: Change) -> Snapshot | None:
    """The snapshot with the appended messages behind it.

    The same snapshot when it already has them, and None when the two don't meet: another epoch, a gap, or an archiving
    in between.
    """
    head = snapshot.head
    if change.epoch != head.version.epoch or change.records[0].seq > head.version.seq + 1:
        return None
    new = [record for record in change.records if record.seq > head.version.seq]
    if not new:
        return snapshot
    if change.revision != head.revision:
        return None
    system = next((record for record in reversed(new) if record.is_system), snapshot.system)
    records = (snapshot.records + new)[-MOST_RECORDS:]
    return Snapshot(Head(Version(change.epoch, new[-1].seq), head.revision), system, records)


def size_of(snapshot: Snapshot) -> int:
    """About how many bytes the snapshot takes in memory."""
    return 500 + _size_of(snapshot.records)


def growth(before: Snapshot, after: Snapshot) -> int:
    """By how many bytes the one is larger that `extend` made of the other."""
    (_, old_seq), (_, new_seq) = before.head.version, after.head.version
    dropped = len(before.records) + new_seq - old_seq - len(after.records)
    return _size_of(after.records[old_seq - new_seq :] if new_seq > old_seq else []) - _size_of(
        before.records[:dropped]
    )


def _size_of(records: Sequence[Record]) -> int:
    return sum([len(record.body) + 150 for record in records])


def _first_seq(snapshot: Snapshot) -> int:
    return snapshot.head.version.seq - len(snapshot.records) + 1


def _matches(query: MessageQuery, record: Record) -> bool:
    return (
        (query.before is None or record.seq < query.before)
        and (query.after is None or record.seq > query.after)
        and (not query.roles or record.role in query.roles)
        and query.archived in (None, record.archived)
    )

"""Passages for searches, in SQLite."""

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from operator import itemgetter

import msgspec

from recuerdo.adapters.rows import EARLIEST, LATEST, from_microseconds, timed_page_of, to_microseconds
from recuerdo.adapters.sqlite.connection import SqliteRepository, reading, writing
from recuerdo.adapters.sqlite.history import MINUTE
from recuerdo.core.messages import ROLES, Record, rows_within, verified
from recuerdo.core.passages import (
    LATEST_THREADS,
    MOST_AHEAD,
    MessagePlace,
    PassageVector,
    StoredPassage,
    TimedPage,
    TimedQuery,
)
from recuerdo.core.ports import PassageRepository
from recuerdo.core.scope import Owner
from recuerdo.core.threads import ABSENT, MOST_READ_BYTES, Head, HeadChanges, Version, number_in

_HEADS = """
SELECT thread, epoch, last_seq, revision, deleted FROM threads
WHERE tenant = :tenant AND user = :user AND (:thread IS NULL OR thread = :thread) AND NOT deleted"""

# The unary + keeps SQLite from reading all of the owner's threads.
_CHANGED_HEADS = """
SELECT thread, epoch, last_seq, revision, deleted FROM threads
WHERE changed > :since AND +tenant = :tenant AND +user = :user AND (:thread IS NULL OR +thread = :thread)"""

_MOST_CHANGES = 2_000
"""The number of changes, of all owners, from which reading all of an owner's threads is quicker."""

# CROSS JOIN keeps the order of the loops: a few threads, and of each the messages that are asked for.
_ASKED = """
FROM json_each(:asked) AS asked CROSS JOIN threads AS t
    ON t.tenant = :tenant AND t.user = :user AND t.thread = json_extract(asked.value, '$[0]') AND NOT t.deleted
CROSS JOIN messages AS m ON m.epoch = t.epoch"""

# Thread by thread: all of them together would be sorted anew for each page.
_READ = """
SELECT m.seq, m.archived, m.body, m.checksum, v.vector FROM threads AS t CROSS JOIN messages AS m ON m.epoch = t.epoch
LEFT JOIN passage_vectors AS v ON v.epoch = m.epoch AND v.seq = m.seq AND v.model = ?
WHERE t.tenant = ? AND t.user = ? AND t.thread = ? AND NOT t.deleted AND m.epoch = ? AND m.seq > ?
ORDER BY m.seq LIMIT ?"""

_ARCHIVED = f"SELECT t.thread, m.epoch, m.seq {_ASKED} AND m.archived"

_PICK = f"""
SELECT t.thread, m.epoch, m.seq, m.archived, m.body, m.checksum {_ASKED}
    AND m.epoch = json_extract(asked.value, '$[1]') AND m.seq = json_extract(asked.value, '$[2]')"""

_KEEP = f"""
INSERT OR REPLACE INTO passage_vectors (epoch, seq, model, vector)
SELECT m.epoch, m.seq, :model, :vector {_ASKED}
    AND m.epoch = json_extract(asked.value, '$[1]') AND m.seq = json_extract(asked.value, '$[2]')"""

_MATCHING = """
FROM messages AS m INDEXED BY messages_by_time WHERE m.epoch = t.epoch
    AND m.created_at >= :since AND m.created_at < :until AND m.created_at <= :at
    AND (m.created_at < :at OR m.epoch < :epoch OR (m.epoch = :epoch AND m.seq < :seq))
    AND m.role IN (SELECT value FROM json_each(:roles)) AND (:archived IS NULL OR m.archived = :archived)
ORDER BY m.created_at DESC, m.seq DESC"""

# The last minute in which a thread changed that is not looked at, or no row if all are.
_OTHERS = """
SELECT updated_minute FROM threads
WHERE tenant = :tenant AND user = :user AND NOT deleted AND updated_minute >= :changed_since
ORDER BY updated_minute DESC LIMIT 1 OFFSET :threads - 1"""

# Of the threads that changed last, and of those with messages dated ahead, the ones whose newest match is among the
# first have all of the first: of the others one message is looked at.
_BY_TIME = f"""
WITH candidates AS (
    SELECT thread, epoch FROM (
        SELECT thread, epoch FROM threads
        WHERE tenant = :tenant AND user = :user AND NOT deleted AND updated_minute >= :changed_since
        ORDER BY updated_minute DESC LIMIT :threads
    ) UNION
    SELECT thread, epoch FROM threads INDEXED BY threads_dated_ahead
    WHERE tenant = :tenant AND user = :user AND dated_ahead AND NOT deleted
), newest AS MATERIALIZED (
    SELECT t.thread, t.epoch, (SELECT m.created_at {_MATCHING} LIMIT 1) AS created_at FROM candidates AS t
), t AS MATERIALIZED (
    SELECT thread, epoch FROM newest WHERE created_at IS NOT NULL
    ORDER BY created_at DESC, epoch DESC LIMIT :skip + :limit
), found AS MATERIALIZED (
    SELECT t.thread, m.epoch, m.seq, m.created_at FROM t CROSS JOIN messages AS m
    WHERE m.epoch = t.epoch AND m.seq IN (SELECT m.seq {_MATCHING} LIMIT :skip + :limit)
    ORDER BY m.created_at DESC, m.epoch DESC, m.seq DESC LIMIT :limit OFFSET :skip
)
SELECT f.thread, f.epoch, f.created_at, m.seq, m.archived, m.body, m.checksum
FROM found AS f CROSS JOIN messages AS m ON m.epoch = f.epoch AND m.seq = f.seq
ORDER BY f.created_at DESC, f.epoch DESC, f.seq DESC"""
_RECORD = itemgetter(slice(4))


class SqlitePassages(SqliteRepository, PassageRepository):
    """The PassageRepository over a SQLite file."""

    @reading()
    def heads(
        self, connection: sqlite3.Connection, owner: Owner, thread: str | None = None, since: str | None = None
    ) -> HeadChanges:
        [[latest]] = connection.execute("SELECT coalesce(max(changed), 0) FROM threads")
        if since is not None and not 0 <= latest - number_in(since) <= _MOST_CHANGES:
            since = None
        asked = {"tenant": owner.tenant, "user": owner.user, "thread": thread, "since": since and number_in(since)}
        rows = connection.execute(_HEADS if since is None else _CHANGED_HEADS, asked)
        heads = {row[0]: ABSENT if row[4] else Head(Version(*row[1:3]), row[3]) for row in rows}
        return HeadChanges(heads, since, str(latest))

    @reading()
    def read(
        self,
        connection: sqlite3.Connection,
        owner: Owner,
        since: Mapping[str, Version],
        model: str,
        limit: int,
        *,
        most_bytes: int = MOST_READ_BYTES,
    ) -> list[StoredPassage]:
        found: list[StoredPassage] = []
        for thread, (epoch, known) in since.items():
            if len(found) == limit or most_bytes <= 0:
                break
            asked = (model, owner.tenant, owner.user, thread, epoch, known, limit - len(found))
            rows, _ = rows_within(connection.execute(_READ, asked), most_bytes, 2)
            for record, row in zip(verified(thread, epoch, map(_RECORD, rows)), rows, strict=True):
                found.append(StoredPassage(MessagePlace(thread, epoch, record.seq), record, row[4]))
                most_bytes -= len(record.body)
        return found

    @reading()
    def archived(self, connection: sqlite3.Connection, owner: Owner, threads: Collection[str]) -> set[MessagePlace]:
        asked = _asked(owner, [(thread,) for thread in threads])
        return {MessagePlace(*row) for row in connection.execute(_ARCHIVED, asked)}

    @reading(brief=True)
    def get_many(
        self, connection: sqlite3.Connection, owner: Owner, places: Collection[MessagePlace]
    ) -> dict[MessagePlace, Record]:
        rows = connection.execute(_PICK, _asked(owner, places))
        return {MessagePlace(*row[:3]): verified(row[0], row[1], [row[2:]])[0] for row in rows}

    @reading()
    def by_time(self, connection: sqlite3.Connection, owner: Owner, query: TimedQuery) -> TimedPage:
        place = query.cursor
        changed_since = query.changed_since
        asked: dict[str, str | int | None] = {
            "tenant": owner.tenant,
            "user": owner.user,
            "since": EARLIEST if query.since is None else to_microseconds(query.since),
            "changed_since": EARLIEST if changed_since is None else to_microseconds(changed_since) // MINUTE,
            "until": LATEST if query.until is None else to_microseconds(query.until),
            "at": LATEST if place is None else to_microseconds(place.created_at),
            "epoch": LATEST if place is None else place.epoch,
            "seq": LATEST if place is None else place.seq,
            "roles": msgspec.json.encode(sorted(query.roles or ROLES)).decode(),
            "archived": query.archived,
            "limit": query.limit + 1,
            "skip": query.skip,
        }
        page = TimedPage([], more=False)
        for threads in LATEST_THREADS:
            asked["threads"] = -1 if threads is None else threads
            page = timed_page_of(connection.execute(_BY_TIME, asked), query, from_microseconds)
            last = connection.execute(_OTHERS, asked).fetchone() if threads else None
            if page.is_settled(from_microseconds((last[0] + 1) * MINUTE) + MOST_AHEAD if last else None):
                break
        return page

    @writing()
    def keep(self, connection: sqlite3.Connection, owner: Owner, vectors: Sequence[PassageVector]) -> None:
        rows = [_asked(owner, [each.place]) | {"model": each.model, "vector": each.vector} for each in vectors]
        connection.executemany(_KEEP, rows)


def _asked(owner: Owner, rows: Collection[tuple[str | int, ...]]) -> dict[str, str | int | bytes]:
    return {"tenant": owner.tenant, "user": owner.user, "asked": msgspec.json.encode(list(rows)).decode()}

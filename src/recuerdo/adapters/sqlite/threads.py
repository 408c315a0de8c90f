"""Rows of threads in SQLite."""

import sqlite3
from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from recuerdo.adapters.rows import LATEST, from_microseconds, thread_of, to_microseconds
from recuerdo.adapters.sqlite.connection import SqliteRepository, is_damage, reading, writing
from recuerdo.adapters.sqlite.history import MINUTE, THREAD, create, erase, keep_counts, living, names_of, next_epoch
from recuerdo.core.errors import InvalidInput, NotFound, ThreadExists
from recuerdo.core.passages import MOST_AHEAD
from recuerdo.core.ports import ThreadRepository
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.thread_metadata import NO_METADATA, ThreadMetadata
from recuerdo.core.threads import (
    ABSENT,
    NAMELESS,
    ChangedThreads,
    Head,
    Thread,
    ThreadCursor,
    ThreadPage,
    Version,
    number_in,
)

_COLUMNS = "thread, epoch, last_seq, title, metadata, created_at, updated_at"
_ARCHIVED = "(SELECT archived FROM messages WHERE messages.epoch = threads.epoch AND seq = last_seq)"
_LIVING, _LIVING_UNINDEXED = "NOT deleted", "deleted = 0"
"""The condition of the index on minutes, and one that SQLite does not know as the same."""


class SqliteThreads(SqliteRepository, ThreadRepository):
    """The ThreadRepository over a SQLite file."""

    @reading()
    def get(self, connection: sqlite3.Connection, scope: Scope) -> Thread | None:
        rows = _read(connection, f"{THREAD} AND {_LIVING}", names_of(scope))
        return thread_of(rows[0], from_microseconds) if rows else None

    @reading()
    def select(
        self,
        connection: sqlite3.Connection,
        owner: Owner,
        limit: int,
        cursor: str | None = None,
        *,
        skip: int = 0,
        fields: Collection[bytes] = (),
    ) -> ThreadPage:
        place = None if cursor is None else ThreadCursor.parse(cursor)
        time = LATEST if place is None else to_microseconds(place.updated_at)
        known = (owner.tenant, owner.user)
        holding, values = _holding(connection, known, fields)
        rows = _read(
            connection,
            f"tenant = ? AND user = ? AND {_LIVING} AND updated_minute <= ?"
            f" AND (updated_at < ? OR (updated_at = ? AND thread > ?)){holding}"
            " ORDER BY updated_minute DESC, updated_at DESC, thread LIMIT ? OFFSET ?",
            (*known, time // MINUTE, time, time, place.id if place else "", *values, limit + 1, skip),
        )
        return ThreadPage.cut([thread_of(row, from_microseconds) for row in rows], limit)

    @writing()
    def clear(
        self, connection: sqlite3.Connection, scope: Scope, at: datetime, expected_epoch: int | None = None
    ) -> Version | None:
        return erase(connection, scope, at, expected_epoch, deleted=False)

    @writing()
    def delete(
        self,
        connection: sqlite3.Connection,
        scope: Scope,
        at: datetime,
        only_at: Head | None = None,
        expected_epoch: int | None = None,
    ) -> bool:
        row = living(connection, scope)
        if row is None or only_at not in (None, Head(row.version, row.revision)):
            return False
        is_unrecorded = only_at is not None
        return erase(connection, scope, at, expected_epoch, deleted=True, is_unrecorded=is_unrecorded) is not None

    @reading()
    def since_emptied(self, connection: sqlite3.Connection, scopes: Collection[Scope]) -> dict[Scope, timedelta]:
        asked = f"SELECT emptied_at FROM threads WHERE {THREAD}"
        found = {scope: connection.execute(asked, names_of(scope)).fetchone() for scope in scopes}
        now = datetime.now(UTC)
        return {scope: now - from_microseconds(row[0]) for scope, row in found.items() if row and row[0] is not None}

    @writing()
    def forget_keys(self, connection: sqlite3.Connection, before: datetime) -> int:
        time = to_microseconds(before)
        connection.execute(
            f"UPDATE threads SET user = '{NAMELESS}', thread = lower(hex(randomblob(16)))"
            f" WHERE deleted AND user <> '{NAMELESS}' AND updated_at < ?",
            (time,),
        )
        return connection.execute("DELETE FROM spent_keys WHERE spent_at < ?", (time,)).rowcount

    @writing()
    def fork(self, connection: sqlite3.Connection, scope: Scope, at_seq: int, target: str, at: datetime) -> Thread:
        source, copy = living(connection, scope), scope.owner.thread(target)
        if source is None:
            raise NotFound("thread", scope.thread)
        if living(connection, copy) is not None:
            raise ThreadExists(target)
        if at_seq > source.version.seq:
            raise InvalidInput("at_seq", f"the thread ends at seq {source.version.seq}")
        epoch = next_epoch(connection)
        create(connection, copy, Version(epoch, at_seq), source.title, at, at)
        _copy_metadata(connection, scope, copy)
        connection.execute(
            "INSERT INTO messages (epoch, seq, id, role, created_at, archived, body, checksum)"
            " SELECT ?, seq, id, role, created_at, archived, body, checksum FROM messages WHERE epoch = ? AND seq <= ?",
            (epoch, source.version.epoch, at_seq),
        )
        keep_counts(connection, copy)
        connection.execute(
            f"UPDATE threads SET dated_ahead = 1 WHERE {THREAD}"
            " AND EXISTS (SELECT 1 FROM messages AS m WHERE m.epoch = ? AND m.created_at > threads.updated_at + ?)",
            (*names_of(copy), epoch, MOST_AHEAD // timedelta(microseconds=1)),
        )
        return thread_of(_read(connection, THREAD, names_of(copy))[0], from_microseconds)

    @writing()
    def rename(self, connection: sqlite3.Connection, scope: Scope, title: str) -> bool:
        renamed = connection.execute(
            f"UPDATE threads SET title = ? WHERE {THREAD} AND NOT deleted", (title, *names_of(scope))
        )
        return renamed.rowcount > 0

    @writing()
    def set_metadata(
        self,
        connection: sqlite3.Connection,
        scope: Scope,
        metadata: ThreadMetadata,
        instead_of: ThreadMetadata | None,
        at: datetime,
    ) -> bool:
        if instead_of is None:
            if living(connection, scope) is not None:
                return False
            create(connection, scope, Version(next_epoch(connection), 0), "", at, at)
        changed = connection.execute(
            f"UPDATE threads SET metadata = ? WHERE {THREAD} AND NOT deleted AND metadata = ?",
            (metadata.text, *names_of(scope), (instead_of or NO_METADATA).text),
        )
        if changed.rowcount:
            connection.execute(f"DELETE FROM thread_fields WHERE {THREAD}", names_of(scope))
            connection.executemany(
                "INSERT INTO thread_fields (tenant, user, thread, field) VALUES (?, ?, ?, ?)",
                [(*names_of(scope), field) for field in metadata.fields],
            )
        return changed.rowcount > 0

    @reading()
    def changed(self, connection: sqlite3.Connection, since: str | None, limit: int) -> ChangedThreads:
        if since is None:
            latest = connection.execute("SELECT coalesce(max(changed), 0) FROM threads").fetchone()
            return ChangedThreads({}, str(latest[0]))
        rows = connection.execute(
            "SELECT tenant, user, thread, epoch, last_seq, revision, deleted, changed FROM threads"
            " WHERE changed > ? ORDER BY changed LIMIT ?",
            (number_in(since), limit),
        ).fetchall()
        heads = {Scope(*row[:3]): ABSENT if row[6] else Head(Version(*row[3:5]), row[5]) for row in rows}
        return ChangedThreads(heads, str(rows[-1][7]) if rows else since)

    @reading()
    def owners(
        self, connection: sqlite3.Connection, tenant: str | None, limit: int, after: Owner | None = None
    ) -> list[Owner]:
        select = (
            "SELECT DISTINCT tenant, user FROM {}"
            " WHERE (tenant, user) > (?, ?) AND (?3 IS NULL OR tenant = ?3) AND {}"
            " ORDER BY tenant, user LIMIT ?4"
        )
        values = (after.tenant if after else tenant or "", after.user if after else "", tenant, limit)
        try:
            rows = connection.execute(select.format("threads", _LIVING), values).fetchall()
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            # this index knows the names, and not which threads are deleted
            rows = connection.execute(select.format("threads INDEXED BY threads_by_change", "TRUE"), values).fetchall()
        return [Owner(*row) for row in rows]


def _read(connection: sqlite3.Connection, condition: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    """The threads of the condition, also where an index or a page of messages is damaged.

    One whose last message can't be read counts as not archived: reads of its messages say what is wrong.
    """
    try:
        return connection.execute(f"SELECT {_COLUMNS}, {_ARCHIVED} FROM threads WHERE {condition}", values).fetchall()
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
    condition = condition.replace(_LIVING, _LIVING_UNINDEXED)
    rows = connection.execute(f"SELECT {_COLUMNS} FROM threads WHERE {condition}", values).fetchall()
    return [(*row, _is_archived(connection, *row[1:3])) for row in rows]


def _is_archived(connection: sqlite3.Connection, epoch: int, seq: int) -> bool:
    try:
        row = connection.execute("SELECT archived FROM messages WHERE epoch = ? AND seq = ?", (epoch, seq)).fetchone()
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        return False
    return bool(row and row[0])


def _copy_metadata(connection: sqlite3.Connection, source: Scope, copy: Scope) -> None:
    connection.execute(
        f"UPDATE threads SET metadata = (SELECT metadata FROM threads WHERE {THREAD}) WHERE {THREAD}",
        (*names_of(source), *names_of(copy)),
    )
    connection.execute(
        "INSERT INTO thread_fields (tenant, user, thread, field)"
        f" SELECT ?, ?, ?, field FROM thread_fields WHERE {THREAD}",
        (*names_of(copy), *names_of(source)),
    )


_FEW_THREADS = 1000
"""Up to this many threads are filtered one by one; of more, the latest are read until a page is full."""


def _holding(
    connection: sqlite3.Connection, owner: tuple[str, str], fields: Collection[bytes]
) -> tuple[str, list[str | bytes]]:
    """The condition for threads that have all the fields, and its values.

    SQLite can't tell a value that few threads have from one that most have, and the wrong way takes half a second of
    100,000 threads.
    """
    few: list[str] | None = None
    for field in fields:
        found = connection.execute(
            "SELECT thread FROM thread_fields WHERE tenant = ? AND user = ? AND field = ? LIMIT ?",
            (*owner, field, _FEW_THREADS + 1),
        ).fetchall()
        if len(found) <= _FEW_THREADS and (few is None or len(found) < len(few)):
            few = [thread for (thread,) in found]
    has = "EXISTS (SELECT 1 FROM thread_fields AS f WHERE {} AND f.field = ? AND f.thread = threads.thread)"
    each = has.format("f.tenant = threads.tenant AND f.user = threads.user")
    condition, values = f" AND {each}" * len(fields), list[str | bytes](fields)
    if few is None:
        return condition, values
    listed = " AND thread IN (SELECT value FROM json_each(?))"
    return f"{listed}{condition}", [msgspec.json.encode(few).decode(), *values]

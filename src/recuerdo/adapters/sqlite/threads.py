"""Rows of threads in SQLite."""

import sqlite3
from datetime import datetime

from recuerdo.adapters.rows import thread_of
from recuerdo.adapters.sqlite.connection import SqliteRepository, reading, writing
from recuerdo.adapters.sqlite.history import MINUTE, create, living, next_epoch
from recuerdo.adapters.times import LATEST, from_microseconds, to_microseconds
from recuerdo.core.errors import InvalidInput, NotFound, ThreadExists
from recuerdo.core.ports import ThreadRepository
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.threads import (
    ABSENT,
    NAMELESS,
    Changes,
    Head,
    Thread,
    ThreadCursor,
    ThreadPage,
    Version,
    number_in,
    spent_digest,
)

_THREADS = """
SELECT thread, epoch, last_seq, title, created_at, updated_at,
    (SELECT archived FROM messages WHERE messages.epoch = threads.epoch AND seq = last_seq)
FROM threads"""


class SqliteThreads(SqliteRepository, ThreadRepository):
    """The ThreadRepository over a SQLite file."""

    @reading()
    def get(self, connection: sqlite3.Connection, scope: Scope) -> Thread | None:
        row = connection.execute(
            f"{_THREADS} WHERE tenant = ? AND user = ? AND thread = ? AND NOT deleted",
            (scope.tenant, scope.user, scope.thread),
        ).fetchone()
        return thread_of(row, from_microseconds) if row else None

    @reading()
    def select(self, connection: sqlite3.Connection, owner: Owner, limit: int, cursor: str | None = None) -> ThreadPage:
        place = None if cursor is None else ThreadCursor.parse(cursor)
        time = LATEST if place is None else to_microseconds(place.updated_at)
        rows = connection.execute(
            f"{_THREADS} WHERE tenant = ? AND user = ? AND NOT deleted AND updated_minute <= ?"
            " AND (updated_at < ? OR (updated_at = ? AND thread > ?))"
            " ORDER BY updated_minute DESC, updated_at DESC, thread LIMIT ?",
            (owner.tenant, owner.user, time // MINUTE, time, time, place.id if place else "", limit + 1),
        ).fetchall()
        return ThreadPage.cut([thread_of(row, from_microseconds) for row in rows], limit)

    @writing()
    def clear(self, connection: sqlite3.Connection, scope: Scope, at: datetime) -> Version | None:
        return _erase(connection, scope, at, deleted=False)

    @writing()
    def delete(self, connection: sqlite3.Connection, scope: Scope, at: datetime, only_at: Head | None = None) -> bool:
        row = living(connection, scope)
        if row is None or only_at not in (None, Head(row.version, row.revision)):
            return False
        return _erase(connection, scope, at, deleted=True) is not None

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
        create(connection, copy, epoch, at_seq, source.title, at, at)
        connection.execute(
            "INSERT INTO messages (epoch, seq, id, role, created_at, archived, body, checksum)"
            " SELECT ?, seq, id, role, created_at, archived, body, checksum FROM messages WHERE epoch = ? AND seq <= ?",
            (epoch, source.version.epoch, at_seq),
        )
        return thread_of(
            connection.execute(
                f"{_THREADS} WHERE tenant = ? AND user = ? AND thread = ?", (copy.tenant, copy.user, copy.thread)
            ).fetchone(),
            from_microseconds,
        )

    @writing()
    def rename(self, connection: sqlite3.Connection, scope: Scope, title: str) -> bool:
        renamed = connection.execute(
            "UPDATE threads SET title = ? WHERE tenant = ? AND user = ? AND thread = ? AND NOT deleted",
            (title, scope.tenant, scope.user, scope.thread),
        )
        return renamed.rowcount > 0

    @reading()
    def changed(self, connection: sqlite3.Connection, since: str | None, limit: int) -> Changes:
        if since is None:
            latest = connection.execute("SELECT coalesce(max(changed), 0) FROM threads").fetchone()
            return Changes({}, str(latest[0]))
        rows = connection.execute(
            "SELECT tenant, user, thread, epoch, last_seq, revision, deleted, changed FROM threads"
            " WHERE changed > ? ORDER BY changed LIMIT ?",
            (number_in(since), limit),
        ).fetchall()
        heads = {Scope(*row[:3]): ABSENT if row[6] else Head(Version(*row[3:5]), row[5]) for row in rows}
        return Changes(heads, str(rows[-1][7]) if rows else since)

    @reading()
    def owners(
        self, connection: sqlite3.Connection, tenant: str | None, limit: int, after: Owner | None = None
    ) -> list[Owner]:
        rows = connection.execute(
            "SELECT DISTINCT tenant, user FROM threads"
            " WHERE (tenant, user) > (?, ?) AND (?3 IS NULL OR tenant = ?3) AND NOT deleted"
            " ORDER BY tenant, user LIMIT ?4",
            (after.tenant if after else tenant or "", after.user if after else "", tenant, limit),
        ).fetchall()
        return [Owner(*row) for row in rows]


def _erase(connection: sqlite3.Connection, scope: Scope, at: datetime, *, deleted: bool) -> Version | None:
    row = living(connection, scope)
    if row is None:
        return None
    epoch, time = next_epoch(connection), to_microseconds(at)
    connection.execute("DELETE FROM messages WHERE epoch = ?", (row.version.epoch,))
    _spend_keys(connection, scope, row.version.epoch, time)
    connection.execute(
        "UPDATE threads SET epoch = ?, last_seq = 0, title = '', updated_at = ?, updated_minute = ?, deleted = ?,"
        " changed = ? WHERE tenant = ? AND user = ? AND thread = ?",
        (epoch, time, time // MINUTE, deleted, row.changed + 1, scope.tenant, scope.user, scope.thread),
    )
    return Version(epoch, 0)


def _spend_keys(connection: sqlite3.Connection, scope: Scope, epoch: int, time: int) -> None:
    keys = connection.execute("DELETE FROM idempotency_keys WHERE epoch = ? RETURNING key", (epoch,)).fetchall()
    connection.executemany(
        "INSERT OR REPLACE INTO spent_keys (digest, spent_at) VALUES (?, ?)",
        [(spent_digest(scope, key), time) for (key,) in keys],
    )

"""Rows of threads in SQLite."""

import sqlite3
from datetime import datetime

from recuerdo.adapters.sqlite.connection import SqliteDatabase
from recuerdo.adapters.sqlite.history import MINUTE, create, living, next_epoch
from recuerdo.adapters.times import LATEST, from_microseconds, to_microseconds
from recuerdo.core.errors import InvalidInput, NotFound, ThreadExists
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
    spent_digest,
)


class SqliteThreads:
    """The ThreadRepository over a SQLite file."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    async def get(self, scope: Scope) -> Thread | None:
        """See ThreadRepository."""
        return await self._database.read(lambda connection: _get(connection, scope))

    async def select(self, owner: Owner, limit: int, cursor: str | None = None) -> ThreadPage:
        """See ThreadRepository."""
        place = None if cursor is None else ThreadCursor.parse(cursor)
        return await self._database.read(lambda connection: _select(connection, owner, limit, place))

    async def clear(self, scope: Scope, at: datetime) -> Version | None:
        """See ThreadRepository."""
        return await self._database.write(lambda connection: _erase(connection, scope, at, deleted=False))

    async def delete(self, scope: Scope, at: datetime, only_at: Head | None = None) -> bool:
        """See ThreadRepository."""
        return await self._database.write(lambda connection: _delete(connection, scope, at, only_at))

    async def forget_keys(self, before: datetime) -> int:
        """See ThreadRepository."""
        time = to_microseconds(before)
        return await self._database.write(lambda connection: _forget(connection, time))

    async def fork(self, scope: Scope, at_seq: int, target: str, at: datetime) -> Thread:
        """See ThreadRepository."""
        return await self._database.write(lambda connection: _fork(connection, scope, at_seq, target, at))

    async def changed(self, since: str | None, limit: int) -> Changes:
        """See ThreadRepository."""
        return await self._database.read(lambda connection: _changed(connection, since, limit))

    async def owners(self, tenant: str | None, limit: int, after: Owner | None = None) -> list[Owner]:
        """See ThreadRepository."""
        return await self._database.read(lambda connection: _owners(connection, tenant, limit, after))


def _forget(connection: sqlite3.Connection, before: int) -> int:
    connection.execute(
        f"UPDATE threads SET user = '{NAMELESS}', thread = lower(hex(randomblob(16)))"
        f" WHERE deleted AND user <> '{NAMELESS}' AND updated_at < ?",
        (before,),
    )
    return connection.execute("DELETE FROM spent_keys WHERE spent_at < ?", (before,)).rowcount


def _get(connection: sqlite3.Connection, scope: Scope) -> Thread | None:
    row = connection.execute(
        "SELECT thread, epoch, last_seq, title, created_at, updated_at FROM threads"
        " WHERE tenant = ? AND user = ? AND thread = ? AND NOT deleted",
        (scope.tenant, scope.user, scope.thread),
    ).fetchone()
    return _thread(row) if row else None


def _thread(row: tuple[str, int, int, str, int, int]) -> Thread:
    thread, epoch, last_seq, title, created_at, updated_at = row
    return Thread(
        id=thread,
        version=Version(epoch, last_seq),
        title=title,
        created_at=from_microseconds(created_at),
        updated_at=from_microseconds(updated_at),
    )


def _select(connection: sqlite3.Connection, owner: Owner, limit: int, place: ThreadCursor | None) -> ThreadPage:
    time = LATEST if place is None else to_microseconds(place.updated_at)
    rows = connection.execute(
        "SELECT thread, epoch, last_seq, title, created_at, updated_at FROM threads"
        " WHERE tenant = ? AND user = ? AND NOT deleted AND updated_minute <= ?"
        " AND (updated_at < ? OR (updated_at = ? AND thread > ?))"
        " ORDER BY updated_minute DESC, updated_at DESC, thread LIMIT ?",
        (owner.tenant, owner.user, time // MINUTE, time, time, place.id if place else "", limit + 1),
    ).fetchall()
    return ThreadPage.cut([_thread(row) for row in rows], limit)


def _delete(connection: sqlite3.Connection, scope: Scope, at: datetime, only_at: Head | None) -> bool:
    row = living(connection, scope)
    if row is None or only_at not in (None, Head(row.version, row.revision)):
        return False
    return _erase(connection, scope, at, deleted=True) is not None


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


def _changed(connection: sqlite3.Connection, since: str | None, limit: int) -> Changes:
    if since is None:
        latest = connection.execute("SELECT coalesce(max(changed), 0) FROM threads").fetchone()
        return Changes({}, str(latest[0]))
    rows = connection.execute(
        "SELECT tenant, user, thread, epoch, last_seq, revision, deleted, changed FROM threads"
        " WHERE changed > ? ORDER BY changed LIMIT ?",
        (int(since or 0), limit),
    ).fetchall()
    heads = {Scope(*row[:3]): ABSENT if row[6] else Head(Version(*row[3:5]), row[5]) for row in rows}
    return Changes(heads, str(rows[-1][7]) if rows else since)


def _owners(connection: sqlite3.Connection, tenant: str | None, limit: int, after: Owner | None) -> list[Owner]:
    rows = connection.execute(
        "SELECT DISTINCT tenant, user FROM threads"
        " WHERE (tenant, user) > (?, ?) AND (?3 IS NULL OR tenant = ?3) AND NOT deleted"
        " ORDER BY tenant, user LIMIT ?4",
        (after.tenant if after else tenant or "", after.user if after else "", tenant, limit),
    ).fetchall()
    return [Owner(*row) for row in rows]


def _fork(connection: sqlite3.Connection, scope: Scope, at_seq: int, target: str, at: datetime) -> Thread:
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
    return Thread(id=target, version=Version(epoch, at_seq), title=source.title, created_at=at, updated_at=at)

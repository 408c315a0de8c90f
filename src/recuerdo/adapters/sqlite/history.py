"""Rows of messages in SQLite."""

import sqlite3
from collections.abc import Sequence

import msgspec

from recuerdo.adapters.sqlite.appends import append_batch
from recuerdo.adapters.sqlite.connection import SqliteDatabase
from recuerdo.adapters.sqlite.threads import living
from recuerdo.adapters.times import EARLIEST, LATEST, to_microseconds
from recuerdo.core.checksums import verified
from recuerdo.core.errors import RecuerdoError
from recuerdo.core.messages import ROLES, Record, Role
from recuerdo.core.scope import Scope
from recuerdo.core.threads import ABSENT, NOWHERE, Append, Appended, Head, MessageQuery, Page, Snapshot, Tail

_PAGE = """
SELECT seq, archived, body, checksum FROM messages
WHERE epoch = :epoch AND seq > :after AND seq < :before AND created_at >= :since AND created_at < :until
  AND role IN (SELECT value FROM json_each(:roles)) AND (:archived IS NULL OR archived = :archived)
ORDER BY seq"""
_PAGE_FORWARD = _PAGE + " ASC LIMIT :limit"
_PAGE_BACKWARD = _PAGE + " DESC LIMIT :limit"

_FEW_ROWS = 200
"""What is read so quickly that no other thread is worth waking."""


class SqliteHistory:
    """The HistoryRepository over a SQLite file."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    async def append(self, batch: Sequence[Append]) -> list[Appended | RecuerdoError]:
        """See HistoryRepository."""
        return await append_batch(self._database, batch)

    async def head(self, scope: Scope) -> Head:
        """See HistoryRepository."""
        return await self._database.read(lambda connection: _head(connection, scope), brief=True)

    async def snapshot(self, scope: Scope, limit: int) -> Snapshot:
        """See HistoryRepository."""
        return await self._database.read(
            lambda connection: _snapshot(connection, scope, limit), brief=limit <= _FEW_ROWS
        )

    async def tail(self, scope: Scope, limit: int) -> Tail:
        """See HistoryRepository."""
        return await self._database.read(lambda connection: _tail(connection, scope, limit), brief=limit <= _FEW_ROWS)

    async def page(self, scope: Scope, query: MessageQuery) -> Page:
        """See HistoryRepository."""
        return await self._database.read(
            lambda connection: _page(connection, scope, query), brief=query.limit <= _FEW_ROWS
        )

    async def count(self, scope: Scope) -> dict[Role, int]:
        """See HistoryRepository."""
        return await self._database.read(lambda connection: _count(connection, scope))

    async def archive(self, scope: Scope, first: int, last: int, archived: bool) -> int:
        """See HistoryRepository."""
        return await self._database.write(lambda connection: _archive(connection, scope, first, last, archived))


def _head(connection: sqlite3.Connection, scope: Scope) -> Head:
    row = living(connection, scope)
    return Head(row.version, row.revision) if row else ABSENT


def _snapshot(connection: sqlite3.Connection, scope: Scope, limit: int) -> Snapshot:
    head = _head(connection, scope)
    rows = connection.execute(
        "SELECT seq, archived, body, checksum FROM messages WHERE epoch = ? ORDER BY seq DESC LIMIT ?",
        (head.version.epoch, limit),
    ).fetchall()
    epoch = head.version.epoch
    return Snapshot(head, _system(connection, scope, epoch), verified(scope.thread, epoch, reversed(rows)))


def _tail(connection: sqlite3.Connection, scope: Scope, limit: int) -> Tail:
    row = living(connection, scope)
    if row is None:
        return Tail.empty()
    epoch = row.version.epoch
    rows = connection.execute(
        "SELECT seq, archived, body, checksum FROM messages"
        " WHERE epoch = ? AND role <> 'system' AND NOT archived ORDER BY seq DESC LIMIT ?",
        (epoch, limit + 1),
    ).fetchall()
    records = verified(scope.thread, epoch, reversed(rows[:limit]))
    return Tail(
        Head(row.version, row.revision), _system(connection, scope, epoch), records, complete=len(rows) <= limit
    )


def _system(connection: sqlite3.Connection, scope: Scope, epoch: int) -> Record | None:
    rows = connection.execute(
        "SELECT seq, archived, body, checksum FROM messages INDEXED BY messages_system"
        " WHERE epoch = ? AND role = 'system' AND NOT archived ORDER BY seq DESC LIMIT 1",
        (epoch,),
    ).fetchall()
    return verified(scope.thread, epoch, rows)[0] if rows else None


def _page(connection: sqlite3.Connection, scope: Scope, query: MessageQuery) -> Page:
    row = living(connection, scope)
    if row is None:
        return Page(NOWHERE, [], more=False)
    forward = query.after is not None
    rows = connection.execute(
        _PAGE_FORWARD if forward else _PAGE_BACKWARD,
        {
            "epoch": row.version.epoch,
            "after": query.after if forward else 0,
            "before": row.version.seq + 1 if query.before is None else query.before,
            "roles": msgspec.json.encode(sorted(query.roles or ROLES)).decode(),
            "since": to_microseconds(query.since) if query.since else EARLIEST,
            "until": to_microseconds(query.until) if query.until else LATEST,
            "archived": query.archived,
            "limit": query.limit + 1,
        },
    ).fetchall()
    found = verified(scope.thread, row.version.epoch, rows[: query.limit])
    return Page(row.version, found if forward else found[::-1], more=len(rows) > query.limit)


def _count(connection: sqlite3.Connection, scope: Scope) -> dict[Role, int]:
    epoch = _head(connection, scope).version.epoch
    return dict(connection.execute("SELECT role, count(*) FROM messages WHERE epoch = ? GROUP BY role", (epoch,)))


def _archive(connection: sqlite3.Connection, scope: Scope, first: int, last: int, archived: bool) -> int:
    row = living(connection, scope)
    if row is None:
        return 0
    count = connection.execute(
        "UPDATE messages SET archived = ? WHERE epoch = ? AND seq BETWEEN ? AND ? AND archived <> ?",
        (archived, row.version.epoch, first, last, archived),
    ).rowcount
    if count:
        connection.execute(
            "UPDATE threads SET revision = revision + 1, changed = ? WHERE tenant = ? AND user = ? AND thread = ?",
            (row.changed + 1, scope.tenant, scope.user, scope.thread),
        )
    return count

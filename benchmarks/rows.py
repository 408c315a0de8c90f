"""Rows written past the library, as it would write them: a large database in minutes instead of hours."""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, NamedTuple

import psycopg
from psycopg import sql

from benchmarks.raw import TEXT
from recuerdo import Message
from recuerdo.adapters.rows import json_or_none, to_microseconds
from recuerdo.core.identifiers import new_id
from recuerdo.core.memories import Memory, Source, ledger_name, write_memory
from recuerdo.core.messages import ROLES
from recuerdo.core.scope import Owner, Scope
from recuerdo.history.requests import MOST_MESSAGES, prepare

_AT_ONCE = 20_000
"""Messages or memories of a transaction: one for all would give PostgreSQL's threads the same number of change."""

_THREADS = (
    "tenant",
    "user",
    "thread",
    "epoch",
    "last_seq",
    "title",
    "created_at",
    "updated_at",
    "counted_epoch",
    *(f"{role}_count" for role in ROLES),
)
_MESSAGES = ("tenant", "epoch", "seq", "id", "role", "created_at", "body", "checksum")
_MEMORIES = (
    "tenant",
    "user",
    "id",
    "kind",
    "attribute",
    "value",
    "text",
    "source",
    "trust",
    "created_at",
    "updated_at",
)
_CHANGES = ("tenant", "user", "version", "place", "memory", "at", "action", "after")
_OWNERS = ("tenant", "user", "epoch", "version")

_Row = tuple[Any, ...]


class ThreadRows(NamedTuple):
    """A thread of so many messages by turns of assistant and user, a second apart; the last one is from `ended_at`."""

    scope: Scope
    length: int
    ended_at: datetime = datetime.now(UTC)


class MemoryRows(NamedTuple):
    """So many memories of an owner who has none yet, each told for itself."""

    owner: Owner
    count: int


def fill(url: str, threads: Iterable[ThreadRows], memories: Iterable[MemoryRows] = ()) -> None:
    """Add new threads and memories to a database that has its tables, and that nobody else writes to."""
    with closing(_PostgresRows(url) if url.startswith("postgresql") else _SqliteRows(url)) as rows:
        epochs = count(rows.last_epoch() + 1)
        rows.write_all(part for thread in threads for part in _parts_of_thread(thread, next(epochs)))
        rows.write_all(part for owned in memories for part in _parts_of_owner(owned))
        rows.finish(next(epochs) - 1)


class _Part(NamedTuple):
    """Rows of one table, in the order of its columns. Times are aware, and the bodies of messages bytes."""

    table: str
    columns: tuple[str, ...]
    rows: Sequence[_Row]


def _parts_of_thread(thread: ThreadRows, epoch: int) -> Iterator[_Part]:
    scope, length, ended_at = thread
    began_at = ended_at - timedelta(seconds=length - 1)
    title, roles, seqs = "", Counter[str](), count(1)
    for first in range(0, length, MOST_MESSAGES):
        some = range(first, min(first + MOST_MESSAGES, length))
        request = prepare(scope, [_message(n, began_at + timedelta(seconds=n)) for n in some], ended_at)
        title = title or request.title
        roles.update(message.role for message in request.messages)
        rows = [
            (scope.tenant, epoch, next(seqs), message_id, role, created_at, body, checksum)
            for message_id, role, created_at, body, checksum in request.messages
        ]
        yield _Part("messages", _MESSAGES, rows)
    counts = [roles[role] for role in ROLES]
    row = (scope.tenant, scope.user, scope.thread, epoch, length, title, began_at, ended_at, epoch, *counts)
    yield _Part("threads", _THREADS, [row])


def _message(number: int, at: datetime) -> Message:
    return Message.user(TEXT, created_at=at) if number % 2 else Message.assistant(TEXT, created_at=at)


def _parts_of_owner(owned: MemoryRows) -> Iterator[_Part]:
    owner, size = owned
    told = [_memory(owner, number) for number in range(size)]
    yield _Part("memories", _MEMORIES, [_memory_row(memory) for memory in told])
    changes = [
        (owner.tenant, owner.user, version, 0, memory.id, memory.created_at, "added", write_memory(memory))
        for version, memory in enumerate(told, 1)
    ]
    yield _Part("memory_changes", _CHANGES, changes)
    yield _Part("memory_owners", _OWNERS, [(owner.tenant, ledger_name(owner), 0, size)])


def _memory(owner: Owner, number: int) -> Memory:
    now, value = datetime.now(UTC), f"número {number}"
    return Memory(
        id=new_id(),
        owner=owner,
        text=f"Me gusta el {value}",
        attribute="likes",
        value=value,
        source=Source(),
        created_at=now,
        updated_at=now,
    )


def _memory_row(memory: Memory) -> _Row:
    source = json_or_none(memory.source)
    named = (memory.owner.tenant, memory.owner.user, memory.id, memory.kind, memory.attribute, memory.value)
    return *named, memory.text, source, memory.trust, memory.created_at, memory.updated_at


def _in_transactions(parts: Iterable[_Part]) -> Iterator[dict[tuple[str, tuple[str, ...]], list[_Row]]]:
    """The rows of each table and its columns for one transaction after the other."""
    gathered: dict[tuple[str, tuple[str, ...]], list[_Row]] = {}
    for table, columns, rows in parts:
        gathered.setdefault((table, columns), []).extend(rows)
        if sum(map(len, gathered.values())) >= _AT_ONCE:
            yield gathered
            gathered = {}
    yield gathered


class _PostgresRows:
    def __init__(self, url: str) -> None:
        self._connection = psycopg.connect(url, autocommit=True)

    def last_epoch(self) -> int:
        return self._connection.execute("SELECT nextval('recuerdo.epochs')").fetchall()[0][0]

    def write_all(self, parts: Iterable[_Part]) -> None:
        for gathered in _in_transactions(parts):
            with self._connection.transaction(), self._connection.cursor() as cursor:
                for (table, columns), rows in gathered.items():
                    self._copy(cursor, table, columns, rows)

    def finish(self, epoch: int) -> None:
        self._connection.execute("SELECT setval('recuerdo.epochs', %s)", [epoch])
        self._connection.execute("VACUUM ANALYZE")  # as autovacuum does soon

    def close(self) -> None:
        self._connection.close()

    @staticmethod
    def _copy(cursor: psycopg.Cursor, table: str, columns: tuple[str, ...], rows: list[_Row]) -> None:
        names = sql.SQL(", ").join(map(sql.Identifier, columns))
        statement = sql.SQL("COPY recuerdo.{} ({}) FROM STDIN").format(sql.Identifier(table), names)
        with cursor.copy(statement) as copy:
            for row in rows:
                copy.write_row([value.decode() if isinstance(value, bytes) else value for value in row])


class _SqliteRows:
    def __init__(self, url: str) -> None:
        self._connection = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
        self._connection.execute("PRAGMA synchronous = OFF")
        self._changed = self._connection.execute("SELECT coalesce(max(changed), 0) FROM threads").fetchone()[0]

    def last_epoch(self) -> int:
        return self._connection.execute("SELECT value FROM counters WHERE name = 'epoch'").fetchone()[0]

    def write_all(self, parts: Iterable[_Part]) -> None:
        for gathered in _in_transactions(parts):
            self._connection.execute("BEGIN")
            for (table, columns), rows in gathered.items():
                self._insert(table, columns, rows)
            self._connection.execute("COMMIT")

    def finish(self, epoch: int) -> None:
        self._connection.execute("UPDATE counters SET value = ? WHERE name = 'epoch'", (epoch,))
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        self._connection.close()

    def _insert(self, table: str, columns: tuple[str, ...], rows: list[_Row]) -> None:
        if table == "messages":  # its epoch is of one tenant
            columns, rows = columns[1:], [row[1:] for row in rows]
        elif table == "threads":
            columns = (*columns, "changed", "updated_minute")
            ended = columns.index("updated_at")
            rows = [(*row, changed, to_microseconds(row[ended]) // 60_000_000) for changed, row in self._numbered(rows)]
        statement = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
        self._connection.executemany(statement, (tuple(map(_stored, row)) for row in rows))

    def _numbered(self, rows: list[_Row]) -> list[tuple[int, _Row]]:
        first, self._changed = self._changed + 1, self._changed + len(rows)
        return [*enumerate(rows, first)]


def _stored(value: object) -> object:
    return to_microseconds(value) if isinstance(value, datetime) else value

"""Rows of messages in SQLite, and of threads as far as a transaction of messages reads and moves them."""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

import msgspec

from recuerdo.adapters.rows import COUNTS, EARLIEST, LATEST, counts_of, to_microseconds
from recuerdo.adapters.sqlite.connection import SqliteDatabase, SqliteRepository, writing
from recuerdo.concurrency.batcher import Batcher
from recuerdo.core.errors import Conflict, DuplicateMessage, RecuerdoError
from recuerdo.core.messages import ROLES, Record, Role, rows_within, verified
from recuerdo.core.passages import MOST_AHEAD
from recuerdo.core.ports import HistoryRepository
from recuerdo.core.scope import Scope
from recuerdo.core.threads import (
    ABSENT,
    MOST_READ_BYTES,
    NOWHERE,
    Append,
    Appended,
    Head,
    MessageQuery,
    Page,
    PriorAppend,
    Snapshot,
    Tail,
    Version,
    admit,
    admit_replacement,
    by_thread,
    check_epochs,
    spent_digest,
)

_BODY = 2
"""The place of the body in the rows of messages."""

_PAGE = """
SELECT seq, archived, body, checksum FROM messages{index}
WHERE epoch = :epoch AND seq > :after AND seq < :before AND created_at >= :since AND created_at < :until
  AND role IN (SELECT value FROM json_each(:roles)) AND (:archived IS NULL OR archived = :archived)"""
_BY_ID = " INDEXED BY messages_by_id"
"""The order of the seqs makes SQLite read the whole thread instead."""
_WITH_IDS = " AND id IN (SELECT value FROM json_each(:ids))"
_FORWARD, _BACKWARD = (f" ORDER BY seq {order} LIMIT :limit OFFSET :skip" for order in ("ASC", "DESC"))

_INSERT = "INSERT INTO messages (epoch, seq, id, role, created_at, body, checksum) VALUES (?, ?, ?, ?, ?, ?, ?)"
_KNOWN_IDS = "SELECT id FROM messages WHERE epoch = ? AND id IN (SELECT value FROM json_each(?))"

THREAD = "tenant = ? AND user = ? AND thread = ?"
"""The condition for one thread."""

_ADVANCE = (
    "UPDATE threads SET last_seq = ?, title = ?, dated_ahead = max(dated_ahead, ?, updated_at > ?), updated_at = ?,"
    " changed = ?, system_count = system_count + ?,"
    " user_count = user_count + ?, assistant_count = assistant_count + ?, tool_count = tool_count + ?"
    f" WHERE {THREAD}"
)
_ADVANCE_MINUTE = _ADVANCE.replace(" WHERE", ", updated_minute = ? WHERE")

_HEAD = f"SELECT epoch, last_seq, revision FROM threads WHERE {THREAD} AND NOT deleted"

MINUTE = 60_000_000
"""In microseconds, as times are stored."""

_FEW_MESSAGES = 10
"""An append of so few messages takes less time than waking another thread."""

_FEW_ROWS = 200
"""A read of so few rows takes less time than waking another thread."""

_HEADS_AT_A_TIME = 64
"""How many heads one transaction looks up: a third of a millisecond, during which the event loop waits."""


class SqliteThreadRow(NamedTuple):
    """The part of a living thread's row that transactions need."""

    version: Version
    revision: int
    title: str
    minute: int
    changed: int
    """The number of the latest change of any thread. An update that looked for it itself would copy its row first."""


class SqliteHistory(SqliteRepository, HistoryRepository):
    """The HistoryRepository over a SQLite file."""

    def __init__(self, database: SqliteDatabase) -> None:
        super().__init__(database)
        # A transaction for each of many readers costs a busy server more than all else that it does for a window.
        self._heads: Batcher[Scope, Head] = Batcher(self._read_heads, concurrency=1, most=_HEADS_AT_A_TIME)

    async def append(self, batch: Sequence[Append]) -> list[Appended | RecuerdoError]:
        """The batch is tried without savepoints first: SQLite copies every page that changes inside one. When a request
        is refused, each is decided for itself.
        """
        try:
            if len(batch) != 1:
                return await self.database.write(partial(_append_all, batch=batch))
            alone = partial(_append, scope=batch[0].scope, requests=batch)
            return [*await self.database.write(alone, brief=len(batch[0].messages) <= _FEW_MESSAGES)]
        except Conflict as error:
            if len(batch) == 1:
                return [error]
        return await self.database.write(lambda connection: [_outcome(connection, request) for request in batch])

    @writing()
    def replace(self, connection: sqlite3.Connection, request: Append) -> Appended:
        scope, key = request.scope, request.idempotency_key
        head = _head(connection, scope).version
        prior = None if key is None else _prior(connection, head.epoch, key)
        is_spent = key is not None and _is_spent(connection, scope, key)
        if (replay := admit_replacement(request, head, prior, is_spent=is_spent)) is not None:
            return replay
        erase(connection, scope, request.appended_at, deleted=False)
        [receipt] = _append(connection, scope, [request._replace(expected_epoch=None)])
        return receipt

    async def head(self, scope: Scope) -> Head:
        return await self._heads.get(scope)

    async def _read_heads(self, scopes: Sequence[Scope]) -> list[Head]:
        return await self.database.read(partial(_heads, scopes=scopes), brief=True)

    async def snapshot(self, scope: Scope, limit: int, *, most_bytes: int = MOST_READ_BYTES) -> Snapshot:
        read = partial(_snapshot, scope=scope, limit=limit, most_bytes=most_bytes)
        return await self.database.read(read, brief=limit <= _FEW_ROWS)

    async def tail(self, scope: Scope, limit: int, *, most_bytes: int = MOST_READ_BYTES) -> Tail:
        read = partial(_tail, scope=scope, limit=limit, most_bytes=most_bytes)
        return await self.database.read(read, brief=limit <= _FEW_ROWS)

    async def page(self, scope: Scope, query: MessageQuery) -> Page:
        return await self.database.read(
            lambda connection: _page(connection, scope, query), brief=query.limit <= _FEW_ROWS
        )

    async def count(self, scope: Scope) -> dict[Role, int]:
        version, known = await self.database.read(partial(_known_counts, scope=scope), brief=True)
        if known is not None:
            return known
        before = await self.database.read(partial(_counted, version=version))
        return await self.database.write(partial(keep_counts, scope=scope, known=version, before=before))

    @writing()
    def archive(self, connection: sqlite3.Connection, scope: Scope, first: int, last: int, archived: bool) -> int:
        row = living(connection, scope)
        if row is None:
            return 0
        count = connection.execute(
            "UPDATE messages SET archived = ? WHERE epoch = ? AND seq BETWEEN ? AND ? AND archived <> ?",
            (archived, row.version.epoch, first, last, archived),
        ).rowcount
        if count:
            connection.execute(
                f"UPDATE threads SET revision = revision + 1, changed = ? WHERE {THREAD}",
                (row.changed + 1, *names_of(scope)),
            )
        return count


def _head(connection: sqlite3.Connection, scope: Scope) -> Head:
    return _heads(connection, [scope])[0]


def _heads(connection: sqlite3.Connection, scopes: Sequence[Scope]) -> list[Head]:
    heads: list[Head] = []
    for scope in scopes:
        row = connection.execute(_HEAD, (scope.tenant, scope.user, scope.thread)).fetchone()
        heads.append(Head(Version(row[0], row[1]), row[2]) if row else ABSENT)
    return heads


def _snapshot(connection: sqlite3.Connection, scope: Scope, limit: int, most_bytes: int) -> Snapshot:
    head = _head(connection, scope)
    found = connection.execute(
        "SELECT seq, archived, body, checksum FROM messages WHERE epoch = ? ORDER BY seq DESC LIMIT ?",
        (head.version.epoch, limit),
    )
    rows, _ = rows_within(found, most_bytes, _BODY)
    epoch = head.version.epoch
    return Snapshot(head, _system(connection, scope, epoch), verified(scope.thread, epoch, reversed(rows)))


def _tail(connection: sqlite3.Connection, scope: Scope, limit: int, most_bytes: int) -> Tail:
    row = living(connection, scope)
    if row is None:
        return Tail.empty()
    epoch = row.version.epoch
    found = connection.execute(
        "SELECT seq, archived, body, checksum FROM messages"
        " WHERE epoch = ? AND role <> 'system' AND NOT archived ORDER BY seq DESC LIMIT ?",
        (epoch, limit + 1),
    )
    rows, is_full = rows_within(found, most_bytes, _BODY)
    records = verified(scope.thread, epoch, reversed(rows[:limit]))
    is_complete = len(rows) <= limit and not is_full
    head = Head(row.version, row.revision)
    return Tail(head, _system(connection, scope, epoch), records, is_complete, is_full)


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
    matches = connection.execute(
        _PAGE.format(index=_BY_ID if query.ids else "")
        + (_WITH_IDS if query.ids else "")
        + (_FORWARD if forward else _BACKWARD),
        {
            "epoch": row.version.epoch,
            "after": query.after if forward else 0,
            "before": row.version.seq + 1 if query.before is None else query.before,
            "roles": msgspec.json.encode(sorted(query.roles or ROLES)).decode(),
            "ids": msgspec.json.encode(sorted(query.ids)).decode(),
            "since": to_microseconds(query.since) if query.since else EARLIEST,
            "until": to_microseconds(query.until) if query.until else LATEST,
            "archived": query.archived,
            "limit": query.limit + 1,
            "skip": query.skip,
        },
    )
    rows, is_full = rows_within(matches, query.most_bytes, _BODY)
    found = verified(scope.thread, row.version.epoch, rows[: query.limit])
    return Page(row.version, found if forward else found[::-1], more=len(rows) > query.limit or is_full)


def _known_counts(connection: sqlite3.Connection, scope: Scope) -> tuple[Version, dict[Role, int] | None]:
    row = connection.execute(
        f"SELECT epoch, last_seq, {COUNTS} FROM threads WHERE {THREAD} AND NOT deleted", names_of(scope)
    ).fetchone()
    return (Version(*row[:2]), counts_of(row)) if row else (NOWHERE, {})


def _counted(connection: sqlite3.Connection, version: Version, after: int = 0) -> Counter[Role]:
    """How many messages of each role there are up to this version: it takes as long as there are many."""
    found = connection.execute(
        "SELECT role, count(*) FROM messages WHERE epoch = ? AND seq > ? AND seq <= ? GROUP BY role",
        (version.epoch, after, version.seq),
    )
    return Counter(dict(found))


def keep_counts(
    connection: sqlite3.Connection, scope: Scope, known: Version = NOWHERE, before: Mapping[Role, int] | None = None
) -> dict[Role, int]:
    """Count the thread's messages of each role, write that into its row, and return it.

    Up to the version `known` they were counted `before`, while others could write.
    """
    row = living(connection, scope)
    if row is None:
        return {}
    if row.version.epoch != known.epoch:
        known, before = NOWHERE, None
    counts = Counter[Role](before or {}) + _counted(connection, row.version, known.seq)
    connection.execute(
        "UPDATE threads SET counted_epoch = ?, system_count = ?, user_count = ?, assistant_count = ?, tool_count = ?"
        f" WHERE {THREAD}",
        (row.version.epoch, *(counts[role] for role in ROLES), *names_of(scope)),
    )
    return dict(counts)


def append_unseen(connection: sqlite3.Connection, request: Append, epochs: Iterable[int]) -> int:
    """Append those of the messages whose ids the thread does not have yet; returns the epoch that has them.

    Part of a transaction that is under way. Raises EpochChanged unless the thread is in each of the `epochs`.
    """
    row = living(connection, request.scope)
    epoch = row.version.epoch if row else 0
    check_epochs(epochs, epoch)
    ids = msgspec.json.encode([message.id for message in request.messages]).decode()
    known = {found for (found,) in connection.execute(_KNOWN_IDS, (epoch, ids))}
    unseen = [message for message in request.messages if message.id not in known]
    if unseen:
        [receipt] = _append(connection, request.scope, [request._replace(messages=unseen)])
        return receipt.version.epoch
    return epoch


def _append_all(connection: sqlite3.Connection, batch: Sequence[Append]) -> list[Appended | RecuerdoError]:
    receipts: dict[int, Appended | RecuerdoError] = {}
    for scope, requests in by_thread(batch).items():
        receipts.update(zip(map(id, requests), _append(connection, scope, requests), strict=True))
    return [receipts[id(request)] for request in batch]


def _outcome(connection: sqlite3.Connection, request: Append) -> Appended | RecuerdoError:
    connection.execute("SAVEPOINT request")
    try:
        [outcome] = _append(connection, request.scope, [request])
    except RecuerdoError as error:
        connection.execute("ROLLBACK TO request")
        outcome = error
    connection.execute("RELEASE request")
    return outcome


def _append(connection: sqlite3.Connection, scope: Scope, requests: Sequence[Append]) -> list[Appended]:
    """The receipts of one thread's requests. Raises what the first one is refused with."""
    row = living(connection, scope)
    head, revision = (row.version, row.revision) if row else (NOWHERE, 0)
    receipts: list[Appended] = []
    fresh: list[Append] = []
    for request in requests:
        key = request.idempotency_key
        prior = None if key is None else _prior(connection, head.epoch, key)
        is_spent = key is not None and prior is None and _is_spent(connection, scope, key)
        if (replay := admit(request, head, prior, is_spent=is_spent)) is not None:
            receipts.append(replay)
            continue
        first_seq = head.seq + 1
        head = Version(head.epoch or next_epoch(connection), head.seq + len(request.messages))
        ids = _insert(connection, request, head.epoch, first_seq)
        fresh.append(request)
        receipts.append(Appended(head, first_seq, ids, revision=revision))
    if fresh:
        _advance(connection, scope, row, head, fresh)
    return receipts


def _prior(connection: sqlite3.Connection, epoch: int, key: str) -> PriorAppend | None:
    row = connection.execute(
        "SELECT fingerprint, first_seq, ids FROM idempotency_keys WHERE epoch = ? AND key = ?", (epoch, key)
    ).fetchone()
    return PriorAppend(row[0], row[1], msgspec.json.decode(row[2], type=list[str])) if row else None


def _is_spent(connection: sqlite3.Connection, scope: Scope, key: str) -> bool:
    digest = spent_digest(scope, key)
    return connection.execute("SELECT 1 FROM spent_keys WHERE digest = ?", (digest,)).fetchone() is not None


def _insert(connection: sqlite3.Connection, request: Append, epoch: int, first_seq: int) -> list[str]:
    """The ids of the messages, which are inserted."""
    ids: list[str] = []
    for seq, (message_id, role, created_at, body, checksum) in enumerate(request.messages, first_seq):
        try:
            connection.execute(_INSERT, (epoch, seq, message_id, role, to_microseconds(created_at), body, checksum))
        except sqlite3.IntegrityError:
            raise DuplicateMessage(message_id) from None
        ids.append(message_id)
    if request.idempotency_key is not None:
        connection.execute(
            "INSERT INTO idempotency_keys (epoch, key, fingerprint, first_seq, ids) VALUES (?, ?, ?, ?, ?)",
            (epoch, request.idempotency_key, request.fingerprint, first_seq, msgspec.json.encode(ids).decode()),
        )
    return ids


def _advance(
    connection: sqlite3.Connection, scope: Scope, row: SqliteThreadRow | None, head: Version, fresh: Sequence[Append]
) -> None:
    """Let the thread end at the head. Within a minute of its last change no index of times is touched."""
    title, roles, appended_at = "", list[Role](), fresh[-1].appended_at
    dated_ahead = False
    for request in fresh:
        title = title or request.title
        for message in request.messages:
            roles.append(message.role)
            dated_ahead = dated_ahead or message.created_at - appended_at > MOST_AHEAD
    counts = map(roles.count, ROLES)
    if row is None:
        create(connection, scope, head, title, fresh[0].appended_at, appended_at, counts, dated_ahead=dated_ahead)
        return
    time = to_microseconds(appended_at)
    changed = (head.seq, row.title or title, dated_ahead, time, time, row.changed + 1, *counts)
    if time // MINUTE == row.minute:
        connection.execute(_ADVANCE, (*changed, scope.tenant, scope.user, scope.thread))
    else:
        connection.execute(_ADVANCE_MINUTE, (*changed, time // MINUTE, scope.tenant, scope.user, scope.thread))


def living(connection: sqlite3.Connection, scope: Scope) -> SqliteThreadRow | None:
    """The thread's row, or None when it is absent or deleted."""
    row = connection.execute(
        "SELECT epoch, last_seq, revision, title, updated_minute, (SELECT max(changed) FROM threads) FROM threads"
        f" WHERE {THREAD} AND NOT deleted",
        (scope.tenant, scope.user, scope.thread),
    ).fetchone()
    return SqliteThreadRow(Version(row[0], row[1]), *row[2:]) if row else None


def next_epoch(connection: sqlite3.Connection) -> int:
    """An epoch that no thread ever had."""
    taken = connection.execute("UPDATE counters SET value = value + 1 WHERE name = 'epoch' RETURNING value")
    return taken.fetchone()[0]


def create(
    connection: sqlite3.Connection,
    scope: Scope,
    version: Version,
    title: str,
    created_at: datetime,
    updated_at: datetime,
    counts: Iterable[int] = (0, 0, 0, 0),
    *,
    dated_ahead: bool = False,
) -> None:
    """Insert the thread, or revive its tombstone; `counts` are of its messages, in the order of ROLES."""
    times = to_microseconds(created_at), to_microseconds(updated_at)
    connection.execute(
        "INSERT OR REPLACE INTO threads"
        " (tenant, user, thread, epoch, last_seq, title, created_at, updated_at, updated_minute, dated_ahead,"
        f" {COUNTS}, changed, emptied_at) VALUES (?1, ?2, ?3, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
        " (SELECT coalesce(max(changed), 0) + 1 FROM threads),"
        " (SELECT emptied_at FROM threads WHERE tenant = ?1 AND user = ?2 AND thread = ?3))",
        (*names_of(scope), *version, title, *times, times[1] // MINUTE, dated_ahead, version.epoch, *counts),
    )


def erase(
    connection: sqlite3.Connection,
    scope: Scope,
    at: datetime,
    expected_epoch: int | None = None,
    *,
    deleted: bool,
    is_unrecorded: bool = False,
) -> Version | None:
    """Erase the thread's messages, and with `deleted` the thread; None when it is absent or deleted already."""
    row = living(connection, scope)
    if row is None:
        return None
    check_epochs([expected_epoch], row.version.epoch)
    epoch, time = next_epoch(connection), to_microseconds(at)
    connection.execute("DELETE FROM messages WHERE epoch = ?", (row.version.epoch,))
    _spend_keys(connection, scope, row.version.epoch, time)
    if deleted:
        connection.execute(f"UPDATE threads SET metadata = '{{}}' WHERE {THREAD}", names_of(scope))
        connection.execute(f"DELETE FROM thread_fields WHERE {THREAD}", names_of(scope))
    emptied_at = None if is_unrecorded else to_microseconds(datetime.now(UTC))
    connection.execute(
        "UPDATE threads SET epoch = ?, last_seq = 0, title = '', updated_at = ?, updated_minute = ?, deleted = ?,"
        " dated_ahead = 0, changed = ?, counted_epoch = ?, system_count = 0, user_count = 0, assistant_count = 0,"
        f" tool_count = 0, emptied_at = coalesce(?, emptied_at) WHERE {THREAD}",
        (epoch, time, time // MINUTE, deleted, row.changed + 1, epoch, emptied_at, *names_of(scope)),
    )
    return Version(epoch, 0)


def names_of(scope: Scope) -> tuple[str, str, str]:
    """The values of THREAD."""
    return (scope.tenant, scope.user, scope.thread)


def _spend_keys(connection: sqlite3.Connection, scope: Scope, epoch: int, time: int) -> None:
    keys = connection.execute("DELETE FROM idempotency_keys WHERE epoch = ? RETURNING key", (epoch,)).fetchall()
    connection.executemany(
        "INSERT OR REPLACE INTO spent_keys (digest, spent_at) VALUES (?, ?)",
        [(spent_digest(scope, key), time) for (key,) in keys],
    )

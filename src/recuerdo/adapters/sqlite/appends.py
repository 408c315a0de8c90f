"""A batch of appends in one transaction, thread by thread."""

import sqlite3
from collections.abc import Iterable, Sequence

import msgspec

from recuerdo.adapters.sqlite.connection import SqliteDatabase
from recuerdo.adapters.sqlite.threads import SqliteThreadRow, advance, create, living, next_epoch
from recuerdo.adapters.times import to_microseconds
from recuerdo.core.errors import Conflict, DuplicateMessage, RecuerdoError
from recuerdo.core.scope import Scope
from recuerdo.core.threads import (
    NOWHERE,
    Append,
    Appended,
    PriorAppend,
    Version,
    admit,
    by_thread,
    check_epochs,
    spent_digest,
)

_FEW_MESSAGES = 10
"""What is written so quickly that no other thread is worth waking."""

_INSERT = "INSERT INTO messages (epoch, seq, id, role, created_at, body, checksum) VALUES (?, ?, ?, ?, ?, ?, ?)"
_KNOWN_IDS = "SELECT id FROM messages WHERE epoch = ? AND id IN (SELECT value FROM json_each(?))"


async def append_batch(database: SqliteDatabase, batch: Sequence[Append]) -> list[Appended | RecuerdoError]:
    """Commit the batch, each request with its own outcome; see HistoryRepository.append.

    It is tried as if nothing stood in its way, without savepoints, for which SQLite copies every page that changes.
    When something does, each request is decided for itself.
    """
    brief = sum([len(request.messages) for request in batch]) <= _FEW_MESSAGES
    try:
        return await database.write(lambda connection: _append_all(connection, batch), brief=brief)
    except Conflict as error:
        if len(batch) == 1:
            return [error]
    return await database.write(lambda connection: [_outcome(connection, request) for request in batch])


def append_unseen(connection: sqlite3.Connection, request: Append, epochs: Iterable[int]) -> int:
    """Append those of the messages whose ids the thread does not have yet; returns the epoch that has them.

    Part of a transaction that is under way. Raises EpochChanged unless the thread is in each of the `epochs`.
    """
    row = living(connection, request.scope)
    epoch = row.version.epoch if row else 0
    check_epochs(epochs, epoch)
    known = {found for (found,) in connection.execute(_KNOWN_IDS, (epoch, _ids(request)))}
    unseen = [message for message in request.messages if message.id not in known]
    if unseen:
        [receipt] = _append(connection, request.scope, [request._replace(messages=unseen)])
        return receipt.version.epoch
    return epoch


def _append_all(connection: sqlite3.Connection, batch: Sequence[Append]) -> list[Appended | RecuerdoError]:
    if len(batch) == 1:
        return [*_append(connection, batch[0].scope, batch)]
    receipts: dict[int, Appended] = {}
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
        first_seq, ids = head.seq + 1, [message.id for message in request.messages]
        head = Version(head.epoch or next_epoch(connection), head.seq + len(ids))
        _insert(connection, request, head.epoch, first_seq)
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


def _insert(connection: sqlite3.Connection, request: Append, epoch: int, first_seq: int) -> None:
    for seq, (message_id, role, created_at, body, checksum) in enumerate(request.messages, first_seq):
        try:
            connection.execute(_INSERT, (epoch, seq, message_id, role, to_microseconds(created_at), body, checksum))
        except sqlite3.IntegrityError:
            raise DuplicateMessage(message_id) from None
    if request.idempotency_key is not None:
        connection.execute(
            "INSERT INTO idempotency_keys (epoch, key, fingerprint, first_seq, ids) VALUES (?, ?, ?, ?, ?)",
            (epoch, request.idempotency_key, request.fingerprint, first_seq, _ids(request)),
        )


def _advance(
    connection: sqlite3.Connection, scope: Scope, row: SqliteThreadRow | None, head: Version, fresh: Sequence[Append]
) -> None:
    title = next((request.title for request in fresh if request.title), "")
    if row is None:
        create(connection, scope, head.epoch, head.seq, title, fresh[0].appended_at, fresh[-1].appended_at)
        return
    advance(connection, scope, row, head.seq, title, fresh[-1].appended_at)


def _ids(request: Append) -> str:
    return msgspec.json.encode([message.id for message in request.messages]).decode()

"""Rows of checkpoints in SQLite."""

import sqlite3
from collections.abc import Sequence
from typing import Any

import msgspec

from recuerdo.adapters.sqlite.connection import SqliteRepository, reading, writing
from recuerdo.adapters.sqlite.history import THREAD, append_unseen
from recuerdo.concurrency.garbage import garbage_collection_paused
from recuerdo.core.checkpoints import (
    CheckpointBatch,
    CheckpointFound,
    CheckpointQuery,
    CommitRefused,
    Committed,
    Contents,
    Decide,
    Generation,
    Holder,
    KnownRange,
    RecentCheckpoints,
    Segment,
    Span,
    StoredCheckpoint,
    StoredWrite,
    Survey,
    SurveyedWrite,
    SweptRows,
)
from recuerdo.core.errors import LeaseLost, ThreadExists
from recuerdo.core.graph_ports import CheckpointRepository
from recuerdo.core.scope import Owner, Scope

_CHECKPOINT = "namespace, id, parent, run, body, metadata"
_PLACES = "SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?)"
_WRITE = "namespace, checkpoint, task, place, path, channel, body"
_SINCE = "key = :key AND namespace = :namespace AND {} >= :since"
_LOOKS = (
    f"SELECT id, parent, body FROM checkpoints WHERE {_SINCE.format('id')}",
    f"SELECT checkpoint, task, place, body FROM checkpoint_writes WHERE {_SINCE.format('checkpoint')}",
)
_RECENT = f"SELECT {_CHECKPOINT} FROM checkpoints WHERE {_SINCE.format('id')} ORDER BY id DESC LIMIT :limit"
_TABLES = ("checkpoints", "checkpoint_writes", "checkpoint_segments", "checkpoint_values")

_SELECT = f"""
SELECT t.thread, t.key, t.sweeps, {_CHECKPOINT}
FROM checkpoint_threads AS t JOIN checkpoints AS c USING (key)
WHERE tenant = :tenant AND user = :user"""
_ASKED = {
    "thread": " AND thread = :thread",
    "namespace": " AND namespace = :namespace",
    "id": " AND id = :id",
    "before": " AND id < :before",
    "after": " AND (id < :after_id OR (id = :after_id AND (thread, namespace) > (:after_thread, :after_name)))",
}
"""Only what is asked for is a condition: then the rows of one namespace are read in their order, and no others."""

_FEW_CHECKPOINTS = 20
"""Up to this many rows are read on the event loop, because waking a thread takes longer."""


class SqliteCheckpoints(SqliteRepository, CheckpointRepository):
    """The CheckpointRepository over a SQLite file."""

    @reading(brief=True)
    def load(
        self, connection: sqlite3.Connection, scope: Scope, namespace: str, checkpoint: str | None
    ) -> CheckpointFound | None:
        generation = _generation(connection, scope)
        if generation is None:
            return None
        row = connection.execute(
            f"SELECT {_CHECKPOINT} FROM checkpoints WHERE key = :key AND namespace = :namespace"
            + (" ORDER BY id DESC LIMIT 1" if checkpoint is None else " AND id = :id"),
            {"key": generation.key, "namespace": namespace, "id": checkpoint},
        ).fetchone()
        return _found(connection, scope.thread, generation, StoredCheckpoint(*row)) if row else None

    @reading()
    def contents(
        self,
        connection: sqlite3.Connection,
        generation: Generation,
        scope: Scope,
        spans: Sequence[Span],
        digests: Sequence[bytes],
    ) -> Contents:
        key = generation.key
        segments = {
            (row[0], row[1]): Segment(*row)
            for span in spans
            for row in connection.execute(
                "SELECT log, start, size, data FROM checkpoint_segments WHERE key = :key AND log = :log"
                " AND start < :end AND start >= (SELECT max(start) FROM checkpoint_segments"
                " WHERE key = :key AND log = :log AND start <= :start)",
                {"key": key, "log": span.log, "start": span.start, "end": span.end},
            )
        }
        value = "SELECT data FROM checkpoint_values WHERE key = ? AND digest = ?"
        values = {digest: row[0] for digest in digests for row in connection.execute(value, (key, digest))}
        return Contents([segments[place] for place in sorted(segments)], values)

    async def select(self, query: CheckpointQuery) -> list[CheckpointFound]:
        brief = query.thread is not None and query.limit <= _FEW_CHECKPOINTS
        return await self.database.read(lambda connection: _select(connection, query), brief=brief)

    async def recent(self, scope: Scope, namespace: str, known: KnownRange, limit: int) -> RecentCheckpoints:
        return await self.database.read(
            lambda connection: _recent(connection, scope, namespace, known, limit), brief=bool(known.below)
        )

    @writing()
    def commit(self, connection: sqlite3.Connection, batch: CheckpointBatch) -> Committed | CommitRefused:
        if not all(_holds(connection, batch.scope, holder) for holder in batch.holders):
            raise LeaseLost
        generation = _generation(connection, batch.scope)
        heads: dict[str, int] = {}
        for segment in batch.segments:
            heads[segment.log] = _head(connection, generation.key, segment.log) if generation else 0
        if generation != batch.generation or any(segment.start != heads[segment.log] for segment in batch.segments):
            return CommitRefused(generation, heads)
        generation = generation or _create(connection, batch.scope)
        key = generation.key
        connection.executemany(
            "INSERT INTO checkpoint_segments (key, log, start, size, data) VALUES (?, ?, ?, ?, ?)",
            [(key, *segment) for segment in batch.segments],
        )
        connection.executemany(
            "INSERT OR IGNORE INTO checkpoint_values (key, digest, data) VALUES (?, ?, ?)",
            [(key, *value) for value in batch.values.items()],
        )
        connection.executemany(
            f"INSERT OR REPLACE INTO checkpoints (key, {_CHECKPOINT}) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [(key, *row) for row in batch.checkpoints],
        )
        for row in batch.writes:
            connection.execute(
                f"INSERT OR {'REPLACE' if row.place < 0 else 'IGNORE'} INTO checkpoint_writes (key, {_WRITE})"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (key, *row),
            )
        if batch.messages is None:
            return Committed(generation)
        return Committed(generation, append_unseen(connection, batch.messages, batch.epochs))

    @writing()
    def erase(self, connection: sqlite3.Connection, scope: Scope) -> None:
        generation = _generation(connection, scope)
        if generation is not None:
            _erase(connection, generation.key)

    @writing()
    def erase_all(self, connection: sqlite3.Connection, owner: Owner) -> int:
        rows = connection.execute(
            "SELECT key FROM checkpoint_threads WHERE tenant = ? AND user = ?", (owner.tenant, owner.user)
        ).fetchall()
        for (key,) in rows:
            _erase(connection, key)
        return len(rows)

    @writing()
    def copy(self, connection: sqlite3.Connection, scope: Scope, target: str) -> bool:
        copy = scope.owner.thread(target)
        generation = _generation(connection, scope)
        if generation is None:
            return False
        if _generation(connection, copy) is not None:
            raise ThreadExists(target)
        key = _create(connection, copy).key
        for table, columns in (
            ("checkpoints", _CHECKPOINT),
            ("checkpoint_writes", _WRITE),
            ("checkpoint_segments", "log, start, size, data"),
            ("checkpoint_values", "digest, data"),
        ):
            connection.execute(
                f"INSERT INTO {table} (key, {columns}) SELECT ?, {columns} FROM {table} WHERE key = ?",
                (key, generation.key),
            )
        return True

    @writing()
    def sweep(self, connection: sqlite3.Connection, scope: Scope, decide: Decide) -> None:
        generation = _generation(connection, scope)
        if generation is None:
            return
        with garbage_collection_paused():
            survey = _survey(connection, generation.key)
            _remove(connection, generation.key, survey, decide(survey))
        connection.execute(
            f"UPDATE checkpoint_threads SET sweeps = sweeps + 1 WHERE {THREAD}",
            (scope.tenant, scope.user, scope.thread),
        )

    @reading()
    def threads_of(self, connection: sqlite3.Connection, owner: Owner, runs: Sequence[str]) -> list[str]:
        rows = connection.execute(
            "SELECT DISTINCT thread FROM checkpoint_threads JOIN checkpoints USING (key) WHERE tenant = ? AND user = ?"
            f" AND run <> '' AND run IN ({', '.join('?' * len(runs))}) ORDER BY thread",
            (owner.tenant, owner.user, *runs),
        )
        return [thread for (thread,) in rows]

    @reading()
    def owners(
        self, connection: sqlite3.Connection, tenant: str | None, limit: int, after: Owner | None = None
    ) -> list[Owner]:
        rows = connection.execute(
            "SELECT DISTINCT tenant, user FROM checkpoint_threads"
            " WHERE (tenant, user) > (?, ?) AND (?3 IS NULL OR tenant = ?3) ORDER BY tenant, user LIMIT ?4",
            (after.tenant if after else tenant or "", after.user if after else "", tenant, limit),
        ).fetchall()
        return [Owner(*row) for row in rows]


def _generation(connection: sqlite3.Connection, scope: Scope) -> Generation | None:
    row = connection.execute(
        f"SELECT key, sweeps FROM checkpoint_threads WHERE {THREAD}", (scope.tenant, scope.user, scope.thread)
    ).fetchone()
    return Generation(*row) if row else None


def _create(connection: sqlite3.Connection, scope: Scope) -> Generation:
    [key] = connection.execute(
        "UPDATE counters SET value = value + 1 WHERE name = 'checkpoints' RETURNING value"
    ).fetchone()
    connection.execute(
        "INSERT INTO checkpoint_threads (tenant, user, thread, key) VALUES (?, ?, ?, ?)",
        (scope.tenant, scope.user, scope.thread, key),
    )
    return Generation(key, 0)


def _found(
    connection: sqlite3.Connection, thread: str, generation: Generation, row: StoredCheckpoint
) -> CheckpointFound:
    writes = connection.execute(
        f"SELECT {_WRITE} FROM checkpoint_writes WHERE key = ? AND namespace = ? AND checkpoint = ?",
        (generation.key, row.namespace, row.id),
    )
    ordered = sorted((StoredWrite(*write) for write in writes), key=lambda write: write.order)
    return CheckpointFound(thread, generation, row, ordered)


def _select(connection: sqlite3.Connection, query: CheckpointQuery) -> list[CheckpointFound]:
    after_id, after_thread, after_name = query.after or (None, None, None)
    asked = [condition for name, condition in _ASKED.items() if getattr(query, name) is not None]
    rows = connection.execute(
        "".join([_SELECT, *asked, " ORDER BY id DESC, thread, namespace LIMIT :limit"]),
        {
            **query._asdict(),
            "tenant": query.owner.tenant,
            "user": query.owner.user,
            "after_id": after_id,
            "after_thread": after_thread,
            "after_name": after_name,
        },
    ).fetchall()
    return [_found(connection, row[0], Generation(row[1], row[2]), StoredCheckpoint(*row[3:])) for row in rows]


def _recent(
    connection: sqlite3.Connection, scope: Scope, namespace: str, known: KnownRange, limit: int
) -> RecentCheckpoints:
    generation = _generation(connection, scope)
    if generation is None:
        return RecentCheckpoints([], known, are_known=False)
    asked = {"key": generation.key, "namespace": namespace, "since": known.since}
    looks = [connection.execute(statement, asked).fetchall() for statement in _LOOKS]
    are_known = _digest(generation, looks, known.below) == known.digest
    asked |= {"since": known.below if are_known else known.since, "limit": limit}
    rows = connection.execute(_RECENT, asked).fetchall()
    found = [_found(connection, scope.thread, generation, StoredCheckpoint(*row)) for row in rows]
    below = found[0].checkpoint.id if found else ""
    return RecentCheckpoints(found, KnownRange(known.since, below, _digest(generation, looks, below)), are_known)


def _digest(generation: Generation, looks: Sequence[Sequence[tuple[Any, ...]]], below: str) -> int:
    return hash((generation, *[row for rows in looks for row in rows if row[0] < below]))


def _holds(connection: sqlite3.Connection, scope: Scope, holder: Holder) -> bool:
    row = connection.execute(
        "SELECT json_extract(body, '$.token'), json_extract(body, '$.status') FROM documents"
        " WHERE tenant = ? AND user = ? AND kind = 'run' AND id = ?",
        (scope.tenant, scope.user, holder.run),
    ).fetchone()
    return row == (holder.token, "running")


def _head(connection: sqlite3.Connection, key: int, log: str) -> int:
    row = connection.execute(
        "SELECT start + size FROM checkpoint_segments WHERE key = ? AND log = ? ORDER BY start DESC LIMIT 1", (key, log)
    ).fetchone()
    return row[0] if row else 0


def _erase(connection: sqlite3.Connection, key: int) -> None:
    for table in (*_TABLES, "checkpoint_threads"):
        connection.execute(f"DELETE FROM {table} WHERE key = ?", (key,))


def _survey(connection: sqlite3.Connection, key: int) -> Survey:
    def rows(columns: str, table: str) -> sqlite3.Cursor:
        return connection.execute(f"SELECT {columns} FROM {table} WHERE key = ?", (key,))

    return Survey(
        checkpoints=[*map(StoredCheckpoint._make, rows(_CHECKPOINT, "checkpoints"))],
        writes=[*map(SurveyedWrite._make, rows("namespace, checkpoint, body", "checkpoint_writes"))],
        segments=[*map(Segment._make, rows("log, start, size, x''", "checkpoint_segments"))],
        digests=[row[0] for row in rows("digest", "checkpoint_values")],
    )


def _remove(connection: sqlite3.Connection, key: int, survey: Survey, gone: SweptRows) -> None:
    among, checkpoints = _selection(gone.checkpoints, survey)
    for statement, places in (
        (f"DELETE FROM checkpoints WHERE key = ? AND (namespace, id) {among} ({_PLACES})", checkpoints),
        (f"DELETE FROM checkpoint_writes WHERE key = ? AND (namespace, checkpoint) {among} ({_PLACES})", checkpoints),
        (f"DELETE FROM checkpoint_segments WHERE key = ? AND (log, start) IN ({_PLACES})", gone.segments),
        (f"UPDATE checkpoint_segments SET data = x'' WHERE key = ? AND (log, start) IN ({_PLACES})", gone.emptied),
    ):
        connection.execute(statement, (key, msgspec.json.encode(places).decode()))
    connection.executemany(
        "DELETE FROM checkpoint_values WHERE key = ? AND digest = ?", [(key, digest) for digest in gone.digests]
    )


def _selection(gone: Sequence[tuple[str, str]], survey: Survey) -> tuple[str, Sequence[tuple[str, str]]]:
    """The condition for the checkpoints to delete.

    That is `IN` with those to delete, or, if they are half or more, `NOT IN` with those to keep. Deleting by name looks
    up each row; for most of a table one scan is quicker.
    """
    if len(gone) < len(survey.checkpoints) / 2:
        return "IN", gone
    there = {(row.namespace, row.id) for row in survey.checkpoints}
    there.update((write.namespace, write.checkpoint) for write in survey.writes)
    return "NOT IN", [*there.difference(gone)]

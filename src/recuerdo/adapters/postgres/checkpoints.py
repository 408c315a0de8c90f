"""Rows of checkpoints in PostgreSQL."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import groupby
from operator import attrgetter
from typing import Any, LiteralString

import psycopg

from recuerdo.adapters.postgres.calls import (
    LOAD_CHECKPOINTS,
    LOAD_EACH_CHECKPOINT,
    RECENT_CHECKPOINTS,
    SAVE_CHECKPOINTS,
    Bigints,
    Blobs,
    Connection,
    TextArray,
    Texts,
    Times,
    columns,
)
from recuerdo.adapters.postgres.connection import PostgresDatabase, Rows, conditions_of, named
from recuerdo.concurrency.batcher import BatchLoader
from recuerdo.core.checkpoints import (
    CheckpointBatch,
    CheckpointFound,
    CheckpointQuery,
    CommitRefused,
    Committed,
    Contents,
    Decide,
    Generation,
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
from recuerdo.core.errors import DatabaseUnavailable, LeaseLost, ThreadExists
from recuerdo.core.graph_ports import CheckpointRepository
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.threads import Append, check_epochs

_CHECKPOINT: LiteralString = "c.namespace, c.id, c.parent, c.run, c.body, c.metadata"
_WRITE: LiteralString = "w.namespace, w.checkpoint, w.task, w.place, w.path, w.channel, w.body"
# OFFSET keeps the writes a subquery: as a join, of a table without statistics, all of the tenant's were compared with
# each checkpoint.
_WITH_WRITES: LiteralString = f"""
SELECT c.thread, c.key, c.sweeps, {_CHECKPOINT}, {_WRITE}
FROM found AS c LEFT JOIN LATERAL (
    SELECT * FROM recuerdo.checkpoint_writes AS w
    WHERE w.tenant = %(tenant)s AND w.key = c.key AND w.namespace = c.namespace AND w.checkpoint = c.id OFFSET 0
) AS w ON true
ORDER BY c.id DESC, c.thread, c.namespace, w.path, w.task, w.place"""
_OF_THREAD: LiteralString = "JOIN recuerdo.checkpoints AS c ON c.tenant = t.tenant AND c.key = t.key"
# For the same reason: all of the tenant's were read for each of the owner's threads.
_OF_EACH_THREAD: LiteralString = """CROSS JOIN LATERAL (
    SELECT * FROM recuerdo.checkpoints AS c WHERE c.tenant = t.tenant AND c.key = t.key OFFSET 0
) AS c"""

_OWNERS: LiteralString = """
SELECT DISTINCT tenant, "user" FROM recuerdo.swept_checkpoint_threads
WHERE (tenant, "user") > (%(after_tenant)s, %(after_user)s) AND (%(tenant)s::text IS NULL OR tenant = %(tenant)s)
ORDER BY tenant, "user" LIMIT %(limit)s"""
_ASKED: dict[str, LiteralString] = {
    "thread": """ AND t.thread = %(thread)s AND c.key = (
        SELECT key FROM recuerdo.checkpoint_threads
        WHERE tenant = %(tenant)s AND "user" = %(user)s AND thread = %(thread)s)""",
    "namespace": " AND c.namespace = %(namespace)s",
    "id": " AND c.id = %(id)s",
    "before": " AND c.id < %(before)s",
    "after": """ AND (c.id < %(after_id)s OR (
        c.id = %(after_id)s AND (t.thread, c.namespace) > (%(after_thread)s, %(after_name)s)))""",
}
"""Only what is asked for is a condition: then the rows of one namespace are read in their order, and no others."""
_BY_INDEX: dict[LiteralString, LiteralString] = {"enable_seqscan": "off", "enable_bitmapscan": "off"}
_CONTENTS: LiteralString = """
SELECT s.log, s.start, s.size, s.data, NULL::bytea
FROM unnest(%(logs)s::text[], %(starts)s::bigint[], %(ends)s::bigint[]) AS wanted (log, start, stop)
JOIN recuerdo.checkpoint_segments AS s ON s.tenant = %(tenant)s AND s.key = %(key)s AND s.log = wanted.log
    AND s.start < wanted.stop AND s.start >= (
        SELECT max(first.start) FROM recuerdo.checkpoint_segments AS first
        WHERE first.tenant = %(tenant)s AND first.key = %(key)s AND first.log = wanted.log
            AND first.start <= wanted.start)
UNION ALL
SELECT NULL, NULL, NULL, data, digest FROM recuerdo.checkpoint_values
WHERE tenant = %(tenant)s AND key = %(key)s AND digest = ANY (%(digests)s::bytea[])"""
_RUNS: LiteralString = """
SELECT DISTINCT t.thread FROM recuerdo.checkpoint_threads AS t
JOIN recuerdo.checkpoints AS c ON c.tenant = t.tenant AND c.key = t.key
WHERE t.tenant = %(tenant)s AND t."user" = %(user)s AND c.run <> '' AND c.run = ANY (%(runs)s::text[])
ORDER BY t.thread"""


_ATTEMPTS = 5

_Address = tuple[str, str, str, str, str | None]
"""Tenant, user, thread, namespace and id; None for the latest."""

_THREADS = """
SELECT thread FROM recuerdo.checkpoint_threads WHERE tenant = %(tenant)s AND "user" = %(user)s"""


class PostgresCheckpoints(CheckpointRepository):
    """The CheckpointRepository over a PostgreSQL database."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database
        self._loads = BatchLoader(self._load, self._load_each)

    async def load(self, scope: Scope, namespace: str, checkpoint: str | None) -> CheckpointFound | None:
        return await self._loads.get((scope.tenant, scope.user, scope.thread, namespace, checkpoint))

    async def contents(
        self, generation: Generation, scope: Scope, spans: Sequence[Span], digests: Sequence[bytes]
    ) -> Contents:
        asked = {
            "tenant": scope.tenant,
            "key": generation.key,
            "digests": list(digests),
            "logs": [span.log for span in spans],
            "starts": [span.start for span in spans],
            "ends": [span.end for span in spans],
        }
        rows = await self._database.fetch(scope.tenant, _CONTENTS, asked)
        segments = {row[:2]: Segment(*row[:4]) for row in rows if row[4] is None}
        values = {row[4]: row[3] for row in rows if row[4] is not None}
        return Contents([segments[place] for place in sorted(segments)], values)

    async def select(self, query: CheckpointQuery) -> list[CheckpointFound]:
        after_id, after_thread, after_name = query.after or (None, None, None)
        asked = {
            **query._asdict(),
            **named(query.owner),
            "after_id": after_id,
            "after_thread": after_thread,
            "after_name": after_name,
        }
        rows = await self._database.fetch(query.owner.tenant, _selection(query), asked, settings=_BY_INDEX)
        return list(_found(rows))

    async def recent(self, scope: Scope, namespace: str, known: KnownRange, limit: int) -> RecentCheckpoints:
        place = (scope.tenant, scope.user, scope.thread, namespace)
        rows = await self._database.call(RECENT_CHECKPOINTS, *place, *known, limit)
        found = list(_found([row[2:] for row in rows]))
        if not found:
            return RecentCheckpoints([], known, are_known=False)
        are_known, digest = rows[0][:2]
        return RecentCheckpoints(found, KnownRange(known.since, found[0].checkpoint.id, digest), are_known)

    async def commit(self, batch: CheckpointBatch) -> Committed | CommitRefused:
        rows = await self._save(_parameters(batch))
        key, sweeps, log, number = rows[0]
        generation = None if key is None else Generation(key, sweeps)
        if log is not None:
            return CommitRefused(generation, {row[2]: row[3] for row in rows[1:]})
        if generation is not None:
            return Committed(generation, number)
        if number is not None:
            check_epochs(batch.epochs, number)
        raise LeaseLost

    async def _save(self, parameters: Sequence[Any]) -> Rows:
        for _ in range(_ATTEMPTS):
            with suppress(psycopg.IntegrityError):  # a new thread's messages: another process began it meanwhile
                return await self._database.call(SAVE_CHECKPOINTS, *parameters)
        raise DatabaseUnavailable("The thread of this checkpoint is changing too fast. Try again.", retry_after=0.1)

    async def erase(self, scope: Scope) -> None:
        async with self._database.transaction([scope.tenant]) as connection:
            generation = await _locked(connection, scope)
            if generation is not None:
                await remove_all(connection, scope.tenant, generation.key)

    async def erase_all(self, owner: Owner) -> int:
        rows = await self._database.fetch(owner.tenant, _THREADS, named(owner))
        for (thread,) in rows:
            await self.erase(owner.thread(thread))
        return len(rows)

    async def copy(self, scope: Scope, target: str) -> bool:
        copy = scope.owner.thread(target)
        async with self._database.transaction([scope.tenant]) as connection:
            generations = {
                each: await _locked(connection, each) for each in sorted((scope, copy), key=attrgetter("thread"))
            }
            generation = generations[scope]
            if generation is None:
                return False
            if generations[copy] is not None:
                raise ThreadExists(target)
            await copy_rows(connection, copy, generation)
            return True

    async def sweep(self, scope: Scope, decide: Decide) -> None:
        async with self._database.transaction([scope.tenant]) as connection:
            generation = await _locked(connection, scope)
            if generation is not None:
                gone = decide(await survey(connection, scope.tenant, generation.key))
                await remove(connection, scope.tenant, generation.key, gone)

    async def threads_of(self, owner: Owner, runs: Sequence[str]) -> list[str]:
        rows = await self._database.fetch(owner.tenant, _RUNS, {**named(owner), "runs": list(runs)})
        return [row[0] for row in rows]

    async def owners(self, tenant: str | None, limit: int, after: Owner | None = None) -> list[Owner]:
        place = {"after_tenant": after.tenant if after else "", "after_user": after.user if after else ""}
        return [Owner(*row) for row in await self._database.sweep(_OWNERS, {"tenant": tenant, "limit": limit, **place})]

    async def _load(self, address: _Address) -> CheckpointFound | None:
        *thread, checkpoint = address
        rows = await self._database.call(LOAD_CHECKPOINTS, *thread, checkpoint or "", checkpoint, 1)
        return next(iter(_found(rows)), None)

    async def _load_each(self, addresses: Sequence[_Address]) -> list[CheckpointFound | None]:
        asked = columns(addresses, Texts, Texts, Texts, Texts, Texts)
        rows: dict[int, Rows] = {}
        for number, *row in await self._database.call(LOAD_EACH_CHECKPOINT, *asked):
            rows.setdefault(number, []).append(tuple(row))
        return [next(iter(_found(rows.get(number, []))), None) for number in range(1, len(addresses) + 1)]


def _selection(query: CheckpointQuery) -> LiteralString:
    checkpoints = _OF_EACH_THREAD if query.thread is None else _OF_THREAD
    return f"""
WITH found AS (
    SELECT t.thread, t.key, t.sweeps, {_CHECKPOINT} FROM recuerdo.checkpoint_threads AS t {checkpoints}
    WHERE t.tenant = %(tenant)s AND t."user" = %(user)s{conditions_of(query, _ASKED)}
    ORDER BY c.id DESC, t.thread, c.namespace LIMIT %(limit)s
){_WITH_WRITES}"""


def _found(rows: Rows) -> Iterable[CheckpointFound]:
    for (thread, key, sweeps, *checkpoint), written in groupby(rows, lambda row: row[:9]):
        writes = [StoredWrite(*row[9:]) for row in written if row[9] is not None]
        yield CheckpointFound(thread, Generation(key, sweeps), StoredCheckpoint(*checkpoint), writes)


def _parameters(batch: CheckpointBatch) -> Sequence[Any]:
    scope, generation = batch.scope, batch.generation
    return [
        *(scope.tenant, scope.user, scope.thread, *(generation or (None, None))),
        *columns(batch.segments, Texts, Bigints, Bigints, Blobs),
        *columns(list(batch.values.items()), Blobs, Blobs),
        *columns(batch.checkpoints, Texts, Texts, Texts, Texts, Blobs, Blobs),
        *columns(batch.writes, Texts, Texts, Texts, Bigints, Texts, Texts, Blobs),
        *_messages(batch.messages),
        Bigints(batch.epochs),
        *columns(batch.holders, Texts, Bigints),
    ]


def _messages(request: Append | None) -> Sequence[Any]:
    if request is None:
        return ["", None, Texts(), Texts(), Times(), TextArray(), Bigints()]
    return [request.title, request.appended_at, *columns(request.messages, Texts, Texts, Times, TextArray, Bigints)]


async def _locked(connection: Connection, scope: Scope) -> Generation | None:
    """The thread's generation, locked until the end of the transaction."""
    address = (scope.tenant, scope.user, scope.thread)
    await connection.execute("SELECT recuerdo.lock_checkpoints(%s, %s, %s)", address)
    cursor = await connection.execute(
        'SELECT key, sweeps FROM recuerdo.checkpoint_threads WHERE tenant = %s AND "user" = %s AND thread = %s', address
    )
    row = await cursor.fetchone()
    return Generation(*row) if row else None


_COLUMNS: dict[LiteralString, LiteralString] = {
    "checkpoints": "namespace, id, parent, run, body, metadata",
    "checkpoint_writes": "namespace, checkpoint, task, place, path, channel, body",
    "checkpoint_segments": "log, start, size, data",
    "checkpoint_values": "digest, data",
}


async def survey(connection: Connection, tenant: str, key: int) -> Survey:
    """Everything of the thread but what its logs and values hold."""

    async def rows(columns: LiteralString, table: LiteralString) -> list[tuple[Any, ...]]:
        statement: LiteralString = f"SELECT {columns} FROM recuerdo.{table} WHERE tenant = %s AND key = %s"
        return await (await connection.execute(statement, (tenant, key), binary=True)).fetchall()

    return Survey(
        checkpoints=[StoredCheckpoint(*row) for row in await rows(_COLUMNS["checkpoints"], "checkpoints")],
        writes=[SurveyedWrite(*row) for row in await rows("namespace, checkpoint, body", "checkpoint_writes")],
        segments=[Segment(*row) for row in await rows("log, start, size, ''::bytea", "checkpoint_segments")],
        digests=[row[0] for row in await rows("digest", "checkpoint_values")],
    )


async def remove(connection: Connection, tenant: str, key: int, gone: SweptRows) -> None:
    """Take that away."""
    checkpoints = columns(gone.checkpoints, Texts, Texts)
    removals: tuple[tuple[LiteralString, Sequence[Sequence[Any]]], ...] = (
        (
            "DELETE FROM recuerdo.checkpoints AS r USING unnest(%s::text[], %s::text[]) AS g (a, b)"
            " WHERE tenant = %s AND key = %s AND namespace = a AND id = b",
            checkpoints,
        ),
        (
            "DELETE FROM recuerdo.checkpoint_writes AS r USING unnest(%s::text[], %s::text[]) AS g (a, b)"
            " WHERE tenant = %s AND key = %s AND namespace = a AND checkpoint = b",
            checkpoints,
        ),
        (
            "DELETE FROM recuerdo.checkpoint_segments AS r USING unnest(%s::text[], %s::bigint[]) AS g (a, b)"
            " WHERE tenant = %s AND key = %s AND log = a AND start = b",
            columns(gone.segments, Texts, Bigints),
        ),
        (
            "UPDATE recuerdo.checkpoint_segments AS r SET data = '' FROM unnest(%s::text[], %s::bigint[]) AS g (a, b)"
            " WHERE tenant = %s AND key = %s AND log = a AND start = b",
            columns(gone.emptied, Texts, Bigints),
        ),
        (
            "DELETE FROM recuerdo.checkpoint_values WHERE digest = ANY (%s::bytea[]) AND tenant = %s AND key = %s",
            [list(gone.digests)],
        ),
    )
    for statement, places in removals:
        if places[0]:
            await connection.execute(statement, (*places, tenant, key))
    await connection.execute(
        "UPDATE recuerdo.checkpoint_threads SET sweeps = sweeps + 1 WHERE tenant = %s AND key = %s", (tenant, key)
    )


async def remove_all(connection: Connection, tenant: str, key: int) -> None:
    """Take everything away, and the thread itself."""
    tables: tuple[LiteralString, ...] = (*_COLUMNS, "checkpoint_threads")
    for table in tables:
        statement: LiteralString = f"DELETE FROM recuerdo.{table} WHERE tenant = %s AND key = %s"
        await connection.execute(statement, (tenant, key))


async def copy_rows(connection: Connection, copy: Scope, generation: Generation) -> None:
    """Make the thread `copy` of everything that the other one has."""
    cursor = await connection.execute(
        'INSERT INTO recuerdo.checkpoint_threads (tenant, "user", thread) VALUES (%s, %s, %s) RETURNING key',
        (copy.tenant, copy.user, copy.thread),
    )
    [(key,)] = await cursor.fetchall()
    for table, names in _COLUMNS.items():
        statement: LiteralString = (
            f"INSERT INTO recuerdo.{table} (tenant, key, {names})"
            f" SELECT tenant, %s, {names} FROM recuerdo.{table} WHERE tenant = %s AND key = %s"
        )
        await connection.execute(statement, (key, copy.tenant, generation.key))

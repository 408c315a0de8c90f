"""What happens to all rows of a thread's checkpoints in PostgreSQL: surveys, sweeps, copies, removals."""

from collections.abc import Sequence
from typing import Any, LiteralString

from recuerdo.adapters.postgres.calls import Bigints, Connection, Texts, columns
from recuerdo.core.checkpoints import Doomed, Generation, Segment, StoredCheckpoint, Survey, SurveyedWrite
from recuerdo.core.scope import Scope

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


async def remove(connection: Connection, tenant: str, key: int, gone: Doomed) -> None:
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

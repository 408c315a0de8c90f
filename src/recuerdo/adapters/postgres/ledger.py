"""Changes of memories in PostgreSQL: decided by who looked last, and written down."""

from datetime import UTC
from itertools import groupby
from typing import Any

from recuerdo.adapters.postgres import memory_rows as rows
from recuerdo.adapters.postgres.conditions import named
from recuerdo.adapters.postgres.connection import PostgresDatabase
from recuerdo.adapters.postgres.migrations import Connection
from recuerdo.core.memories import FORGETTING, LedgerState, MemoryChange, MemoryEntry, read_memory, write_memory
from recuerdo.core.scope import Owner

_STATE = """
SELECT epoch, version FROM recuerdo.memory_owners WHERE tenant = %(tenant)s AND "user" = %(user)s"""

# The first change makes the row; two that make it at once wait for each other on its key.
_STEP = """
INSERT INTO recuerdo.memory_owners AS old (tenant, "user", epoch, version)
SELECT %(tenant)s, %(user)s, 0, 1 WHERE %(epoch)s = 0 AND %(version)s = 0
    OR EXISTS (SELECT FROM recuerdo.memory_owners WHERE tenant = %(tenant)s AND "user" = %(user)s)
ON CONFLICT (tenant, "user") DO UPDATE SET version = old.version + 1
    WHERE old.epoch = %(epoch)s AND old.version = %(version)s
RETURNING epoch, version"""

_DELETE = 'DELETE FROM recuerdo.memories WHERE tenant = %(tenant)s AND "user" = %(user)s AND id = %(id)s'

_FORGET = 'DELETE FROM recuerdo.memory_changes WHERE tenant = %(tenant)s AND "user" = %(user)s AND memory = %(id)s'

_NOTE = """
INSERT INTO recuerdo.memory_changes
    (tenant, "user", version, place, memory, at, action, undoes, before, after)
VALUES (
    %(tenant)s, %(user)s, %(version)s, %(place)s, %(id)s, %(at)s, %(action)s, %(undoes)s, %(before)s, %(after)s
)"""

_UNDONE = """
UPDATE recuerdo.memory_changes SET undone = true
WHERE tenant = %(tenant)s AND "user" = %(user)s AND version = %(undoes)s"""

_CHANGES = """
SELECT version, at, action, undoes, undone, before, after FROM recuerdo.memory_changes
WHERE tenant = %(tenant)s AND "user" = %(user)s AND (%(memory)s::text IS NULL OR memory = %(memory)s)
    AND version IN (
        SELECT DISTINCT version FROM recuerdo.memory_changes
        WHERE tenant = %(tenant)s AND "user" = %(user)s AND (%(memory)s::text IS NULL OR memory = %(memory)s)
            AND (%(before)s::bigint IS NULL OR version < %(before)s)
        ORDER BY version DESC LIMIT %(limit)s
    )
ORDER BY version DESC, place"""

_NEW_EPOCH = """
INSERT INTO recuerdo.memory_owners AS old (tenant, "user", epoch, version) VALUES (%(tenant)s, %(user)s, 1, 1)
ON CONFLICT (tenant, "user") DO UPDATE SET epoch = old.epoch + 1, version = old.version + 1"""

_ERASE_CHANGES = 'DELETE FROM recuerdo.memory_changes WHERE tenant = %(tenant)s AND "user" = %(user)s'
_ERASE_MEMORIES = 'DELETE FROM recuerdo.memories WHERE tenant = %(tenant)s AND "user" = %(user)s'


class PostgresLedger:
    """What a MemoryLedger has beside a MemoryRepository, over a PostgreSQL database."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    async def state(self, owner: Owner) -> LedgerState:
        """See MemoryLedger."""
        found = await self._database.fetch(owner.tenant, _STATE, named(owner))
        return LedgerState(*found[0]) if found else LedgerState(0, 0)

    async def apply(self, owner: Owner, change: MemoryChange, expected: LedgerState) -> LedgerState | None:
        """See MemoryLedger. The owner's row stays locked until the commit, so that others wait and then look again."""
        async with self._database.transaction([owner.tenant]) as connection:
            cursor = await connection.execute(_STEP, named(owner) | expected._asdict())
            row = await cursor.fetchone()
            if row is None:
                return None
            state = LedgerState(*row)
            async with connection.pipeline():
                await _write(connection, owner, change, state.version)
        return state

    async def changes(
        self, owner: Owner, limit: int, *, memory_id: str | None = None, before: int | None = None
    ) -> list[MemoryChange]:
        """See MemoryLedger."""
        wanted = named(owner) | {"memory": memory_id, "before": before, "limit": limit}
        found = await self._database.fetch(owner.tenant, _CHANGES, wanted)
        return [_change(owner, list(group)) for _, group in groupby(found, key=lambda row: row[0])]

    async def erase(self, owner: Owner) -> int:
        """See MemoryLedger."""
        async with self._database.transaction([owner.tenant]) as connection:
            for statement in (_NEW_EPOCH, _ERASE_CHANGES):
                await connection.execute(statement, named(owner))
            return (await connection.execute(_ERASE_MEMORIES, named(owner))).rowcount


async def _write(connection: Connection, owner: Owner, change: MemoryChange, version: int) -> None:
    told = named(owner) | {"version": version, "at": change.at, "action": change.action, "undoes": change.undoes}
    for place, entry in enumerate(change.entries):
        which = {"id": entry.memory_id, "place": place}
        if entry.after is not None:
            await connection.execute(rows.SAVE_KEEPING_VECTOR, rows.row_of(entry.after))
        else:
            await connection.execute(_DELETE, told | which)
        if change.action in FORGETTING:
            await connection.execute(_FORGET, told | which)
        else:
            images = {"before": write_memory(entry.before), "after": write_memory(entry.after)}
            await connection.execute(_NOTE, told | which | images)
    if change.undoes is not None:
        await connection.execute(_UNDONE, told)


def _change(owner: Owner, found: list[tuple[Any, ...]]) -> MemoryChange:
    version, at, action, undoes, undone = found[0][:5]
    return MemoryChange(
        version=version,
        at=at.astimezone(UTC),
        action=action,
        entries=[MemoryEntry(read_memory(owner, row[5]), read_memory(owner, row[6])) for row in found],
        undoes=undoes,
        undone=undone,
    )

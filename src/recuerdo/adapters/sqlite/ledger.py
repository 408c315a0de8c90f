"""Changes of memories in SQLite: decided by who looked last, and written down."""

import sqlite3
from itertools import groupby
from typing import Any

from recuerdo.adapters.sqlite import memory_rows as rows
from recuerdo.adapters.sqlite.connection import SqliteDatabase
from recuerdo.adapters.times import from_microseconds, to_microseconds
from recuerdo.core.memories import FORGETTING, LedgerState, MemoryChange, MemoryEntry, read_memory, write_memory
from recuerdo.core.scope import Owner

_LAST = 2**63 - 1


class SqliteLedger:
    """What a MemoryLedger has beside a MemoryRepository, over a SQLite file."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    async def state(self, owner: Owner) -> LedgerState:
        """See MemoryLedger."""
        return await self._database.read(lambda connection: _state(connection, owner))

    async def apply(self, owner: Owner, change: MemoryChange, expected: LedgerState) -> LedgerState | None:
        """See MemoryLedger."""
        return await self._database.write(lambda connection: _apply(connection, owner, change, expected))

    async def changes(
        self, owner: Owner, limit: int, *, memory_id: str | None = None, before: int | None = None
    ) -> list[MemoryChange]:
        """See MemoryLedger."""
        return await self._database.read(lambda connection: _changes(connection, owner, limit, memory_id, before))

    async def erase(self, owner: Owner) -> int:
        """See MemoryLedger."""
        return await self._database.write(lambda connection: _erase(connection, owner))


def _state(connection: sqlite3.Connection, owner: Owner) -> LedgerState:
    row = connection.execute(
        "SELECT epoch, version FROM memory_owners WHERE tenant = ? AND user = ?", (owner.tenant, owner.user)
    ).fetchone()
    return LedgerState(*row) if row else LedgerState(0, 0)


def _apply(
    connection: sqlite3.Connection, owner: Owner, change: MemoryChange, expected: LedgerState
) -> LedgerState | None:
    if _state(connection, owner) != expected:
        return None
    state = LedgerState(expected.epoch, expected.version + 1)
    _step(connection, owner, state)
    for place, entry in enumerate(change.entries):
        _write(connection, owner, entry)
        if change.action in FORGETTING:
            _forget(connection, "memory_changes", "memory", owner, entry.memory_id)
        else:
            _note(connection, owner, change, state.version, place, entry)
    if change.undoes is not None:
        connection.execute(
            "UPDATE memory_changes SET undone = 1 WHERE tenant = ? AND user = ? AND version = ?",
            (owner.tenant, owner.user, change.undoes),
        )
    return state


def _step(connection: sqlite3.Connection, owner: Owner, state: LedgerState) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO memory_owners (tenant, user, epoch, version) VALUES (?, ?, ?, ?)",
        (owner.tenant, owner.user, *state),
    )


def _write(connection: sqlite3.Connection, owner: Owner, entry: MemoryEntry) -> None:
    if entry.after is not None:
        rows.save(connection, entry.after, None, rows.SAVE_KEEPING_VECTOR)
    else:
        _forget(connection, "memories", "id", owner, entry.memory_id)


def _forget(connection: sqlite3.Connection, table: str, key: str, owner: Owner, memory_id: str) -> None:
    connection.execute(
        f"DELETE FROM {table} WHERE tenant = ? AND user = ? AND {key} = ?", (owner.tenant, owner.user, memory_id)
    )


def _note(
    connection: sqlite3.Connection, owner: Owner, change: MemoryChange, version: int, place: int, entry: MemoryEntry
) -> None:
    connection.execute(
        "INSERT INTO memory_changes (tenant, user, version, place, memory, at, action, undoes, before, after)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            owner.tenant,
            owner.user,
            version,
            place,
            entry.memory_id,
            to_microseconds(change.at),
            change.action,
            change.undoes,
            write_memory(entry.before),
            write_memory(entry.after),
        ),
    )


def _changes(
    connection: sqlite3.Connection, owner: Owner, limit: int, memory_id: str | None, before: int | None
) -> list[MemoryChange]:
    touching = "" if memory_id is None else " AND memory = :memory"
    index = "" if memory_id is None else " INDEXED BY memory_changes_by_memory"
    found = connection.execute(
        "SELECT version, at, action, undoes, undone, before, after FROM memory_changes"
        f" WHERE tenant = :tenant AND user = :user{touching}"
        f" AND version IN (SELECT DISTINCT version FROM memory_changes{index} WHERE tenant = :tenant AND user = :user"
        f"{touching} AND version < :before ORDER BY version DESC LIMIT :limit)"
        " ORDER BY version DESC, place",
        {
            "tenant": owner.tenant,
            "user": owner.user,
            "memory": memory_id,
            "before": before if before is not None else _LAST,
            "limit": limit,
        },
    ).fetchall()
    return [_change(owner, list(group)) for _, group in groupby(found, key=lambda row: row[0])]


def _change(owner: Owner, found: list[tuple[Any, ...]]) -> MemoryChange:
    version, at, action, undoes, undone = found[0][:5]
    return MemoryChange(
        version=version,
        at=from_microseconds(at),
        action=action,
        entries=[MemoryEntry(read_memory(owner, row[5]), read_memory(owner, row[6])) for row in found],
        undoes=undoes,
        undone=bool(undone),
    )


def _erase(connection: sqlite3.Connection, owner: Owner) -> int:
    state = _state(connection, owner)
    _step(connection, owner, LedgerState(state.epoch + 1, state.version + 1))
    connection.execute("DELETE FROM memory_changes WHERE tenant = ? AND user = ?", (owner.tenant, owner.user))
    erased = connection.execute("DELETE FROM memories WHERE tenant = ? AND user = ?", (owner.tenant, owner.user))
    return erased.rowcount

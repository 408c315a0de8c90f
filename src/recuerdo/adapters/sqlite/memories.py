"""Rows of memories in SQLite, and the changes that made them what they are."""

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import groupby
from typing import Any

import msgspec

from recuerdo.adapters.rows import (
    LATEST,
    MEMORY_COLUMNS,
    MEMORY_WIDTH,
    from_microseconds,
    memory_change_of,
    memory_fields,
    memory_of,
    to_microseconds,
)
from recuerdo.adapters.sqlite.connection import SqliteRepository, reading, writing
from recuerdo.core.errors import InvalidInput
from recuerdo.core.memories import (
    FORGETTING,
    Attribute,
    Embedding,
    LedgerState,
    Memory,
    MemoryChange,
    MemoryEntry,
    MemoryQuery,
    in_order,
    ledger_name,
    write_memory,
)
from recuerdo.core.ports import MemoryRepository, MemoryWithVector
from recuerdo.core.scope import Owner, owner_of

_HOLDS = (
    "(:at IS NULL OR (status = 'approved' AND coalesce(valid_from, created_at) <= :at"
    " AND (valid_until IS NULL OR :at < valid_until) AND (expires_at IS NULL OR :at < expires_at)))"
)
"""Whether a row holds at the time `:at`, see Memory.holds; any row without a time."""

_NAMES = [name.strip() for name in MEMORY_COLUMNS.split(",")]
_KEYS = ("tenant", "user", "id")
_SAVE = (
    f"INSERT INTO memories (tenant, user, {MEMORY_COLUMNS})"
    f" VALUES (:tenant, :user, {', '.join(f':{name}' for name in _NAMES)})"
    " ON CONFLICT (tenant, user, id) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in _NAMES if name not in _KEYS)
    + ", embedder = CASE WHEN memories.text = excluded.text THEN memories.embedder END,"
    " vector = CASE WHEN memories.text = excluded.text THEN memories.vector END"
)
"""Inserts or replaces a memory, which keeps its vector while its text stays."""


def _stored(at: datetime | None) -> int | None:
    """The stored form of a time that may be missing."""
    return None if at is None else to_microseconds(at)


_AS_THEY_LIE = "sqlite_autoindex_memories_1"
"""The primary key, which the rows lie in."""

_BEHIND = "tenant = :tenant AND user = :user AND (created_at < :time OR (created_at = :time AND id > :last_id))"

_CONDITIONS = {
    "kind": "kind = :kind",
    "attribute": "attribute = :attribute",
    "status": "status = :status",
    "pinned": "pinned = :pinned",
    "holding_at": _HOLDS,
    "thread": "json_extract(source, '$.thread') = :thread",
    "since": "created_at >= :since",
    "until": "created_at < :until",
}
"""The condition of each field of a query."""

_LAST = 2**63 - 1


class SqliteMemories(SqliteRepository, MemoryRepository):
    """The MemoryRepository over a SQLite file."""

    @reading()
    def get(self, connection: sqlite3.Connection, owner: Owner, memory_id: str) -> Memory | None:
        return _get(connection, owner, memory_id)

    @reading()
    def select(self, connection: sqlite3.Connection, owner: Owner, query: MemoryQuery) -> list[Memory]:
        time, last_id = LATEST, ""
        if query.before is not None:
            last = _get(connection, owner, query.before)
            if last is None:
                raise InvalidInput("before", f"there is no memory {query.before!r} any more; start again without it")
            time, last_id = to_microseconds(last.created_at), last.id
        wanted = [condition for name, condition in _CONDITIONS.items() if getattr(query, name) is not None]
        rows = connection.execute(
            f"SELECT {MEMORY_COLUMNS} FROM memories INDEXED BY {_AS_THEY_LIE} WHERE tenant = :tenant AND user = :user"
            f" AND id IN (SELECT id FROM memories INDEXED BY {_index(query)} WHERE {' AND '.join((_BEHIND, *wanted))}"
            " ORDER BY created_at DESC, id LIMIT :limit OFFSET :skip) ORDER BY created_at DESC, id",
            {
                "tenant": owner.tenant,
                "user": owner.user,
                "time": time,
                "last_id": last_id,
                **msgspec.structs.asdict(query),
                "at": _stored(query.holding_at),
                "since": _stored(query.since),
                "until": _stored(query.until),
            },
        )
        return [memory_of(owner, row, from_microseconds) for row in rows]

    @reading(brief=True)
    def latest(
        self, connection: sqlite3.Connection, owner: Owner, attributes: Sequence[Attribute], at: datetime | None = None
    ) -> list[Memory]:
        wanted = msgspec.json.encode(attributes).decode()
        rows = connection.execute(
            f"SELECT {MEMORY_COLUMNS} FROM memories INDEXED BY memories_by_attribute"
            " WHERE tenant = :tenant AND user = :user"
            f" AND attribute IN (SELECT value FROM json_each(:wanted)) AND {_HOLDS} ORDER BY created_at DESC, id",
            {"tenant": owner.tenant, "user": owner.user, "wanted": wanted, "at": _stored(at)},
        )
        return in_order((memory_of(owner, row, from_microseconds) for row in rows), attributes)

    @writing()
    def embed(self, connection: sqlite3.Connection, memory: Memory, embedding: Embedding) -> bool:
        updated = connection.execute(
            "UPDATE memories SET embedder = ?, vector = ? WHERE tenant = ? AND user = ? AND id = ? AND text = ?",
            (embedding.model, embedding.vector, memory.owner.tenant, memory.owner.user, memory.id, memory.text),
        )
        return updated.rowcount == 1

    @reading()
    def owners(
        self, connection: sqlite3.Connection, tenant: str | None, limit: int, after: Owner | None = None
    ) -> list[Owner]:
        rows = connection.execute(
            "SELECT DISTINCT tenant, user FROM memories WHERE (?1 IS NULL OR tenant = ?1)"
            " AND (?2 IS NULL OR (tenant, user) > (?2, ?3)) ORDER BY tenant, user LIMIT ?4",
            (tenant, after and after.tenant, after and after.user, limit),
        )
        return [owner_of(*row) for row in rows]

    @reading()
    def list_with_vectors(
        self, connection: sqlite3.Connection, owner: Owner, limit: int, after: str | None = None
    ) -> list[MemoryWithVector]:
        rows = connection.execute(
            f"SELECT {MEMORY_COLUMNS}, embedder, vector FROM memories"
            " WHERE tenant = ? AND user = ? AND id > ? ORDER BY id LIMIT ?",
            (owner.tenant, owner.user, after or "", limit),
        )
        return [_with_vector(owner, row) for row in rows]

    @reading()
    def get_many(self, connection: sqlite3.Connection, owner: Owner, ids: Sequence[str]) -> list[MemoryWithVector]:
        rows = connection.execute(
            f"SELECT {MEMORY_COLUMNS}, embedder, vector FROM memories WHERE tenant = ? AND user = ?"
            " AND id IN (SELECT value FROM json_each(?))",
            (owner.tenant, owner.user, msgspec.json.encode(ids).decode()),
        )
        return [_with_vector(owner, row) for row in rows]

    @reading()
    def expired(self, connection: sqlite3.Connection, at: datetime, limit: int) -> Sequence[tuple[Owner, str]]:
        rows = connection.execute(
            "SELECT tenant, user, id FROM memories WHERE expires_at <= ? ORDER BY expires_at LIMIT ?",
            (to_microseconds(at), limit),
        )
        return [(owner_of(tenant, user), memory) for tenant, user, memory in rows]

    @writing()
    def postpone(self, connection: sqlite3.Connection, owner: Owner, expiries: Mapping[str, datetime]) -> None:
        connection.executemany(
            "UPDATE memories SET expires_at = ?1 WHERE tenant = ? AND user = ? AND id = ?"
            " AND expires_at < ?1 AND refresh IS NOT NULL",
            [(to_microseconds(time), owner.tenant, owner.user, memory) for memory, time in expiries.items()],
        )

    async def state(self, owner: Owner) -> LedgerState:
        return await self.database.read(partial(_state, owner=owner), brief=True)

    @writing()
    def apply(
        self, connection: sqlite3.Connection, owner: Owner, change: MemoryChange, expected: LedgerState
    ) -> LedgerState | None:
        if _state(connection, owner) != expected:
            return None
        state = LedgerState(expected.epoch, expected.version + 1)
        _step(connection, owner, state)
        for place, entry in enumerate(change.entries):
            if entry.after is not None:
                connection.execute(_SAVE, {"tenant": owner.tenant, "user": owner.user, **memory_fields(entry.after)})
            else:
                _forget(connection, "memories", "id", owner, entry.memory_id)
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

    @reading()
    def changes(
        self,
        connection: sqlite3.Connection,
        owner: Owner,
        limit: int,
        *,
        memory_id: str | None = None,
        before: int | None = None,
    ) -> list[MemoryChange]:
        touching = "" if memory_id is None else " AND memory = :memory"
        index = "" if memory_id is None else " INDEXED BY memory_changes_by_memory"
        found = connection.execute(
            "SELECT version, at, action, undoes, undone, before, after FROM memory_changes"
            f" WHERE tenant = :tenant AND user = :user{touching}"
            f" AND version IN (SELECT DISTINCT version FROM memory_changes{index}"
            f" WHERE tenant = :tenant AND user = :user{touching} AND version < :before"
            " ORDER BY version DESC LIMIT :limit)"
            " ORDER BY version DESC, place",
            {
                "tenant": owner.tenant,
                "user": owner.user,
                "memory": memory_id,
                "before": before if before is not None else _LAST,
                "limit": limit,
            },
        ).fetchall()
        return [
            memory_change_of(owner, list(group), from_microseconds)
            for _, group in groupby(found, key=lambda row: row[0])
        ]

    @writing()
    def erase(self, connection: sqlite3.Connection, owner: Owner) -> int:
        state = _state(connection, owner)
        _step(connection, owner, LedgerState(state.epoch + 1, state.version + 1))
        connection.execute(
            "UPDATE memory_owners SET erased_at = ? WHERE tenant = ? AND user = ?",
            (to_microseconds(datetime.now(UTC)), owner.tenant, ledger_name(owner)),
        )
        connection.execute("DELETE FROM memory_changes WHERE tenant = ? AND user = ?", (owner.tenant, owner.user))
        erased = connection.execute("DELETE FROM memories WHERE tenant = ? AND user = ?", (owner.tenant, owner.user))
        return erased.rowcount

    @reading()
    def erased(self, connection: sqlite3.Connection, owners: Collection[Owner]) -> dict[Owner, timedelta]:
        asked = "SELECT erased_at FROM memory_owners WHERE tenant = ? AND user = ?"
        found = {each: connection.execute(asked, (each.tenant, ledger_name(each))).fetchone() for each in owners}
        now = datetime.now(UTC)
        return {owner: now - from_microseconds(row[0]) for owner, row in found.items() if row and row[0] is not None}


def _get(connection: sqlite3.Connection, owner: Owner, memory_id: str) -> Memory | None:
    row = connection.execute(
        f"SELECT {MEMORY_COLUMNS} FROM memories WHERE tenant = ? AND user = ? AND id = ?",
        (owner.tenant, owner.user, memory_id),
    ).fetchone()
    return memory_of(owner, row, from_microseconds) if row else None


def _index(query: MemoryQuery) -> str:
    """The one that finds what is wanted; for what few memories have, all are read in the order that they lie in."""
    if query.attribute is not None:
        return "memories_by_attribute"
    return _AS_THEY_LIE if query.kind or query.thread else "memories_by_creation"


def _with_vector(owner: Owner, row: tuple[Any, ...]) -> MemoryWithVector:
    return MemoryWithVector(
        memory_of(owner, row, from_microseconds), Embedding(*row[MEMORY_WIDTH:]) if row[MEMORY_WIDTH] else None
    )


def _state(connection: sqlite3.Connection, owner: Owner) -> LedgerState:
    row = connection.execute(
        "SELECT epoch, version FROM memory_owners WHERE tenant = ? AND user = ?", (owner.tenant, ledger_name(owner))
    ).fetchone()
    return LedgerState(*row) if row else LedgerState(0, 0)


def _step(connection: sqlite3.Connection, owner: Owner, state: LedgerState) -> None:
    connection.execute(
        "INSERT INTO memory_owners (tenant, user, epoch, version) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (tenant, user) DO UPDATE SET epoch = excluded.epoch, version = excluded.version",
        (owner.tenant, ledger_name(owner), *state),
    )


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

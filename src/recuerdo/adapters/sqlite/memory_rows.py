"""A memory as a row of SQLite, and back."""

import sqlite3
from datetime import datetime
from typing import Any

import msgspec

from recuerdo.adapters.times import from_microseconds, to_microseconds
from recuerdo.core.errors import DamagedRow
from recuerdo.core.memories import Ending, Memory, Review, Source
from recuerdo.core.scope import Owner

COLUMNS = (
    "id, kind, attribute, value, text, source, trust, created_at, updated_at,"
    " status, review, valid_from, valid_until, ending, expires_at, refresh"
)
WIDTH = COLUMNS.count(",") + 1

HOLDS = (
    "(:at IS NULL OR (status = 'approved' AND coalesce(valid_from, created_at) <= :at"
    " AND (valid_until IS NULL OR :at < valid_until) AND (expires_at IS NULL OR :at < expires_at)))"
)
"""Whether a row holds at the time `:at`, see Memory.holds; any row without a time."""

_NAMES = [name.strip() for name in COLUMNS.split(",")]
_KEYS = ("tenant", "user", "id")
_SAVE = (
    f"INSERT INTO memories (tenant, user, {COLUMNS})"
    f" VALUES ({', '.join('?' * (len(_NAMES) + 2))}) ON CONFLICT (tenant, user, id) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in _NAMES if name not in _KEYS)
    + ", embedder = CASE WHEN memories.text = excluded.text THEN memories.embedder END,"
    " vector = CASE WHEN memories.text = excluded.text THEN memories.vector END"
)


def save(connection: sqlite3.Connection, memory: Memory) -> None:
    """Insert or replace the row, which keeps its vector while its text stays."""
    connection.execute(_SAVE, (memory.owner.tenant, memory.owner.user, *_row(memory)))


def memory_of(owner: Owner, row: tuple[Any, ...]) -> Memory:
    """The memory of a row that begins with COLUMNS. Raises DamagedRow."""
    try:
        return _memory_of(owner, row)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise DamagedRow("memory", str(row[0])) from None


def _memory_of(owner: Owner, row: tuple[Any, ...]) -> Memory:
    return Memory(
        id=row[0],
        owner=owner,
        kind=row[1],
        attribute=row[2],
        value=row[3],
        text=row[4],
        source=msgspec.json.decode(row[5], type=Source),
        trust=row[6],
        created_at=from_microseconds(row[7]),
        updated_at=from_microseconds(row[8]),
        status=row[9],
        review=msgspec.json.decode(row[10], type=Review) if row[10] else None,
        valid_from=moment(row[11]),
        valid_until=moment(row[12]),
        ending=msgspec.json.decode(row[13], type=Ending) if row[13] else None,
        expires_at=moment(row[14]),
        refresh=row[15],
    )


def stored(at: datetime | None) -> int | None:
    """The stored form of a time that may be missing."""
    return None if at is None else to_microseconds(at)


def moment(number: int | None) -> datetime | None:
    """The time of a stored form that may be missing."""
    return None if number is None else from_microseconds(number)


def written(value: object) -> str | None:
    """The value as JSON; None stays None."""
    return None if value is None else msgspec.json.encode(value).decode()


def _row(memory: Memory) -> tuple[Any, ...]:
    return (
        memory.id,
        memory.kind,
        memory.attribute,
        memory.value,
        memory.text,
        written(memory.source),
        memory.trust,
        to_microseconds(memory.created_at),
        to_microseconds(memory.updated_at),
        memory.status,
        written(memory.review),
        stored(memory.valid_from),
        stored(memory.valid_until),
        written(memory.ending),
        stored(memory.expires_at),
        memory.refresh,
    )

"""A memory as a row of PostgreSQL, and back."""

import sys
from array import array
from datetime import UTC, datetime
from struct import unpack
from typing import Any, LiteralString

import msgspec

from recuerdo.adapters.postgres.conditions import named
from recuerdo.core.errors import DamagedRow
from recuerdo.core.memories import Embedding, Ending, Memory, Review, Source
from recuerdo.core.ports import MemoryWithVector
from recuerdo.core.scope import Owner

COLUMNS: LiteralString = (
    "id, kind, attribute, value, text, source, trust, created_at, updated_at,"
    " status, review, valid_from, valid_until, ending, expires_at, refresh"
)
WIDTH = COLUMNS.count(",") + 1

HOLDS: LiteralString = (
    "(%(at)s::timestamptz IS NULL OR (status = 'approved' AND coalesce(valid_from, created_at) <= %(at)s"
    " AND (valid_until IS NULL OR %(at)s < valid_until) AND (expires_at IS NULL OR %(at)s < expires_at)))"
)
"""Whether a row holds at the time `at`, see Memory.holds; any row without a time."""

_HEADER = 20
"""Bytes: dimensions, flags, the elements' type, how many there are, and the first one's number."""

SAVE: LiteralString = f"""
INSERT INTO recuerdo.memories AS old (tenant, "user", {COLUMNS})
VALUES (
    %(tenant)s, %(user)s, %(id)s, %(kind)s, %(attribute)s, %(value)s, %(text)s, %(source)s, %(trust)s,
    %(created_at)s, %(updated_at)s, %(status)s, %(review)s, %(valid_from)s, %(valid_until)s, %(ending)s,
    %(expires_at)s, %(refresh)s
)
ON CONFLICT (tenant, "user", id) DO UPDATE SET
    kind = excluded.kind, attribute = excluded.attribute, value = excluded.value, text = excluded.text,
    source = excluded.source, trust = excluded.trust, created_at = excluded.created_at,
    updated_at = excluded.updated_at, status = excluded.status, review = excluded.review,
    valid_from = excluded.valid_from, valid_until = excluded.valid_until, ending = excluded.ending,
    expires_at = excluded.expires_at, refresh = excluded.refresh,
    embedder = CASE WHEN old.text = excluded.text THEN old.embedder END,
    vector = CASE WHEN old.text = excluded.text THEN old.vector END"""
"""Inserts or replaces a memory, which keeps its vector while its text stays."""


def row_of(memory: Memory) -> dict[str, Any]:
    """The memory as the parameters of SAVE."""
    told = {
        "source": written(memory.source),
        "review": written(memory.review),
        "ending": written(memory.ending),
    }
    return msgspec.structs.asdict(memory) | named(memory.owner) | told


def vector(embedding: Embedding) -> dict[str, Any]:
    """The vector, as parameters of a statement."""
    numbers = unpack(f"<{len(embedding.vector) // 4}f", embedding.vector)
    return {"embedder": embedding.model, "vector": "{" + ",".join(map(repr, numbers)) + "}"}


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
        created_at=row[7].astimezone(UTC),
        updated_at=row[8].astimezone(UTC),
        status=row[9],
        review=msgspec.json.decode(row[10], type=Review) if row[10] else None,
        valid_from=_moment(row[11]),
        valid_until=_moment(row[12]),
        ending=msgspec.json.decode(row[13], type=Ending) if row[13] else None,
        expires_at=_moment(row[14]),
        refresh=row[15],
    )


def with_vector(owner: Owner, row: tuple[Any, ...]) -> MemoryWithVector:
    """The memory of a row of COLUMNS, the embedder, and the vector as `array_send` makes it."""
    embedder, sent = row[WIDTH:]
    return MemoryWithVector(memory_of(owner, row), Embedding(embedder, _floats(sent)) if embedder and sent else None)


def written(value: object) -> str | None:
    """The value as JSON; None stays None."""
    return None if value is None else msgspec.json.encode(value).decode()


def _floats(sent: bytes) -> bytes:
    """Of an array as PostgreSQL sends it, a header and big-endian pairs of a length and a number: the numbers."""
    pairs = array("I", sent[_HEADER:])
    if sys.byteorder == "little":
        pairs.byteswap()
    return pairs[1::2].tobytes()


def _moment(stored: datetime | None) -> datetime | None:
    return None if stored is None else stored.astimezone(UTC)

"""What searches read of a SQLite file."""

import sqlite3
from collections.abc import Collection, Mapping, Sequence

import msgspec

from recuerdo.adapters.sqlite.connection import SqliteDatabase
from recuerdo.core.messages import Record, verified
from recuerdo.core.passages import MessagePlace, PassageVector, StoredPassage
from recuerdo.core.scope import Owner
from recuerdo.core.threads import Head, Version

_HEADS = """
SELECT thread, epoch, last_seq, revision FROM threads
WHERE tenant = :tenant AND user = :user AND (:thread IS NULL OR thread = :thread) AND NOT deleted"""

# CROSS JOIN keeps the order of the loops: a few threads, and of each the messages that are asked for.
_ASKED = """
FROM json_each(:asked) AS asked CROSS JOIN threads AS t
    ON t.tenant = :tenant AND t.user = :user AND t.thread = json_extract(asked.value, '$[0]') AND NOT t.deleted
CROSS JOIN messages AS m ON m.epoch = t.epoch"""

# Thread by thread: all of them together would be sorted anew for each page.
_READ = """
SELECT m.seq, m.archived, m.body, m.checksum, v.vector FROM threads AS t CROSS JOIN messages AS m ON m.epoch = t.epoch
LEFT JOIN passage_vectors AS v ON v.epoch = m.epoch AND v.seq = m.seq AND v.model = ?
WHERE t.tenant = ? AND t.user = ? AND t.thread = ? AND NOT t.deleted AND m.epoch = ? AND m.seq > ?
ORDER BY m.seq LIMIT ?"""

_ARCHIVED = f"SELECT t.thread, m.epoch, m.seq {_ASKED} AND m.archived"

_PICK = f"""
SELECT t.thread, m.epoch, m.seq, m.archived, m.body, m.checksum {_ASKED}
    AND m.epoch = json_extract(asked.value, '$[1]') AND m.seq = json_extract(asked.value, '$[2]')"""

_KEEP = f"""
INSERT OR REPLACE INTO passage_vectors (epoch, seq, model, vector)
SELECT m.epoch, m.seq, :model, :vector {_ASKED}
    AND m.epoch = json_extract(asked.value, '$[1]') AND m.seq = json_extract(asked.value, '$[2]')"""


class SqlitePassages:
    """The PassageRepository over a SQLite file."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    async def heads(self, owner: Owner, thread: str | None = None) -> dict[str, Head]:
        """See PassageRepository."""
        return await self._database.read(lambda connection: _heads(connection, owner, thread))

    async def read(self, owner: Owner, since: Mapping[str, Version], model: str, limit: int) -> list[StoredPassage]:
        """See PassageRepository."""
        return await self._database.read(lambda connection: _read(connection, owner, since, model, limit))

    async def archived(self, owner: Owner, threads: Collection[str]) -> set[MessagePlace]:
        """See PassageRepository."""
        asked = _asked(owner, [(thread,) for thread in threads])
        return await self._database.read(
            lambda connection: {MessagePlace(*row) for row in connection.execute(_ARCHIVED, asked)}
        )

    async def get_many(self, owner: Owner, places: Collection[MessagePlace]) -> dict[MessagePlace, Record]:
        """See PassageRepository."""
        asked = _asked(owner, places)
        return await self._database.read(lambda connection: _pick(connection, asked))

    async def keep(self, owner: Owner, vectors: Sequence[PassageVector]) -> None:
        """See PassageRepository."""
        rows = [_asked(owner, [each.place]) | {"model": each.model, "vector": each.vector} for each in vectors]
        await self._database.write(lambda connection: _keep(connection, rows))


Parameters = dict[str, str | int | bytes]


def _asked(owner: Owner, rows: Collection[tuple[str | int, ...]]) -> Parameters:
    return {"tenant": owner.tenant, "user": owner.user, "asked": msgspec.json.encode(list(rows)).decode()}


def _heads(connection: sqlite3.Connection, owner: Owner, thread: str | None) -> dict[str, Head]:
    rows = connection.execute(_HEADS, {"tenant": owner.tenant, "user": owner.user, "thread": thread})
    return {name: Head(Version(epoch, seq), revision) for name, epoch, seq, revision in rows}


def _read(
    connection: sqlite3.Connection, owner: Owner, since: Mapping[str, Version], model: str, limit: int
) -> list[StoredPassage]:
    found: list[StoredPassage] = []
    for thread, (epoch, known) in since.items():
        if len(found) == limit:
            break
        asked = (model, owner.tenant, owner.user, thread, epoch, known, limit - len(found))
        rows = connection.execute(_READ, asked).fetchall()
        records = verified(thread, epoch, [row[:4] for row in rows])
        found += [
            StoredPassage(MessagePlace(thread, epoch, record.seq), record, row[4])
            for record, row in zip(records, rows, strict=True)
        ]
    return found


def _keep(connection: sqlite3.Connection, rows: Sequence[Parameters]) -> None:
    """The cursor stays in this thread: to be freed in another resets the statement while the next job executes it."""
    connection.executemany(_KEEP, rows)


def _pick(connection: sqlite3.Connection, parameters: Parameters) -> dict[MessagePlace, Record]:
    rows = connection.execute(_PICK, parameters)
    return {MessagePlace(*row[:3]): verified(row[0], row[1], [row[2:]])[0] for row in rows}

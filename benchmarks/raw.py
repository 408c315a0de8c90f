"""The peer: a program that uses sqlite3 itself, on the same tables with the same settings, and has no event loop."""

import json
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from uuid import UUID

from recuerdo.adapters.sqlite.migrations import migrate, switch_to_wal

TEXT = "x" * 200
_TIME = 1_795_000_000_000_000
_INSERT = "INSERT INTO messages (epoch, seq, id, role, created_at, body) VALUES (?, ?, ?, 'user', ?, ?)"


class RawHistory:
    """Threads, the epochs from 1 on, written in turn and read without any of our code but the tables."""

    def __init__(self, connection: sqlite3.Connection, threads: int) -> None:
        self._connection = connection
        self._threads = threads
        self._seqs = count(1)

    @classmethod
    @contextmanager
    def open(cls, path: Path, threads: int = 1) -> Generator["RawHistory"]:
        """The pragmas are ours: WAL, synchronous=FULL, secure_delete."""
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        switch_to_wal(connection)
        migrate(connection)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA wal_autocheckpoint = 4000")
        try:
            yield cls(connection, threads)
        finally:
            connection.close()

    async def insert(self) -> None:
        """One row, one commit."""
        self.insert_blocking()

    def insert_blocking(self) -> None:
        """The same, for a thread."""
        self._connection.execute(_INSERT, self._row())

    def fill(self, size: int) -> None:
        """Insert many rows in one commit."""
        self._connection.execute("BEGIN")
        self._connection.executemany(_INSERT, [self._row() for _ in range(size)])
        self._connection.execute("COMMIT")

    async def last(self, limit: int = 50) -> list[dict[str, object]]:
        """The newest messages, decoded, oldest first."""
        rows = self._connection.execute(
            "SELECT body FROM messages WHERE epoch = 1 ORDER BY seq DESC LIMIT ?", (limit,)
        ).fetchall()
        return [json.loads(body) for (body,) in reversed(rows)]

    def _row(self) -> tuple[int, int, str, int, bytes]:
        seq = next(self._seqs)
        message_id = str(UUID(int=_TIME << 64 | seq))
        body = b'{"role":"user","content":"%b","id":"%b","created_at":"2026-11-21T12:00:00.123456Z"}' % (
            TEXT.encode(),
            message_id.encode(),
        )
        return seq % self._threads + 1, seq, message_id, _TIME + seq, body

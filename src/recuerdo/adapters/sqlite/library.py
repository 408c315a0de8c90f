"""Rows of the library in SQLite."""

import sqlite3
from collections.abc import Collection, Sequence
from typing import Any

import msgspec

from recuerdo.adapters.sqlite.connection import SqliteDatabase
from recuerdo.adapters.times import to_microseconds
from recuerdo.core.library import Chunk, LibraryDocument, StoredChunk
from recuerdo.core.memories import Embedding

_document = msgspec.json.Decoder(LibraryDocument).decode
_chunk = msgspec.json.Decoder(Chunk).decode

_CHANGED = """
INSERT INTO library_versions (tenant, version) VALUES (?, 1) ON CONFLICT (tenant) DO UPDATE SET version = version + 1"""


class SqliteLibrary:
    """The LibraryRepository over a SQLite file."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    async def version(self, tenant: str) -> int:
        """See LibraryRepository."""
        rows = await self._all("SELECT version FROM library_versions WHERE tenant = ?", tenant)
        return rows[0][0] if rows else 0

    async def put(self, tenant: str, document: LibraryDocument, chunks: Sequence[StoredChunk]) -> None:
        """See LibraryRepository."""
        await self._database.write(lambda connection: _put(connection, tenant, document, chunks))

    async def remove(self, tenant: str, document_id: str) -> bool:
        """See LibraryRepository."""
        return await self._database.write(lambda connection: _remove(connection, tenant, document_id))

    async def select(self, tenant: str) -> list[LibraryDocument]:
        """See LibraryRepository."""
        rows = await self._all(
            "SELECT body FROM library_documents WHERE tenant = ? ORDER BY created_at DESC, id", tenant
        )
        return [_document(body) for (body,) in rows]

    async def chunks(self, tenant: str, documents: Collection[str]) -> list[StoredChunk]:
        """See LibraryRepository."""
        rows = await self._all(
            "SELECT document, body, model, vector FROM document_chunks WHERE tenant = ?"
            " AND document IN (SELECT value FROM json_each(?)) ORDER BY document, number",
            tenant,
            msgspec.json.encode([*documents]).decode(),
        )
        return [
            StoredChunk(document, _chunk(body), None if model is None else Embedding(model, vector))
            for document, body, model, vector in rows
        ]

    async def _all(self, query: str, *values: Any) -> list[Any]:
        return await self._database.read(lambda connection: connection.execute(query, values).fetchall())


def _put(connection: sqlite3.Connection, tenant: str, document: LibraryDocument, chunks: Sequence[StoredChunk]) -> None:
    connection.execute("DELETE FROM document_chunks WHERE tenant = ? AND document = ?", (tenant, document.id))
    connection.execute(
        "INSERT OR REPLACE INTO library_documents (tenant, id, created_at, body) VALUES (?, ?, ?, ?)",
        (tenant, document.id, to_microseconds(document.created_at), msgspec.json.encode(document).decode()),
    )
    connection.executemany(
        "INSERT INTO document_chunks (tenant, document, number, body, model, vector) VALUES (?, ?, ?, ?, ?, ?)",
        [(tenant, document.id, each.chunk.number, *_row(each)) for each in chunks],
    )
    connection.execute(_CHANGED, (tenant,))


def _row(stored: StoredChunk) -> tuple[str, str | None, bytes | None]:
    body = msgspec.json.encode(stored.chunk).decode()
    return (body, stored.embedding.model, stored.embedding.vector) if stored.embedding else (body, None, None)


def _remove(connection: sqlite3.Connection, tenant: str, document_id: str) -> bool:
    found = connection.execute("DELETE FROM library_documents WHERE tenant = ? AND id = ?", (tenant, document_id))
    if not found.rowcount:
        return False
    connection.execute("DELETE FROM document_chunks WHERE tenant = ? AND document = ?", (tenant, document_id))
    connection.execute(_CHANGED, (tenant,))
    return True

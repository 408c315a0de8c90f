"""Rows of the library in SQLite."""

import sqlite3
from collections.abc import Collection, Sequence

import msgspec

from recuerdo.adapters.rows import chunk_of, to_microseconds
from recuerdo.adapters.sqlite.connection import SqliteRepository, reading, writing
from recuerdo.core.graph_ports import LibraryRepository
from recuerdo.core.library import LibraryDocument, StoredChunk, read_library_document

_CHANGED = """
INSERT INTO library_versions (tenant, version) VALUES (?, 1) ON CONFLICT (tenant) DO UPDATE SET version = version + 1"""


class SqliteLibrary(SqliteRepository, LibraryRepository):
    """The LibraryRepository over a SQLite file."""

    @reading(brief=True)
    def version(self, connection: sqlite3.Connection, tenant: str) -> int:
        row = connection.execute("SELECT version FROM library_versions WHERE tenant = ?", (tenant,)).fetchone()
        return row[0] if row else 0

    @writing()
    def put(
        self, connection: sqlite3.Connection, tenant: str, document: LibraryDocument, chunks: Sequence[StoredChunk]
    ) -> None:
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

    @writing()
    def remove(self, connection: sqlite3.Connection, tenant: str, document_id: str) -> bool:
        found = connection.execute("DELETE FROM library_documents WHERE tenant = ? AND id = ?", (tenant, document_id))
        if not found.rowcount:
            return False
        connection.execute("DELETE FROM document_chunks WHERE tenant = ? AND document = ?", (tenant, document_id))
        connection.execute(_CHANGED, (tenant,))
        return True

    @reading()
    def select(self, connection: sqlite3.Connection, tenant: str) -> list[LibraryDocument]:
        rows = connection.execute(
            "SELECT body FROM library_documents WHERE tenant = ? ORDER BY created_at DESC, id", (tenant,)
        )
        return [read_library_document(body) for (body,) in rows]

    @reading()
    def chunks(self, connection: sqlite3.Connection, tenant: str, documents: Collection[str]) -> list[StoredChunk]:
        rows = connection.execute(
            "SELECT document, body, model, vector FROM document_chunks WHERE tenant = ?"
            " AND document IN (SELECT value FROM json_each(?)) ORDER BY document, number",
            (tenant, msgspec.json.encode([*documents]).decode()),
        )
        return [chunk_of(row) for row in rows]


def _row(stored: StoredChunk) -> tuple[str, str | None, bytes | None]:
    body = msgspec.json.encode(stored.chunk).decode()
    return (body, stored.embedding.model, stored.embedding.vector) if stored.embedding else (body, None, None)

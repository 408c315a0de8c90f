"""Rows of the library in PostgreSQL."""

from collections.abc import Collection, Sequence

import msgspec

from recuerdo.adapters.postgres.connection import PostgresRepository
from recuerdo.adapters.rows import chunk_of
from recuerdo.core.graph_ports import LibraryRepository
from recuerdo.core.identifiers import new_id
from recuerdo.core.library import LibraryDocument, StoredChunk, read_library_document

_CHANGED = """
INSERT INTO recuerdo.library_versions AS known (tenant, version) VALUES (%(tenant)s, 1)
ON CONFLICT (tenant) DO UPDATE SET version = known.version + 1 RETURNING 1"""

_VERSION = "SELECT version FROM recuerdo.library_versions WHERE tenant = %(tenant)s"

_PUT = f"""
WITH changed AS ({_CHANGED}), gone AS (
    DELETE FROM recuerdo.document_chunks WHERE tenant = %(tenant)s AND document = %(id)s AND edition <> %(edition)s
), kept AS (
    INSERT INTO recuerdo.library_documents (tenant, id, edition, created_at, body)
    VALUES (%(tenant)s, %(id)s, %(edition)s, %(created_at)s, %(body)s)
    ON CONFLICT (tenant, id) DO UPDATE SET edition = excluded.edition, created_at = excluded.created_at,
        body = excluded.body
)
INSERT INTO recuerdo.document_chunks (tenant, document, edition, number, body, model, vector)
SELECT %(tenant)s, %(id)s, %(edition)s, chunk.number, chunk.body, chunk.model, chunk.vector
FROM unnest(%(numbers)s::integer[], %(bodies)s::text[], %(models)s::text[], %(vectors)s::bytea[])
    AS chunk (number, body, model, vector)
RETURNING 1"""

_REMOVE = """
WITH gone AS (
    DELETE FROM recuerdo.library_documents WHERE tenant = %(tenant)s AND id = %(id)s RETURNING tenant, id
), chunks AS (
    DELETE FROM recuerdo.document_chunks AS chunk USING gone
    WHERE chunk.tenant = gone.tenant AND chunk.document = gone.id
)
UPDATE recuerdo.library_versions AS known SET version = known.version + 1
FROM gone WHERE known.tenant = gone.tenant RETURNING 1"""

_SELECT = "SELECT body FROM recuerdo.library_documents WHERE tenant = %(tenant)s ORDER BY created_at DESC, id"

_CHUNKS = """
SELECT chunk.document, chunk.body, chunk.model, chunk.vector FROM recuerdo.document_chunks AS chunk
JOIN recuerdo.library_documents AS document
    ON document.tenant = chunk.tenant AND document.id = chunk.document AND document.edition = chunk.edition
WHERE chunk.tenant = %(tenant)s AND chunk.document = ANY (%(documents)s) ORDER BY chunk.document, chunk.number"""


class PostgresLibrary(PostgresRepository, LibraryRepository):
    """The LibraryRepository over a PostgreSQL database."""

    async def version(self, tenant: str) -> int:
        rows = await self._database.fetch(tenant, _VERSION, {"tenant": tenant})
        return rows[0][0] if rows else 0

    async def put(self, tenant: str, document: LibraryDocument, chunks: Sequence[StoredChunk]) -> None:
        embeddings = [each.embedding for each in chunks]
        values = {
            "tenant": tenant,
            "id": document.id,
            "edition": new_id(),
            "created_at": document.created_at,
            "body": msgspec.json.encode(document).decode(),
            "numbers": [each.chunk.number for each in chunks],
            "bodies": [msgspec.json.encode(each.chunk).decode() for each in chunks],
            "models": [each and each.model for each in embeddings],
            "vectors": [each and each.vector for each in embeddings],
        }
        await self._database.fetch(tenant, _PUT, values, writes=True)

    async def remove(self, tenant: str, document_id: str) -> bool:
        return bool(await self._database.fetch(tenant, _REMOVE, {"tenant": tenant, "id": document_id}, writes=True))

    async def select(self, tenant: str) -> list[LibraryDocument]:
        rows = await self._database.fetch(tenant, _SELECT, {"tenant": tenant})
        return [read_library_document(body) for (body,) in rows]

    async def chunks(self, tenant: str, documents: Collection[str]) -> list[StoredChunk]:
        rows = await self._database.fetch(tenant, _CHUNKS, {"tenant": tenant, "documents": [*documents]})
        return [chunk_of(row) for row in rows]

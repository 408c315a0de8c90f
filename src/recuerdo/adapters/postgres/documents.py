"""Rows of documents in PostgreSQL."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, LiteralString, TypeVar

import msgspec
from psycopg.types.json import Jsonb

from recuerdo.adapters.postgres.calls import Connection
from recuerdo.adapters.postgres.connection import PostgresDatabase
from recuerdo.core.documents import Decision, Document, DocumentKey, DocumentKind, DocumentQuery
from recuerdo.core.scope import Owner

_T = TypeVar("_T")
_LARGE = ("kwargs", "payload", "interrupts", "error")
_OWN: LiteralString = 'tenant = %(tenant)s AND "user" = %(user)s'
_COLUMNS: LiteralString = "kind, id, family, body, open, due"

_GET: LiteralString = f"SELECT body FROM recuerdo.documents WHERE {_OWN} AND kind = %(kind)s AND id = %(id)s"

_MATCHING: LiteralString = f"""
FROM recuerdo.documents
WHERE {_OWN} AND kind = %(kind)s AND about @> %(where)s
    AND (%(group)s::text IS NULL OR family = %(group)s) AND (%(ids)s::text[] IS NULL OR id = ANY (%(ids)s))
    AND NOT EXISTS (
        SELECT FROM jsonb_each_text(%(like)s) AS wanted
        WHERE position(lower(wanted.value) IN lower(coalesce(about ->> wanted.key, ''))) = 0
    )"""

_SELECT: LiteralString = f"SELECT body {_MATCHING} ORDER BY about -> %(field)s::text"
_ASCENDING: LiteralString = f"{_SELECT}, id LIMIT %(limit)s OFFSET %(offset)s"
_DESCENDING: LiteralString = f"{_SELECT} DESC, id DESC LIMIT %(limit)s OFFSET %(offset)s"
_COUNT: LiteralString = f"SELECT count(*) {_MATCHING}"

# One decision on a group at a time: also when it has no row yet that could be locked.
_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(%(tenant)s || chr(31) || %(user)s || chr(31) || %(group)s, 60))"

_SEEN: LiteralString = f"""
SELECT {_COLUMNS} FROM recuerdo.documents
WHERE {_OWN} AND (
    (family = %(group)s AND open)
    OR (kind, id) IN (SELECT * FROM unnest(%(kinds)s::text[], %(ids)s::text[]))
)
ORDER BY kind, id"""

_ERASE: LiteralString = f"DELETE FROM recuerdo.documents WHERE {_OWN} AND family = %(group)s"
_DELETE: LiteralString = f"DELETE FROM recuerdo.documents WHERE {_OWN} AND kind = %(kind)s AND id = %(id)s"

_PUT = """
INSERT INTO recuerdo.documents (tenant, "user", kind, id, family, body, open, due, about)
VALUES (%(tenant)s, %(user)s, %(kind)s, %(id)s, %(group)s, %(body)s, %(open)s, %(due)s, %(about)s)
ON CONFLICT (tenant, "user", kind, id) DO UPDATE SET
    family = excluded.family, body = excluded.body, open = excluded.open, due = excluded.due, about = excluded.about"""

_DUE: LiteralString = f"""
SELECT tenant, "user", {_COLUMNS} FROM recuerdo.documents
WHERE kind = %(kind)s AND due <= %(now)s ORDER BY due LIMIT %(limit)s"""

_COUNT_DUE = "SELECT count(*) FROM recuerdo.documents WHERE kind = %(kind)s AND due <= %(now)s"

_ERASE_ALL = 'DELETE FROM recuerdo.documents WHERE tenant = %(tenant)s AND "user" = %(user)s RETURNING id'


class PostgresDocuments:
    """The DocumentRepository over a PostgreSQL database."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    async def get(self, owner: Owner, key: DocumentKey) -> bytes | None:
        """See DocumentRepository."""
        rows = await self._database.fetch(owner.tenant, _GET, {**_owned(owner), "kind": key.kind, "id": key.id})
        return rows[0][0].encode() if rows else None

    async def select(self, owner: Owner, kind: DocumentKind, query: DocumentQuery) -> list[bytes]:
        """See DocumentRepository."""
        statement = _DESCENDING if query.descending else _ASCENDING
        rows = await self._database.fetch(owner.tenant, statement, _asked(owner, kind, query))
        return [body.encode() for (body,) in rows]

    async def count(self, owner: Owner, kind: DocumentKind, query: DocumentQuery) -> int:
        """See DocumentRepository."""
        rows = await self._database.fetch(owner.tenant, _COUNT, _asked(owner, kind, query))
        return rows[0][0]

    async def change(
        self,
        owner: Owner,
        group: str,
        keys: Sequence[DocumentKey],
        decide: Callable[[Sequence[Document]], Decision[_T]],
    ) -> _T:
        """See DocumentRepository."""
        named = {**_owned(owner), "group": group}
        asked = {**named, "kinds": [key.kind for key in keys], "ids": [key.id for key in keys]}
        async with self._database.transaction([owner.tenant]) as connection:
            await connection.execute(_LOCK, named)
            rows = await (await connection.execute(_SEEN, asked)).fetchall()
            decision = decide([_document(row) for row in rows])
            if decision.erase:
                await connection.execute(_ERASE, named)
            await _write(connection, owner, decision)
            return decision.result

    async def erase(self, owner: Owner) -> int:
        """See DocumentRepository."""
        return len(await self._database.fetch(owner.tenant, _ERASE_ALL, _owned(owner)))

    async def due(self, kind: DocumentKind, now: datetime, limit: int) -> list[tuple[Owner, Document]]:
        """See DocumentRepository."""
        async with self._database.transaction([], sweeping=True) as connection:
            cursor = await connection.execute(_DUE, {"kind": kind, "now": now, "limit": limit})
            rows = await cursor.fetchall()
        return [(Owner(row[0], row[1]), _document(row[2:])) for row in rows]

    async def count_due(self, kind: DocumentKind, now: datetime) -> int:
        """See DocumentRepository."""
        async with self._database.transaction([], sweeping=True) as connection:
            rows = await (await connection.execute(_COUNT_DUE, {"kind": kind, "now": now})).fetchall()
        return rows[0][0]


async def _write(connection: Connection, owner: Owner, decision: Decision[Any]) -> None:
    for key in decision.delete:
        await connection.execute(_DELETE, {**_owned(owner), "kind": key.kind, "id": key.id})
    for document in decision.put:
        await connection.execute(_PUT, {**_owned(owner), **document._asdict(), **_text(document)})


def _owned(owner: Owner) -> dict[str, Any]:
    return {"tenant": owner.tenant, "user": owner.user}


def _asked(owner: Owner, kind: DocumentKind, query: DocumentQuery) -> dict[str, Any]:
    return {
        **_owned(owner),
        "kind": kind,
        "where": _jsonb(query.where),
        "like": _jsonb(query.like),
        "ids": list(query.ids) if query.ids is not None else None,
        "group": query.group,
        "field": query.sort_by,
        "limit": query.limit,
        "offset": query.offset,
    }


def _text(document: Document) -> dict[str, Any]:
    about = msgspec.json.decode(document.body)
    found = {name: value for name, value in about.items() if name not in _LARGE}
    return {"body": document.body.decode(), "about": _jsonb(found)}


def _jsonb(value: Any) -> Jsonb:
    return Jsonb(value, dumps=_without_nul)


def _without_nul(value: Any) -> bytes:
    return msgspec.json.encode(value).replace(b"\\u0000", b"\\ufffd")


def _document(row: Sequence[Any]) -> Document:
    kind, document_id, group, body, is_open, due = row
    time = due.astimezone(UTC) if due is not None else None
    return Document(kind, document_id, group, body.encode(), is_open, time)

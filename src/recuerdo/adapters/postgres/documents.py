"""Rows of documents in PostgreSQL."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, LiteralString, TypeVar

from psycopg.types.json import Jsonb

from recuerdo.adapters.postgres.calls import DUE, ERASE_DOCUMENTS, GET_DOCUMENT, GET_DOCUMENTS, Texts, columns
from recuerdo.adapters.postgres.connection import PostgresDatabase, conditions_of, named
from recuerdo.adapters.postgres.decisions import Decisions, DocumentCache, document, jsonb
from recuerdo.adapters.postgres.signals import PostgresSignals
from recuerdo.concurrency.batcher import BatchLoader
from recuerdo.core.documents import LISTED, Decision, Document, DocumentKey, DocumentKind, DocumentQuery
from recuerdo.core.graph_ports import DocumentRepository
from recuerdo.core.scope import Owner, owner_of

_T = TypeVar("_T")
_OWN: LiteralString = 'tenant = %(tenant)s AND "user" = %(user)s'
_LISTED: LiteralString = (
    " AND kind IN ('assistant', 'cron', 'thread')"  # the words of the index `documents_by_creation`
)

_CONDITIONS: Mapping[str, LiteralString] = {
    "group": " AND family = %(group)s",
    "ids": " AND id = ANY (%(ids)s)",
    "where": " AND about @> %(where)s",
    "like": """
    AND NOT EXISTS (
        SELECT FROM jsonb_each_text(%(like)s) AS wanted
        WHERE position(lower(wanted.value) IN lower(coalesce(about ->> wanted.key, ''))) = 0
    )""",
}
"""The condition of each field of a query."""

_COUNT_DUE = "SELECT count(*) FROM recuerdo.swept_documents WHERE kind = %(kind)s AND due <= %(now)s"

_SWEEPING: Mapping[LiteralString, LiteralString] = {
    "recuerdo.sweeping": "true",
    "enable_seqscan": "off",
    "enable_bitmapscan": "off",
}


class PostgresDocuments(DocumentRepository):
    """The DocumentRepository over a PostgreSQL database."""

    def __init__(
        self, database: PostgresDatabase, signals: PostgresSignals, cache: DocumentCache | None = None
    ) -> None:
        self._database = database
        self._decisions = Decisions(database, signals, cache or DocumentCache())
        self._bodies = BatchLoader(self._body, self._several_bodies)

    async def get(self, owner: Owner, key: DocumentKey) -> bytes | None:
        return await self._bodies.get((owner.tenant, owner.user, *key))

    async def select(self, owner: Owner, kind: DocumentKind, query: DocumentQuery) -> list[bytes]:
        down: LiteralString = " DESC" if query.descending else ""
        field: LiteralString = "created_at" if query.sort_by == "created_at" else "about -> %(field)s::text"
        order: LiteralString = f" ORDER BY {field}{down}, id{down} LIMIT %(limit)s OFFSET %(offset)s"
        asked = _asked(owner, kind, query)
        rows = await self._database.fetch(owner.tenant, f"SELECT body {_matching(kind, query)}{order}", asked)
        return [body.encode() for (body,) in rows]

    async def count(self, owner: Owner, kind: DocumentKind, query: DocumentQuery) -> int:
        asked = _asked(owner, kind, query)
        rows = await self._database.fetch(owner.tenant, f"SELECT count(*) {_matching(kind, query)}", asked)
        return rows[0][0]

    async def change(
        self,
        owner: Owner,
        group: str,
        keys: Sequence[DocumentKey],
        decide: Callable[[Sequence[Document]], Decision[_T]],
    ) -> _T:
        return await self._decisions.take(owner, group, keys, decide)

    async def erase(self, owner: Owner) -> int:
        [(erased,)] = await self._database.call(ERASE_DOCUMENTS, owner.tenant, owner.user)
        self._decisions.forget(owner)
        return erased

    async def due(self, kind: DocumentKind, now: datetime, limit: int) -> list[tuple[Owner, Document]]:
        rows = await self._database.call(DUE, kind, now, limit)
        found = [(owner_of(row[0], row[1]), document(row[2:])) for row in rows]
        for owner, each in found:
            self._decisions.note(owner, each)
        return found

    async def count_due(self, kind: DocumentKind, now: datetime) -> int:
        rows = await self._database.fetch("", _COUNT_DUE, {"kind": kind, "now": now}, settings=_SWEEPING)
        return rows[0][0]

    async def _body(self, address: tuple[str, ...]) -> bytes | None:
        [(body,)] = await self._database.call(GET_DOCUMENT, *address)
        return body if body is None else body.encode()

    async def _several_bodies(self, addresses: Sequence[tuple[str, ...]]) -> list[bytes | None]:
        rows = await self._database.call(GET_DOCUMENTS, *columns(addresses, Texts, Texts, Texts, Texts))
        return [body if body is None else body.encode() for (body,) in rows]


def _matching(kind: DocumentKind, query: DocumentQuery) -> LiteralString:
    listed: LiteralString = _LISTED if kind in LISTED and query.ids is query.group is None else ""
    return f"FROM recuerdo.documents WHERE {_OWN} AND kind = %(kind)s{listed}{conditions_of(query, _CONDITIONS)}"


def _asked(owner: Owner, kind: DocumentKind, query: DocumentQuery) -> dict[str, Any]:
    return {
        **named(owner),
        "kind": kind,
        "where": _jsonb(query.where),
        "like": _jsonb(query.like),
        "ids": list(query.ids) if query.ids is not None else None,
        "group": query.group,
        "field": query.sort_by,
        "limit": query.limit,
        "offset": query.offset,
    }


def _jsonb(value: Any) -> Jsonb:
    return Jsonb(value, dumps=jsonb)

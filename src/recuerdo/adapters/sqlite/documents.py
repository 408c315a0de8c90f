"""Rows of documents in SQLite."""

import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import partial
from itertools import chain, islice
from typing import Any, TypeGuard, TypeVar, cast

import msgspec

from recuerdo.adapters.rows import from_microseconds, to_microseconds
from recuerdo.adapters.sqlite.connection import SqliteDatabase, SqliteRepository, reading, writing
from recuerdo.core.documents import LISTED, Decision, Document, DocumentKey, DocumentKind, DocumentQuery, matches
from recuerdo.core.graph_ports import DocumentRepository, Signals
from recuerdo.core.scope import Owner, owner_of

_T = TypeVar("_T")
_MOST_TEXTS = 20  # SQLite takes some hundreds of conditions
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_COLUMNS = "kind, id, family, body, open, due"
_LISTED = " AND kind IN ('assistant', 'cron', 'thread')"  # as the index `documents_by_creation` has it


class SqliteDocuments(SqliteRepository, DocumentRepository):
    """The DocumentRepository over a SQLite file."""

    def __init__(self, database: SqliteDatabase, signals: Signals) -> None:
        super().__init__(database)
        self._signals = signals

    @reading(brief=True)
    def get(self, connection: sqlite3.Connection, owner: Owner, key: DocumentKey) -> bytes | None:
        documents = _keyed(connection, owner, [key])
        return documents[0].body if documents else None

    @reading()
    def select(
        self, connection: sqlite3.Connection, owner: Owner, kind: DocumentKind, query: DocumentQuery
    ) -> list[bytes]:
        condition, values = _matching(connection, owner, kind, query)
        direction = "DESC" if query.descending else "ASC"
        field = "'$.created_at'" if query.sort_by == "created_at" else ":field"  # the index knows no parameters
        rows = connection.execute(
            f"SELECT body FROM documents WHERE {condition}"
            f" ORDER BY json_extract(body, {field}) {direction}, id {direction} LIMIT :limit OFFSET :offset",
            {**values, "field": f"$.{query.sort_by}", "limit": query.limit, "offset": query.offset},
        )
        return [body.encode() for (body,) in rows]

    @reading()
    def count(self, connection: sqlite3.Connection, owner: Owner, kind: DocumentKind, query: DocumentQuery) -> int:
        condition, values = _matching(connection, owner, kind, query)
        return connection.execute(f"SELECT count(*) FROM documents WHERE {condition}", values).fetchone()[0]

    async def change(
        self,
        owner: Owner,
        group: str,
        keys: Sequence[DocumentKey],
        decide: Callable[[Sequence[Document]], Decision[_T]],
    ) -> _T:
        work = partial(_change, owner=owner, group=group, keys=keys, decide=decide)
        change = await self.database.write(work, brief=True)
        for signal in change.signals:
            self._signals.publish(signal)
        return change.result

    @writing()
    def erase(self, connection: sqlite3.Connection, owner: Owner) -> int:
        erased = connection.execute("DELETE FROM documents WHERE tenant = ? AND user = ?", (owner.tenant, owner.user))
        return erased.rowcount

    @reading(brief=True)
    def due(
        self, connection: sqlite3.Connection, kind: DocumentKind, now: datetime, limit: int
    ) -> list[tuple[Owner, Document]]:
        rows = connection.execute(
            f"SELECT tenant, user, {_COLUMNS} FROM documents WHERE kind = ? AND due <= ? ORDER BY due LIMIT ?",
            (kind, to_microseconds(now), limit),
        )
        return [(owner_of(tenant, user), _document(tuple(rest))) for tenant, user, *rest in rows]

    @reading()
    def count_due(self, connection: sqlite3.Connection, kind: DocumentKind, now: datetime) -> int:
        found = connection.execute(
            "SELECT count(*) FROM documents WHERE kind = ? AND due <= ?", (kind, to_microseconds(now))
        )
        return found.fetchone()[0]


def _document(row: tuple[Any, ...]) -> Document:
    kind, document_id, group, body, is_open, due = row
    time = from_microseconds(due) if due is not None else None
    return Document(kind, document_id, group, body.encode(), bool(is_open), time)


def _keyed(connection: sqlite3.Connection, owner: Owner, keys: Sequence[DocumentKey]) -> list[Document]:
    select = f"SELECT {_COLUMNS} FROM documents WHERE tenant = ? AND user = ? AND kind = ? AND id = ?"
    found: list[Document] = []
    for key in keys:
        if row := connection.execute(select, (owner.tenant, owner.user, *key)).fetchone():
            found.append(_document(row))
    return found


def _change(
    connection: sqlite3.Connection,
    owner: Owner,
    group: str,
    keys: Sequence[DocumentKey],
    decide: Callable[[Sequence[Document]], Decision[_T]],
) -> Decision[_T]:
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM documents INDEXED BY documents_open"  # SQLite would look at all that the owner has
        " WHERE tenant = ? AND user = ? AND family = ? AND open ORDER BY kind, id",
        (owner.tenant, owner.user, group),
    )
    found: dict[DocumentKey, Document] = {}
    for document in chain(map(_document, rows), _keyed(connection, owner, keys)):
        found[document.key] = document
    change = decide([*found.values()])
    if change.erase:
        connection.execute(
            "DELETE FROM documents WHERE tenant = ? AND user = ? AND family = ?", (owner.tenant, owner.user, group)
        )
    connection.executemany(
        "DELETE FROM documents WHERE tenant = ? AND user = ? AND kind = ? AND id = ?",
        [(owner.tenant, owner.user, *key) for key in change.delete],
    )
    connection.executemany(
        f"INSERT OR REPLACE INTO documents (tenant, user, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [(owner.tenant, owner.user, *_row(document)) for document in change.put],
    )
    return change


def _row(document: Document) -> tuple[Any, ...]:
    due = to_microseconds(document.due) if document.due is not None else None
    return document.kind, document.id, document.group, document.body.decode(), document.open, due


def _matching(
    connection: sqlite3.Connection, owner: Owner, kind: DocumentKind, query: DocumentQuery
) -> tuple[str, dict[str, Any]]:
    """The condition of the query and its parameters. Bodies are only looked into where the query asks for it."""
    condition = "tenant = :tenant AND user = :user AND kind = :kind"
    if kind in LISTED and query.ids is query.group is None:
        condition += _LISTED
    if query.group is not None:
        condition += " AND family = :group"
    if query.ids is not None:
        condition += " AND id IN (SELECT value FROM json_each(:ids))"
    leaves = [*_leaves("$", query.where)]
    texts = dict(islice(((path, text) for path, text in leaves if text is not None), _MOST_TEXTS))
    for number in range(len(texts)):
        condition += f" AND json_extract(body, :path{number}) = :text{number}"
    if query.like or len(texts) < len(leaves):

        def fits(body: str) -> bool:
            return matches(msgspec.json.decode(body), query)

        connection.create_function("fits", 1, fits, deterministic=True)
        condition += " AND fits(body)"
    values = {"tenant": owner.tenant, "user": owner.user, "kind": kind, "group": query.group}
    for number, (path, text) in enumerate(texts.items()):
        values |= {f"path{number}": path, f"text{number}": text}
    return condition, {**values, "ids": msgspec.json.encode(query.ids or ()).decode()}


def _leaves(path: str, wanted: dict[str, object]) -> Iterator[tuple[str, str | None]]:
    """The texts that are asked for, and where; None for filters that SQLite can't compare as `matches` does."""
    for name, value in wanted.items():
        place, is_place = f"{path}.{name}", _NAME.fullmatch(name) is not None
        text = value if is_place and _is_plain(value) else None
        inner = cast(dict[str, object], value) if isinstance(value, dict) else {}
        if is_place and inner:
            yield from _leaves(place, inner)
        else:
            yield place, text


def _is_plain(value: object) -> TypeGuard[str]:
    """Whether it is a text that can't be JSON of something else, and that SQLite reads to its end."""
    return isinstance(value, str) and "\0" not in value and not value.startswith(("{", "["))

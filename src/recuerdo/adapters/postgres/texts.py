"""Texts of all kinds in PostgreSQL, as they are stored."""

from collections.abc import Sequence
from typing import Any, LiteralString

from recuerdo.adapters.postgres.connection import PostgresRepository
from recuerdo.adapters.postgres.decisions import about
from recuerdo.adapters.postgres.memories import floats
from recuerdo.adapters.texts import TEXT_TABLES, TextTable
from recuerdo.core.documents import Document
from recuerdo.core.encryption import Stored, StoredText, TextKind
from recuerdo.core.encryption_ports import TextRepository
from recuerdo.core.messages import checksum_of

_TENANTS = """
SELECT tenant FROM recuerdo.swept_threads UNION SELECT tenant FROM recuerdo.swept_memory_owners
UNION SELECT tenant FROM recuerdo.swept_checkpoint_threads UNION SELECT tenant FROM recuerdo.swept_documents
UNION SELECT tenant FROM recuerdo.swept_data_keys ORDER BY tenant"""

_TABLES = {**TEXT_TABLES, "memory": TEXT_TABLES["memory"]._replace(texts=("text", "value", "review", "packed"))}


class PostgresTexts(PostgresRepository, TextRepository):
    """The TextRepository over a PostgreSQL database."""

    kinds: Sequence[TextKind] = tuple(TEXT_TABLES)

    async def tenants(self) -> list[str]:
        return [tenant for (tenant,) in await self._database.sweep(_TENANTS, ()) if tenant]

    async def select(
        self, tenant: str, kind: TextKind, limit: int, after: StoredText | None = None
    ) -> list[StoredText]:
        table = _TABLES[kind]
        extra: LiteralString = ", array_send(vector)" if kind == "memory" else ""
        places = table.behind(after)
        if table.parent:
            thread = places[:2]
            places = [*thread, *(each for place in places[2:] for each in (*thread, place))]
        rows = await self._database.fetch(tenant, _selecting(table, extra), [tenant, *places, limit])
        if kind == "memory":
            rows = [(*row[:-2], row[-2] if row[-1] is None else floats(row[-1])) for row in rows]
        return [table.stored(row) for row in rows]

    async def replace(self, tenant: str, kind: TextKind, changes: Sequence[tuple[StoredText, Sequence[Stored]]]) -> int:
        table, replaced = _TABLES[kind], 0
        async with self._database.transaction([tenant]) as connection:
            for old, new in changes:
                statement, parameters = _replacing(table, kind, tenant, old, new)
                if kind == "checkpoint value":  # of two forms of one value the later one stays
                    gone = (tenant, old.key[2], new[0], old.texts[0])
                    await connection.execute(_OTHER_FORM, gone)
                replaced += (await connection.execute(statement, parameters)).rowcount
        return replaced


_OTHER_FORM = "DELETE FROM recuerdo.checkpoint_values WHERE tenant = %s AND key = %s AND digest = %s AND digest <> %s"


def _replacing(
    table: TextTable, kind: TextKind, tenant: str, old: StoredText, new: Sequence[Stored]
) -> tuple[bytes, list[Any]]:
    """The statement that replaces the texts of one row, if it is as it was, and its parameters."""
    own, seen = table.address(old), table.seen(old)
    changed: dict[LiteralString, Any] = dict(zip(table.texts, new, strict=True))
    if kind == "message":
        changed["checksum"] = checksum_of(_bytes(changed["body"]))
    elif kind == "memory":  # a packed vector stands where the numbers were
        del seen["packed"]
        changed["vector"] = None
    elif kind == "document":
        changed["about"] = about(Document(old.key[1], old.key[2], "", _bytes(changed["body"]), True)).decode()
    set_to: list[LiteralString] = [f"{name} = %s::jsonb" if name == "about" else f"{name} = %s" for name in changed]
    setting = ", ".join(set_to)
    is_own = "".join([f" AND {name} = %s" for name in own])
    is_same = "".join([f" AND {name} IS NOT DISTINCT FROM %s" for name in seen])
    statement = f"UPDATE recuerdo.{table.name} SET {setting} WHERE tenant = %s{is_own}{is_same}"
    return statement.encode(), [*changed.values(), tenant, *own.values(), *seen.values()]


def _selecting(table: TextTable, extra: LiteralString) -> LiteralString:
    if not table.parent:
        columns, key = ", ".join([*table.key, *table.names, *table.texts]), ", ".join(table.key)
        places = ", ".join(["%s" for _ in table.key])
        return (
            f"SELECT {columns}{extra} FROM recuerdo.{table.name}"
            f" WHERE tenant = %s AND ({key}) > ({places}) ORDER BY {key} LIMIT %s"
        )
    columns = ", ".join([f"c.{name}" for name in (table.link, *table.key, *table.names, *table.texts)])
    key = ", ".join([f"c.{name}" for name in table.key])
    # in the parent's thread of the row before: after it; in later ones: from the beginning
    begins = ", ".join(
        [f'CASE WHEN (p."user", p.thread) = (%s, %s) THEN %s ELSE {_literal(least)} END' for least in table.least]
    )
    return (
        f'SELECT p."user", p.thread, {columns} FROM recuerdo.{table.parent} AS p'
        f" JOIN recuerdo.{table.name} AS c ON c.tenant = p.tenant AND c.{table.link} = p.{table.link}"
        f' WHERE p.tenant = %s AND (p."user", p.thread) >= (%s, %s) AND ({key}) > ({begins})'
        f' ORDER BY p."user", p.thread, {key} LIMIT %s'
    )


def _literal(least: Any) -> LiteralString:
    return "''::bytea" if isinstance(least, bytes) else "''" if least == "" else "-1"


def _bytes(text: Stored) -> bytes:
    return text.encode() if isinstance(text, str) else text or b""

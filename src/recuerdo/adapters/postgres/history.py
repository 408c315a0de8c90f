"""Rows of messages in PostgreSQL."""

from collections.abc import Sequence
from typing import Any

from recuerdo.adapters.postgres.appends import append_batch
from recuerdo.adapters.postgres.calls import HEAD, HEADS, SNAPSHOT, TAIL, Rows, Texts, columns
from recuerdo.adapters.postgres.connection import PostgresDatabase
from recuerdo.adapters.postgres.threads import lock, parsed_head
from recuerdo.concurrency.batch_loader import BatchLoader
from recuerdo.core.errors import RecuerdoError
from recuerdo.core.messages import ROLES, Role, verified
from recuerdo.core.scope import Scope
from recuerdo.core.threads import NOWHERE, Append, Appended, Head, MessageQuery, Page, Snapshot, Tail, Version

_PAGE = """
SELECT t.epoch, t.last_seq, m.seq, m.archived, convert_to(m.body, 'UTF8'), m.checksum
FROM recuerdo.threads AS t LEFT JOIN LATERAL (
    SELECT seq, archived, body, checksum FROM recuerdo.messages
    WHERE tenant = t.tenant AND epoch = t.epoch
        AND (%(after)s::bigint IS NULL OR seq > %(after)s) AND (%(before)s::bigint IS NULL OR seq < %(before)s)
        AND (%(since)s::timestamptz IS NULL OR created_at >= %(since)s)
        AND (%(until)s::timestamptz IS NULL OR created_at < %(until)s)
        AND role = ANY (%(roles)s) AND (%(archived)s::boolean IS NULL OR archived = %(archived)s)
    ORDER BY seq {order} LIMIT %(limit)s
) AS m ON true
WHERE t.tenant = %(tenant)s AND t."user" = %(user)s AND t.thread = %(thread)s AND NOT t.deleted
ORDER BY m.seq {order}"""
_PAGE_FORWARD = _PAGE.format(order="ASC")
_PAGE_BACKWARD = _PAGE.format(order="DESC")

_COUNT = """
SELECT m.role, count(*) FROM recuerdo.messages AS m JOIN recuerdo.threads AS t USING (tenant, epoch)
WHERE t.tenant = %(tenant)s AND t."user" = %(user)s AND t.thread = %(thread)s AND NOT t.deleted
GROUP BY m.role"""

_ARCHIVE = """
UPDATE recuerdo.messages SET archived = %(archived)s
WHERE tenant = %(tenant)s AND epoch = %(epoch)s AND seq BETWEEN %(first)s AND %(last)s AND archived <> %(archived)s"""

_REVISE = """
UPDATE recuerdo.threads SET revision = revision + 1, changed = pg_current_xact_id()
WHERE tenant = %s AND "user" = %s AND thread = %s"""


class PostgresHistory:
    """The HistoryRepository over a PostgreSQL database."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database
        self._heads = BatchLoader(self._head, self._several_heads)

    async def append(self, batch: Sequence[Append]) -> list[Appended | RecuerdoError]:
        """See HistoryRepository."""
        return await append_batch(self._database, batch)

    async def head(self, scope: Scope) -> Head:
        """See HistoryRepository."""
        return await self._heads.get(scope)

    async def snapshot(self, scope: Scope, limit: int) -> Snapshot:
        """See HistoryRepository."""
        return _snapshot(scope, await self._database.call(SNAPSHOT, *_address(scope), limit))

    async def tail(self, scope: Scope, limit: int) -> Tail:
        """See HistoryRepository."""
        return _tail(scope, await self._database.call(TAIL, *_address(scope), None, limit + 1), limit)

    async def page(self, scope: Scope, query: MessageQuery) -> Page:
        """See HistoryRepository."""
        forward = query.after is not None
        rows = await self._database.fetch(
            scope.tenant,
            _PAGE_FORWARD if forward else _PAGE_BACKWARD,
            {
                **_named(scope),
                "after": query.after,
                "before": query.before,
                "since": query.since,
                "until": query.until,
                "roles": sorted(query.roles or ROLES),
                "archived": query.archived,
                "limit": query.limit + 1,
            },
        )
        return _page(scope, rows, query.limit, forward=forward)

    async def count(self, scope: Scope) -> dict[Role, int]:
        """See HistoryRepository."""
        return dict(await self._database.fetch(scope.tenant, _COUNT, _named(scope)))

    async def archive(self, scope: Scope, first: int, last: int, archived: bool) -> int:
        """See HistoryRepository."""
        async with self._database.transaction([scope.tenant]) as connection:
            row = await lock(connection, scope)
            if row is None:
                return 0
            marks = {"tenant": scope.tenant, "epoch": row.version.epoch, "first": first, "last": last}
            changed = (await connection.execute(_ARCHIVE, {**marks, "archived": archived})).rowcount
            if changed:
                await connection.execute(_REVISE, _address(scope))
            return changed

    async def _head(self, scope: Scope) -> Head:
        [(head,)] = await self._database.call(HEAD, *_address(scope))
        return parsed_head(head)

    async def _several_heads(self, scopes: Sequence[Scope]) -> list[Head]:
        rows = await self._database.call(HEADS, *columns(list(map(_address, scopes)), Texts, Texts, Texts))
        return [parsed_head(head) for (head,) in rows]


def _address(scope: Scope) -> tuple[str, str, str]:
    return scope.tenant, scope.user, scope.thread


def _named(scope: Scope) -> dict[str, Any]:
    return {"tenant": scope.tenant, "user": scope.user, "thread": scope.thread}


def _tail(scope: Scope, rows: Rows, limit: int) -> Tail:
    if not rows:
        return Tail.empty()
    (epoch, last_seq, revision, system_seq, *system), *newest = rows
    systems = verified(scope.thread, epoch, [(system_seq, False, *system)] if system_seq else [])
    shown = [(seq, False, body, checksum) for *_, seq, body, checksum in reversed(newest[:limit])]
    records = verified(scope.thread, epoch, shown)
    head = Head(Version(epoch, last_seq), revision)
    return Tail(head, systems[0] if systems else None, records, complete=len(newest) <= limit)


def _snapshot(scope: Scope, rows: Rows) -> Snapshot:
    if not rows:
        return Snapshot.empty()
    (epoch, last_seq, revision, *system), *newest = rows
    systems = verified(scope.thread, epoch, [system] if system[0] else [])
    records = verified(scope.thread, epoch, [row[3:] for row in reversed(newest)])
    return Snapshot(Head(Version(epoch, last_seq), revision), systems[0] if systems else None, records)


def _page(scope: Scope, rows: Rows, limit: int, *, forward: bool) -> Page:
    if not rows:
        return Page(NOWHERE, [], more=False)
    version = Version(*rows[0][:2])
    records = verified(scope.thread, version.epoch, [row[2:] for row in rows[:limit] if row[2] is not None])
    return Page(version, records if forward else records[::-1], more=len(rows) > limit)

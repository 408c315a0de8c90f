"""Rows of threads in PostgreSQL."""

import re
from collections import Counter
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

import msgspec

from recuerdo.adapters.postgres.connection import Connection, PostgresRepository, named
from recuerdo.adapters.rows import by_role, thread_of, utc
from recuerdo.core.errors import InvalidInput, NotFound, ThreadExists
from recuerdo.core.messages import ROLES, Role
from recuerdo.core.ports import ThreadRepository
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.thread_metadata import NO_METADATA, ThreadMetadata
from recuerdo.core.threads import (
    ABSENT,
    BEGINNING,
    NAMELESS,
    NOWHERE,
    ChangedThreads,
    Head,
    Thread,
    ThreadCursor,
    ThreadPage,
    Version,
    check_epochs,
)

_THREADS = """
SELECT thread, epoch, last_seq, title, metadata, created_at, updated_at, (
    SELECT m.archived FROM recuerdo.messages AS m
    WHERE m.tenant = t.tenant AND m.epoch = t.epoch AND m.seq <= t.last_seq ORDER BY m.seq DESC LIMIT 1
) FROM recuerdo.threads AS t
"""

_GET = f"""{_THREADS}
WHERE tenant = %s AND "user" = %s AND thread = %s AND NOT deleted"""

_RENAME = """
UPDATE recuerdo.threads SET title = %s
WHERE tenant = %s AND "user" = %s AND thread = %s AND NOT deleted RETURNING 1"""

_SELECT = f"""{_THREADS}
WHERE tenant = %(tenant)s AND "user" = %(user)s AND NOT deleted
    AND updated_minute <= coalesce(date_bin('1 minute', %(time)s::timestamptz, 'epoch'), 'infinity')
    AND (%(time)s::timestamptz IS NULL OR updated_at < %(time)s OR (updated_at = %(time)s AND thread > %(last)s))
ORDER BY updated_minute DESC, updated_at DESC, thread LIMIT %(limit)s OFFSET %(skip)s"""

_SELECT_HOLDING = _SELECT.replace(
    "ORDER BY updated_minute",
    """AND thread IN (
        SELECT thread FROM recuerdo.thread_fields
        WHERE tenant = %(tenant)s AND "user" = %(user)s AND field = ANY(%(fields)s::bytea[])
        GROUP BY thread HAVING count(*) = cardinality(%(fields)s::bytea[])
    )
ORDER BY updated_minute""",
)

_METADATA = """
UPDATE recuerdo.threads SET metadata = %(text)s
WHERE tenant = %(tenant)s AND "user" = %(user)s AND thread = %(thread)s AND NOT deleted AND metadata = %(before)s
RETURNING 1"""

_FORGET_FIELDS = """
DELETE FROM recuerdo.thread_fields WHERE tenant = %(tenant)s AND "user" = %(user)s AND thread = %(thread)s"""

_KEEP_FIELDS = """
INSERT INTO recuerdo.thread_fields (tenant, "user", thread, field)
SELECT %(tenant)s, %(user)s, %(thread)s, field FROM unnest(%(fields)s::bytea[]) AS field"""

_COPY_FIELDS = """
INSERT INTO recuerdo.thread_fields (tenant, "user", thread, field)
SELECT tenant, "user", %(copy)s, field FROM recuerdo.thread_fields
WHERE tenant = %(tenant)s AND "user" = %(user)s AND thread = %(thread)s"""

_ERASE = """
UPDATE recuerdo.threads SET
    epoch = fresh, last_seq = 0, title = '', updated_at = %(at)s, deleted = %(deleted)s, dated_ahead = false,
    metadata = CASE WHEN %(deleted)s THEN '{}' ELSE metadata END, changed = pg_current_xact_id(),
    counted_epoch = fresh, system_count = 0, user_count = 0, assistant_count = 0, tool_count = 0,
    emptied_at = CASE WHEN %(is_unrecorded)s THEN emptied_at ELSE clock_timestamp() END
FROM nextval('recuerdo.epochs') AS fresh
WHERE tenant = %(tenant)s AND "user" = %(user)s AND thread = %(thread)s RETURNING epoch"""

_EMPTIED = """
SELECT given.place - 1, clock_timestamp() - t.emptied_at
FROM unnest(%(tenants)s::text[], %(users)s::text[], %(threads)s::text[])
    WITH ORDINALITY AS given (tenant, "user", thread, place)
JOIN recuerdo.threads AS t USING (tenant, "user", thread)
WHERE t.emptied_at IS NOT NULL"""

_SPEND_KEYS = """
WITH gone AS (DELETE FROM recuerdo.idempotency_keys WHERE tenant = %s AND epoch = %s RETURNING key)
INSERT INTO recuerdo.spent_keys AS s (tenant, digest, spent_at)
SELECT %s, recuerdo.spent_digest(%s, %s, key), %s FROM gone
ON CONFLICT (tenant, digest) DO UPDATE SET spent_at = excluded.spent_at"""

_FORGET_NAMES = """
WITH gone AS (
    UPDATE recuerdo.swept_tombstones SET "user" = %(nameless)s, thread = gen_random_uuid()::text
    WHERE updated_at < %(before)s RETURNING 1
) SELECT count(*) FROM gone"""

_FORGET_KEYS = """
WITH gone AS (DELETE FROM recuerdo.swept_keys WHERE spent_at < %s RETURNING 1) SELECT count(*) FROM gone"""

_CREATE = """
INSERT INTO recuerdo.threads AS t (
    tenant, "user", thread, epoch, counted_epoch, last_seq, title, metadata, created_at, updated_at
)
SELECT %(tenant)s, %(user)s, %(thread)s, fresh, fresh, %(last_seq)s, %(title)s, %(metadata)s, %(at)s, %(at)s
FROM nextval('recuerdo.epochs') AS fresh
ON CONFLICT (tenant, "user", thread) DO UPDATE SET
    -- As in append_message.
    epoch = CASE WHEN excluded.epoch > t.epoch THEN excluded.epoch ELSE nextval('recuerdo.epochs') END,
    counted_epoch = CASE WHEN excluded.epoch > t.epoch THEN excluded.epoch END,
    system_count = 0, user_count = 0, assistant_count = 0, tool_count = 0,
    last_seq = excluded.last_seq, title = excluded.title, metadata = excluded.metadata,
    created_at = excluded.created_at, updated_at = excluded.updated_at, deleted = false, changed = excluded.changed,
    dated_ahead = false
WHERE t.deleted RETURNING epoch"""

_KEEP_COUNTS = """
UPDATE recuerdo.threads AS t SET
    counted_epoch = t.epoch, system_count = %(systems)s + new.systems, user_count = %(users)s + new.users,
    assistant_count = %(assistants)s + new.assistants, tool_count = %(tools)s + new.tools
FROM (
    SELECT
        count(*) FILTER (WHERE role = 'system') AS systems, count(*) FILTER (WHERE role = 'user') AS users,
        count(*) FILTER (WHERE role = 'assistant') AS assistants, count(*) FILTER (WHERE role = 'tool') AS tools
    FROM recuerdo.messages WHERE tenant = %(tenant)s AND epoch = %(epoch)s AND seq > %(seq)s
) AS new
WHERE t.tenant = %(tenant)s AND t."user" = %(user)s AND t.thread = %(thread)s
RETURNING system_count, user_count, assistant_count, tool_count"""

_MARK_COPY = """
UPDATE recuerdo.threads SET dated_ahead = true
WHERE tenant = %(tenant)s AND "user" = %(user)s AND thread = %(copy)s AND EXISTS (
    SELECT FROM recuerdo.messages AS m
    WHERE m.tenant = %(tenant)s AND m.epoch = %(epoch)s AND m.created_at > updated_at + interval '10 minutes'
)"""

_COPY = """
INSERT INTO recuerdo.messages (tenant, epoch, seq, id, role, created_at, archived, body, checksum)
SELECT tenant, %s, seq, id, role, created_at, archived, body, checksum FROM recuerdo.messages
WHERE tenant = %s AND epoch = %s AND seq <= %s"""

_CHANGED = """
SELECT tenant, "user", thread, epoch, last_seq, revision, deleted, changed::text FROM recuerdo.swept_threads AS t
WHERE changed_about >= greatest(pg_snapshot_xmin(%(since)s::pg_snapshot), %(seen)s::xid8)::text::bigint >> 10
    AND changed > %(seen)s::xid8 AND NOT pg_visible_in_snapshot(changed, %(since)s::pg_snapshot)
    AND pg_visible_in_snapshot(changed, %(until)s::pg_snapshot)
ORDER BY changed_about, t.changed FETCH FIRST %(limit)s ROWS WITH TIES"""

_OWNERS = """
SELECT DISTINCT tenant, "user" FROM recuerdo.swept_threads
WHERE (tenant, "user") > (%(after_tenant)s, %(after_user)s) AND NOT deleted
    AND (%(tenant)s::text IS NULL OR tenant = %(tenant)s)
ORDER BY tenant, "user" LIMIT %(limit)s"""


_ERASED_A_SECOND = 5_000
"""Messages that a busy server erases at least in a second: a large thread may need longer than other statements."""


class PostgresThreadRow(NamedTuple):
    """The part of a living thread's row that transactions need."""

    version: Version
    revision: int
    title: str
    metadata: str


class PostgresThreads(PostgresRepository, ThreadRepository):
    """The ThreadRepository over a PostgreSQL database."""

    async def get(self, scope: Scope) -> Thread | None:
        rows = await self._database.fetch(scope.tenant, _GET, (scope.tenant, scope.user, scope.thread))
        return thread_of(rows[0], utc) if rows else None

    async def select(
        self, owner: Owner, limit: int, cursor: str | None = None, *, skip: int = 0, fields: Collection[bytes] = ()
    ) -> ThreadPage:
        place = None if cursor is None else ThreadCursor.parse(cursor)
        part = {"last": place.id if place else "", "limit": limit + 1, "skip": skip, "fields": [*fields]}
        rows = await self._database.fetch(
            owner.tenant,
            _SELECT_HOLDING if fields else _SELECT,
            named(owner) | {"time": place and place.updated_at} | part,
        )
        return ThreadPage.cut([thread_of(row, utc) for row in rows], limit)

    async def clear(self, scope: Scope, at: datetime, expected_epoch: int | None = None) -> Version | None:
        return await self._erase(scope, at, None, expected_epoch, deleted=False)

    async def delete(
        self, scope: Scope, at: datetime, only_at: Head | None = None, expected_epoch: int | None = None
    ) -> bool:
        return await self._erase(scope, at, only_at, expected_epoch, deleted=True) is not None

    async def since_emptied(self, scopes: Collection[Scope]) -> dict[Scope, timedelta]:
        asked = list(scopes)
        tenants, users, threads = ([getattr(scope, name) for scope in asked] for name in ("tenant", "user", "thread"))
        async with self._database.transaction([*{*tenants}]) as connection:
            given = {"tenants": tenants, "users": users, "threads": threads}
            rows = await (await connection.execute(_EMPTIED, given)).fetchall()
        return {asked[place]: age for place, age in rows}

    async def forget_keys(self, before: datetime) -> int:
        await self._database.sweep(_FORGET_NAMES, {"nameless": NAMELESS, "before": before})
        [(count,)] = await self._database.sweep(_FORGET_KEYS, (before,))
        return count

    async def fork(self, scope: Scope, at_seq: int, target: str, at: datetime) -> Thread:
        async with self._database.transaction([scope.tenant]) as connection:
            return await _fork(connection, scope, at_seq, target, at)

    async def rename(self, scope: Scope, title: str) -> bool:
        renamed = (title, scope.tenant, scope.user, scope.thread)
        return bool(await self._database.fetch(scope.tenant, _RENAME, renamed, writes=True))

    async def set_metadata(
        self, scope: Scope, metadata: ThreadMetadata, instead_of: ThreadMetadata | None, at: datetime
    ) -> bool:
        before = (instead_of or NO_METADATA).text
        about = {**msgspec.structs.asdict(scope), "text": metadata.text, "before": before}
        async with self._database.transaction([scope.tenant]) as connection:
            if instead_of is None and await _create(connection, scope, 0, "", at) is None:
                return False
            if await (await connection.execute(_METADATA, about)).fetchone() is None:
                return False
            await connection.execute(_FORGET_FIELDS, about)
            await connection.execute(_KEEP_FIELDS, about | {"fields": [*metadata.fields]})
            return True

    async def changed(self, since: str | None, limit: int) -> ChangedThreads:
        async with self._database.transaction([], sweeping=True) as connection:
            return await _changed(connection, since, limit)

    async def owners(self, tenant: str | None, limit: int, after: Owner | None = None) -> list[Owner]:
        place = {"after_tenant": after.tenant if after else "", "after_user": after.user if after else ""}
        return [Owner(*row) for row in await self._database.sweep(_OWNERS, {"tenant": tenant, "limit": limit, **place})]

    async def _erase(
        self, scope: Scope, at: datetime, only_at: Head | None, expected_epoch: int | None, *, deleted: bool
    ) -> Version | None:
        thread = await self.get(scope)
        if thread is None:
            return None
        longer = thread.version.seq / _ERASED_A_SECOND
        async with self._database.transaction([scope.tenant], longer=longer) as connection:
            row = await lock(connection, scope)
            if row is None or only_at not in (None, Head(row.version, row.revision)):
                return None
            check_epochs([expected_epoch], row.version.epoch)
            is_unrecorded = only_at is not None
            return await erase(connection, scope, row.version.epoch, at, deleted=deleted, is_unrecorded=is_unrecorded)


def parsed_head(text: str | None) -> Head:
    """The head that our functions write as `7.42.0`: epoch, last seq, revision; None for a thread that is not there."""
    if text is None:
        return ABSENT
    epoch, last_seq, revision = map(int, text.split("."))
    return Head(Version(epoch, last_seq), revision)


async def lock(connection: Connection, scope: Scope) -> PostgresThreadRow | None:
    """The thread's row, locked until the transaction ends, or None when it is absent or deleted."""
    cursor = await connection.execute(
        "SELECT epoch, last_seq, revision, title, metadata FROM recuerdo.threads"
        ' WHERE tenant = %s AND "user" = %s AND thread = %s AND NOT deleted FOR UPDATE',
        (scope.tenant, scope.user, scope.thread),
    )
    row = await cursor.fetchone()
    return PostgresThreadRow(Version(row[0], row[1]), *row[2:]) if row else None


async def keep_counts(
    connection: Connection, scope: Scope, known: Version = NOWHERE, before: Mapping[Role, int] | None = None
) -> dict[Role, int]:
    """Count the thread's messages of each role, write that into its row, and return it.

    Up to the version `known` they were counted `before`, while others could write.
    """
    row = await lock(connection, scope)
    if row is None:
        return {}
    if row.version.epoch != known.epoch:
        known, before = Version(row.version.epoch, 0), None
    counts = Counter[Role](before or {})
    cursor = await connection.execute(
        _KEEP_COUNTS,
        {
            **msgspec.structs.asdict(scope),
            **known._asdict(),
            **{f"{role}s": counts[role] for role in ROLES},
        },
    )
    [found] = await cursor.fetchall()
    return by_role(found)


async def erase(
    connection: Connection, scope: Scope, epoch: int, at: datetime, *, deleted: bool, is_unrecorded: bool = False
) -> Version:
    """Erase the messages of a thread that is locked and in this epoch, and with `deleted` the thread."""
    erased = (scope.tenant, epoch)
    await connection.execute("DELETE FROM recuerdo.messages WHERE tenant = %s AND epoch = %s", erased)
    await connection.execute(_SPEND_KEYS, (*erased, scope.tenant, scope.user, scope.thread, at))
    names = msgspec.structs.asdict(scope)
    if deleted:
        await connection.execute(_FORGET_FIELDS, names)
    about = {"at": at, "deleted": deleted, "is_unrecorded": is_unrecorded}
    cursor = await connection.execute(_ERASE, about | names)
    [(new_epoch,)] = await cursor.fetchall()
    return Version(new_epoch, 0)


async def _fork(connection: Connection, scope: Scope, at_seq: int, target: str, at: datetime) -> Thread:
    source = await lock(connection, scope)
    if source is None:
        raise NotFound("thread", scope.thread)
    epoch = await _create(connection, scope.owner.thread(target), at_seq, source.title, at, source.metadata)
    if epoch is None:
        raise ThreadExists(target)
    if at_seq > source.version.seq:
        raise InvalidInput("at_seq", f"the thread ends at seq {source.version.seq}")
    await connection.execute(_COPY, (epoch, scope.tenant, source.version.epoch, at_seq))
    await keep_counts(connection, scope.owner.thread(target))
    names = {**msgspec.structs.asdict(scope), "copy": target}
    await connection.execute(_COPY_FIELDS, names)
    await connection.execute(_MARK_COPY, {**names, "epoch": epoch})
    cursor = await connection.execute(_GET, (scope.tenant, scope.user, target))
    [thread] = await cursor.fetchall()
    return thread_of(thread, utc)


async def _create(
    connection: Connection, scope: Scope, last_seq: int, title: str, at: datetime, metadata: str = NO_METADATA.text
) -> int | None:
    """Insert the thread, or revive its tombstone. Returns its epoch, or None when it is alive."""
    cursor = await connection.execute(
        _CREATE, {**msgspec.structs.asdict(scope), "last_seq": last_seq, "title": title, "metadata": metadata, "at": at}
    )
    row = await cursor.fetchone()
    return row[0] if row else None


_BEFORE_ALL = "1:1:"
"""The snapshot before all transactions, as PostgreSQL writes it."""


_WRITTEN_MARK = re.compile(r"\d+:\d+:[\d,]*/(\d+:\d+:[\d,]*)?/\d+")


class _SweepMark(NamedTuple):
    """The progress of a sweep: it has seen the snapshot `since`, and of what is new in `until` the transactions up to
    `seen`. Snapshots tell commits apart: a transaction that began early and commits late is in no snapshot before.
    """

    since: str
    until: str = ""
    seen: str = "0"

    def __str__(self) -> str:
        return "/".join(self)

    @classmethod
    def parse(cls, text: str) -> "_SweepMark":
        """The mark that `str` wrote. Raises InvalidInput."""
        if _WRITTEN_MARK.fullmatch(text) is None:
            raise InvalidInput("since", "is a mark of another database; start again without one")
        return cls(*text.split("/"))


async def _changed(connection: Connection, since: str | None, limit: int) -> ChangedThreads:
    [(now,)] = await (await connection.execute("SELECT pg_current_snapshot()::text")).fetchall()
    if since is None:
        return ChangedThreads({}, str(_SweepMark(now)))
    mark = _SweepMark(_BEFORE_ALL) if since == BEGINNING else _SweepMark.parse(since)
    if not mark.until:
        mark = mark._replace(until=now)
    cursor = await connection.execute(_CHANGED, {**mark._asdict(), "limit": limit})
    rows = await cursor.fetchall()
    heads = {Scope(*row[:3]): ABSENT if row[6] else Head(Version(*row[3:5]), row[5]) for row in rows}
    done = len(rows) < limit
    return ChangedThreads(heads, str(_SweepMark(mark.until) if done else mark._replace(seen=rows[-1][7])))

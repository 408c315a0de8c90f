"""Passages for searches, in PostgreSQL."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from recuerdo.adapters.postgres.connection import PostgresRepository, named
from recuerdo.adapters.rows import timed_page_of, utc
from recuerdo.core.messages import ROLES, Record, verified
from recuerdo.core.passages import (
    LATEST_THREADS,
    MOST_AHEAD,
    MessagePlace,
    PassageVector,
    StoredPassage,
    TimedPage,
    TimedQuery,
)
from recuerdo.core.ports import PassageRepository
from recuerdo.core.scope import Owner
from recuerdo.core.threads import ABSENT, MOST_READ_BYTES, Head, HeadChanges, Version

# Of both at least one row comes, with the snapshot that all of them are of.
_HEADS = """
SELECT now.snapshot::text, t.thread, t.epoch, t.last_seq, t.revision
FROM (SELECT pg_current_snapshot() AS snapshot) AS now LEFT JOIN recuerdo.threads AS t
    ON t.tenant = %(tenant)s AND t."user" = %(user)s AND (%(thread)s::text IS NULL OR t.thread = %(thread)s)
    AND NOT t.deleted"""

_CHANGED_HEADS = """
SELECT now.snapshot::text, pg_snapshot_xmax(%(since)s::pg_snapshot) <= pg_snapshot_xmax(now.snapshot),
    t.thread, t.epoch, t.last_seq, t.revision, t.deleted
FROM (SELECT pg_current_snapshot() AS snapshot) AS now LEFT JOIN recuerdo.threads AS t
    ON t.tenant = %(tenant)s AND t."user" = %(user)s AND (%(thread)s::text IS NULL OR t.thread = %(thread)s)
    AND t.changed_about >= pg_snapshot_xmin(%(since)s::pg_snapshot)::text::bigint >> 10
    AND NOT pg_visible_in_snapshot(t.changed, %(since)s::pg_snapshot)"""

_READ = """
SELECT p.thread, p.epoch, p.seq, p.archived, convert_to(p.body, 'UTF8'), p.checksum, v.vector FROM (
SELECT t.tenant, t.thread, m.epoch, m.seq, m.archived, m.body, m.checksum, asked.place, sum(octet_length(m.body)) OVER (
    ORDER BY asked.place, m.seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
) AS bytes_before
FROM unnest(%(threads)s::text[], %(epochs)s::bigint[], %(seqs)s::bigint[])
    WITH ORDINALITY AS asked (thread, epoch, seq, place)
JOIN LATERAL (
    SELECT * FROM recuerdo.threads AS living
    WHERE living.tenant = %(tenant)s AND living."user" = %(user)s AND living.thread = asked.thread
        AND living.epoch = asked.epoch AND NOT living.deleted
    LIMIT 1 -- keeps it a look for each thread: as a join, all threads of the owner were read for each page
) AS t ON true
JOIN LATERAL (
    SELECT * FROM recuerdo.messages AS message
    WHERE message.tenant = t.tenant AND message.epoch = t.epoch AND message.seq > asked.seq
    ORDER BY message.seq LIMIT %(limit)s -- of a long thread only a page is sorted, and not all that is left
) AS m ON true
ORDER BY asked.place, m.seq LIMIT %(limit)s
) AS p
LEFT JOIN recuerdo.passage_vectors AS v
    ON v.tenant = p.tenant AND v.epoch = p.epoch AND v.seq = p.seq AND v.model = %(model)s
WHERE p.bytes_before IS NULL OR p.bytes_before < %(most_bytes)s
ORDER BY p.place, p.seq"""

_ARCHIVED = """
SELECT t.thread, m.epoch, m.seq FROM recuerdo.threads AS t
JOIN recuerdo.messages AS m ON m.tenant = t.tenant AND m.epoch = t.epoch AND m.archived
WHERE t.tenant = %(tenant)s AND t."user" = %(user)s AND t.thread = ANY (%(threads)s) AND NOT t.deleted"""

_PLACES = """
FROM unnest(%(threads)s::text[], %(epochs)s::bigint[], %(seqs)s::bigint[]{more}) AS asked (thread, epoch, seq{names})
JOIN recuerdo.threads AS t
    ON t.tenant = %(tenant)s AND t."user" = %(user)s AND t.thread = asked.thread AND t.epoch = asked.epoch
    AND NOT t.deleted
JOIN recuerdo.messages AS m ON m.tenant = t.tenant AND m.epoch = t.epoch AND m.seq = asked.seq"""

_PICK = "SELECT t.thread, m.epoch, m.seq, m.archived, convert_to(m.body, 'UTF8'), m.checksum" + _PLACES.format(
    more="", names=""
)

# The lock of the foreign key makes an erasure wait, which then finds the vector and takes it along.
_KEEP = (
    "INSERT INTO recuerdo.passage_vectors (tenant, epoch, seq, model, vector)"
    " SELECT m.tenant, m.epoch, m.seq, asked.model, asked.vector"
    + _PLACES.format(more=", %(models)s::text[], %(vectors)s::bytea[]", names=", model, vector")
    + " ORDER BY m.epoch, m.seq FOR KEY SHARE OF m"
    " ON CONFLICT (tenant, epoch, seq) DO UPDATE SET model = excluded.model, vector = excluded.vector RETURNING seq"
)

_MATCHING = """
FROM recuerdo.messages AS m WHERE m.tenant = t.tenant AND m.epoch = t.epoch
    AND (%(since)s::timestamptz IS NULL OR m.created_at >= %(since)s)
    AND (%(until)s::timestamptz IS NULL OR m.created_at < %(until)s)
    AND (%(at)s::timestamptz IS NULL OR m.created_at < %(at)s OR (m.created_at = %(at)s
        AND (m.epoch < %(epoch)s::bigint OR (m.epoch = %(epoch)s AND m.seq < %(seq)s::bigint))))
    AND m.role = ANY (%(roles)s) AND (%(archived)s::boolean IS NULL OR m.archived = %(archived)s)
ORDER BY m.created_at DESC, m.seq DESC"""

# Of the threads that changed last, and of those with messages dated ahead, the ones whose newest match is among the
# first have all of the first: of the others one message is looked at. The first column is the time before which all
# messages of other threads were made, or NULL when there are no others.
_BY_TIME = f"""
WITH newest AS MATERIALIZED (
    SELECT tenant, thread, epoch, updated_minute FROM recuerdo.threads
    WHERE tenant = %(tenant)s AND "user" = %(user)s AND NOT deleted
        AND updated_minute >= coalesce(date_bin('1 minute', %(changed_since)s::timestamptz, 'epoch'), '-infinity')
    ORDER BY updated_minute DESC LIMIT %(threads)s::bigint
), candidates AS (
    SELECT tenant, thread, epoch FROM newest UNION
    SELECT tenant, thread, epoch FROM recuerdo.threads
    WHERE tenant = %(tenant)s AND "user" = %(user)s AND dated_ahead AND NOT deleted
), found AS (
    SELECT t.thread, m.* FROM (
        SELECT t.* FROM candidates AS t
        JOIN LATERAL (SELECT m.created_at {_MATCHING} LIMIT 1) AS newest ON true
        ORDER BY newest.created_at DESC, t.epoch DESC LIMIT %(most)s
    ) AS t
    JOIN LATERAL (SELECT m.* {_MATCHING} LIMIT %(most)s) AS m ON true
    ORDER BY m.created_at DESC, m.epoch DESC, m.seq DESC LIMIT %(limit)s OFFSET %(skip)s
), page AS (
    SELECT found.*, sum(octet_length(body)) OVER (
        ORDER BY created_at DESC, epoch DESC, seq DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS bytes_before
    FROM found
)
SELECT others.until, p.thread, p.epoch, p.created_at, p.seq, p.archived, convert_to(p.body, 'UTF8'), p.checksum
FROM (SELECT (
    SELECT min(updated_minute) + interval '1 minute' + %(most_ahead)s FROM newest HAVING count(*) = %(threads)s::bigint
) AS until) AS others
LEFT JOIN page AS p ON p.bytes_before IS NULL OR p.bytes_before < %(most_bytes)s
ORDER BY p.created_at DESC, p.epoch DESC, p.seq DESC"""


class PostgresPassages(PostgresRepository, PassageRepository):
    """The PassageRepository over a PostgreSQL database."""

    async def heads(self, owner: Owner, thread: str | None = None, since: str | None = None) -> HeadChanges:
        asked = {**named(owner), "thread": thread}
        if since is not None:
            rows = await self._database.fetch(owner.tenant, _CHANGED_HEADS, {**asked, "since": since})
            mark, is_later = rows[0][:2]
            if is_later:  # else the database was restored from a backup, or its standby had not heard all
                heads = {row[2]: ABSENT if row[6] else Head(Version(*row[3:5]), row[5]) for row in rows if row[2]}
                return HeadChanges(heads, since, mark)
        rows = await self._database.fetch(owner.tenant, _HEADS, asked)
        return HeadChanges({row[1]: Head(Version(*row[2:4]), row[4]) for row in rows if row[1]}, None, rows[0][0])

    async def read(
        self, owner: Owner, since: Mapping[str, Version], model: str, limit: int, *, most_bytes: int = MOST_READ_BYTES
    ) -> list[StoredPassage]:
        asked = _asked(owner, [MessagePlace(thread, *version) for thread, version in since.items()])
        bounds = {"model": model, "limit": limit, "most_bytes": most_bytes}
        rows = await self._database.fetch(owner.tenant, _READ, asked | bounds)
        return [StoredPassage(MessagePlace(*row[:3]), verified(row[0], row[1], [row[2:6]])[0], row[6]) for row in rows]

    async def archived(self, owner: Owner, threads: Collection[str]) -> set[MessagePlace]:
        rows = await self._database.fetch(owner.tenant, _ARCHIVED, {**named(owner), "threads": list(threads)})
        return {MessagePlace(*row) for row in rows}

    async def get_many(self, owner: Owner, places: Collection[MessagePlace]) -> dict[MessagePlace, Record]:
        rows = await self._database.fetch(owner.tenant, _PICK, _asked(owner, places))
        return {MessagePlace(*row[:3]): verified(row[0], row[1], [row[2:]])[0] for row in rows}

    async def by_time(self, owner: Owner, query: TimedQuery) -> TimedPage:
        at, epoch, seq = query.cursor or (None, None, None)
        asked = {
            **named(owner),
            "since": query.since,
            "changed_since": query.changed_since,
            "most_ahead": MOST_AHEAD,
            "until": query.until,
            "at": at,
            "epoch": epoch,
            "seq": seq,
            "roles": sorted(query.roles or ROLES),
            "archived": query.archived,
            "most_bytes": query.most_bytes,
            "limit": query.limit + 1,
            "skip": query.skip,
            "most": query.skip + query.limit + 1,
        }
        page = TimedPage([], more=False)
        for threads in LATEST_THREADS:
            rows = await self._database.fetch(owner.tenant, _BY_TIME, asked | {"threads": threads})
            page = timed_page_of([found for _, *found in rows if found[0] is not None], query, utc)
            if page.is_settled(rows[0][0]):
                break
        return page

    async def keep(self, owner: Owner, vectors: Sequence[PassageVector]) -> None:
        asked = _asked(owner, [each.place for each in vectors])
        made = {"models": [each.model for each in vectors], "vectors": [each.vector for each in vectors]}
        await self._database.fetch(owner.tenant, _KEEP, asked | made)


def _asked(owner: Owner, places: Collection[MessagePlace]) -> dict[str, Any]:
    threads, epochs, seqs = ([place[part] for place in places] for part in range(3))
    return {**named(owner), "threads": threads, "epochs": epochs, "seqs": seqs}

"""Decisions on documents that are taken at the same moment, in one transaction: two round trips, however many."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, LiteralString, NamedTuple

import msgspec

from recuerdo.adapters.postgres.calls import Connection
from recuerdo.adapters.postgres.connection import PostgresDatabase
from recuerdo.adapters.postgres.document_rows import COLUMNS, document, found_by
from recuerdo.core.documents import Decision, Document, DocumentKey
from recuerdo.core.errors import RecuerdoError
from recuerdo.core.scope import Owner

_MOST = 64
_LANES = 2

# Rows are few and found by their keys, whatever the planner knows of the table.
_PLAN = (
    "SELECT set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),"
    " set_config('enable_mergejoin', 'off', true), set_config('enable_bitmapscan', 'off', true)"
)

# One decision on a group at a time: also when it has no row yet that could be locked. All lock in the same order.
_LOCK = """
SELECT pg_advisory_xact_lock(key) FROM (
    SELECT DISTINCT hashtextextended(name, 60) AS key FROM unnest(%(locks)b::text[]) AS name ORDER BY key
) AS locks"""

_SEEN: LiteralString = f"""
SELECT wanted.place, {COLUMNS}
FROM unnest(%(tenants)b::text[], %(users)b::text[], %(groups)b::text[])
    WITH ORDINALITY AS wanted (its_tenant, its_user, its_group, place)
JOIN recuerdo.documents ON tenant = its_tenant AND "user" = its_user AND family = its_group AND open
UNION ALL
SELECT wanted.place, {COLUMNS}
FROM unnest(%(key_tenants)b::text[], %(key_users)b::text[], %(kinds)b::text[], %(ids)b::text[], %(places)b::bigint[])
    AS wanted (its_tenant, its_user, its_kind, its_id, place)
JOIN recuerdo.documents ON tenant = its_tenant AND "user" = its_user AND kind = its_kind AND id = its_id"""

_ERASE = """
DELETE FROM recuerdo.documents
USING unnest(%b::text[], %b::text[], %b::text[]) AS gone (its_tenant, its_user, its_group)
WHERE tenant = its_tenant AND "user" = its_user AND family = its_group"""

_DELETE = """
DELETE FROM recuerdo.documents
USING unnest(%b::text[], %b::text[], %b::text[], %b::text[]) AS gone (its_tenant, its_user, its_kind, its_id)
WHERE tenant = its_tenant AND "user" = its_user AND kind = its_kind AND id = its_id"""

_PUT = """
INSERT INTO recuerdo.documents (tenant, "user", kind, id, family, body, open, due, about)
SELECT * FROM unnest(
    %b::text[], %b::text[], %b::text[], %b::text[], %b::text[], %b::text[], %b::boolean[], %b::timestamptz[],
    %b::text[]::jsonb[]
)
ON CONFLICT (tenant, "user", kind, id) DO UPDATE SET
    family = excluded.family, body = excluded.body, open = excluded.open, due = excluded.due, about = excluded.about"""


class Wanted(NamedTuple):
    """A decision that somebody waits for."""

    owner: Owner
    group: str
    keys: Sequence[DocumentKey]
    decide: Callable[[Sequence[Document]], Decision[Any]]
    result: "asyncio.Future[Any]"


class Decisions:
    """Takes decisions as they come; those that wait while others are taken make up the next transaction.

    One that raises, or can't be written, fails alone.
    """

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database
        self._waiting: deque[Wanted] = deque()
        self._groups: set[tuple[Owner, str]] = set()
        self._lanes: set[asyncio.Task[None]] = set()

    async def take(
        self,
        owner: Owner,
        group: str,
        keys: Sequence[DocumentKey],
        decide: Callable[[Sequence[Document]], Decision[Any]],
    ) -> Any:
        """The result of the decision, when it is committed."""
        wanted = Wanted(owner, group, keys, decide, asyncio.get_running_loop().create_future())
        self._waiting.append(wanted)
        if len(self._lanes) < _LANES:
            lane = asyncio.create_task(self._drain())
            self._lanes.add(lane)
            lane.add_done_callback(self._lanes.discard)
        return await wanted.result

    async def _drain(self) -> None:
        while batch := self._next():
            try:
                await self._together(batch)
            finally:
                self._groups -= {(wanted.owner, wanted.group) for wanted in batch}

    def _next(self) -> list[Wanted]:
        """What can be decided now: of decisions on one group only the first."""
        batch: list[Wanted] = []
        left: deque[Wanted] = deque()
        while self._waiting and len(batch) < _MOST:
            wanted = self._waiting.popleft()
            place = wanted.owner, wanted.group
            if wanted.result.done():  # whoever wanted it has gone
                continue
            if place in self._groups:
                left.append(wanted)
            else:
                self._groups.add(place)
                batch.append(wanted)
        self._waiting.extendleft(reversed(left))
        return batch

    async def _together(self, batch: Sequence[Wanted]) -> None:
        try:
            results = await self._transaction(batch)
        except Exception as error:
            if len(batch) == 1 or isinstance(error, RecuerdoError):
                _settle(batch, [error] * len(batch))
                return
            for wanted in batch:
                await self._together([wanted])
        else:
            _settle(batch, results)

    async def _transaction(self, batch: Sequence[Wanted]) -> list[Any]:
        """The results of the decisions, or what they raised."""
        tenants = sorted({wanted.owner.tenant for wanted in batch})
        async with self._database.transaction(tenants, pipelined=True) as connection:
            await connection.execute(_PLAN)
            await connection.execute(_LOCK, {"locks": [_lock(wanted) for wanted in batch]})
            rows = await (await connection.execute(_SEEN, _asked(batch))).fetchall()
            seen: list[dict[DocumentKey, Document]] = [{} for _ in batch]
            for place, *row in rows:
                found = document(row)
                seen[place - 1][found.key] = found
            decided = [_decided(wanted, found) for wanted, found in zip(batch, seen, strict=True)]
            done = [(each.owner, one) for each, one in zip(batch, decided, strict=True) if isinstance(one, Decision)]
            erased = [each for each, one in zip(batch, decided, strict=True) if isinstance(one, Decision) and one.erase]
            if all(one.fleeting for _, one in done):
                await connection.execute("SELECT set_config('synchronous_commit', 'off', true)")
            await _write(connection, erased, done)
        return [one.result if isinstance(one, Decision) else one for one in decided]


def _settle(batch: Sequence[Wanted], results: Sequence[Any]) -> None:
    for wanted, result in zip(batch, results, strict=True):
        if wanted.result.done():
            continue
        if isinstance(result, Exception):
            wanted.result.set_exception(result)
        else:
            wanted.result.set_result(result)


def _decided(wanted: Wanted, seen: dict[DocumentKey, Document]) -> Decision[Any] | Exception:
    try:
        return wanted.decide([seen[key] for key in sorted(seen)])
    except Exception as error:
        return error


def _lock(wanted: Wanted) -> str:
    return "\x1f".join((wanted.owner.tenant, wanted.owner.user, wanted.group))


def _asked(batch: Sequence[Wanted]) -> dict[str, Any]:
    keys = [(place, wanted.owner, key) for place, wanted in enumerate(batch, 1) for key in wanted.keys]
    return {
        "tenants": [wanted.owner.tenant for wanted in batch],
        "users": [wanted.owner.user for wanted in batch],
        "groups": [wanted.group for wanted in batch],
        "key_tenants": [owner.tenant for _, owner, _ in keys],
        "key_users": [owner.user for _, owner, _ in keys],
        "kinds": [key.kind for _, _, key in keys],
        "ids": [key.id for _, _, key in keys],
        "places": [place for place, _, _ in keys],
    }


async def _write(connection: Connection, erased: Sequence[Wanted], done: Sequence[tuple[Owner, Decision[Any]]]) -> None:
    if erased:
        await connection.execute(_ERASE, _columns((each.owner.tenant, each.owner.user, each.group) for each in erased))
    if gone := [(owner.tenant, owner.user, *key) for owner, one in done for key in one.delete]:
        await connection.execute(_DELETE, _columns(gone))
    if put := [_row(owner, each) for owner, one in done for each in one.put]:
        await connection.execute(_PUT, _columns(put))


def _row(owner: Owner, new: Document) -> tuple[Any, ...]:
    about = found_by(msgspec.json.decode(new.body))
    return owner.tenant, owner.user, new.kind, new.id, new.group, new.body.decode(), new.open, new.due, about


def _columns(rows: Iterable[tuple[Any, ...]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]

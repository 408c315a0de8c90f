"""Rows of messages in PostgreSQL."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, LiteralString

import psycopg

from recuerdo.adapters.postgres.calls import (
    APPEND_MANY,
    APPEND_ONE,
    HEAD,
    HEADS,
    SNAPSHOT,
    TAIL,
    Bigints,
    Connection,
    Rows,
    TextArray,
    Texts,
    Times,
    columns,
)
from recuerdo.adapters.postgres.connection import PostgresDatabase
from recuerdo.adapters.postgres.threads import erase, keep_counts, lock, parsed_head
from recuerdo.adapters.rows import COUNTS, counts_of
from recuerdo.concurrency.batcher import BatchLoader
from recuerdo.core.errors import DatabaseUnavailable, DuplicateMessage, RecuerdoError
from recuerdo.core.messages import ROLES, Role, rows_within, verified
from recuerdo.core.ports import HistoryRepository
from recuerdo.core.scope import Scope
from recuerdo.core.threads import (
    MOST_READ_BYTES,
    NOWHERE,
    Append,
    Appended,
    Head,
    MessageQuery,
    Page,
    PriorAppend,
    Snapshot,
    Tail,
    Version,
    admit,
    admit_replacement,
    by_thread,
)

_LOCK_HEADS = """
SELECT tenant, "user", thread, epoch, last_seq FROM recuerdo.threads
WHERE (tenant, "user", thread) IN (SELECT * FROM unnest(%s, %s, %s)) AND NOT deleted
ORDER BY tenant, "user", thread FOR UPDATE"""
_NEW_EPOCHS = "SELECT nextval('recuerdo.epochs') FROM generate_series(1, %s)"
_KNOWN_KEYS = """
SELECT epoch, key, fingerprint, first_seq, ARRAY(
    SELECT m.id::text FROM recuerdo.messages AS m
    WHERE m.tenant = k.tenant AND m.epoch = k.epoch AND m.seq >= k.first_seq AND m.seq < k.first_seq + k.count
    ORDER BY m.seq
)
FROM recuerdo.idempotency_keys AS k WHERE (tenant, epoch, key) IN (SELECT * FROM unnest(%s, %s, %s))"""
_SPENT_KEYS = """
SELECT k.tenant, k."user", k.thread, k.key FROM unnest(%s, %s, %s, %s) AS k (tenant, "user", thread, key)
JOIN recuerdo.spent_keys AS s
    ON s.tenant = k.tenant AND s.digest = recuerdo.spent_digest(k."user", k.thread, k.key)"""
_TAKEN_IDS = "SELECT epoch, id FROM recuerdo.messages WHERE (tenant, epoch, id) IN (SELECT * FROM unnest(%s, %s, %s))"

_ATTEMPTS = 5

Outcome = Appended | RecuerdoError


async def append_batch(database: PostgresDatabase, batch: Sequence[Append]) -> list[Outcome]:
    """Commit the batch, each request with its own outcome; see HistoryRepository.append.

    It is sent as if no key were known and no id taken. When that is wrong the database refuses all of it, and only
    then is it looked up what is there, and each request decided.
    """
    try:
        if len(batch) == 1 and len(batch[0].messages) == 1:
            return [await _append_one(database, batch[0])]
        groups = _by_thread(batch)
        if all(map(_are_independent, groups.values())):
            return await _append_many(database, batch, groups)
    except psycopg.IntegrityError:
        pass
    return await _append_under_locks(database, batch) if batch else []


async def _append_one(database: PostgresDatabase, request: Append) -> Appended:
    [message], scope = request.messages, request.scope
    [(head,)] = await database.call(
        APPEND_ONE,
        *(scope.tenant, scope.user, scope.thread, _storable(request.title), request.appended_at),
        *(request.expected_epoch, message.id, message.role, message.created_at, message.body, message.checksum),
        *(request.idempotency_key, f"\\x{request.fingerprint.hex()}"),
    )
    version, revision = parsed_head(head)
    return Appended(version, version.seq, [message.id], revision=revision)


async def _append_many(database: PostgresDatabase, batch: Sequence[Append], groups: "Groups") -> list[Outcome]:
    rows = await database.call(APPEND_MANY, *_columns(groups))
    heads = {place: head for place, *head in rows}
    receipts: dict[int, Outcome] = {}
    for place, requests in enumerate(groups.values(), 1):
        epoch, seq, revision = heads[place]
        for request in reversed(requests):  # the head is that after the last of them
            ids = [message.id for message in request.messages]
            first_seq = seq - len(ids) + 1
            receipts[id(request)] = Appended(Version(epoch, seq), first_seq, ids, revision=revision)
            seq = first_seq - 1
    return [receipts[id(request)] for request in batch]


def _are_independent(requests: Sequence[Append]) -> bool:
    """Whether no key and no id comes twice in a thread, and all that is asked of its epoch can be asked at once."""
    if len(requests) == 1 and requests[0].expected_epoch != 0:
        return True  # a request's own ids differ
    epochs = {request.expected_epoch for request in requests}
    if len(epochs) > 1 or 0 in epochs:
        return False
    keys = [request.idempotency_key for request in requests if request.idempotency_key is not None]
    ids = [message.id for request in requests for message in request.messages]
    return len(keys) == len(set(keys)) and len(ids) == len(set(ids))


Groups = Mapping[Scope, Sequence[Append]]


def _by_thread(batch: Iterable[Append]) -> Groups:
    """The requests of each thread, in their order, and the threads in the order in which every process locks them."""
    groups = by_thread(batch)
    return {scope: groups[scope] for scope in sorted(groups, key=lambda s: (s.tenant, s.user, s.thread))}


def _columns(groups: Groups, states: "Mapping[Scope, _State] | None" = None) -> list[Any]:
    """The arrays that append_many takes. Without states it takes each thread as it finds it."""
    threads: list[tuple[Any, ...]] = []
    messages: list[tuple[Any, ...]] = []
    keys: list[tuple[Any, ...]] = []
    for place, (scope, requests) in enumerate(groups.items(), 1):
        sent = [message for request in requests for message in request.messages]
        threads.append(_thread_row(scope, requests, len(sent), states[scope] if states else None))
        messages += [(place, step, m.id, m.role, m.created_at, m.body, m.checksum) for step, m in enumerate(sent, 1)]
        step = 1
        for request in requests:
            if request.idempotency_key is not None:
                keys.append((place, step, request.idempotency_key, request.fingerprint.hex(), len(request.messages)))
            step += len(request.messages)
    return [
        *columns(threads, Texts, Texts, Texts, Bigints, Texts, Times, Times, Bigints, Bigints),
        *columns(messages, Bigints, Bigints, Texts, Texts, Times, TextArray, Bigints),
        *columns(keys, Bigints, Bigints, Texts, Texts, Bigints),
    ]


def _thread_row(scope: Scope, requests: Sequence[Append], count: int, state: "_State | None") -> tuple[Any, ...]:
    first, last = requests[0], requests[-1]
    title = first.title or next((request.title for request in requests if request.title), "")
    epochs = (state.found.epoch, state.new_epoch) if state else (first.expected_epoch, None)
    place = (scope.tenant, scope.user, scope.thread)
    return *place, count, _storable(title), first.appended_at, last.appended_at, *epochs


def _storable(title: str) -> str:
    """PostgreSQL has no NUL in its texts."""
    return title.replace("\0", "")


class _State:
    """A thread while its requests are decided one after the other."""

    def __init__(self, found: Version, new_epoch: int | None) -> None:
        self.found = found
        self.new_epoch = new_epoch
        self.head = found
        self.keys: dict[str | None, PriorAppend] = {}
        self.spent_keys: set[str | None] = set()
        self.ids: set[str] = set()

    def decide(self, request: Append) -> Appended:
        """The receipt of the request, which counts for those after it. Raises what it is refused with."""
        key = request.idempotency_key
        replay = admit(request, self.head, self.keys.get(key), is_spent=key in self.spent_keys)
        if replay is not None:
            return replay
        ids = [message.id for message in request.messages]
        self._check_free(ids)
        self.ids.update(ids)
        first_seq = self.head.seq + 1
        self.head = Version(self.head.epoch or self.new_epoch or 0, self.head.seq + len(ids))
        if key is not None:
            self.keys[key] = PriorAppend(request.fingerprint, first_seq, ids)
        return Appended(self.head, first_seq, ids)

    def _check_free(self, ids: Sequence[str]) -> None:
        for index, message_id in enumerate(ids):
            if message_id in self.ids or message_id in ids[:index]:
                raise DuplicateMessage(message_id)


async def _append_under_locks(database: PostgresDatabase, batch: Sequence[Append]) -> list[Outcome]:
    """Look up what is there under the threads' locks, decide each request, and append those that may be."""
    tenants = sorted({request.scope.tenant for request in batch})
    for _ in range(_ATTEMPTS):
        try:
            async with database.transaction(tenants) as connection:
                return await _decide_and_append(database, connection, batch)
        except psycopg.IntegrityError:
            continue  # a thread that did not exist, and so could not be locked, has come up meanwhile
    raise DatabaseUnavailable("The threads of this batch are changing too fast. Try again.", retry_after=0.1)


async def _decide_and_append(
    database: PostgresDatabase, connection: Connection, batch: Sequence[Append]
) -> list[Outcome]:
    states = await _look_up(connection, batch)
    outcomes: list[Outcome] = []
    accepted: list[Append] = []
    for request in batch:
        try:
            receipt = states[request.scope].decide(request)
        except RecuerdoError as error:
            outcomes.append(error)
            continue
        outcomes.append(receipt)
        if not receipt.replayed:
            accepted.append(request)
    if accepted:
        await database.call_in(connection, APPEND_MANY, *_columns(_by_thread(accepted), states))
    return outcomes


async def _look_up(connection: Connection, batch: Sequence[Append]) -> dict[Scope, _State]:
    groups = _by_thread(batch)
    heads = await _lock_heads(connection, groups)
    states = {scope: _State(heads.get(scope, NOWHERE), None) for scope in groups}
    absent = [state for state in states.values() if state.found == NOWHERE]
    cursor = await connection.execute(_NEW_EPOCHS, (len(absent),))
    for state, (epoch,) in zip(absent, await cursor.fetchall(), strict=True):
        state.new_epoch = epoch
    living = {scope: states[scope] for scope in heads}
    await _look_up_keys(connection, groups, living)
    await _look_up_spent_keys(connection, states, groups)
    await _look_up_ids(connection, groups, living)
    return states


async def _lock_heads(connection: Connection, groups: Groups) -> dict[Scope, Version]:
    addresses = columns([(s.tenant, s.user, s.thread) for s in groups], Texts, Texts, Texts)
    cursor = await connection.execute(_LOCK_HEADS, addresses)
    return {Scope(*row[:3]): Version(*row[3:]) for row in await cursor.fetchall()}


async def _look_up_keys(connection: Connection, groups: Groups, living: Mapping[Scope, _State]) -> None:
    wanted = [
        (scope.tenant, state.found.epoch, request.idempotency_key)
        for scope, state in living.items()
        for request in groups[scope]
        if request.idempotency_key is not None
    ]
    by_epoch = {state.found.epoch: state for state in living.values()}
    cursor = await connection.execute(_KNOWN_KEYS, columns(wanted, Texts, Bigints, Texts))
    for epoch, key, fingerprint, first_seq, ids in await cursor.fetchall():
        by_epoch[epoch].keys[key] = PriorAppend(fingerprint, first_seq, ids)


async def _look_up_spent_keys(connection: Connection, states: Mapping[Scope, _State], groups: Groups) -> None:
    keyed = [request for requests in groups.values() for request in requests if request.idempotency_key is not None]
    if keyed:
        wanted = [(r.scope.tenant, r.scope.user, r.scope.thread, r.idempotency_key) for r in keyed]
        cursor = await connection.execute(_SPENT_KEYS, columns(wanted, Texts, Texts, Texts, Texts))
        for *scope, key in await cursor.fetchall():
            states[Scope(*scope)].spent_keys.add(key)


async def _look_up_ids(connection: Connection, groups: Groups, living: Mapping[Scope, _State]) -> None:
    wanted = [
        (scope.tenant, state.found.epoch, message.id)
        for scope, state in living.items()
        for request in groups[scope]
        for message in request.messages
    ]
    by_epoch = {state.found.epoch: state for state in living.values()}
    cursor = await connection.execute(_TAKEN_IDS, columns(wanted, Texts, Bigints, Texts))
    for epoch, message_id in await cursor.fetchall():
        by_epoch[epoch].ids.add(message_id)


_PAGE = """
SELECT t.epoch, t.last_seq, m.seq, m.archived, convert_to(m.body, 'UTF8'), m.checksum
FROM recuerdo.threads AS t LEFT JOIN LATERAL (
    SELECT seq, archived, body, checksum FROM (
        SELECT *, sum(octet_length(body)) OVER (
            ORDER BY seq {order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS bytes_before
        FROM (
            SELECT seq, archived, body, checksum FROM recuerdo.messages
            WHERE tenant = t.tenant AND epoch = t.epoch
                AND seq > %(after)s::bigint AND seq < %(before)s::bigint
                AND (%(since)s::timestamptz IS NULL OR created_at >= %(since)s)
                AND (%(until)s::timestamptz IS NULL OR created_at < %(until)s)
                AND role = ANY (%(roles)s) AND (%(archived)s::boolean IS NULL OR archived = %(archived)s){ids}
            ORDER BY seq {order} LIMIT %(limit)s OFFSET %(skip)s
        ) AS matching
    ) AS measured WHERE bytes_before IS NULL OR bytes_before < %(most_bytes)s
) AS m ON true
WHERE t.tenant = %(tenant)s AND t."user" = %(user)s AND t.thread = %(thread)s AND NOT t.deleted
ORDER BY m.seq {order}"""
_BEYOND = 2**63 - 1
_WITH_IDS = " AND id = ANY (%(ids)s)"

_KNOWN_COUNTS: LiteralString = f"""
SELECT epoch, last_seq, {COUNTS} FROM recuerdo.threads
WHERE tenant = %(tenant)s AND "user" = %(user)s AND thread = %(thread)s AND NOT deleted"""
_COUNT = """
SELECT role, count(*) FROM recuerdo.messages
WHERE tenant = %(tenant)s AND epoch = %(epoch)s AND seq <= %(seq)s GROUP BY role"""

_ARCHIVE = """
UPDATE recuerdo.messages SET archived = %(archived)s
WHERE tenant = %(tenant)s AND epoch = %(epoch)s AND seq BETWEEN %(first)s AND %(last)s AND archived <> %(archived)s"""

_REVISE = """
UPDATE recuerdo.threads SET revision = revision + 1, changed = pg_current_xact_id()
WHERE tenant = %s AND "user" = %s AND thread = %s"""


class PostgresHistory(HistoryRepository):
    """The HistoryRepository over a PostgreSQL database."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database
        self._heads = BatchLoader(self._head, self._several_heads)

    async def append(self, batch: Sequence[Append]) -> list[Appended | RecuerdoError]:
        return await append_batch(self._database, batch)

    async def replace(self, request: Append) -> Appended:
        scope, key = request.scope, request.idempotency_key
        for _ in range(_ATTEMPTS):
            try:
                async with self._database.transaction([scope.tenant]) as connection:
                    state = (await _look_up(connection, [request]))[scope]
                    is_spent = key in state.spent_keys
                    replay = admit_replacement(request, state.found, state.keys.get(key), is_spent=is_spent)
                    if replay is not None:
                        return replay
                    if state.found != NOWHERE:
                        await erase(connection, scope, state.found.epoch, request.appended_at, deleted=False)
                    alone = request._replace(expected_epoch=None)
                    [outcome] = await _decide_and_append(self._database, connection, [alone])
                    if isinstance(outcome, RecuerdoError):
                        raise outcome  # and the erasing is taken back
                    return outcome
            except psycopg.IntegrityError:
                continue  # a thread that did not exist, and so could not be locked, has come up meanwhile
        raise DatabaseUnavailable("This thread is changing too fast. Try again.", retry_after=0.1)

    async def head(self, scope: Scope) -> Head:
        return await self._heads.get(scope)

    async def snapshot(self, scope: Scope, limit: int, *, most_bytes: int = MOST_READ_BYTES) -> Snapshot:
        return _snapshot(scope, await self._database.call(SNAPSHOT, *_address(scope), limit, most_bytes))

    async def tail(self, scope: Scope, limit: int, *, most_bytes: int = MOST_READ_BYTES) -> Tail:
        rows = await self._database.call(TAIL, *_address(scope), None, limit + 1, most_bytes)
        return _tail(scope, rows, limit, most_bytes)

    async def page(self, scope: Scope, query: MessageQuery) -> Page:
        forward = query.after is not None
        rows = await self._database.fetch(
            scope.tenant,
            _PAGE.format(order="ASC" if forward else "DESC", ids=_WITH_IDS if query.ids else ""),
            {
                **_named(scope),
                "after": query.after or 0,  # plain bounds: an index seeks them also by a plan that is kept
                "before": _BEYOND if query.before is None else query.before,
                "since": query.since,
                "until": query.until,
                "roles": sorted(query.roles or ROLES),
                "ids": sorted(query.ids),
                "archived": query.archived,
                "limit": query.limit + 1,
                "skip": query.skip,
                "most_bytes": query.most_bytes,
            },
        )
        return _page(scope, rows, query, forward=forward)

    async def count(self, scope: Scope) -> dict[Role, int]:
        rows = await self._database.fetch(scope.tenant, _KNOWN_COUNTS, _named(scope))
        known = counts_of(rows[0]) if rows else {}
        if known is not None:
            return known
        version = Version(*rows[0][:2])
        counting = {"tenant": scope.tenant, **version._asdict()}
        before = dict(await self._database.fetch(scope.tenant, _COUNT, counting, takes_long=True))
        async with self._database.transaction([scope.tenant]) as connection:
            return await keep_counts(connection, scope, version, before)

    async def archive(self, scope: Scope, first: int, last: int, archived: bool) -> int:
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


def _tail(scope: Scope, rows: Rows, limit: int, most_bytes: int) -> Tail:
    if not rows:
        return Tail.empty()
    (epoch, last_seq, revision, system_seq, *system), *newest = rows
    systems = verified(scope.thread, epoch, [(system_seq, False, *system)] if system_seq else [])
    shown = [(seq, False, body, checksum) for *_, seq, body, checksum in reversed(newest[:limit])]
    records = verified(scope.thread, epoch, shown)
    head = Head(Version(epoch, last_seq), revision)
    _, is_full = rows_within(newest, most_bytes, 4)
    return Tail(head, systems[0] if systems else None, records, len(newest) <= limit and not is_full, is_full)


def _snapshot(scope: Scope, rows: Rows) -> Snapshot:
    if not rows:
        return Snapshot.empty()
    (epoch, last_seq, revision, *system), *newest = rows
    systems = verified(scope.thread, epoch, [system] if system[0] else [])
    records = verified(scope.thread, epoch, [row[3:] for row in reversed(newest)])
    return Snapshot(Head(Version(epoch, last_seq), revision), systems[0] if systems else None, records)


def _page(scope: Scope, rows: Rows, query: MessageQuery, *, forward: bool) -> Page:
    if not rows:
        return Page(NOWHERE, [], more=False)
    version = Version(*rows[0][:2])
    records = verified(scope.thread, version.epoch, [row[2:] for row in rows[: query.limit] if row[2] is not None])
    _, is_full = rows_within(rows, query.most_bytes, 4)
    return Page(version, records if forward else records[::-1], more=len(rows) > query.limit or is_full)

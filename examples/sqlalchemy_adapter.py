"""A storage adapter for Recuerdo in one file: the core tier (conversations and memories) over SQLAlchemy Core.

`docs/how-to/write-an-adapter.md` explains it. Other databases need a lock, e.g. `SELECT ... FOR UPDATE` in `_living`.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import wraps
from itertools import groupby, islice
from types import CoroutineType
from typing import Any, Concatenate, ParamSpec, TypeVar

import sqlalchemy as sa
from msgspec.structs import asdict, replace
from sqlalchemy import BigInteger, Boolean, Column, Connection, LargeBinary, MetaData, Table, Text, event, exc

from recuerdo.adapters.registry import Repositories, register
from recuerdo.adapters.rows import from_microseconds, thread_of, to_microseconds
from recuerdo.core import errors
from recuerdo.core import memories as entities
from recuerdo.core import threads as core
from recuerdo.core.memories import Attribute, Embedding, LedgerState, Memory, MemoryChange, MemoryQuery
from recuerdo.core.messages import Record, Role, rows_within, verified
from recuerdo.core.ports import HistoryRepository, MemoryRepository, MemoryWithVector, ThreadRepository
from recuerdo.core.scope import Owner, Scope, owner_of
from recuerdo.core.thread_metadata import ThreadMetadata as Metadata
from recuerdo.core.threads import Append, Appended, Head, MessageQuery, Page, Snapshot, Tail, Thread, Version

MOST_BYTES = core.MOST_READ_BYTES
Epoch = int | None
P = ParamSpec("P")
T = TypeVar("T")
Condition = sa.ColumnElement[bool]
Row = sa.Row[Any]
Name = str | None


def _columns(type_: Any, *names: str, **options: Any) -> list[Column[Any]]:
    return [Column(name, type_, **({"nullable": False} | options)) for name in names]


def _keys(type_: Any, *names: str) -> list[Column[Any]]:
    return _columns(type_, *names, primary_key=True)


schema = MetaData()
threads = Table(
    "threads",
    schema,
    *(*_keys(Text, "tenant", "user", "thread"), *_columns(BigInteger, "epoch", "created_at", "updated_at")),
    *(*_columns(BigInteger, "last_seq", "revision", "emptied_at", default=0), *_columns(Text, "title", default="")),
    *(*_columns(Text, "metadata", default="{}"), *_columns(Boolean, "deleted", default=False)),
    *_columns(BigInteger, "changed", index=True),
)
messages = Table(
    "messages",
    schema,
    *(*_keys(BigInteger, "epoch", "seq"), *_columns(Text, "id", "role"), *_columns(BigInteger, "created_at")),
    *(*_columns(Boolean, "archived", default=False), *_columns(LargeBinary, "body")),
    *(*_columns(BigInteger, "checksum", nullable=True), sa.UniqueConstraint("epoch", "id")),
)
latest = sa.and_(messages.c.epoch == threads.c.epoch, messages.c.seq == threads.c.last_seq)
known_threads = sa.select(threads, messages.c.archived).outerjoin(messages, latest)
idempotency_keys = Table(
    "idempotency_keys",
    schema,
    *(*_keys(BigInteger, "epoch"), *_keys(Text, "key")),
    *(*_columns(LargeBinary, "fingerprint"), *_columns(BigInteger, "first_seq"), *_columns(sa.JSON, "ids")),
)
spent_keys = Table("spent_keys", schema, *_keys(LargeBinary, "digest"), *_columns(BigInteger, "spent_at"))
counters = Table("counters", schema, *_keys(Text, "name"), *_columns(BigInteger, "value"))
memories = Table(
    "memories",
    schema,
    *(*_keys(Text, "tenant", "user", "id"), *_columns(Text, "memory")),
    *(*_columns(BigInteger, "created_at"), *_columns(BigInteger, "expires_at", nullable=True, index=True)),
    *(*_columns(Text, "embedder", nullable=True), *_columns(LargeBinary, "vector", nullable=True)),
)
ledgers = Table(
    "ledgers", schema, *_keys(Text, "tenant", "user"), *_columns(BigInteger, "epoch", "version", "erased_at", default=0)
)
memory_changes = Table(
    "memory_changes",
    schema,
    *(*_keys(Text, "tenant", "user"), *_keys(BigInteger, "version", "place"), *_columns(Text, "memory_id", "action")),
    *(*_columns(BigInteger, "at"), *_columns(BigInteger, "undoes", nullable=True)),
    *(*_columns(Boolean, "undone", default=False), *_columns(Text, "before", "after", nullable=True)),
)


class Database:
    """One connection, used by one thread: transactions run one after another, so that each sees the ones before it."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._thread = ThreadPoolExecutor(1, "sqlalchemy")

    @classmethod
    @asynccontextmanager
    async def open(cls, url: str) -> AsyncGenerator["Database"]:
        """Connect, make the tables that are missing, and close behind the block."""
        engine = sa.create_engine(url, poolclass=sa.StaticPool, connect_args={"check_same_thread": False})
        event.listen(engine, "connect", _configure)
        database = cls(engine)
        try:
            await database.run(schema.create_all)
            yield database
        finally:
            await asyncio.get_running_loop().run_in_executor(database._thread, engine.dispose)
            database._thread.shutdown()

    async def run(self, work: Callable[[Connection], T]) -> T:
        """The result of `work` in one transaction; when it raises, nothing of it remains."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._run, work)

    def _run(self, work: Callable[[Connection], T]) -> T:
        is_committing = False
        try:
            with self._engine.begin() as connection:
                connection.exec_driver_sql("BEGIN IMMEDIATE")  # so that what is read holds until the commit
                result, is_committing = work(connection), True
            return result
        except exc.DBAPIError as error:  # no error of the driver's leaves the adapter
            failure = errors.OutcomeUnknown if is_committing else errors.DatabaseUnavailable
            raise failure(str(error.orig)) from error


def _configure(connection: Any, _record: Any) -> None:
    """Durable commits, and transactions that begin when we say so."""
    connection.isolation_level = None
    connection.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")


class Repository:
    """A repository over the database."""

    def __init__(self, database: Database) -> None:
        self.database = database


def transaction(
    method: Callable[Concatenate[Any, Connection, P], T],
) -> "Callable[Concatenate[Any, P], CoroutineType[Any, Any, T]]":
    """A method of a repository that is called without the connection, awaited, and run in a transaction."""

    @wraps(method)
    async def run(self: Repository, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.database.run(lambda connection: method(self, connection, *args, **kwargs))

    return run


def _next(connection: Connection, name: str) -> int:
    """The next number of a counter, which it never gave before."""
    advanced = sa.update(counters).where(counters.c.name == name).values(value=counters.c.value + 1)
    number = connection.execute(advanced.returning(counters.c.value)).scalar()
    if number is None:
        connection.execute(sa.insert(counters).values(name=name, value=1))
    return number or 1


class SqlAlchemyHistory(Repository, HistoryRepository):
    """The HistoryRepository over SQLAlchemy."""

    @transaction
    def append(self, connection: Connection, batch: Sequence[Append]) -> list[Appended | errors.RecuerdoError]:
        outcomes: list[Appended | errors.RecuerdoError] = []
        for request in batch:
            try:
                with connection.begin_nested():  # one that fails leaves nothing behind and never fails its neighbours
                    outcomes.append(_append(connection, request))
            except errors.RecuerdoError as error:
                outcomes.append(error)
        return outcomes

    @transaction
    def replace(self, connection: Connection, request: Append) -> Appended:
        return _append(connection, request, replaces=True)

    @transaction
    def head(self, connection: Connection, scope: Scope) -> Head:
        return _head(_living(connection, scope))

    @transaction
    def snapshot(self, connection: Connection, scope: Scope, limit: int, *, most_bytes: int = MOST_BYTES) -> Snapshot:
        if (row := _living(connection, scope)) is None:
            return Snapshot.empty()
        return Snapshot(_head(row), _system(connection, row), _newest(connection, row, limit, most_bytes)[0][::-1])

    @transaction
    def tail(self, connection: Connection, scope: Scope, limit: int, *, most_bytes: int = MOST_BYTES) -> Tail:
        if (row := _living(connection, scope)) is None:
            return Tail.empty()
        shown = (messages.c.role != "system", ~messages.c.archived)
        found, full = _newest(connection, row, limit + 1, most_bytes, *shown)
        return Tail(_head(row), _system(connection, row), found[:limit][::-1], len(found) <= limit and not full, full)

    @transaction
    def page(self, connection: Connection, scope: Scope, query: MessageQuery) -> Page:
        if (row := _living(connection, scope)) is None:
            return Page(core.NOWHERE, [], more=False)
        forward, wanted = query.after is not None, _records(row.epoch, *_conditions(query)).offset(query.skip)
        found = wanted.order_by(messages.c.seq if forward else messages.c.seq.desc()).limit(query.limit + 1)
        rows, is_full = rows_within(connection.execute(found), query.most_bytes, 2)
        records, more = verified(scope.thread, row.epoch, rows[: query.limit]), len(rows) > query.limit or is_full
        return Page(_head(row).version, records if forward else records[::-1], more)

    @transaction
    def count(self, connection: Connection, scope: Scope) -> dict[Role, int]:
        own = messages.c.epoch == _head(_living(connection, scope)).version.epoch
        return dict(connection.execute(sa.select(messages.c.role, sa.func.count()).where(own).group_by("role")).all())

    @transaction
    def archive(self, connection: Connection, scope: Scope, first: int, last: int, archived: bool) -> int:
        if (row := _living(connection, scope)) is None:
            return 0
        touched = (messages.c.epoch == row.epoch, messages.c.seq.between(first, last), messages.c.archived != archived)
        changed = connection.execute(sa.update(messages).where(*touched).values(archived=archived)).rowcount
        if changed:  # the version stays; the revision says that the messages differ
            _put_thread(connection, scope, revision=row.revision + 1)
        return changed


def _at(scope: Scope) -> tuple[Condition, ...]:
    return (threads.c.tenant == scope.tenant, threads.c.user == scope.user, threads.c.thread == scope.thread)


def _living(connection: Connection, scope: Scope, epoch: Epoch = None) -> Row | None:
    """The thread's row, or None when it is absent or deleted. Raises EpochChanged if it is in another epoch."""
    if row := connection.execute(known_threads.where(*_at(scope), ~threads.c.deleted)).one_or_none():
        core.check_epochs([epoch], row.epoch)
    return row


def _head(row: Row | None) -> Head:
    return Head(Version(row.epoch, row.last_seq), row.revision) if row else core.ABSENT


def _append(connection: Connection, request: Append, *, replaces: bool = False) -> Appended:
    scope, ids = request.scope, [message.id for message in request.messages]
    version, revision = _head(row := _living(connection, scope))
    prior, is_spent = _known(connection, request, version.epoch)
    decide = core.admit_replacement if replaces else core.admit  # the decisions that all databases share
    if (replayed := decide(request, version, prior, is_spent=is_spent)) is not None:
        return replayed
    if replaces:
        _erase(connection, row, request.appended_at, deleted=False)
        return _append(connection, request._replace(expected_epoch=None))
    epoch, first_seq = version.epoch or _next(connection, "epoch"), version.seq + 1
    for seq, message in enumerate(request.messages, first_seq):
        stored = message._replace(created_at=to_microseconds(message.created_at))._asdict()
        try:
            connection.execute(sa.insert(messages).values(epoch=epoch, seq=seq, **stored))
        except exc.IntegrityError:
            raise errors.DuplicateMessage(message.id) from None
    if request.idempotency_key is not None:
        kept = {"epoch": epoch, "key": request.idempotency_key, "first_seq": first_seq, "ids": ids}
        connection.execute(sa.insert(idempotency_keys).values(fingerprint=request.fingerprint, **kept))
    now, title = to_microseconds(request.appended_at), row.title if row else ""
    moved = {"last_seq": version.seq + len(ids), "title": title or request.title, "updated_at": now}
    _put_thread(connection, scope, epoch=epoch, revision=revision, created_at=row.created_at if row else now, **moved)
    return Appended(Version(epoch, version.seq + len(ids)), first_seq, ids, revision=revision)


def _known(connection: Connection, request: Append, epoch: int) -> tuple[core.PriorAppend | None, bool]:
    """The append that used the request's idempotency key in this epoch, and whether an earlier epoch used it."""
    key, kept = request.idempotency_key, idempotency_keys.c
    if key is None:
        return None, False
    found = sa.select(kept.fingerprint, kept.first_seq, kept.ids).where(kept.epoch == epoch, kept.key == key)
    row = connection.execute(found).one_or_none()
    spent = sa.select(spent_keys).where(spent_keys.c.digest == core.spent_digest(request.scope, key))
    return core.PriorAppend(*row) if row else None, connection.execute(spent).one_or_none() is not None


def _put(connection: Connection, table: Table, key: Mapping[str, Any], **row: Any) -> None:
    """Write into the row with this key, and make it if it is not there."""
    where = [table.c[name] == value for name, value in key.items()]
    if not connection.execute(sa.update(table).where(*where).values(**row)).rowcount:
        connection.execute(sa.insert(table).values(**key, **row))


def _put_thread(connection: Connection, scope: Scope, *, deleted: bool = False, **row: Any) -> None:
    """Write into the thread's row, which comes behind all others that were changed."""
    _put(connection, threads, asdict(scope), deleted=deleted, changed=_next(connection, "change"), **row)


def _records(epoch: int, *conditions: Condition) -> Any:
    """Stored messages, their columns in the order that `verified` takes them."""
    own = (messages.c.epoch == epoch, *conditions)
    return sa.select(messages.c.seq, messages.c.archived, messages.c.body, messages.c.checksum).where(*own)


def _newest(connection: Connection, row: Row, limit: int, most: int, *asked: Condition) -> tuple[list[Record], bool]:
    """The newest messages, the newest first, as many as fill the bytes, and whether they do."""
    found = connection.execute(_records(row.epoch, *asked).order_by(messages.c.seq.desc()).limit(limit))
    rows, full = rows_within(found, most, 2)  # the body is the third of the columns
    return verified(row.thread, row.epoch, rows), full


def _system(connection: Connection, row: Row) -> Record | None:
    return next(iter(_newest(connection, row, 1, 1, messages.c.role == "system", ~messages.c.archived)[0]), None)


def _conditions(query: MessageQuery) -> list[Condition]:
    asked: list[tuple[Any, Callable[[Any], Condition]]] = [
        (query.after, lambda after: messages.c.seq > after),
        (query.before, lambda before: messages.c.seq < before),
        (query.since, lambda since: messages.c.created_at >= to_microseconds(since)),
        (query.until, lambda until: messages.c.created_at < to_microseconds(until)),
        (query.archived, lambda archived: messages.c.archived == archived),
        (query.roles or None, messages.c.role.in_),
        (query.ids or None, messages.c.id.in_),
    ]
    return [condition(value) for value, condition in asked if value is not None]


class SqlAlchemyThreads(Repository, ThreadRepository):
    """The ThreadRepository over SQLAlchemy."""

    @transaction
    def get(self, connection: Connection, scope: Scope) -> Thread | None:
        return _thread(row) if (row := _living(connection, scope)) else None

    @transaction
    def select(
        self, connection: Connection, owner: Owner, limit: int, cursor: Name = None, *, skip: int = 0, fields: Any = ()
    ) -> core.ThreadPage:
        own = known_threads.where(*_of(threads, owner), ~threads.c.deleted)
        if cursor is not None:
            place = core.ThreadCursor.parse(cursor)
            time, later = to_microseconds(place.updated_at), threads.c.thread > place.id
            own = own.where((threads.c.updated_at < time) | ((threads.c.updated_at == time) & later))
        rows = map(_thread, connection.execute(own.order_by(threads.c.updated_at.desc(), threads.c.thread)).all())
        found = (each for each in rows if not fields or Metadata.of(each.metadata).fields.issuperset(fields))
        return core.ThreadPage.cut(list(islice(found, skip, skip + limit + 1)), limit)

    @transaction
    def clear(self, connection: Connection, scope: Scope, at: datetime, expected_epoch: Epoch = None) -> Version | None:
        return _erase(connection, _living(connection, scope, expected_epoch), at, deleted=False)

    @transaction
    def delete(
        self, connection: Connection, scope: Scope, at: datetime, only_at: Any = None, expected_epoch: Epoch = None
    ) -> bool:
        row = _living(connection, scope, expected_epoch)
        taken_back = {"emptied_at": row.emptied_at} if row and only_at else {}
        return only_at in (None, _head(row)) and _erase(connection, row, at, deleted=True, **taken_back) is not None

    @transaction
    def since_emptied(self, connection: Connection, scopes: Collection[Scope]) -> dict[Scope, timedelta]:
        return _ages(connection, threads.c.emptied_at, {scope: _at(scope) for scope in scopes})

    @transaction
    def forget_keys(self, connection: Connection, before: datetime) -> int:
        return connection.execute(sa.delete(spent_keys).where(spent_keys.c.spent_at < to_microseconds(before))).rowcount

    @transaction
    def fork(self, connection: Connection, scope: Scope, at_seq: int, target: str, at: datetime) -> Thread:
        source, copy = _living(connection, scope), scope.owner.thread(target)
        if source is None:
            raise errors.NotFound("thread", scope.thread)
        if _living(connection, copy) is not None:
            raise errors.ThreadExists(target)
        if at_seq > source.last_seq:
            raise errors.InvalidInput("at_seq", f"the thread ends at seq {source.last_seq}")
        epoch, now = _next(connection, "epoch"), to_microseconds(at)
        about = {"title": source.title, "metadata": source.metadata}
        _put_thread(connection, copy, epoch=epoch, last_seq=at_seq, created_at=now, updated_at=now, **about)
        columns = [column for column in messages.columns if column.name != "epoch"]
        rows = sa.select(sa.literal(epoch), *columns).where(messages.c.epoch == source.epoch, messages.c.seq <= at_seq)
        connection.execute(sa.insert(messages).from_select(["epoch", *(column.name for column in columns)], rows))
        return _thread(connection.execute(known_threads.where(*_at(copy))).one())

    @transaction
    def rename(self, connection: Connection, scope: Scope, title: str) -> bool:
        renamed = sa.update(threads).where(*_at(scope), ~threads.c.deleted).values(title=title)
        return connection.execute(renamed).rowcount > 0

    @transaction
    def set_metadata(
        self, connection: Connection, scope: Scope, metadata: Metadata, instead_of: Metadata | None, at: datetime
    ) -> bool:
        row = _living(connection, scope)
        if (row.metadata if row else None) != (instead_of.text if instead_of else None):
            return False
        if row is None:
            epoch, now = _next(connection, "epoch"), to_microseconds(at)
            _put_thread(connection, scope, epoch=epoch, created_at=now, updated_at=now)
        connection.execute(sa.update(threads).where(*_at(scope)).values(metadata=metadata.text))
        return True

    @transaction
    def changed(self, connection: Connection, since: str | None, limit: int) -> core.ChangedThreads:
        if since is None:
            return core.ChangedThreads({}, str(connection.scalar(sa.select(sa.func.max(threads.c.changed))) or 0))
        later = sa.select(threads).where(threads.c.changed > core.number_in(since))
        rows = connection.execute(later.order_by(threads.c.changed).limit(limit)).all()
        heads = {Scope(row.tenant, row.user, row.thread): core.ABSENT if row.deleted else _head(row) for row in rows}
        return core.ChangedThreads(heads, str(rows[-1].changed) if rows else since)

    @transaction
    def owners(self, connection: Connection, tenant: str | None, limit: int, after: Owner | None = None) -> list[Owner]:
        return _owners(connection, threads, tenant, limit, after, ~threads.c.deleted)


def _thread(row: Row) -> Thread:
    about = (row.thread, row.epoch, row.last_seq, row.title, row.metadata)
    return thread_of((*about, row.created_at, row.updated_at, row.archived), from_microseconds)


def _erase(connection: Connection, row: Row | None, at: datetime, *, deleted: bool, **kept: int) -> Version | None:
    """Erase the messages and begin a new epoch; a deleted thread leaves a tombstone, which no late write revives."""
    if row is None:
        return None
    scope, epoch, time = Scope(row.tenant, row.user, row.thread), _next(connection, "epoch"), to_microseconds(at)
    connection.execute(sa.delete(messages).where(messages.c.epoch == row.epoch))
    keys = sa.delete(idempotency_keys).where(idempotency_keys.c.epoch == row.epoch).returning(idempotency_keys.c.key)
    for key in connection.execute(keys).scalars().all():  # so that a late retry stores nothing
        _put(connection, spent_keys, {"digest": core.spent_digest(scope, key)}, spent_at=time)
    now, metadata = to_microseconds(datetime.now(UTC)), "{}" if deleted else row.metadata
    bare: dict[str, Any] = {"last_seq": 0, "revision": 0, "title": "", "metadata": metadata, "emptied_at": now}
    _put_thread(connection, scope, epoch=epoch, updated_at=time, deleted=deleted, **bare | kept)
    return Version(epoch, 0)


def _ages(connection: Connection, time: Column[int], of: Mapping[T, Sequence[Condition]]) -> dict[T, timedelta]:
    times = {each: connection.execute(sa.select(time).where(*where)).scalar() for each, where in of.items()}
    return {each: datetime.now(UTC) - from_microseconds(at) for each, at in times.items() if at}


def _of(table: Table, owner: Owner) -> tuple[Condition, ...]:
    return (table.c.tenant == owner.tenant, table.c.user == owner.user)


def _owners(
    connection: Connection, table: Table, tenant: str | None, limit: int, after: Owner | None, *living: Condition
) -> list[Owner]:
    found = sa.select(table.c.tenant, table.c.user).distinct().where(*living)
    if tenant is not None:
        found = found.where(table.c.tenant == tenant)
    if after is not None:
        place = sa.tuple_(sa.literal(after.tenant), sa.literal(after.user))
        found = found.where(sa.tuple_(table.c.tenant, table.c.user) > place)
    return [owner_of(*row) for row in connection.execute(found.order_by(table.c.tenant, table.c.user).limit(limit))]


class SqlAlchemyMemories(Repository, MemoryRepository):
    """The MemoryRepository over SQLAlchemy. A memory is JSON; lists are read whole, since an owner has few."""

    @transaction
    def get(self, connection: Connection, owner: Owner, memory_id: str) -> Memory | None:
        return next((each.memory for each in _memories(connection, owner, memories.c.id == memory_id)), None)

    @transaction
    def get_many(self, connection: Connection, owner: Owner, ids: Sequence[str]) -> list[MemoryWithVector]:
        return _memories(connection, owner, memories.c.id.in_(ids))

    @transaction
    def list_with_vectors(
        self, connection: Connection, owner: Owner, limit: int, after: str | None = None
    ) -> list[MemoryWithVector]:
        found = _memories(connection, owner, memories.c.id > (after or ""))
        return sorted(found, key=lambda each: each.memory.id)[:limit]

    @transaction
    def select(self, connection: Connection, owner: Owner, query: MemoryQuery) -> list[Memory]:
        found = [each.memory for each in _memories(connection, owner)]
        if query.before is not None:
            if query.before not in (ids := [memory.id for memory in found]):
                raise errors.InvalidInput("before", f"there is no memory {query.before!r}; start again without it")
            found = found[ids.index(query.before) + 1 :]
        return [memory for memory in found if query.matches(memory)][query.skip :][: query.limit]

    @transaction
    def latest(
        self, connection: Connection, owner: Owner, attributes: Sequence[Attribute], at: datetime | None = None
    ) -> list[Memory]:
        found = (each.memory for each in _memories(connection, owner) if at is None or each.memory.holds(at))
        return entities.in_order(found, attributes)

    @transaction
    def embed(self, connection: Connection, memory: Memory, embedding: Embedding) -> bool:
        stored = [each.memory for each in _memories(connection, memory.owner, memories.c.id == memory.id)]
        if [each.text for each in stored] == [memory.text]:  # a vector belongs to a text
            _replace(connection, memory.owner, memory.id, stored[0], embedding)
        return [each.text for each in stored] == [memory.text]

    @transaction
    def state(self, connection: Connection, owner: Owner) -> LedgerState:
        return _state(connection, owner)

    @transaction
    def apply(
        self, connection: Connection, owner: Owner, change: MemoryChange, expected: LedgerState
    ) -> LedgerState | None:
        if _state(connection, owner) != expected:
            return None
        state, noted = LedgerState(expected.epoch, expected.version + 1), memory_changes.c
        _put(connection, ledgers, asdict(owner), **state._asdict())
        undone = sa.update(memory_changes).where(*_of(memory_changes, owner), noted.version == change.undoes)
        connection.execute(undone.values(undone=True))
        for place, entry in enumerate(change.entries):
            old = _memories(connection, owner, memories.c.id == entry.memory_id)
            keeps = entry.after is not None and [each.memory.text for each in old] == [entry.after.text]
            _replace(connection, owner, entry.memory_id, entry.after, old[0].embedding if keeps else None)
            if change.action in entities.FORGETTING:  # nothing of the memory stays in earlier changes, either
                of_memory = (*_of(memory_changes, owner), noted.memory_id == entry.memory_id)
                connection.execute(sa.delete(memory_changes).where(*of_memory))
            else:
                _note(connection, owner, change, state.version, place)
        return state

    @transaction
    def changes(
        self, connection: Connection, owner: Owner, limit: int, *, memory_id: Name = None, before: int | None = None
    ) -> list[MemoryChange]:
        noted, found = memory_changes.c, sa.select(memory_changes).where(*_of(memory_changes, owner))
        about = sa.true() if memory_id is None else noted.memory_id == memory_id
        earlier = sa.true() if before is None else noted.version < before
        found = found.where(about, earlier).order_by(noted.version.desc(), noted.place)
        groups = groupby(connection.execute(found), key=lambda row: row.version)
        return [_change(owner, list(rows)) for _, (_, rows) in zip(range(limit), groups, strict=False)]

    @transaction
    def erase(self, connection: Connection, owner: Owner) -> int:
        (epoch, version), now = _state(connection, owner), to_microseconds(datetime.now(UTC))
        _put(connection, ledgers, asdict(owner), epoch=epoch + 1, version=version + 1, erased_at=now)
        connection.execute(sa.delete(memory_changes).where(*_of(memory_changes, owner)))
        return connection.execute(sa.delete(memories).where(*_of(memories, owner))).rowcount

    @transaction
    def erased(self, connection: Connection, owners: Collection[Owner]) -> dict[Owner, timedelta]:
        return _ages(connection, ledgers.c.erased_at, {owner: _of(ledgers, owner) for owner in owners})

    @transaction
    def owners(self, connection: Connection, tenant: str | None, limit: int, after: Owner | None = None) -> list[Owner]:
        return _owners(connection, memories, tenant, limit, after)

    @transaction
    def expired(self, connection: Connection, at: datetime, limit: int) -> Sequence[tuple[Owner, str]]:
        due = sa.select(memories).where(memories.c.expires_at <= to_microseconds(at)).order_by(memories.c.expires_at)
        return [(owner_of(row.tenant, row.user), row.id) for row in connection.execute(due.limit(limit))]

    @transaction
    def postpone(self, connection: Connection, owner: Owner, expiries: Mapping[str, datetime]) -> None:
        for memory, embedding in _memories(connection, owner, memories.c.id.in_(list(expiries))):
            time = expiries[memory.id]
            if memory.refresh is not None and memory.expires_at is not None and memory.expires_at < time:
                _replace(connection, owner, memory.id, replace(memory, expires_at=time), embedding)


def _memories(connection: Connection, owner: Owner, *conditions: Condition) -> list[MemoryWithVector]:
    """The owner's memories that meet the conditions, the latest created first and then by id."""
    own = sa.select(memories).where(*_of(memories, owner), *conditions)
    rows = connection.execute(own.order_by(memories.c.created_at.desc(), memories.c.id))
    stored = [(entities.read_memory(owner, row.memory), row) for row in rows]
    vectors = [Embedding(row.embedder, row.vector) if row.embedder else None for _, row in stored]
    return [MemoryWithVector(each[0], vector) for each, vector in zip(stored, vectors, strict=True) if each[0]]


def _replace(connection: Connection, owner: Owner, id_: str, memory: Memory | None, vector: Embedding | None) -> None:
    """Store the memory instead of the one with this id; None removes it."""
    connection.execute(sa.delete(memories).where(*_of(memories, owner), memories.c.id == id_))
    if memory is not None:
        key = {"tenant": owner.tenant, "user": owner.user, "id": id_, "memory": entities.write_memory(memory)}
        times = [each and to_microseconds(each) for each in (memory.created_at, memory.expires_at)]
        embedded = {"embedder": vector.model, "vector": vector.vector} if vector else {}
        connection.execute(sa.insert(memories).values(**key, created_at=times[0], expires_at=times[1], **embedded))


def _state(connection: Connection, owner: Owner) -> LedgerState:
    row = connection.execute(sa.select(ledgers.c.epoch, ledgers.c.version).where(*_of(ledgers, owner))).one_or_none()
    return LedgerState(*row) if row else LedgerState(0, 0)


def _note(connection: Connection, owner: Owner, change: MemoryChange, version: int, place: int) -> None:
    entry, key = change.entries[place], {"tenant": owner.tenant, "user": owner.user, "version": version, "place": place}
    made = {"at": to_microseconds(change.at), "action": change.action, "undoes": change.undoes}
    memory = {"before": entities.write_memory(entry.before), "after": entities.write_memory(entry.after)}
    connection.execute(sa.insert(memory_changes).values(**key, **made, **memory, memory_id=entry.memory_id))


def _change(owner: Owner, rows: Sequence[Row]) -> MemoryChange:
    entries = [entities.MemoryEntry(*(entities.read_memory(owner, s) for s in (r.before, r.after))) for r in rows]
    made: dict[str, Any] = {"version": rows[0].version, "at": from_microseconds(rows[0].at), "action": rows[0].action}
    return MemoryChange(**made, entries=entries, undoes=rows[0].undoes, undone=rows[0].undone)


@asynccontextmanager
async def open_repositories(rest: str) -> AsyncGenerator[Repositories]:
    """The repositories of `sqlalchemy:///file.db`; `rest` is what follows `sqlalchemy://`."""
    async with Database.open(f"sqlite://{rest}") as database:
        yield Repositories(SqlAlchemyHistory(database), SqlAlchemyThreads(database), SqlAlchemyMemories(database))


register("sqlalchemy", open_repositories)

"""Imports the databases of LangGraph's own savers and stores, and compares both sides."""

import json
import math
from collections import defaultdict
from collections.abc import AsyncGenerator, Collection, Generator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime, timedelta
from itertools import groupby
from struct import iter_unpack, pack
from typing import Any, NamedTuple, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.checkpoint.serde.event_hooks import SerdeEvent, register_serde_event_listener
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.store.base import PutOp

from recuerdo.core.errors import ConfigurationError, Conflict, InvalidInput
from recuerdo.core.graph_ports import ItemRepository
from recuerdo.core.items import IndexEntry, ItemAddress, Put, StoreScope
from recuerdo.core.scope import Owner
from recuerdo.integrations.langgraph.saver import RecuerdoSaver
from recuerdo.integrations.langgraph.store import check_operation, value_as_json

_THREADS = "SELECT DISTINCT thread_id FROM checkpoints ORDER BY thread_id"
_CHECKPOINTS = "SELECT checkpoint_ns, checkpoint_id FROM checkpoints WHERE thread_id = {} ORDER BY checkpoint_id"
_PACKAGES = {"postgresql": "langgraph-checkpoint-postgres", "sqlite": "langgraph-checkpoint-sqlite"}


_USERS = "SELECT DISTINCT {1} FROM checkpoints WHERE thread_id = {0}"
_PAGE = 200
_ITEMS = "SELECT * FROM store WHERE (prefix, key) > ({0}, {0}) ORDER BY prefix, key LIMIT {1}"
_VECTORS = (
    "SELECT prefix, key, field_name, {1} AS embedding FROM store_vectors"
    " WHERE (prefix, key) >= ({0}, {0}) AND (prefix, key) <= ({0}, {0}) ORDER BY prefix, key, field_name"
)


class ImportedThread(NamedTuple):
    """The outcome for one thread: `written` of its checkpoints are new here, the others were here already.

    `user` is whose thread it is. With a `problem` nothing was written, because its owner is unknown.
    """

    thread: str
    checkpoints: int
    written: int
    user: str = ""
    problem: str = ""


class _Dialect(NamedTuple):
    """The SQL in which the two databases differ: a parameter, the tables, a text of the metadata, a vector."""

    placeholder: str
    tables: str
    metadata: str
    vector: str


_DIALECTS = {
    "postgresql": _Dialect(
        "%s",
        "SELECT table_name FROM information_schema.tables WHERE table_schema = ANY (current_schemas(false))",
        "metadata ->> {}::text",
        "embedding::text",
    ),
    "sqlite": _Dialect(
        "?",
        "SELECT name FROM sqlite_master WHERE type = 'table'",
        "json_extract(CAST(metadata AS TEXT), '$.' || {})",
        "embedding",
    ),
}


class LangGraphDatabase:
    """A database of LangGraph's, whichever driver it is."""

    def __init__(self, saver: BaseCheckpointSaver[Any], dialect: _Dialect) -> None:
        self.saver = saver
        self.vector = dialect.vector
        self.tables: frozenset[str] = frozenset()
        self._dialect = dialect

    async def look(self) -> None:
        """See which tables there are. Raises ConfigurationError when none are LangGraph's."""
        self.tables = frozenset([name for (name,) in await self.rows(self._dialect.tables)])
        if not self.tables & {"checkpoints", "store"}:
            raise ConfigurationError(
                "There are neither checkpoints nor items of LangGraph's in that database. Check the URL."
            )

    async def rows(self, statement: str, *parameters: str) -> list[tuple[Any, ...]]:
        """The rows of a statement."""
        return [tuple(row.values()) for row in await self.named_rows(statement, *parameters)]

    async def named_rows(self, statement: str, *parameters: str) -> list[dict[str, Any]]:
        """The rows of a statement, with the names of their columns."""
        connection = cast(Any, self.saver).conn
        cursor = await connection.execute(statement.format(self._dialect.placeholder), parameters)
        names = [column[0] for column in cursor.description]
        return [row if isinstance(row, dict) else dict(zip(names, row, strict=True)) for row in await cursor.fetchall()]

    async def users_of(self, thread: str, user_key: str) -> list[str]:
        """The users whom the metadata of the thread's checkpoints name under that key."""
        statement = _USERS.format("{0}", self._dialect.metadata.format("{0}"))
        return sorted([str(user) for (user,) in await self.rows(statement, user_key, thread) if user])


@asynccontextmanager
async def open_source(url: str, allow: Iterable[tuple[str, ...]] = ()) -> AsyncGenerator[LangGraphDatabase]:
    """The database that AsyncPostgresSaver (postgresql://...) or AsyncSqliteSaver (sqlite:///file.db) wrote.

    `allow` are the types besides LangGraph's own that its states hold. Raises ConfigurationError for other URLs, and
    when LangGraph's package for that database is not installed.
    """
    scheme, _, rest = url.partition("://")
    scheme = "postgresql" if scheme == "postgres" else scheme
    serde = JsonPlusSerializer(allowed_msgpack_modules=list(allow) or None)
    try:
        if scheme == "postgresql":
            from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

            async with AsyncPostgresSaver.from_conn_string(f"{scheme}://{rest}", serde=serde) as saver:
                source = LangGraphDatabase(saver, _DIALECTS[scheme])
                await source.look()
                yield source
        elif scheme == "sqlite":
            from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

            async with AsyncSqliteSaver.from_conn_string(rest.removeprefix("/")) as saver:
                saver.serde = serde
                source = LangGraphDatabase(saver, _DIALECTS[scheme])
                await source.look()
                yield source
        else:
            raise ConfigurationError("LangGraph's databases are postgresql://... and sqlite:///file.db.")
    except ModuleNotFoundError as missing:
        raise ConfigurationError(
            f"Reading that needs LangGraph's package: pip install {_PACKAGES[scheme]}"
        ) from missing


async def import_threads(
    source: LangGraphDatabase, target: RecuerdoSaver, user_key: str | None = None, *, dry_run: bool = False
) -> AsyncGenerator[ImportedThread]:
    """Copy all threads, one after the other, and yield each after its checkpoints were copied and compared.

    With a `user_key` a thread becomes that of the user whom its metadata name under it, and of the target's owner where
    they name no user. Checkpoints that are here already are compared and not written again, so that an import that was
    stopped goes on. A dry run only looks whose threads they are, and counts. Raises InvalidInput for a state with a
    type that is not allowed, and Conflict when a checkpoint reads otherwise here.
    """
    if "checkpoints" not in source.tables:
        return
    with _blocked_types() as blocked:
        for (thread,) in await source.rows(_THREADS):
            rows = await source.rows(_CHECKPOINTS, thread)
            try:
                owner = await _owner_of(source, target.owner, thread, user_key)
            except InvalidInput as error:
                yield ImportedThread(thread, len(rows), 0, problem=error.problem)
                continue
            saver = target.owned_by(tenant=owner.tenant, user=owner.user)
            some = [] if dry_run else rows
            written = [await _import_checkpoint(source, saver, blocked, thread, *row) for row in some]
            yield ImportedThread(thread, len(rows), sum(written), owner.user)


async def _owner_of(source: LangGraphDatabase, otherwise: Owner, thread: str, user_key: str | None) -> Owner:
    """The owner of the thread. Raises InvalidInput for one of several users, who must not see each other's messages."""
    users = await source.users_of(thread, user_key) if user_key is not None else []
    if len(users) > 1:
        raise InvalidInput("user", f"its metadata name several users ({', '.join(users)})")
    return Owner(otherwise.tenant, users[0]) if users else otherwise


async def _import_checkpoint(
    source: LangGraphDatabase, target: RecuerdoSaver, blocked: list[str], thread: str, namespace: str, id_: str
) -> bool:
    place: RunnableConfig = {"configurable": {"thread_id": thread, "checkpoint_ns": namespace, "checkpoint_id": id_}}
    found = await source.saver.aget_tuple(place)
    if found is None:
        return False  # it was deleted meanwhile
    if blocked:
        raise InvalidInput("allow", f"a state holds a {blocked[0]}. If it is yours, allow it: --allow {blocked[0]}")
    written = await target.aget_tuple(place) is None
    if written:
        await _write(target, found)
    here = await target.aget_tuple(place)
    if here is None or _said(here) != _said(found):
        raise Conflict(
            f"The checkpoint {id_} of the thread {thread!r} is another one here. Delete that thread here, or import "
            "for another tenant or user."
        )
    return written


async def _write(target: RecuerdoSaver, found: CheckpointTuple) -> None:
    parent: Any = dict(found.parent_config or found.config)
    if found.parent_config is None:
        parent["configurable"] = {**parent["configurable"], "checkpoint_id": None}
    versions = found.checkpoint["channel_versions"]
    # Writes first: a checkpoint that is here has all of them.
    tasks = groupby(found.pending_writes or [], lambda write: write[0])
    for number, (task, writes) in enumerate(tasks):
        pairs = [(channel, value) for _, channel, value in writes]
        await target.aput_writes(found.config, pairs, task, f"{number:08}")
    await target.aput(parent, found.checkpoint, found.metadata, versions)


def _said(found: CheckpointTuple) -> Any:
    parent = (found.parent_config or {}).get("configurable", {}).get("checkpoint_id")
    known = {name: part for name, part in found.checkpoint.items() if part not in (None, [], {})}
    return known, dict(found.metadata), parent, [list(write) for write in found.pending_writes or []]


@contextmanager
def _blocked_types() -> Generator[list[str]]:
    """The types that were not allowed, as they are met: LangGraph reads them as something else, and mentions it."""
    blocked: list[str] = []

    def listen(event: SerdeEvent) -> None:
        blocked.append(f"{event['module']}:{event['name']}")

    unregister = register_serde_event_listener(listen)
    try:
        yield blocked
    finally:
        unregister()


class ImportedItems(NamedTuple):
    """The outcome for some items: `written` are new here, `others` have another value here and were left alone.

    `owned` of them are in the stores of users, the others in that of the tenant.
    """

    items: int
    written: int
    others: int
    owned: int


async def import_items(
    source: LangGraphDatabase,
    target: ItemRepository,
    scope: StoreScope,
    users: Collection[str] = (),
    *,
    dry_run: bool = False,
) -> AsyncGenerator[ImportedItems]:
    """Copy all items of the source's store with their times, lifetimes and vectors; yields each page once compared.

    An item whose namespace names one of `users` goes to that user's store, all others to that of `scope`. Items that
    are here already stay, so that an import that was stopped goes on. A dry run only counts. Raises InvalidInput for
    an item that can't be kept here.
    """
    place = ("", "")
    while "store" in source.tables and (rows := await source.named_rows(_ITEMS.format("{0}", _PAGE), *place)):
        first, place = _place(rows[0]), _place(rows[-1])
        stores: dict[StoreScope, list[dict[str, Any]]] = defaultdict(list)
        for row in rows:
            stores[_store_of(row, scope, users)].append(row)
        vectors = {} if dry_run else await _vectors(source, first, place)
        done = ImportedItems(len(rows), 0, 0, sum(len(some) for store, some in stores.items() if store.user))
        for store, some in () if dry_run else stores.items():
            written, others = await _import_into(target, store, some, vectors)
            done = done._replace(written=done.written + written, others=done.others + others)
        yield done


def _store_of(row: Mapping[str, Any], otherwise: StoreScope, users: Collection[str]) -> StoreScope:
    """The store of the user whom the row names; `otherwise` if it names none or several."""
    named = {part for part in _key(row).namespace if part in users}
    return StoreScope(otherwise.tenant, named.pop()) if len(named) == 1 else otherwise


async def _import_into(
    target: ItemRepository,
    scope: StoreScope,
    rows: Sequence[Mapping[str, Any]],
    vectors: Mapping[tuple[str, str], Sequence[IndexEntry]],
) -> tuple[int, int]:
    """How many items are new here, and how many have another value here."""
    keys = [_key(row) for row in rows]
    missing = [row for row, here in zip(rows, await target.read(scope, keys, None), strict=True) if here is None]
    for row in missing:
        await _write_item(target, scope, row, vectors.get(_place(row), ()))
    found = await target.read(scope, keys, None)
    same = [here is not None and json.loads(here.value) == _value(row) for row, here in zip(rows, found, strict=True)]
    return len(missing), same.count(False)


async def _write_item(
    target: ItemRepository, scope: StoreScope, row: Mapping[str, Any], entries: Sequence[IndexEntry]
) -> None:
    """An item that is replaced keeps the time when it was created, and its life begins again when it is read."""
    put, ttl = _put(row, entries), row.get("ttl_minutes")
    created, updated = _time(row["created_at"]), _time(row["updated_at"])
    if created != updated:
        await target.write(scope, [put], created)
    await target.write(scope, [put], updated)
    if ttl is not None and row.get("expires_at"):
        await target.refresh(scope, [put.place], _time(row["expires_at"]) - timedelta(minutes=ttl))


def _put(row: Mapping[str, Any], entries: Sequence[IndexEntry]) -> Put:
    place = _key(row)
    operation = PutOp(place.namespace, place.key, _value(row))
    try:
        check_operation(operation)
        return Put(place, value_as_json(operation), row.get("ttl_minutes"), entries)
    except (InvalidInput, ValueError) as error:
        raise InvalidInput("item", f"{place.key!r} in {place.namespace} can't be kept here: {error}") from None


async def _vectors(
    source: LangGraphDatabase, first: tuple[str, str], last: tuple[str, str]
) -> dict[tuple[str, str], list[IndexEntry]]:
    """The vectors of the items from one place to another."""
    if "store_vectors" not in source.tables:
        return {}
    rows = await source.named_rows(_VECTORS.format("{0}", source.vector), *first, *last)
    return {
        place: [IndexEntry(row["field_name"], "", _unit(row["embedding"])) for row in own]
        for place, own in groupby(rows, _place)
    }


def _unit(stored: str | bytes) -> bytes:
    """The vector in unit length, from the text of pgvector or the bytes of sqlite-vec."""
    numbers = json.loads(stored) if isinstance(stored, str) else [number for (number,) in iter_unpack("<f", stored)]
    length = math.hypot(*numbers)
    return pack(f"<{len(numbers)}f", *[number / length for number in numbers] if length else numbers)


def _value(row: Mapping[str, Any]) -> Any:
    return json.loads(row["value"]) if isinstance(row["value"], str | bytes) else row["value"]


def _place(row: Mapping[str, Any]) -> tuple[str, str]:
    return row["prefix"], row["key"]


def _key(row: Mapping[str, Any]) -> ItemAddress:
    return ItemAddress(tuple(row["prefix"].split(".")), row["key"])


def _time(stored: datetime | str) -> datetime:
    time = datetime.fromisoformat(stored) if isinstance(stored, str) else stored
    return time if time.tzinfo else time.replace(tzinfo=UTC)

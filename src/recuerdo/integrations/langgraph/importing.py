"""Databases that LangGraph's own savers wrote, read into ours, checkpoint by checkpoint, and compared."""

from collections.abc import AsyncGenerator, Generator, Iterable
from contextlib import asynccontextmanager, contextmanager
from itertools import groupby
from typing import Any, NamedTuple, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.checkpoint.serde.event_hooks import SerdeEvent, register_serde_event_listener
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from recuerdo.core.errors import ConfigurationError, Conflict, InvalidInput
from recuerdo.integrations.langgraph.saver import RecuerdoSaver

_THREADS = "SELECT DISTINCT thread_id FROM checkpoints ORDER BY thread_id"
_CHECKPOINTS = "SELECT checkpoint_ns, checkpoint_id FROM checkpoints WHERE thread_id = {} ORDER BY checkpoint_id"
_PACKAGES = {"postgresql": "langgraph-checkpoint-postgres", "sqlite": "langgraph-checkpoint-sqlite"}


class ImportedThread(NamedTuple):
    """What was done with one thread: `written` of its checkpoints are new here, the others were here already."""

    thread: str
    checkpoints: int
    written: int


class Source(NamedTuple):
    """A database of LangGraph's."""

    saver: BaseCheckpointSaver[Any]
    placeholder: str

    async def rows(self, statement: str, *parameters: str) -> list[tuple[Any, ...]]:
        """The rows of a statement, whichever driver it is."""
        connection = cast(Any, self.saver).conn
        cursor = await connection.execute(statement.format(self.placeholder), parameters)
        return [_columns(row) for row in await cursor.fetchall()]


def _columns(row: Any) -> tuple[Any, ...]:
    """A row's columns: one of the drivers has dicts, the other one tuples."""
    return tuple(row.values() if hasattr(row, "values") else row)


@asynccontextmanager
async def open_source(url: str, allow: Iterable[tuple[str, ...]] = ()) -> AsyncGenerator[Source]:
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
                yield Source(saver, "%s")
        elif scheme == "sqlite":
            from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

            async with AsyncSqliteSaver.from_conn_string(rest.removeprefix("/")) as saver:
                saver.serde = serde
                yield Source(saver, "?")
        else:
            raise ConfigurationError("LangGraph's databases are postgresql://... and sqlite:///file.db.")
    except ModuleNotFoundError as missing:
        raise ConfigurationError(
            f"Reading that needs LangGraph's package: pip install {_PACKAGES[scheme]}"
        ) from missing


async def import_threads(source: Source, target: RecuerdoSaver) -> AsyncGenerator[ImportedThread]:
    """Copy all threads, one after the other, each told when all of its checkpoints are here and have been compared.

    What is here already is compared and not written again, so that an import that was stopped goes on. Raises
    InvalidInput for a state with a type that is not allowed, and Conflict when a checkpoint reads otherwise here.
    """
    with _blocked_types() as blocked:
        for (thread,) in await source.rows(_THREADS):
            rows = await source.rows(_CHECKPOINTS, thread)
            written = [await _import_checkpoint(source, target, blocked, thread, *row) for row in rows]
            yield ImportedThread(thread, len(rows), sum(written))


async def _import_checkpoint(
    source: Source, target: RecuerdoSaver, blocked: list[str], thread: str, namespace: str, id_: str
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

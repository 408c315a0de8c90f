"""The databases that the replicas may share, and what they have of a trial, read past the servers and their caches."""

import asyncio
import re
import sqlite3
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec
import psycopg
from pymongo import AsyncMongoClient

from checker.judge import Final
from checker.record import Seen
from recuerdo.adapters.mongodb import MongoDatabase, MongoHistory
from recuerdo.core.messages import Record
from recuerdo.core.scope import Scope
from recuerdo.core.threads import Version
from recuerdo.testing.samples import everything
from servers.disk import Disk, own_disk
from servers.mongodb import MongoServer, running_mongodb
from servers.postgres import PostgresServer, running_postgres
from servers.process import server_folder

_LATE_MILLISECONDS = 30_000
"""Each fault is made good in a second: on a machine that is so busy, the default of 5,000 would be the fault."""

_DISK_MEGABYTES = 160
_SMALL_DISK_MEGABYTES = 48


class SqliteFile(NamedTuple):
    """A file on a disk: nothing runs that could be killed."""

    disk: Disk | None
    port = 0
    """Where nobody listens."""

    def kill(self) -> None:
        """Nobody is there."""

    def start(self) -> None:
        """Nobody is needed."""

    def answers(self) -> bool:
        """Whether it is there."""
        return True


class Database(NamedTuple):
    """A database, its URL, and who reads from there the threads whose names begin in some way, by name.

    `rows` is everything that there is, as texts.
    """

    server: PostgresServer | MongoServer | SqliteFile
    url: str
    stored: Callable[[str], dict[str, Final]]
    rows: Callable[[], list[str]]
    has_runs: bool = True


@contextmanager
def _postgres() -> Generator[Database]:
    """On a small disk."""
    with running_postgres(_DISK_MEGABYTES) as server:
        yield Database(
            server, server.url, lambda prefix: _in_postgres(server.url, prefix), partial(_postgres_rows, server.url)
        )


@contextmanager
def _mongodb() -> Generator[Database]:
    with running_mongodb() as server:
        # clients stay with the proxy that they were sent to, and a server that has no time to answer is not away
        url = f"{server.url}?directConnection=true&timeoutMS={_LATE_MILLISECONDS}"
        stored, rows = (lambda prefix: asyncio.run(_in_mongodb(url, prefix))), (lambda: asyncio.run(_mongodb_rows(url)))
        yield Database(server, url, stored, rows, has_runs=False)


@contextmanager
def _sqlite() -> Generator[Database]:
    """On a small disk."""
    with server_folder() as folder, own_disk(folder / "disk", _SMALL_DISK_MEGABYTES) as disk:
        path = folder / "disk" / "recuerdo.db"
        yield Database(
            SqliteFile(disk), f"sqlite:///{path}", lambda prefix: _in_sqlite(path, prefix), partial(_sqlite_rows, path)
        )


DATABASES: dict[str, Callable[[], AbstractContextManager[Database]]] = {
    "postgres": _postgres,
    "mongodb": _mongodb,
    "sqlite": _sqlite,
}

_TABLES = """
    SELECT t.thread, t.epoch, t.last_seq, m.seq, m.id, m.body, m.archived
    FROM recuerdo.threads t LEFT JOIN recuerdo.messages m ON m.tenant = t.tenant AND m.epoch = t.epoch
    WHERE starts_with(t.thread, %s) AND NOT t.deleted ORDER BY m.seq
"""
_FILE = """
    SELECT t.thread, t.epoch, t.last_seq, m.seq, m.id, m.body, m.archived
    FROM threads t LEFT JOIN messages m ON m.epoch = t.epoch
    WHERE instr(t.thread, ?) = 1 AND NOT t.deleted ORDER BY m.seq
"""


def _in_postgres(url: str, prefix: str) -> dict[str, Final]:
    with psycopg.connect(url) as connection:
        return _finals(connection.execute(_TABLES, [prefix]))


def _in_sqlite(path: Path, prefix: str) -> dict[str, Final]:
    connection = sqlite3.connect(path)
    try:
        return _finals(connection.execute(_FILE, [prefix]))
    finally:
        connection.close()


def _postgres_rows(url: str) -> list[str]:
    with psycopg.connect(url) as connection:
        names = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'recuerdo'").fetchall()
        tables = [connection.execute(f'SELECT * FROM recuerdo."{name}"').fetchall() for (name,) in names]
    return [_text(value) for rows in tables for row in rows for value in row]


def _sqlite_rows(path: Path) -> list[str]:
    connection = sqlite3.connect(path)
    try:
        names = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        tables = [connection.execute(f'SELECT * FROM "{name}"').fetchall() for (name,) in names]
    finally:
        connection.close()
    return [_text(value) for rows in tables for row in rows for value in row]


async def _mongodb_rows(url: str) -> list[str]:
    async with AsyncMongoClient(url) as client:
        database = client.get_default_database("recuerdo")
        names = await database.list_collection_names()
        documents = [document for name in names async for document in database[name].find()]
    return [_text(value) for document in documents for value in _leaves(document)]


def _leaves(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        value = [*value.values()]
    if isinstance(value, list):
        for each in value:
            yield from _leaves(each)
    else:
        yield value


def _text(value: object) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _finals(rows: Iterable[tuple]) -> dict[str, Final]:
    finals: dict[str, Final] = {}
    for thread, epoch, last, *message in rows:
        final = finals.get(thread, Final(Version(epoch, last), ()))
        if message[0] is not None:
            final = final._replace(messages=(*final.messages, _seen(*message)))
        finals[thread] = final
    return finals


async def _in_mongodb(url: str, prefix: str) -> dict[str, Final]:
    """As a reader without a cache finds it."""
    finals: dict[str, Final] = {}
    async with MongoDatabase.open(url) as database:
        history = MongoHistory(database)
        begun = {"thread": {"$regex": f"^{re.escape(prefix)}"}, "deleted": False}
        async for state in database.threads.find(begun):
            records = await everything(history, Scope(state["tenant"], state["user"], state["thread"]))
            version = Version(state["epoch"], state["last_seq"])
            finals[state["thread"]] = Final(version, tuple(map(_of_record, records)))
    return finals


def _of_record(record: Record) -> Seen:
    return _seen(record.seq, msgspec.json.decode(record.body)["id"], record.body, record.archived)


def _seen(seq: int, message_id: str, body: bytes | str, archived: object) -> Seen:
    return Seen(seq, message_id, msgspec.json.decode(body)["content"], bool(archived))

"""An existing database whose tables are partitioned by tenant while people write."""

import asyncio
import re
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
import pytest_asyncio
from psycopg import AsyncConnection, sql

from postgres.moving import activities, repeat
from postgres.test_postgres_backup import execute, owner  # noqa: F401 - a fixture
from recuerdo import Message, MessageWindow, Recuerdo
from recuerdo.adapters.postgres import (
    PostgresCheckpoints,
    PostgresDatabase,
    PostgresDocuments,
    PostgresHistory,
    PostgresItems,
    PostgresMemories,
    PostgresPassages,
    PostgresThreads,
)
from recuerdo.adapters.registry import open_repositories
from recuerdo.testing import (
    CheckpointContract,
    DocumentContract,
    HistoryContract,
    ItemContract,
    MemoryContract,
    PassageContract,
)
from servers.postgres import fresh_database

ROOT = Path(__file__).parents[2]
SCRIPT = (ROOT / "deploy/postgres/partition.sql").read_text("utf-8")
PAGE = (ROOT / "docs/how-to/partition-postgresql.md").read_text("utf-8")
TABLES = re.search(r"for table in ((?:[a-z_]+|\\|\s)+); do", PAGE)[1].replace("\\", "").split()
OTHERS = {*re.findall(r"^\| `([a-z_]+)` \|", PAGE, re.MULTILINE)}
STEPS = ("prepare", "copy", "switch")
"""As the page calls them."""


def move(url: str, *tables: str, steps: tuple[str, ...] = STEPS) -> None:
    """Call the steps for the tables, one after the other."""
    with closing(psycopg.connect(url, autocommit=True)) as connection:
        for table in tables:
            for step in steps:
                connection.execute(f"CALL recuerdo_partitioning.{step}('{table}')".encode())


def fetch(url: str, statement: str) -> list[tuple]:
    with closing(psycopg.connect(url)) as connection:
        return connection.execute(statement.encode()).fetchall()


def rows(url: str, tenant: str) -> dict[str, list[tuple]]:
    """All rows of the tenant in each of the tables."""
    return {
        table: fetch(url, f"SELECT t::text FROM recuerdo.{table} AS t WHERE tenant = '{tenant}' ORDER BY 1")
        for table in TABLES
    }


async def test_a_database_is_partitioned_while_people_write(empty_postgres_url):
    """Nothing acknowledged is lost or there twice, nothing deleted comes back, and no writer sees an error."""
    async with (
        Recuerdo.open(empty_postgres_url, embeddings="none") as memory,
        open_repositories(empty_postgres_url) as repositories,
    ):
        quiet = activities(memory, repositories, "quiet")
        busy = [each for number in range(3) for each in activities(memory, repositories, f"tenant {number}")]
        await asyncio.gather(*(repeat(each, range(25)) for each in (*quiet, *busy)))
        before = rows(empty_postgres_url, "quiet")
        assert [table for table in TABLES if not before[table]] == [], "each has rows to move"
        execute(empty_postgres_url, SCRIPT)
        enough = asyncio.Event()
        async with asyncio.TaskGroup() as tasks:
            for each in busy:
                tasks.create_task(repeat(each, range(25, 100_000), enough))
            await asyncio.to_thread(move, empty_postgres_url, *TABLES)
            enough.set()
        assert rows(empty_postgres_url, "quiet") == before
        execute(empty_postgres_url, "DROP SCHEMA recuerdo_partitioning, recuerdo_unpartitioned CASCADE")
        for each in (*quiet, *busy):
            await each.check()
            await repeat(each, range(100_000, 100_003))
            await each.check()

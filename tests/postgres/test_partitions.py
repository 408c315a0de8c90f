"""An existing database whose tables are partitioned by tenant while people write."""

import asyncio
import re
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
import pytest_asyncio
from psycopg.errors import FeatureNotSupported, InsufficientPrivilege, RaiseException

from postgres.moving import activities, repeat
from postgres.test_postgres_backup import execute, owner  # noqa: F401 - a fixture
from postgres.test_row_level_security import SWEPT
from postgres.test_row_level_security import TABLES as ALL_TABLES
from postgres.test_tenants_in_statements import WIDER_KEYS
from recuerdo import Message, MessageWindow, Recuerdo
from recuerdo.adapters.postgres import (
    PostgresCheckpoints,
    PostgresDatabase,
    PostgresDocuments,
    PostgresHistory,
    PostgresItems,
    PostgresMemories,
    PostgresPassages,
    PostgresSignals,
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
STAYING = {
    table for row in re.findall(r"^\| (`[a-z_`, ]+`) \|", PAGE, re.MULTILINE) for table in re.findall("[a-z_]+", row)
}
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
        busy = [each for number in range(2) for each in activities(memory, repositories, f"tenant {number}")]
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


@pytest.fixture
async def owned_url(empty_postgres_url, owner):  # noqa: F811
    """The URL of the tables' owner, whom row-level security binds; a superuser has partitioned them, filled."""
    async with Recuerdo.open(owner, embeddings="none") as memory, open_repositories(owner) as repositories:
        for tenant in ("acme", "other"):
            await asyncio.gather(*(repeat(each, range(1, 4)) for each in activities(memory, repositories, tenant)))
    execute(empty_postgres_url, SCRIPT)
    before = {view: swept(owner, view) for view in SWEPT}
    move(empty_postgres_url, *TABLES)
    execute(empty_postgres_url, "DROP SCHEMA recuerdo_partitioning, recuerdo_unpartitioned CASCADE")
    assert {view: swept(owner, view) for view in SWEPT} == before
    return owner


def swept(url: str, view: str) -> list[tuple]:
    """The rows of the view that a sweeper sees."""
    with closing(psycopg.connect(url, options="-c recuerdo.sweeping=true")) as connection:
        return sorted(connection.execute(f"SELECT t::text FROM recuerdo.{view} AS t".encode()).fetchall())


async def test_row_level_security_binds_as_before(owned_url):
    """A transaction sees the tenants that it names, and a statement that names a partition sees nothing."""
    with closing(psycopg.connect(owned_url, autocommit=True)) as connection:
        for tenants, seen in (("", []), ("{acme}", [("acme",)]), ("{acme,other}", [("acme",), ("other",)])):
            connection.execute("SELECT set_config('recuerdo.tenants', %s, false)", (tenants,))
            for table in TABLES:
                statement = f"SELECT DISTINCT tenant FROM recuerdo.{table} ORDER BY 1"
                assert connection.execute(statement.encode()).fetchall() == seen, table
                for number in range(16):
                    assert not connection.execute(f"SELECT FROM recuerdo.{table}_{number}".encode()).fetchall()
        connection.execute("SELECT set_config('recuerdo.tenants', '{acme}', false)")
        for table in TABLES:
            with pytest.raises(InsufficientPrivilege, match="row-level security"):
                connection.execute(f"UPDATE recuerdo.{table} SET tenant = 'other'".encode())


async def test_a_later_version_upgrades_partitioned_tables(owned_url):
    """Its owner may change partitions too, and indexes and constraints have the names that a later version knows."""
    execute(
        owned_url,
        "DELETE FROM recuerdo.migrations WHERE name LIKE 'functions/%'",
        "ALTER TABLE recuerdo.threads ADD COLUMN later text, DROP CONSTRAINT threads_pkey",
        'ALTER TABLE recuerdo.threads ADD PRIMARY KEY (tenant, "user", thread)',
        "DROP INDEX recuerdo.messages_by_time",
        "CREATE INDEX messages_by_time ON recuerdo.messages (epoch, created_at)",
        "ALTER TABLE recuerdo.passage_vectors DROP CONSTRAINT passage_vectors_tenant_epoch_seq_fkey",
    )
    async with Recuerdo.open(owned_url, embeddings="none") as memory:
        assert len(await memory.thread(tenant="acme", user="emi", thread="talk").read()) == 3


def test_partitions_are_as_the_table_was(moved):
    """Columns with their storage, settings, indexes, constraints, triggers, policies and rights."""
    url, before = moved
    assert {table: likeness(url, table) for table in TABLES} == before


def likeness(url: str, table: str) -> list[list[tuple]]:
    """Everything that a table is, but for its rows; the storage is that of its first partition, if it has any."""
    of, leaf = f"'recuerdo.{table}'::regclass", f"coalesce(to_regclass('recuerdo.{table}_0'), 'recuerdo.{table}')"
    kinds = "contype IN ('p', 'u', 'f') AND conparentid = 0"
    return [
        fetch(url, statement)
        for statement in (
            "SELECT attname, format_type(atttypid, atttypmod), attcollation, attnotnull, attgenerated,"
            " (SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = attrelid AND adnum = attnum)"
            f" FROM pg_attribute WHERE attrelid = {of} AND attnum > 0 AND NOT attisdropped ORDER BY attnum",
            f"SELECT attname, attstorage FROM pg_attribute WHERE attrelid = {leaf} AND attnum > 0 AND NOT attisdropped",
            f"SELECT reloptions FROM pg_class WHERE oid = {leaf}",
            f"SELECT relowner, relacl, relrowsecurity, relforcerowsecurity FROM pg_class WHERE oid = {of}",
            f"SELECT replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') FROM pg_index WHERE indrelid = {of}"
            " ORDER BY 1",
            f"SELECT conname, pg_get_constraintdef(oid), convalidated FROM pg_constraint WHERE conrelid = {of}"
            f" AND {kinds} ORDER BY 1",
            f"SELECT conname, pg_get_constraintdef(oid), convalidated FROM pg_constraint WHERE confrelid = {of}"
            f" AND {kinds} ORDER BY 1",
            f"SELECT * FROM pg_policies WHERE schemaname = 'recuerdo' AND tablename = '{table}' ORDER BY policyname",
            f"SELECT tgname FROM pg_trigger WHERE tgrelid = {of} AND NOT tgisinternal",
        )
    ]


async def test_a_step_too_early_is_refused(empty_postgres_url):
    """A table that is not copied yet, or was upgraded since, keeps its place; one that is moved already stays moved."""
    await _create(empty_postgres_url)
    execute(empty_postgres_url, SCRIPT)
    with pytest.raises(RaiseException, match="not copied"):
        move(empty_postgres_url, "messages", steps=("prepare", "switch"))
    execute(empty_postgres_url, "INSERT INTO recuerdo.migrations VALUES ('9999_later.sql')")
    with pytest.raises(RaiseException, match="upgraded since"):
        move(empty_postgres_url, "messages", steps=("copy", "switch"))
    execute(empty_postgres_url, "DELETE FROM recuerdo.migrations WHERE name = '9999_later.sql'")
    move(empty_postgres_url, "messages")
    move(empty_postgres_url, "messages")


async def test_giving_up_leaves_nothing_behind(empty_postgres_url):
    """Without its schema there is no trigger and no partition."""
    await _create(empty_postgres_url)
    relations = "SELECT oid, relname FROM pg_class WHERE relkind IN ('r', 'p', 'i') ORDER BY oid"
    before = fetch(empty_postgres_url, relations)
    execute(empty_postgres_url, SCRIPT)
    move(empty_postgres_url, "messages", steps=("prepare", "copy"))
    execute(empty_postgres_url, "DROP SCHEMA recuerdo_partitioning, recuerdo_unpartitioned CASCADE")
    assert fetch(empty_postgres_url, relations) == before
    assert not fetch(empty_postgres_url, "SELECT FROM pg_trigger WHERE tgname = 'mirror'")


def test_the_page_says_of_every_table_whether_it_moves():
    assert {*TABLES, *STAYING} == {*ALL_TABLES, "migrations"}
    assert not {*TABLES} & STAYING


async def test_a_table_with_a_key_without_the_tenant_is_refused(empty_postgres_url):
    """PostgreSQL knows of no key that is unique over partitions."""
    await _create(empty_postgres_url)
    execute(empty_postgres_url, SCRIPT)
    for table in ("api_keys", "data_keys"):
        assert any(key.startswith(table) for key in WIDER_KEYS)
        with pytest.raises(FeatureNotSupported, match="must include all partitioning columns"):
            move(empty_postgres_url, table, steps=("prepare",))


@pytest.fixture(scope="module")
def moved(postgres_server):
    """The URL of a database whose tables were partitioned when they were empty, and what they were before."""
    with fresh_database(postgres_server.url) as url:
        asyncio.run(_create(url))
        before = {table: likeness(url, table) for table in TABLES}
        execute(url, SCRIPT)
        move(url, *TABLES)
        yield url, before


@pytest.fixture(scope="module")
def partitioned_url(moved):
    return moved[0]


async def _create(url: str) -> None:
    async with PostgresDatabase.open(url):
        pass


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def partitioned_database(partitioned_url):
    """One for all of them: every new connection plans each statement over all partitions."""
    async with PostgresDatabase.open(partitioned_url) as database:
        yield database


@pytest.fixture
def history(partitioned_database):
    return PostgresHistory(partitioned_database)


@pytest.fixture
def threads(partitioned_database):
    return PostgresThreads(partitioned_database)


class TestPartitionedHistory(HistoryContract):
    """See HistoryContract."""


class TestPartitionedMemories(MemoryContract):
    """See MemoryContract."""

    @pytest.fixture
    def memories(self, partitioned_database):
        return PostgresMemories(partitioned_database)


class TestPartitionedPassages(PassageContract):
    """See PassageContract."""

    @pytest.fixture
    def passages(self, partitioned_database):
        return PostgresPassages(partitioned_database)


class TestPartitionedItems(ItemContract):
    """See ItemContract."""

    @pytest.fixture
    def items(self, partitioned_database):
        return PostgresItems(partitioned_database)


class TestPartitionedDocuments(DocumentContract):
    """See DocumentContract."""

    @pytest_asyncio.fixture(loop_scope="module")
    async def documents(self, partitioned_database):
        async with PostgresSignals(partitioned_database).opened() as signals:
            yield PostgresDocuments(partitioned_database, signals)


class TestPartitionedCheckpoints(CheckpointContract):
    """See CheckpointContract."""

    @pytest.fixture
    def checkpoints(self, partitioned_database):
        return PostgresCheckpoints(partitioned_database)


async def test_a_window_reads_one_partition(partitioned_url):
    """Its plan is pruned by the tenant."""
    async with Recuerdo.open(partitioned_url, embeddings="none") as memory:
        thread = memory.thread(tenant="acme", user="emi", thread="t-1")
        await thread.append(Message.user("hola"))
        assert [each.text for each in await thread.window(MessageWindow(5))] == ["hola"]
    with closing(psycopg.connect(partitioned_url)) as connection:
        connection.execute("SET plan_cache_mode = force_generic_plan")
        statement = "SELECT body FROM recuerdo.messages WHERE tenant = $1 AND epoch = $2"
        connection.execute(f"PREPARE read (text, bigint) AS {statement}".encode())
        plan = "\n".join(row[0] for row in connection.execute("EXPLAIN EXECUTE read ('acme', 1)").fetchall())
    assert "Subplans Removed: 15" in plan

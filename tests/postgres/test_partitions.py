"""An existing database whose messages are partitioned by tenant while people write."""

import asyncio
import time
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
import pytest_asyncio

from recuerdo import Message, MessageWindow, Recuerdo
from recuerdo.adapters.postgres import PostgresDatabase, PostgresHistory, PostgresThreads
from recuerdo.testing import HistoryContract
from servers.postgres import fresh_database

SCRIPTS = Path(__file__).parents[2] / "deploy" / "postgres"
TENANTS = 12


def run(url: str, step: str) -> None:
    """Run the script as psql does, each statement outside of BEGIN and COMMIT in a transaction of its own."""
    text = (SCRIPTS / step).read_text("utf-8")
    with closing(psycopg.connect(url, autocommit=True)) as connection:
        for statement in [text] if "BEGIN;" in text else text.split(";\n"):
            if "ALTER TABLE" in statement.rpartition("COMMIT;")[2]:
                statement, _, after = statement.rpartition("COMMIT;")
                connection.execute((statement + "COMMIT").encode())
                connection.execute(after.encode())
            elif statement.strip():
                connection.execute(statement.encode())


def counted(url: str, table: str) -> int:
    with closing(psycopg.connect(url)) as connection:
        return connection.execute(f"SELECT count(*) FROM recuerdo.{table}".encode()).fetchone()[0]


async def write(memory: Recuerdo, tenant: int, texts: list[str], until: asyncio.Event) -> None:
    """Append, archive and clear, until it is enough."""
    thread = memory.thread(tenant=f"tenant-{tenant}", user="emi", thread="t-1")
    while not until.is_set():
        texts.append(f"{tenant}: {len(texts)}")
        await thread.append(Message.user(texts[-1]))
        if len(texts) % 7 == 0:
            await thread.archive(first=len(texts) - 1)
        if len(texts) == 20:
            await thread.clear()
            texts.clear()


async def test_a_database_is_partitioned_while_people_write(empty_postgres_url):
    """Nothing acknowledged is lost, nothing deleted comes back, no writer sees an error, and none waits for long."""
    async with Recuerdo.open(empty_postgres_url, embeddings="none") as memory:
        texts: list[list[str]] = [[] for _ in range(TENANTS)]
        enough = asyncio.Event()
        writers = asyncio.gather(*(write(memory, tenant, said, enough) for tenant, said in enumerate(texts)))
        for step in ("partition-1-prepare.sql", "partition-2-copy.sql", "partition-3-switch.sql"):
            await asyncio.sleep(0.5)
            await asyncio.to_thread(run, empty_postgres_url, step)
        switched = time.monotonic()
        await asyncio.sleep(0.5)
        enough.set()
        await writers
        assert time.monotonic() - switched < 30
        for tenant, said in enumerate(texts):
            thread = memory.thread(tenant=f"tenant-{tenant}", user="emi", thread="t-1")
            assert [message.text for message in await thread.messages(archived=None)] == said
    assert counted(empty_postgres_url, "messages") == sum(map(len, texts))
    assert sum(counted(empty_postgres_url, f"messages_{number}") > 0 for number in range(16)) > 1


@pytest.fixture(scope="module")
def partitioned_url(postgres_server):
    with fresh_database(postgres_server.url) as url:
        asyncio.run(_create(url))
        for step in ("partition-1-prepare.sql", "partition-2-copy.sql", "partition-3-switch.sql"):
            run(url, step)
        yield url


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

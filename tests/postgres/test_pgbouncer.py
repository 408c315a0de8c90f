"""Behind pgbouncer: in session mode, in transaction mode, where no session is ours, and in statement mode."""

import asyncio
import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

import psycopg
import pytest

from recuerdo import Message, MessageWindow, Recuerdo
from recuerdo.adapters.postgres import PostgresDatabase, PostgresHistory, PostgresMemories, PostgresThreads
from recuerdo.core.errors import ConfigurationError
from recuerdo.core.identifiers import new_id
from recuerdo.core.threads import MessageQuery
from recuerdo.testing import HistoryContract
from recuerdo.testing.samples import everything, fresh_scope, say, seqs, texts
from servers.process import ServerProcess, free_port, server_folder

SESSIONS = 12
"""In session mode a connection of ours keeps a connection of the server: as many as a process opens, and some."""

PROGRAM = shutil.which("pgbouncer") or "/usr/sbin/pgbouncer"

if not Path(PROGRAM).exists():  # hundreds of tests need not be collected to be skipped
    pytest.skip("pgbouncer is not installed (apt install pgbouncer)", allow_module_level=True)


@contextmanager
def running_pgbouncer(postgres_url: str, mode: str) -> Generator[str]:
    """The tests' database, through a pool of three server connections in that mode."""
    place = urlsplit(postgres_url)
    with server_folder() as folder:
        port = free_port()
        (folder / "users.txt").write_text(f'"{place.username}" "{unquote(place.password or "")}"\n')
        (folder / "pgbouncer.ini").write_text(
            f"[databases]\n* = host={place.hostname} port={place.port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n"
            f"listen_port = {port}\nunix_socket_dir =\nauth_type = scram-sha-256\nauth_file = {folder}/users.txt\n"
            f"pool_mode = {mode}\ndefault_pool_size = {SESSIONS if mode == 'session' else 3}\nmax_client_conn = 200\n"
        )
        url = urlunsplit(place._replace(netloc=f"{place.username}:{place.password}@127.0.0.1:{port}"))
        process = ServerProcess(
            [PROGRAM, folder / "pgbouncer.ini"], folder, user="nobody" if os.geteuid() == 0 else None
        )
        process.start(lambda: _answers(url))
        try:
            yield url
        finally:
            process.stop()


@pytest.fixture(scope="module", params=["session", "transaction"])
def pooled_url(request: pytest.FixtureRequest, postgres_url: str) -> Generator[str]:
    with running_pgbouncer(postgres_url, request.param) as url:
        yield url


def _answers(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True


@pytest.fixture
async def database(pooled_url):
    async with PostgresDatabase.open(pooled_url) as database:
        yield database


@pytest.fixture
def history(database):
    return PostgresHistory(database)


@pytest.fixture
def threads(database):
    return PostgresThreads(database)


class TestHistoryBehindPgbouncer(HistoryContract):
    """See HistoryContract."""


async def test_pgbouncer_keeps_tenants_apart(database):
    """Many tasks over few server connections each see their own tenant, again and again."""
    history = PostgresHistory(database)
    scopes = [fresh_scope() for _ in range(40)]

    async def use(scope):
        for number in range(10):
            await say(history, scope, f"{scope.tenant} {number}")
            page = await history.page(scope, MessageQuery())
            assert texts(page.records) == [f"{scope.tenant} {seq}" for seq in range(number + 1)]
            assert await PostgresMemories(database).get(scope.owner, "none") is None

    await asyncio.gather(*map(use, scopes))
    for scope in scopes:
        assert seqs(await everything(history, scope)) == list(range(1, 11))


async def test_pgbouncer_is_noticed(database):
    """Behind a pooler nothing is prepared in a session that is not ours."""
    async with database._connection() as connection:
        assert connection.prepare_threshold is None


async def test_what_one_server_keeps_or_erases_another_sees_at_once(pooled_url):
    owner = {"tenant": "acme", "user": f"emi-{new_id()}"}
    async with (
        Recuerdo.open(pooled_url, embeddings="none", pool_size=3) as one,
        Recuerdo.open(pooled_url, embeddings="none", pool_size=3) as two,
    ):
        await one.thread(**owner, thread="t-1").append(Message.user("hola"))
        assert [m.text for m in await two.thread(**owner, thread="t-1").window(MessageWindow(5))] == ["hola"]
        await one.user(**owner).remember("Me llamo Emiliano")
        assert [each.value for each in await two.user(**owner).list()] == ["Emiliano"]
        assert (await two.user(**owner).erase()).complete
        assert await one.thread(**owner, thread="t-1").window(MessageWindow(5)) == []


async def test_in_statement_mode_a_start_says_which_modes_do(postgres_url):
    """It has no transactions of several statements, which appends need."""
    with running_pgbouncer(postgres_url, "statement") as url, pytest.raises(ConfigurationError, match="pool_mode"):
        async with Recuerdo.open(url, embeddings="none"):
            pass

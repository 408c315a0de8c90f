"""Calls of functions go over libpq itself, and leave the session as psycopg would."""

import asyncio
import time

import psycopg
import pytest

from recuerdo.adapters.postgres import PostgresDatabase, PostgresHistory, PostgresMemories
from recuerdo.adapters.postgres.calls import SocketConnection, prepare
from recuerdo.core.errors import DatabaseUnavailable, InvalidInput
from recuerdo.core.scope import Scope
from recuerdo.history.commits import GroupCommit
from recuerdo.testing.samples import everything, fresh_scope, request, said, say, texts
from servers.proxy import running_proxy


async def test_statements_that_are_gone(database):
    """A session whose prepared statements were deallocated prepares them again, and the call goes through."""
    history, scope = PostgresHistory(database), fresh_scope()
    await say(history, scope, "a")
    async with database.transaction([scope.tenant]) as connection:
        await connection.execute("DEALLOCATE ALL")
    assert (await history.head(scope)).version.seq == 1
    await say(history, scope, "b")
    assert texts(await everything(history, scope)) == ["a", "b"]


@pytest.mark.usefixtures("database")
async def test_half_of_the_statements(postgres_url):
    """A session that has only some of its statements is closed, so that nobody meets it again."""
    async with await psycopg.AsyncConnection.connect(postgres_url, autocommit=True) as connection:
        await connection.execute("PREPARE recuerdo_head AS SELECT 1")
        with pytest.raises(psycopg.OperationalError):
            await prepare(connection)
        assert connection.closed


async def test_calls_and_statements_in_turn(postgres_url):
    """One connection serves calls, statements and calls within transactions in any order, each with its own answer."""
    async with PostgresDatabase.open(postgres_url, pool_size=1) as database:
        history, scope = PostgresHistory(database), fresh_scope()
        for number in range(1, 4):
            await say(history, scope, "call")
            assert (await history.count(scope))["user"] == 3 * number - 2
            await history.append([request(scope, said("with care"), key=f"{number}-{turn}") for turn in "aab"])
            assert (await history.head(scope)).version.seq == 3 * number


async def test_a_session_that_ends_unasked(database, superuser, monkeypatch):
    """When the server ends a session that waits for its next call, it is heard once, and the next call works."""
    heard = []
    monkeypatch.setattr(
        SocketConnection,
        "_on_readable",
        lambda line, real=SocketConnection._on_readable: (heard.append(line), real(line)),
    )
    history, scope = PostgresHistory(database), fresh_scope()
    await say(history, scope, "a")
    heard.clear()
    await superuser.execute(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
        " WHERE application_name = 'recuerdo' AND datname = current_database()"
    )
    while not heard:  # noqa: ASYNC110 (the server is what changes)
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)
    assert len(heard) == len(set(heard))
    await say(history, scope, "b")
    assert texts(await everything(history, scope)) == ["a", "b"]


async def test_more_than_a_socket_holds(database):
    """A call of many megabytes is sent while the server takes it, and its answer comes back whole."""
    history, scope = PostgresHistory(database), fresh_scope()
    large = ["x" * 3_000_000, "y" * 3_000_000]
    await say(history, scope, *large)
    tail = await history.tail(scope, 5)
    assert texts(tail.records) == large


async def test_a_text_that_would_be_cut_off(database):
    """A NUL, behind which libpq would read nothing, is refused, and the session goes on."""
    history, scope = PostgresHistory(database), fresh_scope()
    message = said("a")
    with pytest.raises(InvalidInput):
        await history.append([request(scope, message._replace(id="a\0b"))])
    with pytest.raises(InvalidInput):
        await PostgresMemories(database).get(scope.owner, "a\0b")
    await say(history, scope, "b")
    assert texts(await everything(history, scope)) == ["b"]


async def test_ids_that_no_index_holds(database):
    """Ids that are too long together are refused for good and alone: whoever shares their batch is committed."""
    history, scope = PostgresHistory(database), fresh_scope()
    odd = "".join(map(chr, range(0x20000, 0x20000 + 255)))
    commits = GroupCommit(history)
    appends = [request(each, said("a")) for each in (scope, Scope(odd, odd[::-1], odd), scope, scope)]
    outcomes = await asyncio.gather(*map(commits.get, appends), return_exceptions=True)
    assert [isinstance(outcome, InvalidInput) for outcome in outcomes] == [False, True, False, False]
    assert texts(await everything(history, scope)) == ["a", "a", "a"]


async def test_a_connection_that_breaks_in_the_midst(database, superuser):
    """A session that the server ends during a call is reported as the database being away, and the next call works."""
    history, scope = PostgresHistory(database), fresh_scope()
    await say(history, scope, "a")
    async with superuser.transaction():
        await superuser.execute("SELECT FROM recuerdo.threads WHERE tenant = %s FOR UPDATE", (scope.tenant,))
        waiting = asyncio.create_task(say(history, scope, "lost"))
        while not await _terminate_who_waits(superuser):  # noqa: ASYNC110 (the server is what changes)
            await asyncio.sleep(0.01)
        with pytest.raises(DatabaseUnavailable):
            await waiting
    await say(history, scope, "b")
    assert texts(await everything(history, scope)) == ["a", "b"]


async def _terminate_who_waits(superuser) -> bool:
    cursor = await superuser.execute(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
        " WHERE wait_event_type = 'Lock' AND query LIKE '%%append_message%%' AND datname = current_database()"
    )
    [(count,)] = await cursor.fetchall()
    return count > 0


async def test_a_late_answer_holds_nobody_up(postgres_server, postgres_url):
    """Brief reads that came at once do not let the event loop stand still for one that takes its time."""
    scope = fresh_scope()
    with running_proxy(postgres_server.port) as proxy:
        url = postgres_url.replace(f":{postgres_server.port}/", f":{proxy.port}/")
        async with PostgresDatabase.open(url) as database:
            history = PostgresHistory(database)
            await say(history, scope, "a")
            for _ in range(20):
                await history.head(scope)
            proxy.slow(0.5)
            late = asyncio.create_task(history.head(scope))
            turns = 0
            while not late.done():
                await asyncio.sleep(0.001)
                turns += 1
            assert (await late).version.seq == 1
            assert turns > 5, "a loop that stands still has one"


async def test_an_event_loop_that_is_busy_is_no_server_that_hangs(postgres_url):
    """Thousands of calls that began together kept the loop from hearing answers that were there, and failed."""

    async def keep_busy():
        for _ in range(14):
            time.sleep(0.3)  # noqa: ASYNC251
            await asyncio.sleep(0)

    async def ask(database):
        async with database.transaction(["acme"]) as connection:
            await connection.execute("SELECT 1")

    async with PostgresDatabase.open(postgres_url) as database:
        await ask(database)  # connects
        database._statement_timeout = 1.0
        await asyncio.gather(keep_busy(), ask(database))

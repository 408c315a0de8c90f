"""PostgreSQL is killed, restarted, hung or cut off, and when callers give up."""

import asyncio
import subprocess
import time
from contextlib import suppress
from functools import partial

import psycopg
import pytest
from psycopg import AsyncConnection, sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg_pool import PoolTimeout

from recuerdo import Recuerdo
from recuerdo.adapters.postgres import (
    PostgresDatabase,
    PostgresHistory,
    PostgresMemories,
    PostgresSessions,
    PostgresThreads,
)
from recuerdo.adapters.postgres import threads as postgres_threads
from recuerdo.agents.events import Finished, Started
from recuerdo.concurrency import breaker
from recuerdo.core.contexts import Session
from recuerdo.core.errors import AlreadyErased, DatabaseUnavailable, OutcomeUnknown
from recuerdo.core.messages import Message
from recuerdo.core.scope import ANONYMOUS, Scope
from recuerdo.core.threads import MessageQuery
from recuerdo.history import History
from recuerdo.testing.clock import NOON
from recuerdo.testing.samples import commit, everything, fresh_scope, request, said, say, seqs, texts
from servers.patience import PATIENCE
from servers.preloaded import python
from servers.proxy import running_proxy

_WRITER = """
import asyncio, sys
from recuerdo.adapters.postgres import PostgresDatabase, PostgresHistory, PostgresThreads
from recuerdo.core.messages import Message
from recuerdo.core.scope import Scope
from recuerdo.history import History

async def main(url, tenant, name):
    async with PostgresDatabase.open(url) as database:
        history = History(PostgresHistory(database), PostgresThreads(database))
        scope = Scope(tenant, "user", "thread")
        async def write(worker):
            for number in range(50):
                receipt = await history.append(scope, [Message.user(f"{name}-{worker}-{number}")])
                print(receipt.first_seq, f"{name}-{worker}-{number}")
        await asyncio.gather(*[write(worker) for worker in range(4)])

asyncio.run(main(*sys.argv[1:]))
"""


def _write(url: str, tenant: str, name: str) -> list[str]:
    command = [python(), "-c", _WRITER, url, tenant, name]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()


async def test_two_processes_on_one_thread(postgres_url, history):
    """Seqs are gap-free over two processes that append to one thread, and each receipt's seq holds its message."""
    scope = fresh_scope("thread", "user")
    printed = await asyncio.gather(*[asyncio.to_thread(_write, postgres_url, scope.tenant, name) for name in "ab"])
    receipts = [line.split() for lines in printed for line in lines]
    records = await everything(history, scope)
    assert seqs(records) == list(range(1, 401))
    assert dict(zip(map(str, seqs(records)), texts(records), strict=True)) == dict(receipts)


async def test_opposite_orders_do_not_deadlock(history):
    """Batches that name the same threads in opposite orders all go through."""
    base = fresh_scope()
    scopes = [base.owner.thread(f"t-{number}") for number in range(10)]
    batches = [[request(scope, said()) for scope in (scopes if turn % 2 else scopes[::-1])] for turn in range(20)]
    await asyncio.gather(*map(history.append, batches))
    for scope in scopes:
        assert seqs(await everything(history, scope)) == list(range(1, 21))


@pytest.mark.usefixtures("usual_limits_of_postgres")
async def test_kill_9_in_mid_load(postgres_server, postgres_url):
    """After kill -9 of the server and all its processes, every acknowledged append is there, at its seq."""
    scope = fresh_scope()
    acknowledged: dict[int, str] = {}
    async with PostgresDatabase.open(postgres_url) as database:
        history = History(PostgresHistory(database), PostgresThreads(database))

        async def write(worker: int) -> None:
            for number in range(10_000):
                receipt = await history.append(scope, [Message.user(f"{worker}-{number}")])
                acknowledged[receipt.first_seq] = f"{worker}-{number}"
                if len(acknowledged) == 100:
                    under_way.set()

        under_way = asyncio.Event()
        writers = [asyncio.create_task(write(worker)) for worker in range(8)]
        await under_way.wait()
        postgres_server.kill()
        outcomes = await asyncio.gather(*writers, return_exceptions=True)
        assert {type(outcome) for outcome in outcomes} <= {DatabaseUnavailable, OutcomeUnknown}
        postgres_server.start()
        await _until_it_is_asked_again(PostgresHistory(database))
        records = await everything(PostgresHistory(database), scope)
    assert seqs(records) == list(range(1, len(records) + 1))
    stored = dict(zip(seqs(records), texts(records), strict=True))
    assert acknowledged.items() <= stored.items()


async def _until_it_is_asked_again(history: PostgresHistory) -> None:
    """A server that was waited for in vain is left alone for half a second."""
    async with asyncio.timeout(PATIENCE):
        while True:
            with suppress(DatabaseUnavailable):
                await history.head(fresh_scope())
                return
            await asyncio.sleep(0.1)


async def test_a_restart_heals(postgres_server, postgres_url):
    """After a restart the first call succeeds: connections that the server closed are told by their sockets."""
    scope = fresh_scope()
    async with PostgresDatabase.open(postgres_url) as database:
        history = PostgresHistory(database)
        await asyncio.gather(*[history.page(scope, MessageQuery()) for _ in range(10)])
        postgres_server.restart()
        await say(history, scope, "after")
        assert texts((await history.page(scope, MessageQuery())).records) == ["after"]


@pytest.mark.usefixtures("database")
async def test_a_failover(postgres_url, superuser):
    """A session that can't write is given up, so that whoever became the primary is asked next."""
    setting = sql.SQL("ALTER DATABASE {} {} default_transaction_read_only")
    name, scope = sql.Identifier(superuser.info.dbname), fresh_scope()
    await superuser.execute(setting.format(name, sql.SQL("SET")) + sql.SQL(" = on"))
    try:
        async with PostgresDatabase.open(postgres_url, pool_size=1) as database:
            history = PostgresHistory(database)
            await history.head(scope)
            await superuser.execute(setting.format(name, sql.SQL("RESET")))
            with pytest.raises(DatabaseUnavailable, match="standby"):
                await say(history, scope, "refused")
            await say(history, scope, "after")
            assert texts(await everything(history, scope)) == ["after"]
    finally:
        await superuser.execute(setting.format(name, sql.SQL("RESET")))


async def test_a_server_that_is_gone(postgres_server, postgres_url):
    """While the server is down calls fail with DatabaseUnavailable and a time to come back, and then work again."""
    scope = fresh_scope()
    async with PostgresDatabase.open(postgres_url, pool_timeout=0.5) as database:
        history = PostgresHistory(database)
        await say(history, scope, "before")
        postgres_server.stop()
        for _ in range(2):
            with pytest.raises(DatabaseUnavailable) as caught:
                await say(history, scope, "lost")
            assert caught.value.retry_after > 0
        postgres_server.start()
        deadline = time.monotonic() + 60
        while True:
            try:
                await say(history, scope, "after")
                break
            except DatabaseUnavailable:
                assert time.monotonic() < deadline, "the pool does not heal"
        assert texts(await everything(history, scope)) == ["before", "after"]


async def test_a_busy_event_loop_is_no_absence_of_connections(postgres_url):
    """Of 60,000 calls that came together one failed: a new connection was there, and the loop late to hear of it."""
    async with PostgresDatabase.open(postgres_url, pool_size=2, pool_timeout=0.3) as database, database._connection():
        asked = asyncio.create_task(database.fetch("acme", "SELECT 1"))
        await asyncio.sleep(0)
        time.sleep(1)  # noqa: ASYNC251 - the loop is busy
        assert await asked == [(1,)]


async def test_a_lock_that_stays(database, superuser, postgres_url):
    """An append that waits too long for a thread's lock gives up, is undone by the server, and harms nobody."""
    scope = fresh_scope()
    await say(PostgresHistory(database), scope, "a")
    async with PostgresDatabase.open(postgres_url, statement_timeout=2) as impatient:
        history = PostgresHistory(impatient)
        async with superuser.transaction():
            await superuser.execute("SELECT FROM recuerdo.threads WHERE tenant = %s FOR UPDATE", (scope.tenant,))
            with pytest.raises(DatabaseUnavailable, match="idempotency key"):
                await say(history, scope, "lost")
            await say(history, fresh_scope(), "others go on")
        assert (await say(history, scope, "b")).first_seq == 2


async def test_cancelled_callers_leave_no_reply(database):
    """Callers who are cancelled at any moment leave no reply for the next one: everybody reads their own thread."""
    history = PostgresHistory(database)
    scopes = [fresh_scope() for _ in range(20)]
    for scope in scopes:
        await say(history, scope, scope.tenant)

    async def read(scope, patience):
        try:
            async with asyncio.timeout(patience):
                page = await history.page(scope, MessageQuery())
                tail = await history.tail(scope, 5)
                return texts(page.records) + texts(tail.records)
        except TimeoutError:
            return [scope.tenant] * 2

    for turn in range(30):
        readers = [read(scope, 0.0005 * ((turn + index) % 12)) for index, scope in enumerate(scopes)]
        for scope, answer in zip(scopes, await asyncio.gather(*readers), strict=True):
            assert answer == [scope.tenant] * 2
    for scope in scopes:
        assert texts((await history.page(scope, MessageQuery())).records) == [scope.tenant]


async def test_a_hung_server(postgres_server, postgres_url):
    """A server that hangs costs its callers their deadline and not more, and serves again when it goes on."""
    scope = fresh_scope()
    async with PostgresDatabase.open(postgres_url, statement_timeout=0.5, pool_timeout=0.5) as database:
        history = PostgresHistory(database)
        await say(history, scope, "a")
        postgres_server.pause()
        try:
            with pytest.raises(DatabaseUnavailable):
                await asyncio.wait_for(history.head(scope), 30)
        finally:
            postgres_server.resume()
        assert texts(await _once_it_is_back(history, scope)) == ["a"]


async def test_a_turn_at_a_hung_server_waits_for_its_first_questions_only(postgres_server, postgres_url):
    """A chat gives up what it asks at its beginning before the longest statement would end, and asks no more then."""
    scope = fresh_scope()
    async with PostgresDatabase.open(postgres_url, statement_timeout=600, read_timeout=0.5) as database:
        history, memories = PostgresHistory(database), PostgresMemories(database)
        await say(history, scope, "a")
        postgres_server.pause()
        try:
            async with asyncio.timeout(PATIENCE):
                first = [history.head(scope), history.tail(scope, 9), memories.state(scope.owner)]
                outcomes = await asyncio.gather(*first, return_exceptions=True)
                assert [type(outcome) for outcome in outcomes] == [DatabaseUnavailable] * len(first)
                with pytest.raises(DatabaseUnavailable):
                    await say(history, scope, "lost")
        finally:
            postgres_server.resume()
        assert texts(await _once_it_is_back(history, scope)) == ["a"]


async def test_a_statement_that_takes_too_long_makes_no_other_wait(postgres_url, monkeypatch):
    """The server answers others: one caller's large question is no reason to refuse theirs."""
    monkeypatch.setattr(breaker, "SECONDS_OF_LIFE", PATIENCE)  # however busy this machine is
    scope = fresh_scope()
    async with PostgresDatabase.open(postgres_url, read_timeout=3) as database:
        history = PostgresHistory(database)
        await say(history, scope, "a")
        slow = asyncio.create_task(database.fetch(scope.tenant, "SELECT pg_sleep(600)"))
        while not slow.done():
            await history.head(scope)
            await asyncio.sleep(0.02)
        with pytest.raises(DatabaseUnavailable):
            await slow
        assert texts((await history.page(scope, MessageQuery())).records) == ["a"]


@pytest.mark.parametrize("end", ["clear", "delete"])
async def test_a_large_thread_has_longer_to_be_erased(empty_postgres_url, monkeypatch, end):
    """Where that takes longer than a statement may, it would be tried for ever. A small thread has no longer."""
    monkeypatch.setattr(postgres_threads, "_ERASED_A_SECOND", 1)
    large, small = fresh_scope(), fresh_scope()
    async with PostgresDatabase.open(empty_postgres_url) as patient:
        history = PostgresHistory(patient)
        await say(history, large, *["a"] * PATIENCE)
        await say(history, small, "a")
        with psycopg.connect(empty_postgres_url, autocommit=True) as connection:
            connection.execute(
                "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql"
                " AS 'BEGIN PERFORM pg_sleep(4); RETURN NULL; END'"
            )
            connection.execute("CREATE TRIGGER wait AFTER DELETE ON recuerdo.messages EXECUTE FUNCTION wait()")
        async with PostgresDatabase.open(empty_postgres_url, statement_timeout=2) as database:
            erase = getattr(PostgresThreads(database), end)
            assert await erase(large, NOON)
            with pytest.raises(DatabaseUnavailable):
                await erase(small, NOON)
        assert texts((await history.page(large, MessageQuery())).records) == []
        assert texts((await history.page(small, MessageQuery())).records) == ["a"]


async def test_half_open_connections(postgres_server, postgres_url):
    """Nobody waits longer than the deadline for a server that is cut off without a word, however they ask it."""
    scope = fresh_scope()
    with running_proxy(postgres_server.port) as proxy:
        url = postgres_url.replace(f":{postgres_server.port}/", f":{proxy.port}/")
        async with PostgresDatabase.open(url, statement_timeout=1, pool_timeout=1) as database:
            history, threads = PostgresHistory(database), PostgresThreads(database)
            await say(history, scope, "a")
            proxy.hang()
            asked = [
                history.head(scope),
                history.page(scope, MessageQuery()),
                history.archive(scope, 1, 1, True),
                threads.changed(None, 1),
                say(history, scope, "lost"),
            ]
            async with asyncio.timeout(9):  # to cancel a statement on such a connection takes psycopg ten
                outcomes = await asyncio.gather(*asked, return_exceptions=True)
            assert [type(outcome) for outcome in outcomes] == [DatabaseUnavailable] * len(asked)
            assert all(outcome.retry_after > 0 for outcome in outcomes)
            await _is_not_waited_for_again(database, history, scope)
            proxy.heal()
            assert texts(await _once_it_is_back(history, scope)) == ["a"]


async def test_a_server_that_lets_nobody_in(postgres_server, postgres_url, monkeypatch):
    """Only the first of several questions waits for a connection that nobody has."""
    monkeypatch.setattr("recuerdo.concurrency.breaker.SECONDS_FOR_A_SUSPECT", 0.2)
    scope = fresh_scope()
    with running_proxy(postgres_server.port) as proxy:
        url = postgres_url.replace(f":{postgres_server.port}/", f":{proxy.port}/")
        async with PostgresDatabase.open(url, pool_timeout=0.3) as database:
            history = PostgresHistory(database)
            await say(history, scope, "a")
            proxy.cut()
            while not await _is_kept_out(history, scope):
                pass
            await _is_not_waited_for_again(database, history, scope)
            proxy.heal()
            assert texts(await _once_it_is_back(history, scope)) == ["a"]


async def _is_kept_out(history, scope):
    with pytest.raises(DatabaseUnavailable) as caught:
        await history.head(scope)
    return isinstance(caught.value.__cause__, PoolTimeout)


async def test_a_schema_that_is_gone_for_a_while(empty_postgres_url):
    """A caller is told to come again while a backup is restored, and needs nothing new after that."""
    scope = fresh_scope()
    async with (
        PostgresDatabase.open(empty_postgres_url) as database,
        await AsyncConnection.connect(empty_postgres_url, autocommit=True) as superuser,
    ):
        history, threads = PostgresHistory(database), PostgresThreads(database)
        await say(history, scope, "before")
        await superuser.execute("ALTER SCHEMA recuerdo RENAME TO away")
        for ask in (say(history, scope, "lost"), history.page(scope, MessageQuery()), threads.get(scope)):
            with pytest.raises(DatabaseUnavailable, match="recuerdo db"):
                await ask
        await superuser.execute("ALTER SCHEMA away RENAME TO recuerdo")
        await say(history, scope, "after")
        assert texts(await everything(history, scope)) == ["before", "after"]


async def test_a_statement_that_was_refused_when_it_was_to_be_prepared(empty_postgres_url):
    """It is asked anew as soon as it can be answered, however often it had been asked before it was refused."""
    rename = "ALTER TABLE recuerdo.threads RENAME TO away", "ALTER TABLE recuerdo.away RENAME TO threads"
    async with (
        PostgresDatabase.open(empty_postgres_url, pool_size=1) as database,
        await AsyncConnection.connect(empty_postgres_url, autocommit=True) as superuser,
    ):
        for _ in range(8):
            await database.fetch("tenant", "SELECT count(*) FROM recuerdo.threads")
            await superuser.execute(rename[0])
            with pytest.raises(DatabaseUnavailable):
                await database.fetch("tenant", "SELECT count(*) FROM recuerdo.threads")
            await superuser.execute(rename[1])


async def _is_not_waited_for_again(database, history, scope):
    """A call to a server that has just let a deadline pass does not wait for a whole one, however long that is."""
    database._statement_timeout = database._pool_timeout = 600
    async with asyncio.timeout(PATIENCE):
        for ask in (lambda: history.head(scope), lambda: history.page(scope, MessageQuery())):
            with pytest.raises(DatabaseUnavailable):
                await ask()


async def _once_it_is_back(history, scope):
    """The messages of the thread, as soon as the pool has a connection again."""
    while True:
        try:
            return (await history.page(scope, MessageQuery())).records
        except DatabaseUnavailable:
            await asyncio.sleep(0.1)


async def test_a_closed_database(postgres_url):
    """Using the database after its block is an error that says so."""
    async with PostgresDatabase.open(postgres_url) as database:
        pass
    with pytest.raises(DatabaseUnavailable, match="closed"):
        await PostgresHistory(database).head(fresh_scope())


async def test_idle_connections_are_given_back(postgres_url, superuser):
    """When the database is closed, none of its connections stays on the server."""

    async def connections() -> set[int]:
        named = "SELECT pid FROM pg_stat_activity WHERE application_name = 'recuerdo' AND datname = current_database()"
        return {pid for (pid,) in await (await superuser.execute(named)).fetchall()}

    of_others = await connections()
    async with PostgresDatabase.open(postgres_url) as database:
        history = PostgresHistory(database)
        await asyncio.gather(*[history.head(fresh_scope()) for _ in range(10)])
        assert await connections() - of_others
    deadline = time.monotonic() + 60
    while await connections() - of_others:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)


async def test_clears_leave_no_orphans(history, threads, superuser):
    """However appends, archivings and clears meet, no message and no key of an erased epoch stays in the tables."""
    scope = fresh_scope()

    async def write():
        for number in range(40):
            with suppress(AlreadyErased):
                await commit(history, request(scope, said(), key=f"{number}"))

    async def erase():
        for number in range(20):
            await history.archive(scope, 1, 5, number % 2 == 0)
            await threads.clear(scope, NOON)

    await asyncio.gather(write(), write(), write(), erase(), erase())
    epoch = (await history.head(scope)).version.epoch
    for table in ("messages", "idempotency_keys"):
        cursor = await superuser.execute(
            f"SELECT DISTINCT epoch FROM recuerdo.{table} WHERE tenant = %s", (scope.tenant,)
        )
        assert {found for (found,) in await cursor.fetchall()} <= {epoch}


@pytest.mark.parametrize("many", [False, True], ids=["one", "many"])
async def test_an_append_whose_answer_is_cut_off_may_be_stored_and_says_so(postgres_url, history, many):
    """12 of 12 say that it is unknown, and all are stored; repeated with their keys they are found."""
    scope, url = fresh_scope(), conninfo_to_dict(postgres_url)
    with running_proxy(int(str(url["port"]))) as proxy:
        async with PostgresDatabase.open(make_conninfo(postgres_url, port=proxy.port)) as database:
            cut = PostgresHistory(database)
            appends = [request(scope, *map(said, "ab"[: 1 + many]), key=f"k-{number}") for number in range(12)]
            proxy.cut_answers_to(scope.tenant.encode())
            for append in appends:
                with pytest.raises(OutcomeUnknown, match="unknown"):
                    await commit(cut, append)
            assert proxy.cuts == 12
            proxy.heal()
            assert len(await everything(history, scope)) == 12 * (1 + many)
            assert all([(await commit(cut, append)).replayed for append in appends])


async def test_small_writes_whose_answers_are_cut_off_may_be_stored_and_say_so(postgres_url):
    """A title, and a session: each is one statement, which is stored."""
    scope, url = fresh_scope(), conninfo_to_dict(postgres_url)
    session = Session(scope.tenant, scope.user, "s", scope.thread, "recuerdo", NOON, NOON, "1")
    with running_proxy(int(str(url["port"]))) as proxy:
        async with PostgresDatabase.open(make_conninfo(postgres_url, port=proxy.port)) as database:
            threads, sessions = PostgresThreads(database), PostgresSessions(database)
            await commit(PostgresHistory(database), request(scope, said("a")))
            proxy.cut_answers_to(scope.tenant.encode())
            for write in (partial(threads.rename, scope, "Un viaje"), partial(sessions.save, session, None)):
                with pytest.raises(OutcomeUnknown):
                    await write()
            proxy.heal()
            assert (await threads.get(scope)).title == "Un viaje"
            assert await sessions.find(scope.tenant, "s") == session


@pytest.mark.parametrize("thread", ["new", "seen as new", "old"])
async def test_a_chat_turn_whose_message_is_stored_without_an_answer_keeps_its_reply(postgres_url, thread):
    """The message is there once, and so is its reply, without an idempotency key."""
    url, scope = conninfo_to_dict(postgres_url), fresh_scope()
    with running_proxy(int(str(url["port"]))) as proxy:
        async with Recuerdo.open(
            postgres_url.replace(f":{url['port']}/", f":{proxy.port}/"), embeddings="none"
        ) as memory:
            if thread == "old":
                await memory.history.append(scope, [Message.user("before")])
            seen = 0 if thread == "seen as new" else None
            stream = memory.chat.stream(scope, "I live in Graz.", expected_epoch=seen)
            proxy.cut_answers_to(b"I live in Graz.")
            assert isinstance(started := await anext(stream), Started)
            assert (started.history, proxy.cuts) == ("unavailable", 1)
            proxy.heal()
            *_, finished = [event async for event in stream]
            assert isinstance(finished, Finished)
            stored = await memory.history.read(scope)
            assert [m.id for m in stored][-2:] == [started.message.id, finished.reply.reply.id]
            assert len(stored) == 2 + (thread == "old")


@pytest.mark.parametrize("user", ["emi", ANONYMOUS])
async def test_a_message_that_is_stored_without_an_answer_stays_cleared(postgres_url, user):
    """In a new thread and without a key, too: an append that comes late finds the thread in another epoch."""
    url, scope = conninfo_to_dict(postgres_url), fresh_scope()
    scope = Scope(scope.tenant, user, scope.thread)
    with running_proxy(int(str(url["port"]))) as proxy:
        async with Recuerdo.open(
            postgres_url.replace(f":{url['port']}/", f":{proxy.port}/"), embeddings="none"
        ) as memory:
            stream = memory.chat.stream(scope, "I live in Graz.")
            proxy.cut_answers_to(b"I live in Graz.")
            assert isinstance(await anext(stream), Started)
            proxy.heal()
            assert [m.text for m in await memory.history.read(scope)] == ["I live in Graz."]
            await memory.history.clear(scope)
            *_, finished = [event async for event in stream]
            assert isinstance(finished, Finished)
            assert finished.reply.history == "unavailable"
            assert await memory.history.read(scope) == []


async def test_a_clear_whose_commit_is_not_answered_is_unknown(postgres_url, history):
    """A failure before the commit is sent changes nothing, and says so; a lost answer to the commit does not."""
    scope, url = fresh_scope(), conninfo_to_dict(postgres_url)
    await say(history, scope, "x")
    with running_proxy(int(str(url["port"]))) as proxy:
        async with PostgresDatabase.open(make_conninfo(postgres_url, port=proxy.port)) as database:
            threads = PostgresThreads(database)
            proxy.cut_answers_to(b"DELETE FROM recuerdo.messages")
            with pytest.raises(DatabaseUnavailable) as before:
                await threads.clear(scope, NOON)
            assert (type(before.value), texts(await everything(history, scope))) == (DatabaseUnavailable, ["x"])
            proxy.cut_answers_to(b"COMMIT")
            with pytest.raises(OutcomeUnknown):
                await threads.clear(scope, NOON)
            assert await everything(history, scope) == []


async def _refused(history, scope, *texts_of_it):
    """The class of the error that an append ends with."""
    with pytest.raises(DatabaseUnavailable) as raised:
        await say(history, scope, *texts_of_it)
    return type(raised.value)


async def test_a_server_that_refuses_connections_has_stored_nothing(postgres_url, history):
    """So say appends, alone and together, once the connections that were there before are known to be gone."""
    scope, url = fresh_scope(), conninfo_to_dict(postgres_url)
    with running_proxy(int(str(url["port"]))) as proxy:
        async with PostgresDatabase.open(make_conninfo(postgres_url, port=proxy.port), pool_timeout=1) as database:
            cut = PostgresHistory(database)
            await say(cut, scope, "before")
            proxy.cut()
            # The ends of connections that were there before may be heard only once something was sent.
            while await _refused(cut, scope, "x") is OutcomeUnknown:
                pass
            for texts_of_it in (["a"], ["b", "c"], ["d"]):
                assert await _refused(cut, scope, *texts_of_it) is DatabaseUnavailable
    assert texts(await everything(history, scope)) == ["before"]

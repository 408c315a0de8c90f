"""Values in the indexes of threads: minutes and many transactions at a time, so that appends leave them alone."""

from datetime import timedelta

import psycopg
import pytest

from recuerdo.adapters.postgres import PostgresDatabase, PostgresHistory, PostgresPassages, PostgresThreads, migrations
from recuerdo.core.scope import Owner
from recuerdo.core.threads import BEGINNING
from recuerdo.testing.clock import NOON
from recuerdo.testing.samples import commit, fresh_scope, request, said

_APPEND_ONE = (
    "SELECT recuerdo.append_message("
    "'recuerdo_app', %s, 'u', 't', '', %s, NULL, %s, 'user', now(), '{}', NULL, NULL, '')"
)
_APPEND_MANY = (
    "SELECT recuerdo.append_messages('recuerdo_app', %s, '{u}', '{t}', '{1}', '{\"\"}', %s, %s, '{NULL}', '{NULL}',"
    " '{1}', '{1}', %s, '{user}', '{now}', '{\"{}\"}', '{NULL}', '{}', '{}', '{}', '{}', '{}')"
)


@pytest.mark.parametrize("function", ["append_message", "append_messages"])
async def test_appends_of_a_minute_leave_the_indexes_alone(database, superuser, function):
    """Of four appends within a minute the three that find the thread are HOT updates, which touch no index."""
    tenant = fresh_scope().tenant
    async with superuser.transaction():
        for second in range(4):
            at, name = NOON + timedelta(seconds=second), f"m-{second}"
            if function == "append_message":
                await superuser.execute(_APPEND_ONE, (tenant, at, name))
            else:
                await superuser.execute(_APPEND_MANY, ([tenant], [at], [at], [name]))
        cursor = await superuser.execute(
            "SELECT pg_stat_get_xact_tuples_updated(oid), pg_stat_get_xact_tuples_hot_updated(oid)"
            " FROM pg_class WHERE oid = 'recuerdo.threads'::regclass"
        )
        assert await cursor.fetchone() == (3, 3)


async def test_changes_across_a_power_of_ten(empty_postgres_url):
    """Changes come in the order of their transactions' numbers: page by page, those of 9 and 10 too."""
    async with PostgresDatabase.open(empty_postgres_url) as database:
        history, threads, scope = PostgresHistory(database), PostgresThreads(database), fresh_scope()
        for number in (9, 10, 99, 100):
            await commit(history, request(scope.owner.thread(str(number)), said()))
        async with await psycopg.AsyncConnection.connect(empty_postgres_url, autocommit=True) as superuser:
            await superuser.execute("UPDATE recuerdo.threads SET changed = thread::xid8")
        seen, mark = list[str](), BEGINNING
        while (changes := await threads.changed(mark, 1)).heads:
            seen += [scope.thread for scope in changes.heads]
            mark = changes.mark
        assert seen == ["9", "10", "99", "100"]


async def test_a_transaction_that_began_before_a_mark_and_ends_after_it_is_seen(database, superuser):
    """The heads that changed since the mark have its thread, once; with a mark of another server's all heads come."""
    owner, passages, history = fresh_scope().owner, PostgresPassages(database), PostgresHistory(database)
    for name in ("a", "b"):
        await commit(history, request(owner.thread(name), said()))
    async with superuser.transaction():
        await superuser.execute(
            "UPDATE recuerdo.threads SET last_seq = 7, changed = pg_current_xact_id()"
            " WHERE tenant = %s AND thread = 'a'",
            (owner.tenant,),
        )
        await commit(history, request(owner.thread("b"), said()))
        mark = (await passages.heads(owner)).mark
    changed = await passages.heads(owner, since=mark)
    assert {name: head.version.seq for name, head in changed.heads.items()} == {"a": 7}
    assert (await passages.heads(owner, since=changed.mark)).heads == {}
    ahead = await passages.heads(owner, since="9000000000:9000000000:")
    assert (ahead.since, {*ahead.heads}) == (None, {"a", "b"})


async def test_threads_of_the_version_before(empty_postgres_url, monkeypatch):
    """Threads from before there were minutes are listed and swept, and so is what the version before writes."""
    scripts = [
        script._replace(
            name=f"{script.name}-before", text=script.text.replace(b"changed_about", b"0::bigint AS changed_about")
        )
        if b"changed_about" in script.text
        else script
        for script in migrations._scripts()
        if script.name not in ("0100_thread_minutes.sql", "0386_changes_of_owners.sql")
    ]
    monkeypatch.setattr(migrations, "_scripts", lambda: scripts)
    owner, names = Owner("acme", "emi"), [f"t-{number}" for number in range(5)]
    async with PostgresDatabase.open(empty_postgres_url) as before:
        history = PostgresHistory(before)
        for number, name in enumerate(names):
            await commit(history, request(owner.thread(name), said(), at=NOON - timedelta(seconds=40 * number)))
        monkeypatch.undo()
        async with PostgresDatabase.open(empty_postgres_url) as database:
            threads = PostgresThreads(database)
            assert await _listed(threads, owner) == names
            assert {scope.thread for scope in (await threads.changed(BEGINNING, 50)).heads} == set(names)
            mark = (await threads.changed(None, 50)).mark
            await PostgresThreads(before).clear(owner.thread("t-3"), NOON + timedelta(minutes=1))
            await commit(history, request(owner.thread("t-4"), said(), at=NOON + timedelta(minutes=2)))
            assert await _listed(threads, owner) == ["t-4", "t-3", "t-0", "t-1", "t-2"]
            assert {scope.thread for scope in (await threads.changed(mark, 50)).heads} == {"t-3", "t-4"}


async def _listed(threads, owner) -> list[str]:
    """Two at a time."""
    page = await threads.select(owner, 2)
    names = [thread.id for thread in page.threads]
    while page.cursor is not None:
        page = await threads.select(owner, 2, page.cursor)
        names += [thread.id for thread in page.threads]
    return names

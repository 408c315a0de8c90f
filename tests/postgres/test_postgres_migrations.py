"""Migrations, and the roles they make."""

import asyncio
import subprocess
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

from recuerdo import Message, Recuerdo
from recuerdo.adapters.postgres import (
    PostgresDatabase,
    PostgresDocuments,
    PostgresHistory,
    PostgresSessions,
    PostgresSignals,
    PostgresThreads,
)
from recuerdo.adapters.postgres.migrations import APP_ROLE, migrate, pending
from recuerdo.core.contexts import Session
from recuerdo.core.documents import Decision, Document
from recuerdo.core.errors import ConfigurationError, DatabaseUnavailable
from recuerdo.core.threads import ABSENT, BEGINNING
from recuerdo.testing.samples import commit, fresh_scope, request, said, say
from servers.preloaded import python

_OPEN = """
import asyncio, sys
from recuerdo.adapters.postgres import PostgresDatabase, PostgresHistory
from recuerdo.core.scope import Scope

async def main():
    async with PostgresDatabase.open(sys.argv[1], pool_timeout=60, statement_timeout=60) as database:
        await PostgresHistory(database).head(Scope("tenant", "user", "thread"))

asyncio.run(main())
"""


async def test_migrations_run_once(empty_postgres_url):
    """All scripts are pending on an empty database, run in the order of their names, and then none is pending."""
    async with await psycopg.AsyncConnection.connect(empty_postgres_url, autocommit=True) as connection:
        before = await pending(connection)
        assert before == sorted(before)
        assert before[0].startswith("0001_")
        assert await migrate(connection) == before
        assert await migrate(connection) == []
        assert await pending(connection) == []


async def test_functions_are_replaced_when_their_text_has_changed(empty_postgres_url):
    async with await psycopg.AsyncConnection.connect(empty_postgres_url, autocommit=True) as connection:
        [reads] = [name for name in await migrate(connection) if name.startswith("functions/reads.sql")]
        await connection.execute("DROP FUNCTION recuerdo.head")
        await connection.execute(
            "UPDATE recuerdo.migrations SET name = 'functions/reads.sql 12345678' WHERE name = %s", (reads,)
        )
        assert await migrate(connection) == [reads]
    async with PostgresDatabase.open(empty_postgres_url) as database:
        assert await PostgresHistory(database).head(fresh_scope()) == ABSENT


async def test_a_version_that_was_rolled_back_to_leaves_the_functions_of_the_newer_one(empty_postgres_url):
    """Or they would be gone for good: the newer version never runs them again."""
    async with await psycopg.AsyncConnection.connect(empty_postgres_url, autocommit=True) as connection:
        await migrate(connection)
        await connection.execute("UPDATE recuerdo.migrations SET name = name || 'f' WHERE name LIKE 'functions/%'")
        await connection.execute("INSERT INTO recuerdo.migrations (name) VALUES ('9999_newer.sql')")
        assert await pending(connection) == []


def test_migrations_of_six_processes(empty_postgres_url):
    """Six processes that start on an empty database at the same moment all come up."""
    command = [python(), "-c", _OPEN, empty_postgres_url]
    processes = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(6)]
    outcomes = [(process.communicate(timeout=60)[1], process.returncode) for process in processes]
    assert not any(code for _, code in outcomes), "\n".join(error for error, _ in outcomes)


async def test_migrations_in_one_process(empty_postgres_url):
    """Tasks that open an empty database at the same moment all succeed."""

    async def use():
        async with PostgresDatabase.open(empty_postgres_url) as database:
            await say(PostgresHistory(database), fresh_scope(), "hello")

    await asyncio.gather(*[use() for _ in range(5)])


@pytest.fixture
def roles(empty_postgres_url):
    """Make login roles; they are dropped behind the test, with what they own."""
    made = []

    def make(name, options="", *, owner=False):
        url = urlsplit(empty_postgres_url)
        with psycopg.connect(empty_postgres_url, autocommit=True) as connection:
            connection.execute(f"CREATE ROLE {name} LOGIN PASSWORD 'secret' {options}")
            if owner:
                connection.execute(f"ALTER DATABASE {url.path[1:]} OWNER TO {name}")
        made.append(name)
        return urlunsplit(url._replace(netloc=f"{name}:secret@{url.hostname}:{url.port}"))

    yield make
    with psycopg.connect(empty_postgres_url, autocommit=True) as connection:
        for name in made:
            connection.execute(f"REASSIGN OWNED BY {name} TO postgres")
            connection.execute(f"DROP OWNED BY {name}")
            connection.execute(f"DROP ROLE {name}")


@pytest.fixture
def no_app_role(empty_postgres_url):
    """Hide the app role of other databases on the server."""
    with psycopg.connect(empty_postgres_url, autocommit=True) as connection:
        exists = connection.execute("SELECT FROM pg_roles WHERE rolname = %s", (APP_ROLE,)).rowcount
        if exists:
            connection.execute(f"ALTER ROLE {APP_ROLE} RENAME TO hidden_app")
        yield
        connection.execute(f"DROP ROLE IF EXISTS {APP_ROLE}")
        if exists:
            connection.execute(f"ALTER ROLE hidden_app RENAME TO {APP_ROLE}")


async def test_an_owner_without_powers(roles, no_app_role):
    """An owner that may not make roles migrates and serves as itself: FORCE binds owners too."""
    url = roles("plain_owner", owner=True)
    async with PostgresDatabase.open(url) as database:
        assert database.role == "plain_owner"
        await say(PostgresHistory(database), fresh_scope(), "hello")
        async with database.transaction([]) as connection:
            assert await (await connection.execute("SELECT count(*) FROM recuerdo.messages")).fetchone() == (0,)


async def sweep_everything(database):
    """Sweepers see the keys of what a tenant has, and remove what they may, though row-level security binds them."""
    gone, kept, at = fresh_scope(), fresh_scope(), datetime(2026, 1, 1, tzinfo=UTC)
    history, threads = PostgresHistory(database), PostgresThreads(database)
    await commit(history, request(gone, said("hello"), key="k"))
    await threads.delete(gone, at)
    await say(history, kept, "hello")
    assert {gone, kept} <= (await threads.changed(BEGINNING, 100)).heads.keys()
    assert kept.owner in await threads.owners(kept.tenant, 10)
    assert await threads.forget_keys(at + timedelta(days=1)) == 1
    assert gone not in (await threads.changed(BEGINNING, 100)).heads

    sessions = PostgresSessions(database)
    await sessions.save(Session(kept.tenant, kept.user, "s", "t", "a", at, at, "stamp"), None)
    assert await sessions.sweep(at, 10) == 1

    documents = PostgresDocuments(database, PostgresSignals(database))
    run = Document("run", "r", "t", b'{"of": "kept"}', open=True, due=at)
    await documents.change(kept.owner, "t", [], lambda _: Decision(None, [run]))
    assert await documents.due("run", at, 10) == [(kept.owner, run)]
    assert await documents.count_due("run", at) == 1


async def test_an_owner_that_makes_roles(roles, no_app_role, empty_postgres_url):
    """An owner that may make roles makes the app role and serves as that."""
    url = roles("making_owner", "CREATEROLE", owner=True)
    try:
        async with PostgresDatabase.open(url) as database:
            assert database.role == APP_ROLE
            await say(PostgresHistory(database), fresh_scope(), "hello")
            await sweep_everything(database)
    finally:
        with psycopg.connect(empty_postgres_url, autocommit=True) as connection:
            connection.execute(f"DROP OWNED BY {APP_ROLE}")


async def test_an_app_that_does_not_migrate(roles, empty_postgres_url):
    """A role that may not change tables is told to have them upgraded, and serves once they are."""
    url = roles("app_login")
    with pytest.raises(ConfigurationError, match="recuerdo db upgrade"):
        async with PostgresDatabase.open(url):
            pass
    async with PostgresDatabase.open(empty_postgres_url):
        pass
    with psycopg.connect(empty_postgres_url, autocommit=True) as connection:
        connection.execute(f"GRANT {APP_ROLE} TO app_login")
    async with PostgresDatabase.open(url) as database:
        assert database.role == APP_ROLE
        await say(PostgresHistory(database), fresh_scope(), "hello")


@pytest.mark.parametrize("interrupted", [False, True])
async def test_an_index_that_an_operator_built_before_is_kept(empty_postgres_url, interrupted):
    """One that was left invalid, since its building was interrupted, is built again."""
    index = "SELECT indexrelid, indisvalid FROM pg_index WHERE indexrelid = 'recuerdo.messages_by_time'::regclass"
    async with PostgresDatabase.open(empty_postgres_url):
        pass
    with psycopg.connect(empty_postgres_url, autocommit=True) as superuser:
        superuser.execute("DELETE FROM recuerdo.migrations WHERE name = '0370_messages_by_time.sql'")
        superuser.execute("DROP INDEX recuerdo.messages_by_time")
        superuser.execute("CREATE INDEX CONCURRENTLY messages_by_time ON recuerdo.messages (epoch, created_at)")
        if interrupted:
            superuser.execute(
                "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'recuerdo.messages_by_time'::regclass"
            )
        before = superuser.execute(index).fetchone()
        async with PostgresDatabase.open(empty_postgres_url):
            pass
        after = superuser.execute(index).fetchone()
    assert after[1]
    assert (after == before) is not interrupted


async def test_threads_from_before_are_marked_if_they_have_messages_dated_ahead(empty_postgres_url):
    async with Recuerdo.open(empty_postgres_url, embeddings="none") as memory:
        for thread, days in (("now", 0), ("ahead", 1)):
            said = Message.user("hola", created_at=datetime.now(UTC) + timedelta(days=days))
            await memory.thread(tenant="acme", user="emi", thread=thread).append(said)
    with psycopg.connect(empty_postgres_url, autocommit=True) as superuser:
        superuser.execute("DELETE FROM recuerdo.migrations WHERE name = '0390_messages_dated_ahead.sql'")
        superuser.execute("ALTER TABLE recuerdo.threads DROP COLUMN dated_ahead CASCADE")
        async with PostgresDatabase.open(empty_postgres_url):
            pass
        marked = superuser.execute("SELECT thread FROM recuerdo.threads WHERE dated_ahead").fetchall()
    assert marked == [("ahead",)]


@pytest.mark.parametrize(
    ("spoilt_by", "problem"),
    [
        ("CREATE SCHEMA recuerdo; CREATE TABLE recuerdo.threads ()", 'relation "threads" already exists'),
        ("CREATE SCHEMA recuerdo; CREATE TABLE recuerdo.migrations ()", 'column "name" does not exist'),
        ("SET default_transaction_read_only = on", "read-only transaction"),
    ],
)
async def test_tables_that_can_not_be_used(empty_postgres_url, spoilt_by, problem):
    """An unsuitable database is an error of one line, with what is needed instead."""
    with psycopg.connect(empty_postgres_url, autocommit=True) as connection:
        connection.execute(spoilt_by.replace("SET ", f"ALTER DATABASE {connection.info.dbname} SET "))
    with pytest.raises(ConfigurationError, match=f"{problem}.*needs a schema"):
        async with PostgresDatabase.open(empty_postgres_url):
            pass


async def test_a_role_that_may_do_nothing(roles, empty_postgres_url):
    """A role that may not even look at the tables is told of the role that it should be a member of."""
    async with PostgresDatabase.open(empty_postgres_url):
        pass
    with pytest.raises(ConfigurationError, match=f"permission denied.*{APP_ROLE}"):
        async with PostgresDatabase.open(roles("outsider")):
            pass


async def test_a_role_that_nothing_binds(roles, no_app_role):
    """A role that bypasses row-level security and can't become another is refused, with the remedy."""
    url = roles("unbound", "BYPASSRLS", owner=True)
    with pytest.raises(ConfigurationError, match="CREATE ROLE recuerdo_app"):
        async with PostgresDatabase.open(url):
            pass


async def test_an_unreachable_server():
    """A server that is not there is named, without the password."""
    with pytest.raises(DatabaseUnavailable, match=r"127\.0\.0\.1:1 ") as caught:
        async with PostgresDatabase.open("postgresql://user:secret@127.0.0.1:1/db"):
            pass
    assert "secret" not in str(caught.value)


async def test_a_broken_url():
    """A URL that can't be read is a ConfigurationError."""
    with pytest.raises(ConfigurationError):
        async with PostgresDatabase.open("postgresql://host:port:/x?nonsense=1"):
            pass

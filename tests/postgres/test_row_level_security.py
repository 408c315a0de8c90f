"""Row-level security: what keeps tenants apart should a query of ours ever forget to."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from psycopg.errors import InsufficientPrivilege

from recuerdo.adapters.postgres import PostgresApiKeys, PostgresHistory
from recuerdo.adapters.postgres import history as history_module
from recuerdo.core.api_keys import issue
from recuerdo.core.scope import Owner
from recuerdo.core.threads import MessageQuery
from recuerdo.testing.samples import commit, fresh_scope, request, said, say

CHECKPOINTS = ("checkpoint_threads", "checkpoints", "checkpoint_writes", "checkpoint_segments", "checkpoint_values")
ITEMS = ("store_items", "store_entries")
LEDGER = ("memory_owners", "memory_changes")
TABLES = (
    *("threads", "messages", "idempotency_keys", "spent_keys", "memories", "passage_vectors", "api_keys", "documents"),
    *("library_documents", "document_chunks", "library_versions", "sessions", "audit", "data_keys", "thread_fields"),
    *(*CHECKPOINTS, *ITEMS, *LEDGER),
)


SWEPT = {
    "swept_threads": "tenant user thread epoch last_seq revision deleted changed changed_about",
    "swept_tombstones": "user thread updated_at",
    "swept_documents": "tenant user kind id due",
    "swept_memories": "tenant user id expires_at",
    "swept_memory_owners": "tenant user",
    "swept_items": "tenant user expires_at",
    "swept_checkpoint_threads": "tenant user",
    "swept_keys": "digest spent_at",
    "swept_sessions": "session expires_at",
    "swept_data_keys": "tenant number",
    "swept_audit": "id at",
}
"""The views of sweepers, and their columns."""


@pytest.mark.parametrize("table", TABLES)
async def test_rls_is_forced_on_every_table(superuser, database, table):
    """Every table that has a tenant is under row-level security, for its owner too."""
    cursor = await superuser.execute(
        "SELECT relrowsecurity, relforcerowsecurity FROM pg_class WHERE oid = %s::regclass", (f"recuerdo.{table}",)
    )
    assert await cursor.fetchone() == (True, True)


@pytest.fixture
def postgres_url(encrypted_postgres_url):
    """Not the one that others open without a key: these tests put rows into every table, that of data keys too."""
    return encrypted_postgres_url


async def test_rls_covers_all_tables(superuser, database):
    """No table is left out but the list of migrations, which has no tenant."""
    cursor = await superuser.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'recuerdo'")
    assert {name for (name,) in await cursor.fetchall()} == {*TABLES, "migrations"}


async def test_rls_without_a_where(database, history):
    """A query that forgot its WHERE still sees nothing foreign."""
    mine, foreign = fresh_scope(), fresh_scope()
    for scope in (mine, foreign):
        await commit(history, request(scope, said("x"), key="k"))
    for table in ("threads", "messages", "idempotency_keys"):
        rows = await database.fetch(mine.tenant, f"SELECT DISTINCT tenant FROM recuerdo.{table}")
        assert rows == [(mine.tenant,)]


async def test_rls_without_the_tenant_in_a_page(history, monkeypatch):
    """The page query asked for somebody else's tenant answers as if that thread did not exist."""
    mine, foreign = fresh_scope(), fresh_scope()
    await say(history, foreign, "secret")
    monkeypatch.setattr(
        history_module,
        "_PAGE",
        history_module._PAGE.replace("t.tenant = %(tenant)s AND ", "").replace("tenant = %(tenant)s", "true"),
    )
    assert (await history.page(mine, MessageQuery())).records == []


async def test_rls_unset_shows_nothing(database, history):
    """A transaction that names no tenant sees nothing and can write nothing."""
    scope = fresh_scope()
    await say(history, scope, "x")
    async with database.transaction([]) as connection:
        for table in TABLES:
            cursor = await connection.execute(f"SELECT count(*) FROM recuerdo.{table}")
            assert await cursor.fetchone() == (0,)
        assert (await connection.execute("DELETE FROM recuerdo.messages")).rowcount == 0
    with pytest.raises(InsufficientPrivilege):
        async with database.transaction([]) as connection:
            await connection.execute(
                "INSERT INTO recuerdo.messages VALUES (%s, 1, 1, 'm', 'user', now(), false, '{}')", (scope.tenant,)
            )


async def test_rls_after_a_commit(database, history):
    """On a connection that served a tenant, the next transaction starts bound, and without a tenant sees nothing."""
    await say(history, fresh_scope(), "x")
    async with database._connection() as connection:
        cursor = await connection.execute(
            "SELECT current_user, nullif(current_setting('recuerdo.tenants', true), ''),"
            " (SELECT count(*) FROM recuerdo.messages)"
        )
        assert await cursor.fetchone() == ("recuerdo_app", None, 0)


async def test_rls_binds_what_we_serve_as(database, history):
    """Requests are served as a role that row-level security binds, though the URL's is a superuser."""
    [row] = await database.fetch(
        fresh_scope().tenant,
        "SELECT current_user, row_security_active('recuerdo.messages'), rolbypassrls OR rolsuper"
        " FROM pg_roles WHERE rolname = current_user",
    )
    assert row == ("recuerdo_app", True, False)


async def test_rls_of_the_hot_functions(superuser, database, history):
    """The functions become the app role before they touch a table: a superuser's call sees one tenant, and no more."""
    scope = fresh_scope()
    await say(history, scope, "x")
    cursor = await superuser.execute(
        "SELECT recuerdo.head('recuerdo_app', %s, %s, %s), current_user", (scope.tenant, scope.user, scope.thread)
    )
    epoch = (await history.head(scope)).version.epoch
    assert await cursor.fetchone() == (f"{epoch}.1.0", "recuerdo_app")


async def test_rls_of_a_batch(database):
    """A batch over tenants names exactly those: rows of another tenant are refused."""
    mine, foreign = fresh_scope(), fresh_scope()
    history = PostgresHistory(database)
    outcomes = await history.append([request(mine, said("a")), request(foreign, said("b"))])
    assert [outcome.version.seq for outcome in outcomes] == [1, 1]
    async with database.transaction([mine.tenant]) as connection:
        cursor = await connection.execute("UPDATE recuerdo.threads SET title = 'mine' RETURNING tenant")
        assert await cursor.fetchall() == [(mine.tenant,)]


async def test_rls_odd_tenant_names(history):
    """Tenants whose names look like array syntax stay apart."""
    from recuerdo.core.scope import Scope

    names = ["{a,b}", "a,b", '"a"', "a\\", "NULL", "null", "a'b", "*", "{}", " a "]
    base = fresh_scope().tenant
    scopes = [Scope(base + name, "u", "t") for name in names] + [Scope(name + base, "u", "t") for name in names]
    await history.append([request(scope, said(scope.tenant)) for scope in scopes])
    for scope in scopes:
        [record] = (await history.page(scope, MessageQuery())).records
        assert scope.tenant.replace("\\", "\\\\").replace('"', '\\"').encode() in record.body


@pytest.mark.parametrize("table", TABLES)
async def test_rls_sweeping_shows_no_row_of_any_table(database, superuser, history, table):
    """The setting of sweepers opens the views of keys, and no table: nobody who can set it reads a text."""
    await fill_every_swept_table(superuser)
    async with database.transaction([], sweeping=True) as connection:
        cursor = await connection.execute(f"SELECT count(*) FROM recuerdo.{table}")
        assert await cursor.fetchone() == (0,)


async def test_rls_the_views_of_sweepers_hold_keys_and_times(database, superuser, history):
    """Sweepers see the columns that name things and say when, and nothing else; without sweeping no row."""
    await fill_every_swept_table(superuser)
    cursor = await superuser.execute(
        "SELECT table_name, string_agg(column_name, ' ' ORDER BY ordinal_position)"
        " FROM information_schema.views JOIN information_schema.columns USING (table_schema, table_name)"
        " WHERE table_schema = 'recuerdo' GROUP BY table_name"
    )
    assert dict(await cursor.fetchall()) == SWEPT
    for sweeping in (True, False):
        async with database.transaction([], sweeping=sweeping) as connection:
            for view in SWEPT.keys() - {"swept_tombstones"}:
                cursor = await connection.execute(f"SELECT count(*) > 0 FROM recuerdo.{view}")
                assert await cursor.fetchone() == (sweeping,), view


async def test_rls_sweepers_change_only_what_they_may(database, superuser, history):
    """Sweepers take names from tombstones and remove spent keys and sessions; all else is refused."""
    await fill_every_swept_table(superuser)
    allowed = {("UPDATE", "swept_tombstones"), ("DELETE", "swept_keys"), ("DELETE", "swept_sessions")}
    allowed |= {("DELETE", "swept_audit")}
    cursor = await superuser.execute(
        "SELECT privilege_type, table_name FROM information_schema.role_table_grants"
        " WHERE grantee = 'recuerdo_app' AND table_name LIKE 'swept\\_%' AND privilege_type <> 'SELECT'"
    )
    assert {*await cursor.fetchall()} == allowed


async def fill_every_swept_table(superuser):
    """A row of a stranger in every table that sweepers look through."""
    owner = f"('{uuid4()}', 'u'"
    for statement in (
        f"threads VALUES {owner}, 't', nextval('recuerdo.epochs'), 1, 0, 'secret', now(), now())",
        f"documents (tenant, \"user\", kind, id, family, open, due, body, about) VALUES {owner}, 'run', 'r', 't',"
        " true, now(), '{}', '{}')",
        f'memories (tenant, "user", id, kind, text, source, trust, created_at, updated_at, expires_at)'
        f" VALUES {owner}, 'm', 'semantic', 'secret', '{{}}', 1, now(), now(), now())",
        f'store_items (tenant, "user", namespace, key, value, created_at, updated_at, expires_at)'
        f" VALUES {owner}, 'n.', 'k', '\"secret\"', now(), now(), now())",
        f"memory_owners VALUES {owner}, 0, 0)",
        f"checkpoint_threads (tenant, \"user\", thread, key) VALUES {owner}, 't', nextval('recuerdo.epochs'))",
        f"audit VALUES ('{uuid4()}', now() - interval '31 days', 'e', 'u', 'key.created', '{{}}')",
        f"data_keys VALUES ('{uuid4()}', 1, '{uuid4()}', 'm', '', now())",
        f"spent_keys VALUES ('{uuid4()}', '{uuid4()}', now())",
        f"sessions VALUES ('{uuid4()}', 't', 'u', 't', 'a', now(), now(), 's')",
    ):
        await superuser.execute(f"INSERT INTO recuerdo.{statement}")


async def test_rls_the_holder_of_a_key_sees_one_row(database):
    """A transaction that names a digest sees that key and no other, may not change it, and sees no tenant's data."""
    keys = [issue(Owner(fresh_scope().tenant, "u"), datetime.now(UTC)).key for _ in range(2)]
    for key in keys:
        await PostgresApiKeys(database).add(key)
    async with database.transaction([]) as connection:
        assert (await connection.execute("SELECT FROM recuerdo.api_key(%s)", (keys[0].digest,))).rowcount == 1
        cursor = await connection.execute("SELECT id FROM recuerdo.api_keys")
        assert await cursor.fetchall() == [(keys[0].id,)]
        assert (await connection.execute("UPDATE recuerdo.api_keys SET revoked_at = now()")).rowcount == 0
        assert (await connection.execute("DELETE FROM recuerdo.api_keys")).rowcount == 0
        assert (await connection.execute("SELECT FROM recuerdo.threads")).rowcount == 0
    async with database.transaction([]) as connection:
        assert (await connection.execute("SELECT FROM recuerdo.api_keys")).rowcount == 0

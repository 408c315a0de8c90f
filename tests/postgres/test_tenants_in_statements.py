"""No statement crosses tenants without saying so: what a database that is distributed by tenant relies on."""

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from recuerdo.adapters.postgres import PostgresDatabase
from servers.postgres import running_postgres
from servers.preloaded import python

CONTRACTS = (
    *(
        "contracts/test_postgres_contracts.py",
        "contracts/test_postgres_api_keys.py",
        "contracts/test_item_contracts.py",
    ),
    *(
        "contracts/test_library_contracts.py",
        "contracts/test_audit_contracts.py",
        "contracts/test_session_contracts.py",
    ),
    *("contracts/test_passage_contracts.py", "contracts/test_document_contracts.py"),
    "checkpoints/test_checkpoint_contracts.py",
)
TESTS = Path(__file__).parents[1]

CROSSING = {
    "api_keys": "The secret of an API key is all that its holder sends; its digest leads to the tenant.",
    "swept_audit": "Retention removes entries of all tenants by their age.",
    "swept_checkpoint_threads": "Retention looks for owners whose checkpoints may be too old.",
    "swept_data_keys": "A rotation of the master key wraps the data keys of all tenants again.",
    "swept_documents": "A process looks for runs and actions of all tenants that are due.",
    "swept_items": "Retention looks for owners whose items have expired.",
    "swept_keys": "Spent idempotency keys of all tenants are forgotten by their age.",
    "swept_memories": "Retention looks for memories of all tenants that have expired.",
    "swept_memory_owners": "Maintenance goes through all owners.",
    "swept_sessions": "Sessions of all tenants end by their age.",
    "swept_threads": "A server looks for threads of all tenants that changed, to compare its caches with them.",
    "swept_tombstones": "Tombstones of all tenants lose their names by their age.",
}
"""The tables and views that may be read without a tenant, and why. A view shows keys and times, and no text."""

WIDER_KEYS = {
    "api_keys_pkey": "(digest)",  # looked up by the secret alone
    "data_keys_id_key": "(id)",  # ciphertexts name their data key by it
    "migrations_pkey": "(name)",  # of the schema, not of a tenant
}
"""Unique constraints that do not begin with the tenant."""

REFERENCE = re.compile(
    r"\b(?P<verb>FROM|JOIN|UPDATE|INTO|USING)\s+(?:ONLY\s+)?recuerdo\.(?P<table>\w+)\b(?!\()"
    r"(?:\s+AS)?(?:\s+(?!(?:WHERE|SET|ON|USING|VALUES|ORDER|FOR|LIMIT|SELECT|GROUP|DEFAULT|LEFT|JOIN|CROSS|UNION)\b)"
    r"(?P<alias>[a-z]\w*))?"
)


@pytest.fixture(scope="module")
def server():
    """A server that counts every statement, those within functions too."""
    counting = {"shared_preload_libraries": "pg_stat_statements", "pg_stat_statements.track": "all"}
    with running_postgres(None, **counting, **{"pg_stat_statements.max": 20_000}) as server:
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute("CREATE EXTENSION pg_stat_statements")
        _run_contracts(server.url, *CONTRACTS)
        yield server


@pytest.fixture(scope="module")
def statements(server) -> list[str]:
    """Those that were run for requests, in the role that serves them."""
    with closing(psycopg.connect(server.url)) as connection:
        rows = connection.execute(
            "SELECT query FROM pg_stat_statements JOIN pg_roles AS r ON r.oid = userid"
            " WHERE r.rolname = 'recuerdo_app' AND query ~ 'recuerdo\\.'"
        ).fetchall()
    return [" ".join(query.split()) for (query,) in rows]


def _run_contracts(url: str, *files: str) -> None:
    command = [python(), "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "postgres and not random_walks"]
    finished = subprocess.run(
        [*command, *(str(TESTS / file) for file in files)],
        env={**os.environ, "RECUERDO_TEST_POSTGRES_URL": url},
        capture_output=True,
        text=True,
        cwd=TESTS.parent,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout[-2000:]


def crossings(statement: str) -> Iterator[str]:
    """The tables of the statement to which it names no tenant."""
    for found in REFERENCE.finditer(statement):
        if found["verb"] == "INTO":
            is_named = re.search(rf"INTO recuerdo\.{found['table']}\b[^(]*\([^)]*\btenant\b", statement)
        else:
            name = f"(?:{found['alias'] or found['table']}|recuerdo\\.{found['table']})"
            is_named = re.search(
                rf"\b{name}\.tenant\b\s*(?:=|IN\b|,)|=\s*{name}\.tenant\b|(?<![\w.])tenant\s*(?:=|IN\b)"
                rf"|\(tenant\b[^)]*\)\s*(?:IN\b|=)|USING \(tenant\b",
                statement,
            )
        if not is_named:
            yield found["table"]


def test_every_statement_of_a_request_names_the_tenant_or_is_known_to_cross(statements):
    crossing = {table: statement for statement in statements for table in crossings(statement)}
    assert len(statements) > 200
    assert not {table: statement for table, statement in crossing.items() if table not in CROSSING}


def test_the_contracts_reach_every_part(statements):
    reached = {found["table"] for statement in statements for found in REFERENCE.finditer(statement)}
    assert reached >= {
        "threads",
        "messages",
        "memories",
        "checkpoints",
        "documents",
        "store_items",
        "sessions",
        "audit",
    }


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM recuerdo.messages WHERE epoch = $1",
        "SELECT m.body FROM recuerdo.messages AS m JOIN recuerdo.threads AS t ON t.epoch = m.epoch WHERE t.tenant = $1",
        'INSERT INTO recuerdo.threads ("user", thread) VALUES ($1, $2)',
        "DELETE FROM recuerdo.memories AS m USING recuerdo.memory_owners AS o WHERE o.tenant = $1",
    ],
)
def test_a_statement_that_forgets_the_tenant_of_one_table_is_found(statement):
    assert list(crossings(statement))


async def test_every_key_begins_with_the_tenant(empty_postgres_url):
    """Or is known not to: a database that is distributed or partitioned by tenant has no other unique keys."""
    async with PostgresDatabase.open(empty_postgres_url):
        with closing(psycopg.connect(empty_postgres_url)) as connection:
            rows = connection.execute(
                "SELECT i.relname, pg_get_indexdef(x.indexrelid) FROM pg_index AS x"
                " JOIN pg_class AS i ON i.oid = indexrelid"
                " WHERE indisunique AND i.relnamespace = 'recuerdo'::regnamespace"
            ).fetchall()
    wider = {name: text[text.index("(") :] for name, text in rows if not text[text.index("(") :].startswith("(tenant")}
    assert wider == WIDER_KEYS

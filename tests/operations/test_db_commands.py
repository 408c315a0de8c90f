"""`recuerdo db`: what the tables lack, and bringing them up to date."""

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from operating import ran, refused, run

from recuerdo.adapters import schema
from recuerdo.adapters.sqlite import migrations
from recuerdo.core.identifiers import new_id

UP_TO_DATE = "The tables are up to date.\n"


def forget(path: Path, script: str) -> None:
    """Let the file look as if it were older than the script, as far as its list of migrations says."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM migrations WHERE name = ?", (script,))
        connection.commit()


def test_an_absent_file_is_pending_and_stays_absent(tmp_path: Path) -> None:
    done = run(tmp_path, "db", "check")
    assert done.returncode == 1
    assert done.stdout.decode().splitlines() == [
        *(f"Pending: {name}" for name in migrations.pending(None)),
        "Run `recuerdo db upgrade`.",
    ]
    assert list(tmp_path.iterdir()) == []


def test_an_upgrade_makes_the_tables_and_says_what_it_ran(tmp_path: Path) -> None:
    done = ran(tmp_path, "db", "upgrade").stdout.decode()
    assert done == "".join(f"Ran {name}\n" for name in migrations.pending(None)) + UP_TO_DATE
    assert ran(tmp_path, "db", "check").stdout.decode() == UP_TO_DATE
    assert ran(tmp_path, "db", "upgrade").stdout.decode() == UP_TO_DATE


async def test_a_check_names_only_what_is_missing_and_changes_nothing(tmp_path: Path) -> None:
    url, last = f"sqlite:///{tmp_path}/a.db", migrations.pending(None)[-1]
    await schema.upgrade(url)
    forget(tmp_path / "a.db", last)
    before = (tmp_path / "a.db").read_bytes()
    assert await schema.pending(url) == [last]
    assert (tmp_path / "a.db").read_bytes() == before


async def test_a_file_of_somebody_elses_lacks_everything(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    assert await schema.pending(f"sqlite:///{tmp_path}/a.db") == migrations.pending(None)


async def test_a_database_in_memory_lacks_nothing() -> None:
    assert await schema.pending("memory://") == []


async def test_postgres_is_checked_and_brought_up_to_date(empty_postgres_url: str) -> None:
    pending = await schema.pending(empty_postgres_url)
    assert pending == sorted(pending)
    assert pending[0].startswith("0001")
    assert await schema.pending(empty_postgres_url) == pending
    assert await schema.upgrade(empty_postgres_url) == pending
    assert await schema.pending(empty_postgres_url) == []


async def test_mongodb_lacks_its_indexes_and_gets_them(mongodb_url: str) -> None:
    address = urlsplit(mongodb_url)
    url = address._replace(path=f"/test-{new_id()}").geturl()
    pending = await schema.pending(url)
    assert "index seq of messages" in pending
    assert await schema.pending(url) == pending
    assert await schema.upgrade(url) == pending
    assert await schema.pending(url) == []


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("mysql://x", "'mysql' is no database that Recuerdo knows"),
        ("sqlite://", "names no file"),
        ("sqlite:///notes.txt", "SQLite says: file is not a database"),
        ("mongodb://nobody:secret@127.0.0.1:1/x?timeoutMS=500", "MongoDB"),
        ("postgresql://nobody:secret@127.0.0.1:1/x", "PostgreSQL can't be asked"),
        ("postgresql://nobody:secret%zz@127.0.0.1:1/x", "The database URL can't be read"),
    ],
)
@pytest.mark.parametrize("command", ["check", "upgrade"])
def test_a_database_that_can_not_be_asked_is_one_clear_line(tmp_path: Path, url: str, words: str, command: str) -> None:
    (tmp_path / "notes.txt").write_text("this is no database\n" * 100)
    told = refused(tmp_path, "db", command, RECUERDO_DATABASE_URL=url)
    assert words in told
    assert "secret" not in told

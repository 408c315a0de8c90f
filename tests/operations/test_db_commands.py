"""`recuerdo db`: what the tables lack, and bringing them up to date."""

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from operating import ran, refused, run

from recuerdo import Recuerdo
from recuerdo.adapters import registry
from recuerdo.adapters.registry import open_repositories
from recuerdo.adapters.sqlite import migrations
from recuerdo.core.identifiers import new_id
from recuerdo.core.messages import decode_all
from recuerdo.core.scope import Scope
from recuerdo.core.threads import MessageQuery
from recuerdo.testing.samples import commit, request, said

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
    await registry.upgrade(url)
    forget(tmp_path / "a.db", last)
    before = (tmp_path / "a.db").read_bytes()
    assert await registry.pending(url) == [last]
    assert (tmp_path / "a.db").read_bytes() == before


async def test_a_file_of_somebody_elses_lacks_everything(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    assert await registry.pending(f"sqlite:///{tmp_path}/a.db") == migrations.pending(None)


async def test_a_database_in_memory_lacks_nothing() -> None:
    assert await registry.pending("memory://") == []


async def test_postgres_is_checked_and_brought_up_to_date(empty_postgres_url: str) -> None:
    pending = await registry.pending(empty_postgres_url)
    assert pending == sorted(pending)
    assert pending[0].startswith("0001")
    assert await registry.pending(empty_postgres_url) == pending
    assert await registry.upgrade(empty_postgres_url) == pending
    assert await registry.pending(empty_postgres_url) == []


async def test_mongodb_lacks_its_indexes_and_gets_them(mongodb_url: str) -> None:
    address = urlsplit(mongodb_url)
    url = address._replace(path=f"/test-{new_id()}").geturl()
    pending = await registry.pending(url)
    assert "index seq of messages" in pending
    assert await registry.pending(url) == pending
    assert await registry.upgrade(url) == pending
    assert await registry.pending(url) == []


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("mysql://x", "'mysql' is not a database that Recuerdo knows"),
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


async def test_a_deep_check_and_an_export_name_each_damaged_memory(tmp_path: Path) -> None:
    async with Recuerdo.open(f"sqlite:///{tmp_path}/a.db", embeddings="none") as memory:
        for text in ("Vivo en Posadas", "Me gusta el mate"):
            await memory.user(tenant="acme", user="emi").add(text)
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection, connection:
        [[broken]] = connection.execute("SELECT id FROM memories WHERE text LIKE '%mate%'")
        connection.execute("UPDATE memories SET source = '{' WHERE id = ?", (broken,))
    checked = run(tmp_path, "db", "check", "--deep")
    assert checked.returncode == 1
    assert checked.stdout.decode().splitlines()[2:4] == [
        f"Damaged: tenant 'acme', user 'emi', memory '{broken}'",
        "Read 1 memories: 1 damaged rows.",
    ]
    exported = run(tmp_path, "memories", "export", "saved.jsonl", "--tenant", "acme", "--user", "emi")
    assert exported.returncode == 1
    told = exported.stderr.decode().splitlines()
    assert told[0].startswith(f"Damaged: The memory '{broken}' is damaged")
    assert told[1:] == ["Exported 1 memories.", "1 of the memories can't be read, and are left out."]
    assert b"Posadas" in (tmp_path / "saved.jsonl").read_bytes()


async def test_a_deep_check_and_an_export_name_each_damaged_message(tmp_path: Path) -> None:
    scope = Scope("acme", "emi", "t-1")
    async with open_repositories(f"sqlite:///{tmp_path}/a.db") as database:
        await commit(database.history, request(scope, *[said(f"number {number}") for number in range(1, 6)]))
        epoch = (await database.history.head(scope)).version.epoch
    assert ran(tmp_path, "db", "check", "--deep").stdout.decode() == (
        UP_TO_DATE
        + "Read 5 messages of 1 threads: 0 damaged.\n"
        + "Read 0 memories: 0 damaged rows.\n"
        + "Read 0 checkpoints: 0 damaged rows.\n"
    )
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection, connection:
        connection.execute("UPDATE messages SET body = CAST(replace(body, 'number', 'Number') AS BLOB) WHERE seq = 2")
        connection.execute("DELETE FROM messages WHERE seq = 4")
    assert ran(tmp_path, "db", "check").stdout.decode() == UP_TO_DATE
    checked = run(tmp_path, "db", "check", "--deep")
    found = [
        f"thread 't-1', epoch {epoch}, seq 2: its body does not match its checksum",
        f"thread 't-1', epoch {epoch}, seq 4: its row is missing",
    ]
    assert checked.returncode == 1
    assert checked.stdout.decode().splitlines()[1:4] == [
        *(f"Damaged: tenant 'acme', user 'emi', {each}" for each in found),
        "Read 3 messages of 1 threads: 2 damaged.",
    ]
    exported = run(tmp_path, "threads", "export", "saved.jsonl")
    assert exported.returncode == 1
    assert exported.stderr.decode().splitlines() == [
        *(f"Damaged: {each}" for each in found),
        "Exported 1 thread, 5 messages.",
        "2 of the messages can't be read: an empty one, archived, stands in the place of each.",
    ]
    ran(tmp_path, "threads", "import", "saved.jsonl", "--database-url", "sqlite:///b.db")
    async with open_repositories(f"sqlite:///{tmp_path}/b.db") as restored:
        records = (await restored.history.page(scope, MessageQuery())).records
    assert [message.text for message in decode_all(records)] == ["number 1", "number 3", "number 5"]


async def test_a_list_that_can_not_be_read_is_named_and_an_export_ends_with_status_1(tmp_path: Path) -> None:
    async with open_repositories(f"sqlite:///{tmp_path}/a.db") as database:
        await commit(database.history, request(Scope("acme", "emi", "t-1"), said("hello")))
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'threads'").fetchone()
    with (tmp_path / "a.db").open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xff" * 4096)
    place = "Damaged: the list of threads of tenant 'acme', user 'emi': SQLite says"
    checked = run(tmp_path, "db", "check", "--deep")
    assert checked.returncode == 1
    assert place in checked.stdout.decode()
    exported = run(tmp_path, "threads", "export", "saved.jsonl")
    assert exported.returncode == 1
    told = exported.stderr.decode().splitlines()
    assert told[0].startswith(place)
    assert told[1:] == ["Exported 0 threads, 0 messages.", "Threads are missing, because lists of them can't be read."]

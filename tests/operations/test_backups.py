"""`recuerdo backup` and `restore`: a copy of a SQLite database in use is whole, and takes the database's place."""

import json
import os
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from operating import ran, refused

from recuerdo import Message, Recuerdo

OWNER = {"tenant": "acme", "user": "emi"}
URL = "RECUERDO_DATABASE_URL"


async def stored(folder: Path, *texts: str) -> None:
    """A thread of the database `a.db`, with these messages besides."""
    async with Recuerdo.open(f"sqlite:///{folder}/a.db", embeddings="none") as memory:
        await memory.thread(**OWNER, thread="t-1").append(*map(Message.user, texts))


async def texts_of(path: Path) -> list[str]:
    async with Recuerdo.open(f"sqlite:///{path}", embeddings="none") as memory:
        return [message.text for message in await memory.thread(**OWNER, thread="t-1").read()]


def counted(path: Path) -> tuple[int, int]:
    """The last seq of the thread's row, and how many messages it has."""
    with closing(sqlite3.connect(path)) as connection:
        [(last, count)] = connection.execute("SELECT last_seq, (SELECT count(*) FROM messages) FROM threads")
    return last, count


async def test_a_backup_holds_what_was_acknowledged_and_comes_back_in_place_of_what_came_later(tmp_path: Path) -> None:
    await stored(tmp_path, "one", "two")
    held = json.loads(ran(tmp_path, "backup", "b.db", "--json").stdout)
    assert (held["threads"], held["messages"]) == (1, 2)
    assert held["bytes"] == (tmp_path / "b.db").stat().st_size
    assert (tmp_path / "b.db").stat().st_mode & 0o777 == 0o600
    await stored(tmp_path, "three")
    assert "exists already" in refused(tmp_path, "restore", "b.db")
    ran(tmp_path, "restore", "b.db", "--replace")
    assert await texts_of(tmp_path / "a.db") == ["one", "two"]


async def test_a_copy_that_is_taken_while_others_write_is_of_one_moment(tmp_path: Path) -> None:
    await stored(tmp_path, "one")
    copied = threading.Event()

    def copy() -> None:
        ran(tmp_path, "backup", "b.db")
        copied.set()

    async with Recuerdo.open(f"sqlite:///{tmp_path}/a.db", embeddings="none") as memory:
        threading.Thread(target=copy).start()
        while not copied.is_set():
            await memory.thread(**OWNER, thread="t-1").append(Message.user("more"), Message.user("and more"))
    last, count = counted(tmp_path / "b.db")
    assert last == count
    assert count % 2 == 1


async def test_a_database_in_use_is_not_replaced(tmp_path: Path) -> None:
    await stored(tmp_path, "one")
    ran(tmp_path, "backup", "b.db")
    async with Recuerdo.open(f"sqlite:///{tmp_path}/a.db", embeddings="none") as memory:
        assert "is in use" in refused(tmp_path, "restore", "b.db", "--replace")
        await memory.thread(**OWNER, thread="t-1").append(Message.user("two"))
    assert await texts_of(tmp_path / "a.db") == ["one", "two"]


async def test_a_backup_of_a_newer_version_is_refused_by_name(tmp_path: Path) -> None:
    await stored(tmp_path, "one")
    ran(tmp_path, "backup", "b.db")
    with closing(sqlite3.connect(tmp_path / "b.db")) as connection:
        connection.execute("INSERT INTO migrations (name) VALUES ('9999_later.sql')")
        connection.commit()
    assert "9999_later.sql" in refused(tmp_path, "restore", "b.db", "--replace")
    assert await texts_of(tmp_path / "a.db") == ["one"]


async def test_a_damaged_backup_is_refused_and_leaves_nothing_behind(tmp_path: Path) -> None:
    await stored(tmp_path, *["one" * 2000] * 50)
    ran(tmp_path, "backup", "b.db")
    with (tmp_path / "b.db").open("r+b") as file:
        file.seek(20 * 4096)
        file.write(os.urandom(40 * 4096))
    before = {*os.listdir(tmp_path)}
    refused(tmp_path, "restore", "b.db", "--replace")
    assert {*os.listdir(tmp_path)} <= before
    assert len(await texts_of(tmp_path / "a.db")) == 50


@pytest.mark.parametrize(
    ("arguments", "url", "said"),
    [
        (("backup", "b.db"), "sqlite:///absent.db", "no database"),
        (("restore", "absent.db"), "sqlite:///a.db", "no file"),
        (("backup", "b.db"), "postgresql://h/d", "docs/how-to/back-up.md"),
    ],
)
def test_what_cannot_be_copied_is_said(tmp_path: Path, arguments: tuple[str, ...], url: str, said: str) -> None:
    assert said in refused(tmp_path, *arguments, **{URL: url})
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("typed", "offered"), [("recuerdo rest", "restore"), ("recuerdo threads ex", "export"), ("recuerdo db c", "check")]
)
def test_a_shell_completes_commands_of_commands(tmp_path: Path, typed: str, offered: str) -> None:
    settings = {"_RECUERDO_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
    assert ran(tmp_path, **settings).stdout.decode().split() == [offered]

"""`recuerdo threads` as real processes."""

import asyncio
import gzip
import json
import os
import pty
import re
import select
import signal
import subprocess
import time
from pathlib import Path

import pytest
from operating import COMMAND, PATIENCE, environment, ran, refused
from stocked import contents, exported, fill, rich_messages

from recuerdo.adapters.registry import open_repositories
from recuerdo.core.messages import Message
from recuerdo.core.scope import Scope
from recuerdo.testing.samples import commit, request, said

EMI = Scope("default", "local", "t-1")


@pytest.fixture
async def folder(tmp_path: Path) -> Path:
    """With a database `a.db` that has two threads."""
    async with open_repositories(f"sqlite:///{tmp_path}/a.db") as database:
        await fill(database, EMI, rich_messages())
        await database.history.archive(EMI, 2, 3, True)
        await fill(database, Scope("acme", "josé", "日本"), [Message.user("olá"), Message.user("tudo?")], minutes=9)
    return tmp_path


async def stored(folder: Path, name: str) -> object:
    async with open_repositories(f"sqlite:///{folder}/{name}.db") as database:
        return await contents(database)


@pytest.mark.parametrize("name", ["export.jsonl", "export.jsonl.gz"])
async def test_an_export_is_imported_as_it_was(folder: Path, name: str) -> None:
    done = ran(folder, "threads", "export", name)
    assert done.stderr.decode() == "Exported 2 threads, 13 messages.\n"
    done = ran(folder, "threads", "import", name, "--database-url", "sqlite:///b.db")
    assert done.stderr.decode() == "Imported 2 threads, 13 messages; 0 messages were there already.\n"
    assert await stored(folder, "b") == await stored(folder, "a")
    done = ran(folder, "threads", "import", name, "--database-url", "sqlite:///b.db")
    assert done.stderr.decode() == "Imported 2 threads, 0 messages; 13 messages were there already.\n"


async def test_an_export_is_piped_into_an_import(folder: Path) -> None:
    data = ran(folder, "threads", "export").stdout
    ran(folder, "threads", "import", "--database-url", "sqlite:///b.db", said=data)
    assert await stored(folder, "b") == await stored(folder, "a")


def test_a_name_in_gz_is_compressed_and_the_same_each_time(folder: Path) -> None:
    for name in ("x.gz", "y.gz"):
        ran(folder, "threads", "export", name)
    assert (folder / "x.gz").read_bytes() == (folder / "y.gz").read_bytes()
    assert gzip.decompress((folder / "x.gz").read_bytes()) == ran(folder, "threads", "export").stdout


def test_only_the_owner_can_read_an_export(folder: Path) -> None:
    ran(folder, "threads", "export", "export.jsonl")
    assert (folder / "export.jsonl").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("flags", "threads"),
    [
        (["--tenant", "acme"], ["日本"]),
        (["--user", "local"], ["t-1"]),
        (["--thread", "日本"], ["日本"]),
        (["--tenant", "acme", "--thread", "t-1"], []),
    ],
)
def test_filters_choose_what_is_exported(folder: Path, flags: list[str], threads: list[str]) -> None:
    lines = [json.loads(line) for line in ran(folder, "threads", "export", *flags).stdout.splitlines()]
    assert [line["thread"] for line in lines if line["kind"] == "thread"] == threads


@pytest.mark.parametrize("name", ["export.jsonl", "export.jsonl.gz"])
async def test_a_file_that_was_cut_off_is_refused_as_a_whole(folder: Path, name: str) -> None:
    ran(folder, "threads", "export", name)
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[: len(whole) * 2 // 3])
    assert re.search(
        r"recuerdo: line \d+: ", refused(folder, "threads", "import", name, "--database-url", "sqlite:///b.db")
    )
    assert not (folder / "b.db").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("import", "absent.jsonl"), "Can't read absent.jsonl: No such file or directory"),
        (("import", "."), "Can't read .: Is a directory"),
        (("import", "a.db"), "line 1: "),
        (("export", "absent/x.jsonl"), "Can't write absent/x.jsonl: No such file or directory"),
        (("export", "--tenant", ""), "--tenant: must be a text of 1 to 255 characters"),
        (("show", "absent"), "There is no thread 'absent' here"),
        (("prune", "--older-than", "soon"), "--older-than: must be a number and h, d or w"),
        (("prune", "--older-than", "99999w"), "--older-than: must be a number and h, d or w, and 100 years at most"),
        (("list", "--database-url", "mysql://x"), "'mysql' is not a database that Recuerdo knows"),
    ],
)
def test_what_can_not_be_done_is_one_clear_line(folder: Path, arguments: tuple[str, ...], words: str) -> None:
    assert words in refused(folder, "threads", *arguments)


def test_an_export_that_fails_leaves_the_file_that_was_there(folder: Path) -> None:
    (folder / "export.jsonl").write_text("precious")
    refused(folder, "threads", "export", "export.jsonl", "--database-url", "sqlite:///export.jsonl")
    assert (folder / "export.jsonl").read_text() == "precious"
    assert not [path for path in folder.iterdir() if path.name.startswith(".export")]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device here is always full")
def test_a_full_disk_behind_standard_output_is_one_clear_line(folder: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [COMMAND, "threads", "export"],
            cwd=folder,
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert b"No space left" in done.stderr


def test_pruning_says_how_much_it_deletes(folder: Path) -> None:
    before = ran(folder, "threads", "export").stdout
    dry = ran(folder, "threads", "prune", "--older-than", "1h", "--dry-run")
    assert dry.stderr.decode() == "Would delete 2 threads, 13 messages.\n"
    assert ran(folder, "threads", "export").stdout == before
    assert (
        ran(folder, "threads", "prune", "--older-than", "5200w").stderr.decode() == "Deleted 0 threads, 0 messages.\n"
    )
    some = ran(folder, "threads", "prune", "--older-than", "1h", "--tenant", "acme")
    assert some.stderr.decode() == "Deleted 1 thread, 2 messages.\n"
    ran(folder, "threads", "prune", "--older-than", "1h")
    assert ran(folder, "threads", "export").stderr.decode() == "Exported 0 threads, 0 messages.\n"


def test_threads_are_listed_for_people_and_for_programs(folder: Path) -> None:
    shown = ran(folder, "threads", "list").stdout.decode()
    assert re.search(r"local +t-1 +11 +2026-\d\d-\d\d \d\d:\d\d UTC +título", shown)
    assert "日本" not in shown
    [thread] = json.loads(ran(folder, "threads", "list", "--tenant", "acme", "--json").stdout)
    assert (thread["user"], thread["id"], thread["message_count"]) == ("josé", "日本", 2)


def test_a_thread_is_shown_for_people_and_for_programs(folder: Path) -> None:
    shown = ran(folder, "threads", "show", "t-1").stdout.decode()
    assert "No hay." in shown
    assert "archived" in shown
    found = json.loads(ran(folder, "threads", "show", "t-1", "--limit", "1", "--json").stdout)
    assert [message["content"] for message in found["messages"]] == ["No hay."]
    assert found["title"] == "título"


async def test_texts_of_others_do_not_control_the_terminal(folder: Path) -> None:
    async with open_repositories(f"sqlite:///{folder}/a.db") as database:
        await fill(
            database, EMI.owner.thread("evil"), [Message.user("\x1b]0;owned\x07 [bold]\x9b31m")], title="\x1b[2J"
        )
    for arguments in (("list",), ("show", "evil")):
        shown = ran(folder, "threads", *arguments).stdout.decode()
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", shown)
    assert "[bold]" in shown


def test_the_progress_is_shown_at_a_terminal(folder: Path) -> None:
    """On standard error, while the data goes to standard output."""
    master, slave = pty.openpty()
    with (folder / "export.jsonl").open("wb") as file:
        process = subprocess.Popen(
            [COMMAND, "threads", "export"], cwd=folder, env=environment(), stdout=file, stderr=slave
        )
        os.close(slave)
        shown = b""
        while select.select([master], [], [], PATIENCE)[0]:
            try:
                shown += os.read(master, 65536)
            except OSError:
                break
    os.close(master)
    assert process.wait() == 0
    assert b"Exporting" in shown
    assert b"Exported 2 threads, 13 messages." in shown
    assert b"Exporting" not in (folder / "export.jsonl").read_bytes()


async def test_an_import_that_was_killed_goes_on_when_it_is_repeated(folder: Path) -> None:
    """kill -9 in the middle; the second run writes exactly what the first one had not."""
    long = EMI.owner.thread("long")
    async with open_repositories(f"sqlite:///{folder}/a.db") as database:
        for _ in range(20):
            await commit(database.history, request(long, *(said("x" * 500) for _ in range(500))))
        total = sum(line.startswith(b'{"kind":"message"') for line in await exported(database))
    ran(folder, "threads", "export", "export.jsonl")
    cut_off_at = 10_000
    for number in range(20):  # a busy machine may let it end before it is killed
        arguments = [COMMAND, "threads", "import", "export.jsonl", "--database-url", f"sqlite:///b{number}.db"]
        process = subprocess.Popen(arguments, cwd=folder, env=environment(), stderr=subprocess.DEVNULL)  # noqa: ASYNC220
        async with open_repositories(f"sqlite:///{folder}/b{number}.db") as other:
            deadline = time.monotonic() + PATIENCE
            while (await other.history.head(long)).version.seq < 1000:
                assert time.monotonic() < deadline
                await asyncio.sleep(0.005)
            process.send_signal(signal.SIGKILL)
            process.wait()
            cut_off_at = (await other.history.head(long)).version.seq
        if cut_off_at < 10_000:
            break
    assert 1000 <= cut_off_at < 10_000
    done = ran(folder, *arguments[1:]).stderr.decode()
    numbers = re.fullmatch(r"Imported 3 threads, (\d+) messages; (\d+) messages were there already.\n", done)
    assert numbers is not None
    assert cut_off_at <= int(numbers[2]) < total
    assert int(numbers[1]) + int(numbers[2]) == total
    assert await stored(folder, f"b{number}") == await stored(folder, "a")

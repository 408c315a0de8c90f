"""Files that are no database, and what an open one leaves behind when it is closed."""

import asyncio
import os
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from faults_children import child, finished, reports
from faults_load import OWNER, Receipt, check, open_history, stored_threads

from recuerdo import Recuerdo
from recuerdo.core.errors import ConfigurationError, DatabaseUnavailable, RecuerdoError
from recuerdo.core.messages import Message
from recuerdo.windowing import MessageWindow

SCOPE = OWNER.thread("t-1")
SOON = 60.0


async def refusal(url: str) -> RecuerdoError:
    """Why the database can't be opened; the refusal comes soon."""
    with pytest.raises((ConfigurationError, DatabaseUnavailable)) as refused:
        async with asyncio.timeout(SOON), Recuerdo.open(url, embeddings="none"):
            pytest.fail("opened")
    return refused.value


async def test_a_file_that_is_no_database_is_refused_with_advice_and_left_as_it_is(tmp_path: Path) -> None:
    """Somebody's text is not overwritten because a URL was wrong."""
    text = b"Dear diary, " * 1000
    (tmp_path / "diary.txt").write_bytes(text)
    error = await refusal(f"sqlite:///{tmp_path}/diary.txt")
    assert "not a database" in str(error)
    assert "database URL" in str(error)
    assert (tmp_path / "diary.txt").read_bytes() == text


async def test_a_damaged_database_says_that_a_backup_is_needed(tmp_path: Path) -> None:
    """A page of another file in the middle is found by the read that meets it, and the others go on."""
    file = tmp_path / "r.db"
    async with open_history(file) as history:
        for _ in range(200):
            await history.append(SCOPE, [Message.user("x" * 500)])
        await history.append(OWNER.thread("t-2"), [Message.user("hello")])
    with file.open("r+b") as damaged:
        size = damaged.seek(0, os.SEEK_END)
        damaged.seek(size // 2)
        damaged.write(b"\xa5" * (size // 2 - size // 8))
    with pytest.raises(DatabaseUnavailable, match="backup"):
        async with open_history(file) as history:
            await history.read(SCOPE)


async def test_nothing_is_acknowledged_while_the_file_is_gone_or_is_another(tmp_path: Path) -> None:
    """SQLite would go on with a file without a name, and a restart would find nothing of what was said."""
    file, away = tmp_path / "r.db", tmp_path / "away"
    async with open_history(file) as history:
        await history.append(SCOPE, [Message.user("before")])
        file.rename(away)
        for ask in (history.append(SCOPE, [Message.user("lost")]), history.read(SCOPE)):
            with pytest.raises(DatabaseUnavailable, match="Bring it back"):
                await ask
        file.touch()
        with pytest.raises(DatabaseUnavailable, match="Bring it back"):
            await history.append(SCOPE, [Message.user("lost")])
        away.replace(file)
        await history.append(SCOPE, [Message.user("after")])
    async with open_history(file) as history:
        assert [message.content for message in await history.read(SCOPE)] == ["before", "after"]


async def test_a_directory_is_refused_with_advice(tmp_path: Path) -> None:
    """The message names a way out."""
    assert "folder" in str(await refusal(f"sqlite:///{tmp_path}"))


async def test_a_folder_that_cannot_be_made_is_refused_with_advice(tmp_path: Path) -> None:
    """A file stands where the folder should be."""
    (tmp_path / "file").touch()
    assert "database URL" in str(await refusal(f"sqlite:///{tmp_path}/file/r.db"))


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that users without rights can look into."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


async def test_a_read_only_file_is_refused_with_advice(open_folder: Path) -> None:
    """Even when it is a database: a history that can't be written is none."""
    file = open_folder / "r.db"
    async with open_history(file):
        pass
    file.chmod(0o444)
    async with asyncio.timeout(SOON):
        [[kind, text]] = await finished("trespass", f"sqlite:///{file}")
    assert kind in ("ConfigurationError", "DatabaseUnavailable")
    assert "permission" in text


async def test_a_file_of_somebody_else_is_refused_with_advice(open_folder: Path) -> None:
    """The process may not even read it."""
    file = open_folder / "r.db"
    file.touch(mode=0o000)
    [[kind, text]] = await finished("trespass", f"sqlite:///{file}")
    assert kind in ("ConfigurationError", "DatabaseUnavailable")
    assert "permission" in text


async def test_a_process_that_exits_without_closing_ends_promptly_and_keeps_what_it_said(tmp_path: Path) -> None:
    """No thread of ours holds an interpreter back."""
    async with asyncio.timeout(SOON), child("leave", tmp_path / "r.db") as process:
        assert await reports(process) == [1]
        assert await process.wait() == 0
    async with open_history(tmp_path / "r.db") as history:
        assert [message.text for message in await history.read(SCOPE)] == ["hello"]


async def test_an_event_loop_that_stops_in_mid_load_closes_the_database(tmp_path: Path) -> None:
    """Tasks that are cancelled in any order don't wait for each other for ever; whole batches are kept."""
    async with asyncio.timeout(SOON), child("abandon", tmp_path / "r.db") as process:
        receipts = [Receipt(*receipt) for receipt in await reports(process)]
        assert await process.wait() == 0
    check(await stored_threads(tmp_path / "r.db"), receipts)


def our_threads() -> set[str]:
    return {thread.name for thread in threading.enumerate() if thread.name.startswith("sqlite-")}


def open_files(folder: Path) -> set[str]:
    """The files in the folder that this process has open."""
    links = [Path("/proc/self/fd") / name for name in os.listdir("/proc/self/fd")]
    return {target for target in (os.path.realpath(link) for link in links) if target.startswith(str(folder))}


needs_proc = pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")


@needs_proc
async def test_closing_leaves_no_thread_and_no_open_file(tmp_path: Path) -> None:
    """Nor does it leave SQLite's log and its index on the disk."""
    descriptors = len(os.listdir("/proc/self/fd"))
    async with open_history(tmp_path / "r.db") as history:
        await history.append(SCOPE, [Message.user("hello")])
        await asyncio.gather(*(history.window(SCOPE, MessageWindow(5)) for _ in range(20)))
        assert our_threads()
        assert open_files(tmp_path)
    assert not our_threads()
    assert len(os.listdir("/proc/self/fd")) == descriptors
    assert os.listdir(tmp_path) == ["r.db"]


@needs_proc
async def test_a_database_that_could_not_be_opened_leaves_no_thread_and_no_open_file(tmp_path: Path) -> None:
    """The refusal is complete."""
    (tmp_path / "diary.txt").write_bytes(b"Dear diary, " * 1000)
    await refusal(f"sqlite:///{tmp_path}/diary.txt")
    assert not our_threads()
    assert not open_files(tmp_path)


@needs_proc
async def test_a_block_that_fails_or_is_cancelled_still_closes(tmp_path: Path) -> None:
    """However the block ends."""

    async def use(file: Path) -> None:
        async with open_history(file) as history:
            await history.append(SCOPE, [Message.user("hello")])
            await asyncio.sleep(SOON)

    using = asyncio.create_task(use(tmp_path / "r.db"))
    await asyncio.sleep(0.1)
    using.cancel()
    await asyncio.gather(using, return_exceptions=True)
    with pytest.raises(ZeroDivisionError):
        async with open_history(tmp_path / "r.db"):
            raise ZeroDivisionError
    assert not our_threads()
    assert not open_files(tmp_path)


async def test_an_event_loop_that_cannot_watch_pipes_serves_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows."""

    def refuse(*_: object) -> None:
        raise NotImplementedError

    monkeypatch.setattr(asyncio.get_running_loop(), "add_reader", refuse)
    descriptors = len(os.listdir("/proc/self/fd"))
    async with open_history(tmp_path / "r.db") as history:
        await asyncio.gather(*(history.append(SCOPE, [Message.user(str(number))]) for number in range(20)))
        assert len(await history.read(SCOPE)) == 20
    assert len(os.listdir("/proc/self/fd")) == descriptors


async def test_a_closed_database_says_so(tmp_path: Path) -> None:
    """Instead of waiting for threads that are gone."""
    async with open_history(tmp_path / "r.db") as history:
        pass
    with pytest.raises(DatabaseUnavailable, match="closed"):
        await history.append(SCOPE, [Message.user("too late")])
    with pytest.raises(DatabaseUnavailable, match="closed"):
        await history.read(SCOPE)

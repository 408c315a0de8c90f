"""Durability `async`: what is acknowledged is committed exactly once, in order, whatever dies in between."""

import asyncio
import errno
import os
import random
import shutil
import subprocess
import sys
import threading
import time
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recuerdo import Message, Recuerdo, Scope
from recuerdo.adapters.local import LocalDatabase, LocalHistory, LocalMemories, LocalThreads
from recuerdo.adapters.local.spool import FileSpool, Segments
from recuerdo.core.errors import (
    AlreadyErased,
    ConfigurationError,
    DatabaseUnavailable,
    EpochChanged,
    InvalidInput,
    SpoolUnavailable,
)
from recuerdo.history import History
from recuerdo.history.commits import DeferredAppends
from recuerdo.history.history import utc_now
from recuerdo.history.requests import prepare
from servers.patience import PATIENCE

SCOPE = Scope("acme", "emi", "t-1")
WRITER = Path(__file__).with_name("spool_writer.py")


class Outage:
    """A history over a database that can be away, or break off just after a commit."""

    def __init__(self):
        self.database = LocalDatabase()
        self.history = LocalHistory(self.database)
        self.away = False
        self.forget_answers = 0

    async def append(self, batch):
        if self.away:
            raise DatabaseUnavailable("away")
        outcomes = await self.history.append(batch)
        if self.forget_answers:
            self.forget_answers -= 1
            raise DatabaseUnavailable("the answer got lost")
        return outcomes

    def __getattr__(self, name):
        return getattr(self.history, name)


def request(text, **options):
    return prepare(SCOPE, [Message.user(text)], datetime.now(UTC), **options)


@asynccontextmanager
async def deferring(repository, folder, seconds_to_answer=0.0, seconds_to_ask=(), **options):
    async with FileSpool.open(folder, **options) as spool:
        threads, memories = LocalThreads(repository.database), LocalMemories(repository.database)

        waits = iter(seconds_to_ask)

        async def erased(owners):
            await asyncio.sleep(next(waits, 0.0))
            ages = await memories.erased(owners)
            await asyncio.sleep(seconds_to_answer)
            return ages

        deferred = DeferredAppends(repository, spool, threads, erased, utc_now)
        deferred.start()
        history = History(repository, threads, deferred=deferred)
        try:
            yield history
        finally:
            await deferred.aclose()


async def texts(history, scope=SCOPE):
    return [message.text for message in await history.read(scope)]


async def test_an_append_is_acknowledged_while_the_database_is_away_and_committed_when_it_is_back(tmp_path):
    outage = Outage()
    async with deferring(outage, tmp_path) as history:
        outage.away = True
        receipts = [await history.append(SCOPE, [Message.user(str(number))]) for number in range(5)]
        assert {receipt.durability for receipt in receipts} == {"async"}
        assert await texts(history) == []
        outage.away = False
        await history.flush()
        assert await texts(history) == ["0", "1", "2", "3", "4"]


async def test_an_append_that_has_to_be_committed_at_once_is_refused_or_follows_the_others(tmp_path):
    outage = Outage()
    async with deferring(outage, tmp_path) as history:
        await history.append(SCOPE, [Message.user("deferred")])
        epoch = (await history.append(SCOPE, [Message.user("at once")], durability="sync")).version.epoch
        with pytest.raises(EpochChanged):
            await history.append(SCOPE, [Message.user("late")], expected_epoch=epoch + 1, durability="sync")
        assert await texts(history) == ["deferred", "at once"]


async def test_a_commit_whose_answer_got_lost_is_not_repeated(tmp_path):
    outage = Outage()
    outage.forget_answers = 3
    async with deferring(outage, tmp_path) as history:
        for number in range(3):
            await history.append(SCOPE, [Message.user(str(number))])
        await history.flush()
        assert await texts(history) == ["0", "1", "2"]


@pytest.mark.parametrize("error", [InvalidInput("ids", "are too long"), KeyError("unforeseen")])
async def test_what_fails_as_a_whole_is_committed_one_by_one(tmp_path, error):
    """An append that is refused for good holds nobody up, and one that fails unforeseen is tried again."""
    outage, failures = Outage(), [error, error]
    outage.away = True
    append = outage.append

    async def append_unless_odd(batch):
        if not outage.away and failures and any(text_of(request) == "odd" for request in batch):
            raise failures.pop()
        return await append(batch)

    outage.append = append_unless_odd
    async with deferring(outage, tmp_path) as history:
        for text in ("before", "odd", "behind"):
            await history.append(SCOPE, [Message.user(text)])
        outage.away = False
        await history.flush()
        is_refused = isinstance(error, InvalidInput)
        assert await texts(history) == ["before", *["odd"] * (not is_refused), "behind"]


async def test_what_one_process_left_the_next_one_commits_in_order(tmp_path):
    outage = Outage()
    outage.away = True
    for start in (0, 3):
        async with deferring(outage, tmp_path) as history:
            for number in range(start, start + 3):
                await history.append(SCOPE, [Message.user(str(number))])
    outage.away = False
    async with deferring(outage, tmp_path) as history:
        await history.flush()
        assert await texts(history) == [str(number) for number in range(6)]
    assert list(tmp_path.glob("*.log")) == []


async def test_frames_that_were_done_before_a_restart_are_not_read_again(tmp_path):
    for attempt in range(3):
        async with FileSpool.open(tmp_path) as spool:
            assert spool.depth == (1 if attempt else 0)
            await spool.put(request("a"))
            await spool.put(request("b"))
            await spool.oldest(9)
            await spool.done(spool.depth - 1)


async def test_a_clear_waits_for_what_was_acknowledged_before_it(tmp_path):
    outage = Outage()
    async with deferring(outage, tmp_path) as history:
        await history.append(SCOPE, [Message.user("erase me")])
        await history.clear(SCOPE)
        await history.flush()
        assert await texts(history) == []


async def test_a_clear_does_not_wait_for_appends_that_keep_coming(tmp_path):
    outage = Outage()
    other, is_over = Scope("acme", "emi", "busy"), False
    async with deferring(outage, tmp_path) as history:

        async def keep_appending():
            while not is_over:
                await history.append(other, [Message.user("more")])

        await history.append(SCOPE, [Message.user("erase me")])
        appending = [asyncio.ensure_future(keep_appending()) for _ in range(4)]
        async with asyncio.timeout(PATIENCE):
            await history.clear(SCOPE)
        is_over = True
        await asyncio.gather(*appending)
        await history.flush()
        assert await texts(history) == []


@pytest.mark.parametrize("end", ["clear", "delete"])
async def test_a_retry_that_waits_in_the_spool_behind_a_clear_is_refused(tmp_path, end, caplog):
    """It is older than the clear, or its key was used before: nothing is stored again, and others go on."""
    outage = Outage()
    async with deferring(outage, tmp_path) as history:
        await history.append(SCOPE, [Message.user("once")], idempotency_key="k")
        await history.flush()
        outage.away = True
        receipt = await history.append(SCOPE, [Message.user("once")], idempotency_key="k")
        assert receipt.durability == "async"
        await getattr(LocalThreads(outage.database), end)(SCOPE, datetime.now(UTC))
        await history.append(SCOPE, [Message.user("once")], idempotency_key="k")
        await history.append(SCOPE, [Message.user("afterwards")])
        outage.away = False
        await history.flush()
        assert await texts(history) == ["afterwards"]
    assert [type(record.exc_info[1]) for record in caplog.records if record.exc_info] == [EpochChanged, AlreadyErased]


async def erase(outage, owner):
    """Do what an erasure by another replica does with memories and threads."""
    threads = LocalThreads(outage.database)
    await LocalMemories(outage.database).erase(owner)
    for thread in (await threads.select(owner, 100)).threads:
        await threads.delete(owner.thread(thread.id), datetime.now(UTC))


@pytest.mark.parametrize("restarted", [False, True])
async def test_an_append_in_the_spool_that_is_older_than_an_erasure_of_its_user_is_not_written(
    tmp_path, restarted, caplog
):
    outage, other = Outage(), Scope("acme", "ana", "t-1")
    outage.away = True
    async with deferring(outage, tmp_path) as history:
        for scope in (SCOPE, other, SCOPE.owner.thread("t-2")):
            await history.append(scope, [Message.user("Kanarienvogel")])
        await erase(outage, SCOPE.owner)
        await history.append(SCOPE, [Message.user("afterwards")])
        if not restarted:
            outage.away = False
            await history.flush()
    outage.away = False
    async with deferring(outage, tmp_path) as history:
        await history.flush()
        assert await texts(history) == ["afterwards"]
        assert await texts(history, other) == ["Kanarienvogel"]
        assert [thread.id for thread in (await history.threads(SCOPE.owner)).threads] == ["t-1"]
    assert caplog.text.count("refused: UserErased") == 2
    assert "Kanarienvogel" not in caplog.text


async def test_an_append_right_behind_an_erasure_is_written_however_late_the_database_answers(tmp_path):
    outage = Outage()
    async with deferring(outage, tmp_path, seconds_to_answer=0.2) as history:
        await erase(outage, SCOPE.owner)
        await history.append(SCOPE, [Message.user("afterwards")])
        await history.flush()
        assert await texts(history) == ["afterwards"]


async def test_an_append_right_before_an_erasure_is_not_written_though_the_database_is_asked_late(tmp_path):
    """The first two questions take longer than the time between the two."""
    outage = Outage()
    outage.away = True
    async with deferring(outage, tmp_path, seconds_to_ask=[0.3, 0.3]) as history:
        await history.append(SCOPE, [Message.user("Kanarienvogel")])
        await asyncio.sleep(0.1)
        await erase(outage, SCOPE.owner)
        await history.append(SCOPE, [Message.user("afterwards")])
        outage.away = False
        await history.flush()
        assert await texts(history) == ["afterwards"]


@pytest.mark.parametrize("end", ["clear", "delete"])
async def test_an_append_in_the_spool_that_is_older_than_a_clear_of_its_thread_is_not_written(tmp_path, end, caplog):
    """Also when others have gone on in the thread since; its neighbours are written."""
    outage, other = Outage(), SCOPE.owner.thread("t-2")
    async with deferring(outage, tmp_path) as history:
        await history.append(SCOPE, [Message.user("earlier")])
        await history.flush()
        outage.away = True
        for scope in (SCOPE, other):
            await history.append(scope, [Message.user("Kanarienvogel")])
        await asyncio.sleep(0.3)  # ages are as exact as the database answers soon
        await getattr(LocalThreads(outage.database), end)(SCOPE, datetime.now(UTC))
        await outage.history.append([request("of another replica")])
        await history.append(SCOPE, [Message.user("afterwards")])
        outage.away = False
        await history.flush()
        assert await texts(history) == ["of another replica", "afterwards"]
        assert await texts(history, other) == ["Kanarienvogel"]
    assert caplog.text.count("refused: EpochChanged") == 1
    assert "Kanarienvogel" not in caplog.text


async def test_what_is_taken_back_takes_nothing_along_that_was_said_after_the_clear(tmp_path):
    """A late append is deleted again, and an append behind the clear is younger than that deletion is not."""
    outage = Outage()
    async with deferring(outage, tmp_path) as history:
        await history.append(SCOPE, [Message.user("earlier")])
        await history.flush()
        append = outage.append

        async def append_late(batch):
            outage.append = append
            await LocalThreads(outage.database).clear(SCOPE, datetime.now(UTC))
            outcomes = await append(batch)
            await history.append(SCOPE, [Message.user("afterwards")])
            return outcomes

        outage.away = True
        await history.append(SCOPE, [Message.user("Kanarienvogel")])
        outage.append = append_late
        outage.away = False
        await history.flush()
        await history.flush()
        assert await texts(history) == ["afterwards"]


@pytest.mark.parametrize("is_answered", [True, False])
@pytest.mark.parametrize("is_known", [True, False])
async def test_what_was_committed_behind_an_erasure_that_had_looked_before_is_taken_back(
    tmp_path, is_answered, is_known
):
    outage = Outage()
    async with deferring(outage, tmp_path) as history:
        if is_known:
            await history.append(SCOPE, [Message.user("earlier")])
            await history.flush()
        append = outage.append

        async def append_late(batch):
            outage.append = append
            outage.forget_answers = int(not is_answered)
            await erase(outage, SCOPE.owner)
            return await append(batch)

        outage.away = True
        for text in ("Kanarienvogel", "Kanarienvogel 2"):
            await history.append(SCOPE, [Message.user(text)])
        outage.append = append_late
        outage.away = False
        await history.flush()
        assert await texts(history) == []
        await history.append(SCOPE, [Message.user("afterwards")])
        await history.flush()
        assert await texts(history) == ["afterwards"]


async def test_a_full_spool_refuses_and_keeps_nothing(tmp_path):
    async with FileSpool.open(tmp_path, most_bytes=1000) as spool:
        await spool.put(request("x" * 500))
        with pytest.raises(SpoolUnavailable, match="full"):
            await spool.put(request("x" * 500))
        assert spool.depth == 1
        await spool.done(1)
        await spool.put(request("x" * 500))


async def test_a_full_disk_refuses_and_leaves_no_half_frame(tmp_path, monkeypatch):
    async with FileSpool.open(tmp_path) as spool:
        await spool.put(request("before"))
        whole = os.write

        def half(descriptor, data):
            whole(descriptor, bytes(data)[: len(data) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")

        with monkeypatch.context() as patched:
            patched.setattr(os, "write", half)
            with pytest.raises(SpoolUnavailable, match="No space left"):
                await spool.put(request("refused"))
        await spool.put(request("after"))
    async with FileSpool.open(tmp_path) as spool:
        assert [text_of(kept) for kept in await spool.oldest(9)] == ["before", "after"]


async def test_a_folder_that_is_deleted_refuses_until_it_is_back(tmp_path):
    """Data written to a file without a name would be gone after a restart."""
    folder = tmp_path / "spool"
    async with FileSpool.open(folder) as spool:
        await spool.put(request("before"))
        shutil.rmtree(folder)
        with pytest.raises(SpoolUnavailable, match="bring its folder back"):
            await spool.put(request("refused"))
        folder.mkdir()
        await spool.put(request("after"))
    async with FileSpool.open(folder) as spool:
        assert [text_of(kept) for kept in await spool.oldest(9)] == ["after"]


def text_of(kept):
    return kept.messages[0].body.split(b'"content":"')[1].split(b'"')[0].decode()


async def test_a_torn_frame_at_the_end_is_no_frame(tmp_path):
    async with FileSpool.open(tmp_path) as spool:
        await spool.put(request("whole"))
        await spool.put(request("torn"))
    [log] = tmp_path.glob("*.log")
    os.truncate(log, log.stat().st_size - 3)
    async with FileSpool.open(tmp_path) as spool:
        assert spool.depth == 1
        await spool.put(request("next"))
    async with FileSpool.open(tmp_path) as spool:
        assert [text_of(kept) for kept in await spool.oldest(9)] == ["whole", "next"]


async def test_two_processes_never_share_a_spool(tmp_path):
    async with FileSpool.open(tmp_path):
        with pytest.raises(ConfigurationError, match="Another process"):
            async with FileSpool.open(tmp_path):
                pass


@pytest.mark.parametrize("make", [True, False])
async def test_a_folder_that_the_disk_refuses_is_said_so(tmp_path, make):
    (tmp_path / "file").touch()
    with pytest.raises(SpoolUnavailable, match=r"can't be opened: (File exists|Not a directory)"):
        async with FileSpool.open(tmp_path / "file", make=make):
            pass


async def test_what_is_appended_while_others_are_committed_shares_the_next_commit(tmp_path, monkeypatch):
    monkeypatch.setattr("recuerdo.history.commits.SECONDS_TO_GATHER", 0.5)
    outage = Outage()
    begun, released, committed = asyncio.Event(), asyncio.Event(), asyncio.Event()
    batches: list[list[str]] = []
    append = outage.append

    async def append_when_released(batch):
        batches.append([text_of(request) for request in batch])
        begun.set()
        await released.wait()
        outcomes = await append(batch)
        committed.set()
        return outcomes

    outage.append = append_when_released
    async with deferring(outage, tmp_path) as history:
        await history.append(SCOPE, [Message.user("alone")])
        await begun.wait()
        await history.append(SCOPE, [Message.user("meanwhile")])
        released.set()
        await committed.wait()
        await history.append(SCOPE, [Message.user("soon behind")])
        await history.flush()
    assert batches == [["alone"], ["meanwhile", "soon behind"]]


async def test_a_slow_disk_is_written_in_another_thread(tmp_path, monkeypatch):
    write, writers = Segments.write, list[int]()

    def write_slowly(segments, frames):
        writers.append(threading.get_ident())
        time.sleep(0.01)
        return write(segments, frames)

    monkeypatch.setattr(Segments, "write", write_slowly)
    async with FileSpool.open(tmp_path) as spool:
        for number in range(3):
            await spool.put(request(str(number)))
    here, *others = writers
    assert here == threading.get_ident()
    assert len(others) == 2
    assert here not in others


def no_room(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


def no_room_to_make(path, flags, *mode, opened=os.open):
    return (no_room if flags & os.O_CREAT else opened)(path, flags, *mode)


@pytest.mark.parametrize(("call", "failing"), [("open", no_room_to_make), ("fsync", no_room)], ids=["made", "flushed"])
async def test_a_segment_that_cannot_be_begun_refuses_and_is_begun_when_there_is_room(
    tmp_path, monkeypatch, call, failing
):
    """Whether it could not even be made, or was left behind by the first try."""
    monkeypatch.setattr("recuerdo.adapters.local.spool.SEGMENT_BYTES", 100)
    async with FileSpool.open(tmp_path) as spool:
        await spool.put(request("fills the first segment"))
        with monkeypatch.context() as patched:
            patched.setattr(os, call, failing)
            for _ in range(2):
                with pytest.raises(SpoolUnavailable, match="No space left"):
                    await spool.put(request("refused"))
        await spool.put(request("after"))
    async with FileSpool.open(tmp_path) as spool:
        assert [text_of(kept) for kept in await spool.oldest(9)] == ["fills the first segment", "after"]


async def test_a_full_disk_does_not_keep_what_is_committed(tmp_path, monkeypatch):
    """Where not even the progress can be written, the spool goes on, and its files make room."""
    monkeypatch.setattr("recuerdo.adapters.local.spool.SEGMENT_BYTES", 100)
    monkeypatch.setattr(os, "pwrite", no_room)
    async with deferring(Outage(), tmp_path) as history:
        for number in range(9):
            await history.append(SCOPE, [Message.user(str(number))])
            await history.flush()
        assert await texts(history) == [str(number) for number in range(9)]
        assert len(list(tmp_path.glob("*.log"))) <= 2


def test_finished_segments_are_deleted(tmp_path, monkeypatch):
    monkeypatch.setattr("recuerdo.adapters.local.spool.SEGMENT_BYTES", 100)
    segments = Segments(tmp_path, make=True)
    places = [segments.write([b"x" * 60])[0] for _ in range(6)]
    assert len(list(tmp_path.glob("*.log"))) == 3
    segments.done(places[-1])
    assert len(list(tmp_path.glob("*.log"))) == 1
    segments.close()


def test_nothing_acknowledged_is_lost_or_repeated_when_the_writer_is_killed(tmp_path):
    """kill -9 in mid-load, several times over one spool and one SQLite file."""
    database, spool = f"sqlite:///{tmp_path}/recuerdo.db", str(tmp_path / "spool")
    acknowledged, first = set[str](), 0
    for at_least in (1, 1, 1, 1, 1, 50):  # on a slow machine, too, there is something to check
        writer = subprocess.Popen(
            [sys.executable, str(WRITER), database, spool, str(first)], stdout=subprocess.PIPE, text=True
        )
        assert writer.stdout is not None
        acknowledged |= {writer.stdout.readline().strip() for _ in range(at_least)}
        time.sleep(random.uniform(0.05, 0.4))
        writer.kill()
        acknowledged |= {line.strip() for line in writer.stdout if line.endswith("\n")}
        writer.stdout.close()
        writer.wait()
        first += 100_000

    async def stored():
        async with Recuerdo.open(database, durability="async", spool=spool, embeddings="none") as memory:
            await memory.flush()
            return [
                [message.text for message in await memory.thread(tenant="t", user="u", thread=f"thread-{n}").read()]
                for n in (0, 1)
            ]

    threads = asyncio.run(stored())
    everything = [text for thread in threads for text in thread]
    assert len(acknowledged) > 50
    assert acknowledged <= set(everything)
    assert len(everything) == len(set(everything))
    for thread in threads:
        assert [int(text) for text in thread] == sorted(int(text) for text in thread)


async def test_a_program_that_fails_shows_its_own_error_alone(tmp_path: Path) -> None:
    """That there is no spool is no failure, and nothing that a traceback should bring up."""
    failed = ValueError("the program's own")
    with pytest.raises(ValueError, match="own"):
        async with Recuerdo.open("memory://", spool=f"{tmp_path}/none", embeddings="none"):
            raise failed
    assert failed.__context__ is None

"""A SQLite file that another process has locked."""

import asyncio
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from faults_children import child, line
from faults_load import OWNER, open_history

from recuerdo.core.errors import DatabaseUnavailable
from recuerdo.core.messages import Message
from recuerdo.history import History
from recuerdo.windowing import MessageWindow

SCOPE = OWNER.thread("t-1")
PATIENCE = 0.3
"""Seconds that these histories wait for a lock."""


@pytest.fixture
async def history(tmp_path: Path) -> AsyncIterator[History]:
    async with open_history(tmp_path / "r.db", busy_seconds=PATIENCE) as history:
        yield history


@pytest.fixture
async def patient(tmp_path: Path) -> AsyncIterator[History]:
    """One that waits longer than any machine takes to free the lock."""
    async with open_history(tmp_path / "r.db", busy_seconds=60) as history:
        yield history


@pytest.fixture
async def locker(history: History, tmp_path: Path) -> AsyncIterator[Process]:
    """A process that holds the file's lock until `unlock`; the thread has one message by then."""
    await history.append(SCOPE, [Message.user("before")])
    async with child("lock", tmp_path / "r.db") as process:
        assert await line(process) == "locked"
        yield process


async def unlock(process: Process) -> None:
    assert process.stdin is not None
    process.stdin.close()
    await process.wait()


async def texts(history: History) -> list[str]:
    return [message.text for message in await history.read(SCOPE)]


async def test_a_locked_database_refuses_an_append_after_the_timeout_and_takes_it_again_when_free(
    history: History, locker: Process
) -> None:
    """A refused message was not stored; the refusal says what to look at."""
    with pytest.raises(DatabaseUnavailable, match="lock"):
        await history.append(SCOPE, [Message.user("refused")])
    await unlock(locker)
    assert (await history.append(SCOPE, [Message.user("after")])).first_seq == 2
    assert await texts(history) == ["before", "after"]


async def test_a_locked_database_refuses_every_append_of_a_group(history: History, locker: Process) -> None:
    """Nobody waits for ever, and nobody is acknowledged."""
    appends = [history.append(SCOPE, [Message.user(str(number))]) for number in range(20)]
    outcomes = await asyncio.gather(*appends, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [DatabaseUnavailable] * 20
    await unlock(locker)
    assert await texts(history) == ["before"]


async def test_an_append_waits_for_a_lock_that_is_soon_gone(patient: History, locker: Process) -> None:
    """Nobody is told of a lock that is shorter than the timeout."""
    waiting = asyncio.create_task(patient.append(SCOPE, [Message.user("waited")]))
    await asyncio.sleep(PATIENCE / 6)
    assert not waiting.done()
    await unlock(locker)
    assert (await waiting).first_seq == 2


async def test_reads_go_on_while_the_database_is_locked(patient: History, locker: Process) -> None:
    """A writer's lock is none for readers."""
    window = await asyncio.wait_for(patient.window(SCOPE, MessageWindow(5)), 30)
    assert [message.text for message in window] == ["before"]


async def test_a_cancelled_append_breaks_neither_its_neighbours_nor_the_next(patient: History, locker: Process) -> None:
    """All but the cancelled one have their receipts, each seq once."""
    appends = [asyncio.create_task(patient.append(SCOPE, [Message.user(str(number))])) for number in range(5)]
    await asyncio.sleep(0.01)
    appends[0].cancel()
    appends[3].cancel()
    await unlock(locker)
    receipts = await asyncio.gather(*appends, return_exceptions=True)
    assert [isinstance(receipt, asyncio.CancelledError) for receipt in receipts] == [True, False, False, True, False]
    await patient.append(SCOPE, [Message.user("next")])
    stored = await texts(patient)
    assert len(set(stored)) == len(stored)
    assert {"before", "1", "2", "4", "next"} <= set(stored)


async def test_closing_waits_for_the_appends_of_callers_who_went_away(tmp_path: Path) -> None:
    """A caller that is cancelled just before the close leaves its append whole, or not at all."""
    async with open_history(tmp_path / "r.db") as history:
        appending = asyncio.create_task(history.append(SCOPE, [Message.user("1"), Message.user("2")]))
        await asyncio.sleep(0)
        appending.cancel()
    async with open_history(tmp_path / "r.db") as history:
        assert await texts(history) in ([], ["1", "2"])


async def test_opening_a_locked_new_database_fails_after_the_timeout_and_leaves_nothing_behind(
    history: History, locker: Process, tmp_path: Path
) -> None:
    """The tables can't be checked while somebody else holds the file."""
    with pytest.raises(DatabaseUnavailable, match="lock"):
        async with open_history(tmp_path / "r.db", busy_seconds=PATIENCE):
            pytest.fail("opened a locked database")
    await unlock(locker)
    async with open_history(tmp_path / "r.db", busy_seconds=PATIENCE) as again:
        assert await texts(again) == ["before"]

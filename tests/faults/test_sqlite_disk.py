"""A SQLite file whose disk is full, or that must not grow."""

import asyncio
import itertools
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from faults_children import finished
from faults_load import OWNER, open_history

from recuerdo.core.errors import DatabaseUnavailable
from recuerdo.core.messages import Message
from recuerdo.history import History

SCOPE = OWNER.thread("t-1")
BALLAST = 512 * 1024
PARAGRAPH = "x" * 4000


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 2 MB, a quarter of it ballast that a test can throw off."""
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", tmp_path], capture_output=True)
    if mounted.returncode:
        pytest.skip("mounting a small disk takes root")
    try:
        (tmp_path / "ballast").write_bytes(bytes(BALLAST))
        yield tmp_path
    finally:
        subprocess.run(["umount", "--lazy", tmp_path], check=True)


async def appended_until_refused(history: History) -> int:
    """How many appends a disk took before it was full."""
    for number in itertools.count():
        [outcome] = await asyncio.gather(
            history.append(SCOPE, [Message.user(f"{number} {PARAGRAPH}")]), return_exceptions=True
        )
        if isinstance(outcome, BaseException):
            assert isinstance(outcome, DatabaseUnavailable)
            assert "Make room" in str(outcome)
            return number
    raise AssertionError


async def test_a_full_disk_refuses_what_it_cannot_store_and_takes_appends_again_when_there_is_room(
    small_disk: Path,
) -> None:
    """Acknowledged messages stay readable throughout, and nothing else is there."""
    async with open_history(small_disk / "r.db") as history:
        acknowledged = await appended_until_refused(history)
        assert acknowledged > 20
        assert [message.seq for message in await history.read(SCOPE)] == list(range(1, acknowledged + 1))
        (small_disk / "ballast").unlink()
        receipt = await history.append(SCOPE, [Message.user("there is room again")])
        assert receipt.first_seq == acknowledged + 1
    async with open_history(small_disk / "r.db") as again:
        assert len(await again.read(SCOPE)) == acknowledged + 1


async def test_a_full_disk_acknowledges_of_many_concurrent_appends_only_those_that_it_stored(small_disk: Path) -> None:
    """Receipts and refusals add up, and the receipts are what is there."""
    async with open_history(small_disk / "r.db") as history:
        appends = [history.append(SCOPE, [Message.user(f"{number} {PARAGRAPH}")]) for number in range(600)]
        outcomes = await asyncio.gather(*appends, return_exceptions=True)
        refused = [outcome for outcome in outcomes if isinstance(outcome, DatabaseUnavailable)]
        receipts = [outcome for outcome in outcomes if not isinstance(outcome, BaseException)]
        assert refused
        assert len(refused) + len(receipts) == len(outcomes)
        stored = {message.id: message.seq for message in await history.read(SCOPE)}
        assert stored == {receipt.ids[0]: receipt.first_seq for receipt in receipts}


async def test_a_disk_that_is_full_from_the_start_is_told_when_the_database_is_opened(small_disk: Path) -> None:
    """Nobody gets a history that can't hold anything; and it can be opened when there is room."""
    room = os.statvfs(small_disk)
    (small_disk / "more").write_bytes(bytes(room.f_bavail * room.f_frsize - 8192))
    with pytest.raises(DatabaseUnavailable):
        async with open_history(small_disk / "r.db"):
            pytest.fail("opened a database without room for its tables")
    (small_disk / "more").unlink()
    async with open_history(small_disk / "r.db") as history:
        assert (await history.append(SCOPE, [Message.user("hello")])).first_seq == 1


async def test_a_file_that_must_not_grow_refuses_appends_until_it_may(tmp_path: Path) -> None:
    """The commit meets an I/O error, so the outcome is unknown; a retry with the key stores the message once."""
    [[acknowledged, (kind, problem), under_limit, behind]] = await finished("outgrow", tmp_path / "r.db", 1_000_000)
    assert acknowledged > 20
    assert (kind, "idempotency key" in problem) == ("OutcomeUnknown", True)
    assert under_limit == list(range(1, acknowledged + 1))
    assert behind == list(range(1, acknowledged + 2))

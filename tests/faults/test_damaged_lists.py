"""Pages of a SQLite file that lists of threads need: what they don't take away is still found, read and exported."""

import asyncio
import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from recuerdo import Message, Recuerdo
from recuerdo.adapters.registry import open_repositories
from recuerdo.core.errors import DamagedMessage
from recuerdo.history.damage import DamageCheck, UnreadList
from recuerdo.history.iteration import OwnerFilter
from recuerdo.history.transfer import Transfer

USERS, THREADS = 7, 420
PAGE = 4096
INTERIOR = 2


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A database of 420 threads of two messages each."""
    file = tmp_path_factory.mktemp("whole") / "r.db"
    asyncio.run(_fill(file))
    return file.read_bytes()


async def _fill(file: Path) -> None:
    async with Recuerdo.open(f"sqlite:///{file}", embeddings="none") as memory:
        for number in range(THREADS):
            thread = memory.thread(tenant="acme", user=f"u{number % USERS}", thread=f"t-{number}")
            await thread.append(Message.user(f"number {number}"), Message.assistant("Good."))


@pytest.mark.parametrize("damaged", ["messages", "threads", "threads_by_minute", "threads_by_change"])
async def test_one_damaged_page_costs_no_more_than_what_is_on_it(whole: bytes, damaged: str, tmp_path: Path) -> None:
    """A check reads the others and an export saves them; threads on a page of their table cost their users' lists."""
    file = tmp_path / "r.db"
    file.write_bytes(whole)
    await asyncio.to_thread(_overwrite_a_leaf, file, damaged)
    async with open_repositories(f"sqlite:///{file}") as repositories:
        reports = [each async for each in DamageCheck(repositories.history, repositories.threads).run(OwnerFilter())]
        pieces = [each async for each in Transfer(repositories.history, repositories.threads).export(OwnerFilter())]
    unread = {each.damage.owner for each in reports if isinstance(each.damage, UnreadList)}
    messages = sum(isinstance(each.damage, DamagedMessage) for each in reports)
    threads = THREADS - len(unread) * THREADS // USERS
    assert (len(unread) in (1, 2)) == (damaged == "threads")
    assert None not in unread
    assert (0 < messages < 50) == (damaged == "messages")
    assert sum(each.threads for each in reports) == threads
    assert sum(each.messages for each in reports) == 2 * threads - messages
    assert {each.damage.owner for each in pieces if isinstance(each.damage, UnreadList)} == unread
    assert sum(each.messages for each in pieces) == 2 * threads


async def test_a_list_goes_on_when_the_last_message_of_a_thread_is_unreadable(whole: bytes, tmp_path: Path) -> None:
    file = tmp_path / "r.db"
    file.write_bytes(whole)
    await asyncio.to_thread(_overwrite_a_leaf, file, "messages")
    async with open_repositories(f"sqlite:///{file}") as repositories:
        owners = await repositories.threads.owners("acme", USERS + 1)
        pages = [await repositories.threads.select(owner, THREADS) for owner in owners]
    assert [len(page.threads) for page in pages] == [THREADS // USERS] * USERS
    assert not any(thread.archived for page in pages for thread in page.threads)


def _overwrite_a_leaf(file: Path, name: str) -> None:
    """Let one page of the table or index be noise, from the middle of it."""
    with closing(sqlite3.connect(file)) as connection:
        (number,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (name,)).fetchone()
    pages = bytearray(file.read_bytes())
    page = pages[(number - 1) * PAGE : number * PAGE]
    while page[0] == INTERIOR:
        middle = 12 + int.from_bytes(page[3:5]) // 2 * 2
        cell = int.from_bytes(page[middle : middle + 2])
        number = int.from_bytes(page[cell : cell + 4])
        page = pages[(number - 1) * PAGE : number * PAGE]
    pages[(number - 1) * PAGE : number * PAGE] = random.Random(17).randbytes(PAGE)
    file.write_bytes(pages)

"""However large messages are, reads hold a bounded part of them: measured in bytes, with a small bound."""

import asyncio
import tracemalloc
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from recuerdo import Message, MessageWindow, Recuerdo
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.threads import MessageQuery
from recuerdo.history.iteration import OwnerFilter
from recuerdo.history.transfer import Transfer

KILOBYTE = 1024
LARGE = 100 * KILOBYTE
MESSAGES = 200
BOUND = 1024 * KILOBYTE
"""Ten messages; the whole thread has twenty times as much."""

MOST_HELD = 4 * BOUND
"""Of one reader: what was read, what is decoded of it, and what is sent."""

EMI = Owner("bytes-of-reads", "emi")  # a tenant of its own in a database that other tests share
SCOPE = EMI.thread("t-1")


@pytest.fixture(params=["sqlite", "postgres"])  # MongoDB sends replies of up to 16 MB
async def memory(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Recuerdo]:
    """A thread of 20 MB, none of which is cached, read by at most 1 MB at a time."""
    url = f"sqlite:///{tmp_path}/x.db"
    if request.param == "postgres":
        url = request.getfixturevalue("postgres_url")
    async with Recuerdo.open(url, embeddings="none") as writer:
        thread = writer.thread(tenant=SCOPE.tenant, user=SCOPE.user, thread=SCOPE.thread)
        if not await thread.count():
            for start in range(0, MESSAGES, 20):
                words = [f"palabra{number} " + "x" * LARGE for number in range(start, start + 20)]
                await thread.append(*map(Message.user, words))
    async with Recuerdo.open(url, embeddings="none", read_bytes=BOUND) as memory:
        await memory.history.page(SCOPE, MessageQuery(limit=1))  # whatever is loaded once
        yield memory


class Held:
    """How many bytes were allocated at most inside the block, beyond those before it."""

    def __enter__(self) -> "Held":
        tracemalloc.start()
        self._before = tracemalloc.get_traced_memory()[0]
        return self

    def __exit__(self, *_: object) -> None:
        self.most = tracemalloc.get_traced_memory()[1] - self._before
        tracemalloc.stop()


async def seqs_of(memory: Recuerdo, scope: Scope) -> list[int]:
    """Every seq of the thread, by pages as large as they may be."""
    found: list[int] = []
    query = MessageQuery(limit=1000, after=0)
    while True:
        page = await memory.history.page(scope, query)
        found += [record.seq for record in page.records]
        if not page.more:
            return found
        query = MessageQuery(limit=1000, after=page.records[-1].seq)


async def test_four_readers_of_pages_hold_four_times_the_bound(memory: Recuerdo) -> None:
    with Held() as held:
        found = await asyncio.gather(*[seqs_of(memory, SCOPE) for _ in range(4)])
    assert found == [[*range(1, MESSAGES + 1)]] * 4
    assert held.most < 4 * MOST_HELD, f"{held.most / BOUND:.1f} times the bound"


async def test_a_window_ends_where_its_bytes_do(memory: Recuerdo) -> None:
    with Held() as held:
        window = await memory.history.window(SCOPE, MessageWindow(MESSAGES))
    size = sum(len(message.text) for message in window)
    assert BOUND - LARGE < size < BOUND + 2 * LARGE
    assert window[-1].seq == MESSAGES
    assert held.most < MOST_HELD + 17 * BOUND, "a cache may take what a cache takes"


async def test_an_export_holds_a_piece_at_a_time(memory: Recuerdo) -> None:
    repositories = memory._parts.repositories
    with Held() as held:
        exported = 0
        async for piece in Transfer(repositories.history, repositories.threads).export(
            OwnerFilter(EMI.tenant, EMI.user)
        ):
            exported += piece.messages
    assert exported == MESSAGES
    assert held.most < 8 * BOUND, f"{held.most / BOUND:.1f} times the bound"

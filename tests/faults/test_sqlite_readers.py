"""Readers of a SQLite file while somebody writes, archives and clears (invariants I3 and I4)."""

import asyncio
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from faults_load import OWNER, open_history

from recuerdo.core.messages import Message, decode_all
from recuerdo.core.threads import NOWHERE, MessageQuery
from recuerdo.history import History
from recuerdo.windowing import MessageWindow, TokenWindow, WindowPolicy

SCOPE = OWNER.thread("t-1")
BATCHES = 300
PARTS = 3
LONGEST = 120
WHOLE = MessageQuery(limit=1000, archived=None)


class Writing:
    """Appends batches that name their generation, archives some, and clears the thread when it is long."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._generation = 0
        self.acknowledged = NOWHERE
        self.over = False

    async def run(self) -> None:
        for batch in range(BATCHES):
            await self._append(batch)
            if batch % 5 == 0:
                await self._history.archive(SCOPE, first=1, last=3 * PARTS, archived=batch % 2 == 0)
            if self.acknowledged.seq >= LONGEST:
                self._generation += 1
                self.acknowledged = await self._history.clear(SCOPE)
        self.over = True

    async def _append(self, batch: int) -> None:
        messages = [Message.user(f"{self._generation} {batch} {part}") for part in range(PARTS)]
        self.acknowledged = (await self._history.append(SCOPE, messages)).version


def check_whole(messages: Sequence[Message], *, cut: bool = False) -> None:
    """One generation, and every batch there as a whole; a window may cut the first one that it shows."""
    words = [str(message.content).split() for message in messages]
    assert len({generation for generation, _, _ in words}) <= 1, "messages of two epochs"
    batches = [[part for _, _, part in batch] for _, batch in groupby(words, key=lambda word: word[1])]
    whole = [str(part) for part in range(PARTS)]
    if cut and batches:
        first = batches.pop(0)
        assert first == whole[-len(first) :], f"torn: {first}"
    assert all(batch == whole for batch in batches), f"torn: {batches}"


async def read_pages(history: History, writing: Writing) -> None:
    """Everything, again and again: exactly a committed prefix, never older than what was acknowledged or seen."""
    last = NOWHERE
    while not writing.over:
        at_least = max(last, writing.acknowledged)
        page = await history.page(SCOPE, WHOLE)
        last = page.version
        assert last >= at_least
        assert [record.seq for record in page.records] == list(range(1, last.seq + 1))
        check_whole(decode_all(page.records))


async def read_windows(history: History, writing: Writing, policy: WindowPolicy) -> None:
    """Windows, which may take several reads each: in order, without doubles, without torn batches."""
    while not writing.over:
        window = await history.window(SCOPE, policy)
        seqs = [message.seq for message in window]
        assert seqs == sorted(set(seqs))
        assert not any(message.archived for message in window)
        check_whole(window, cut=True)


async def test_readers_never_see_a_hole_a_duplicate_or_half_of_a_batch(tmp_path: Path) -> None:
    """Pages and windows through another connection than the writer's; and what was acknowledged is seen at once."""
    async with open_history(tmp_path / "r.db") as written, open_history(tmp_path / "r.db") as read:
        writing = Writing(written)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(read_pages(read, writing))
            tasks.create_task(read_windows(read, writing, MessageWindow(20)))
            tasks.create_task(read_windows(read, writing, TokenWindow(1500)))
            tasks.create_task(writing.run())

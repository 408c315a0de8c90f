"""A load whose every append can be told from its name alone, so that a check needs no memory of what was sent."""

import functools
import json
import random
import sys
from collections import defaultdict
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from recuerdo.adapters.sqlite import SqliteDatabase, SqliteHistory, SqliteThreads
from recuerdo.core.messages import Message
from recuerdo.core.scope import Owner
from recuerdo.history import History

OWNER = Owner("acme", "emi")
THREADS = ("t-1", "t-2", "t-3")


class Plan(NamedTuple):
    """The text and the thread of a writer's append with this number."""

    thread: str
    texts: list[str]

    @property
    def messages(self) -> list[Message]:
        return [Message.user(text) for text in self.texts]


class Receipt(NamedTuple):
    """An acknowledgement to a writer: its append is stored, from `first_seq` on."""

    writer: str
    number: int
    first_seq: int


@functools.cache
def planned(writer: str, number: int) -> Plan:
    """The same for everybody who asks: the writer, and the test that checks what it left."""
    chance = random.Random(f"{writer}/{number}")
    size = chance.choice((1, 1, 1, 2, 5, 20))
    padding = "x" * chance.choice((0, 200, 200, 200, 6000))
    return Plan(chance.choice(THREADS), [f"{writer} {number} {part}/{size} {padding}" for part in range(size)])


def tell(value: Any) -> None:
    """A line of JSON on the standard output, in one write: a kill can't tear it."""
    sys.stdout.write(f"{json.dumps(value)}\n")
    sys.stdout.flush()


@asynccontextmanager
async def open_history(path: Path | str, **options: Any) -> AsyncGenerator[History]:
    """The history over a SQLite file, as `recuerdo.app.wiring` puts it together."""
    async with SqliteDatabase.open(path, **options) as database:
        history = History(SqliteHistory(database), SqliteThreads(database))
        try:
            yield history
        finally:
            await history.flush()


async def stored_threads(path: Path) -> dict[str, list[Message]]:
    """All that the file holds of the load, read by somebody who opens it anew."""
    async with open_history(path) as history:
        return {thread: await history.read(OWNER.thread(thread)) for thread in THREADS}


def check(threads: Mapping[str, Sequence[Message]], receipts: Sequence[Receipt]) -> None:
    """Nothing acknowledged is lost or changed, nothing is torn, out of order, doubled or made up."""
    for writer, number, first_seq in receipts:
        plan = planned(writer, number)
        found = threads[plan.thread][first_seq - 1 : first_seq - 1 + len(plan.texts)]
        assert [message.content for message in found] == plan.texts, f"lost: {writer} {number}"
    stored = [append for thread, messages in threads.items() for append in _whole_appends(thread, messages)]
    assert len(set(stored)) == len(stored), "an append is stored twice"
    _check_numbers(set(stored), {(writer, number) for writer, number, _ in receipts})


def _whole_appends(thread: str, messages: Sequence[Message]) -> list[tuple[str, int]]:
    assert [message.seq for message in messages] == list(range(1, len(messages) + 1)), "seqs have a gap"
    appends: list[tuple[str, int]] = []
    last_numbers: dict[str, int] = {}
    position = 0
    while position < len(messages):
        writer, number = str(messages[position].content).split(" ", 2)[:2]
        plan = planned(writer, int(number))
        found = [message.content for message in messages[position : position + len(plan.texts)]]
        assert (plan.thread, plan.texts) == (thread, found), f"torn or never sent: {writer} {number}"
        assert last_numbers.get(writer, -1) < int(number), f"out of order: {writer} {number}"
        last_numbers[writer] = int(number)
        appends.append((writer, int(number)))
        position += len(found)
    return appends


def _check_numbers(stored: set[tuple[str, int]], acknowledged: set[tuple[str, int]]) -> None:
    """A writer waits for each receipt, so at most the last append of each is stored without one."""
    numbers = defaultdict[str, set[int]](set)
    for writer, number in stored:
        numbers[writer].add(number)
    assert all(found == set(range(len(found))) for found in numbers.values()), "missing before a later one"
    in_flight = [writer for writer, _ in stored - acknowledged]
    assert len(set(in_flight)) == len(in_flight), f"stored and never sent: {stored - acknowledged}"

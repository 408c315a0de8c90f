"""Processes for the tests to kill: mongodb_child.py WHAT URL ARGUMENTS..."""

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from typing import Any

from faults.faults_load import OWNER, planned, tell
from recuerdo.adapters.mongodb import MongoDatabase, MongoHistory, MongoThreads, appends, threads
from recuerdo.history import History
from recuerdo.testing.clock import NOON
from recuerdo.testing.samples import fill

SCOPE = OWNER.thread("t-1")


async def write(url: str, name: str, tasks: str, count: str) -> None:
    """Append the planned load, and tell each receipt."""

    async def write_as(history: History, writer: str) -> None:
        for number in range(int(count)):
            plan = planned(writer, number)
            appended = await history.append(OWNER.thread(plan.thread), plan.messages)
            tell([writer, number, appended.first_seq])

    async with MongoDatabase.open(url, timeout_ms=60_000) as database:
        history = History(MongoHistory(database), MongoThreads(database))
        await asyncio.gather(*(write_as(history, f"{name}-{task}") for task in range(int(tasks))))


async def open_database(url: str) -> None:
    """Only open it."""
    async with MongoDatabase.open(url, timeout_ms=60_000):
        tell("open")


async def die(url: str, where: str) -> None:
    """Append three messages (or erase them) and be killed on the way, `where`."""
    async with MongoDatabase.open(url, timeout_ms=60_000) as database:
        history, repository = MongoHistory(database), MongoThreads(database)
        match where:
            case "before the commit":
                appends.commit_appends = killed
            case "behind the commit":
                appends.move = killed
            case "while moving":
                appends.move = move_one_and_be_killed
            case "before latest is cleared":
                database.threads_quickly = Killing()
            case "behind the erasing":
                await fill(history, SCOPE, 3)
                threads.remove = killed
                await repository.delete(SCOPE, NOON)
        await fill(history, SCOPE, 3)


async def killed(*_: Any, **__: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


async def move_one_and_be_killed(database: MongoDatabase, states: Sequence[Any]) -> None:
    await database.messages.insert_one(appends._row(states[0], states[0].latest[1]))
    await killed()


class Killing:
    bulk_write = killed


if __name__ == "__main__":
    what = {"write": write, "open": open_database, "die": die}[sys.argv[1]]
    asyncio.run(what(*sys.argv[2:]))

"""Append the planned load: write.py FILE NAME TASKS COUNT. A line for each receipt; COUNT 0 goes on for ever."""

import asyncio
import itertools
import sys

from faults_load import OWNER, open_history, planned, tell

from recuerdo.history import History


async def write(history: History, writer: str, count: int) -> None:
    for number in range(count) if count else itertools.count():
        plan = planned(writer, number)
        appended = await history.append(OWNER.thread(plan.thread), plan.messages)
        tell([writer, number, appended.first_seq])


async def main(file: str, name: str, tasks: str, count: str) -> None:
    async with open_history(file) as history:
        tell("open")
        await asyncio.gather(*(write(history, f"{name}-{task}", int(count)) for task in range(int(tasks))))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))

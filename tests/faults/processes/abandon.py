"""Append the planned load from many tasks, and let the event loop end in the middle of it: abandon.py FILE."""

import asyncio
import sys

from faults_load import open_history
from write import write

TASKS = 50
SECONDS = 0.2


async def use(file: str, opened: asyncio.Event) -> None:
    async with open_history(file) as history:
        opened.set()
        await asyncio.gather(*(write(history, f"w-{task}", 0) for task in range(TASKS)))


async def main(file: str) -> None:
    opened = asyncio.Event()
    using = asyncio.create_task(use(file, opened))
    await opened.wait()
    await asyncio.sleep(SECONDS)
    assert not using.done()


asyncio.run(main(*sys.argv[1:]))

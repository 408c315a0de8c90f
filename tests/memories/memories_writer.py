"""A process that says its name and what it likes, over and over: `memories_writer.py file name`."""

import asyncio
import sys

from recuerdo.adapters.sqlite import SqliteDatabase, SqliteMemories
from recuerdo.core.scope import Owner
from recuerdo.history.history import utc_now
from recuerdo.memories import Memories


async def write(file: str, name: str) -> None:
    async with SqliteDatabase.open(file) as database:
        memories = Memories(SqliteMemories(database), None, utc_now)
        for number in range(20):
            await memories.remember(Owner("acme", "emi"), f"Me llamo {name}. Me gusta el número {number}.")


asyncio.run(write(*sys.argv[1:]))

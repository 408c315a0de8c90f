"""The cost of appending through the library, compared with raw SQLite."""

import asyncio
from pathlib import Path

from benchmarks.raw import TEXT, RawHistory
from benchmarks.rounds import Measurement, compare
from recuerdo import Message, Recuerdo

TOPIC = "append"
AT_ONCE = 128


async def measure(folder: Path, *, full: bool) -> list[Measurement]:
    """One append alone, and many that wait together, against one raw insert a commit.

    The raw insert blocks its program until the disk has answered, which no program with an event loop can afford:
    the second line shows the same insert in a thread.
    """
    rounds = 60 if full else 20
    async with Recuerdo.open(f"sqlite:///{folder}/append.db", embeddings="none") as memory:
        thread = memory.thread(tenant="acme", user="emi", thread="t-1")

        async def append() -> None:
            await thread.append(Message.user(TEXT))

        async def append_at_once() -> None:
            await asyncio.gather(*(append() for _ in range(AT_ONCE)))

        with RawHistory.open(folder / "append-raw.db") as raw:

            async def insert_in_thread() -> None:
                await asyncio.to_thread(raw.insert_blocking)

            alone = await compare(append, raw.insert, rounds=rounds, turns=50)
            threaded = await compare(append, insert_in_thread, rounds=rounds, turns=50)
            together = await compare(append_at_once, raw.insert, rounds=rounds, turns=10, share=AT_ONCE)
    peer = "sqlite3 insert + commit"
    return [
        alone.measurement(TOPIC, "one append of 200 B", peer, goal=1.5),
        threaded.measurement(TOPIC, "one append of 200 B", "the same in asyncio.to_thread"),
        together.measurement(TOPIC, f"each of {AT_ONCE} appends at once", peer, goal=1.0),
    ]

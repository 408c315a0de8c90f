"""What it costs to append through the library, above what SQLite itself needs."""

import asyncio
from pathlib import Path

from benchmarks.raw import TEXT, RawHistory
from benchmarks.rounds import Measurement, compare
from recuerdo import Message, Recuerdo

TOPIC = "append"
AT_ONCE = 128


async def measure(folder: Path, *, full: bool) -> list[Measurement]:
    """One append alone, and many that wait together, against one raw insert a commit."""
    rounds = 60 if full else 20
    async with Recuerdo.open(f"sqlite:///{folder}/append.db", embeddings="none") as memory:
        thread = memory.thread(tenant="acme", user="emi", thread="t-1")

        async def append() -> None:
            await thread.append(Message.user(TEXT))

        async def append_at_once() -> None:
            await asyncio.gather(*(append() for _ in range(AT_ONCE)))

        with RawHistory.open(folder / "append-raw.db") as raw:
            alone = await compare(append, raw.insert, rounds=rounds, turns=50)
            together = await compare(append_at_once, raw.insert, rounds=rounds, turns=10, share=AT_ONCE)
    peer = "sqlite3 insert + commit"
    return [
        alone.measurement(TOPIC, "one append of 200 B", peer, goal=1.5),
        together.measurement(TOPIC, f"each of {AT_ONCE} appends at once", peer, goal=1.0),
    ]

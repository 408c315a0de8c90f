"""Searching a user's history over HTTP: the processor's time of the process that serves it."""

import asyncio
from itertools import cycle, islice
from pathlib import Path

from benchmarks.dialogues import ANSWERED, PEOPLE, load
from benchmarks.rounds import Measurement
from benchmarks.servers import processor_seconds
from benchmarks.web import Client
from servers.recuerdo import ApiServer, running_recuerdo

TOPIC = "search"
_GOALS = {600: 0.008, 6_000: 0.020}
"""Seconds of a search, by how many messages there are."""

_THREAD = 200
_SEARCHES_UNTIL_READY = 4
"""Each of them waits some seconds for the vectors that are being made."""


async def measure(folder: Path, *, full: bool) -> list[Measurement]:
    """Questions over what people tell and ask in the labelled dialogues, with the offline embedding model."""
    said = [line.text for dialogue in load(ANSWERED["pairs"]) for line in dialogue.lines]
    asked = [line.text for dialogue in load(PEOPLE) for line in dialogue.lines if line.question]
    measured: list[Measurement] = []
    for count, goal in _GOALS.items():
        database = f"sqlite:///{folder}/search-{count}.db"
        with running_recuerdo(database_url=database, limits="off") as server:
            taken = await _searches(server, said[:count], asked, 300 if full else 100)
        found = Measurement(TOPIC, f"processor of a search over {count:,} messages", taken, goal_seconds=goal)
        measured.append(found)
    return measured


async def _searches(server: ApiServer, said: list[str], asked: list[str], searches: int) -> float:
    """Seconds of the server's processor that a search takes."""
    async with Client.open(server.url, **{"X-Recuerdo-User": "emi"}) as client:
        for start in range(0, len(said), _THREAD):
            messages = [{"role": "user", "content": text} for text in said[start : start + _THREAD]]
            await client.post(f"/v1/threads/t{start}/messages", {"messages": messages})
        for question in asked[:_SEARCHES_UNTIL_READY]:
            await client.post("/v1/search", {"query": question})
        await asyncio.sleep(1)
        began = processor_seconds(server)
        for question in islice(cycle(asked), searches):
            assert (await client.post("/v1/search", {"query": question}))["hits"]
        return (processor_seconds(server) - began) / searches

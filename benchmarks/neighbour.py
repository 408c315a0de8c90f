"""A user of another tenant, who appends and reads windows again and again while something large is done."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable
from contextlib import asynccontextmanager
from statistics import median, quantiles

from benchmarks.raw import TEXT
from recuerdo import Message, MessageWindow, Recuerdo

HEAD_OF_NEIGHBOUR = "| meanwhile | takes | another's append and window: median | p99 |\n|---|---:|---:|---:|"


class Neighbour:
    """The user, and the seconds that each append with its window took."""

    def __init__(self, memory: Recuerdo) -> None:
        self._thread = memory.thread(tenant="other", user="u", thread="t")
        self._seconds: list[float] = []

    async def run(self) -> None:
        while True:
            began = time.perf_counter()
            await self._thread.append(Message.user(TEXT))
            await self._thread.window(MessageWindow(50))
            self._seconds.append(time.perf_counter() - began)
            await asyncio.sleep(0.005)

    async def meanwhile(self, what: str, work: Awaitable[object]) -> None:
        """Print a row: how long the work takes, and what the neighbour notices."""
        self._seconds.clear()
        began = time.perf_counter()
        await work
        taken, seconds = time.perf_counter() - began, sorted(self._seconds)
        p99 = quantiles(seconds, n=100)[98]
        print(f"| {what} | {taken:.1f} s | {median(seconds) * 1e3:.1f} ms | {p99 * 1e3:.1f} ms |", flush=True)


@asynccontextmanager
async def running_neighbour(memory: Recuerdo) -> AsyncGenerator[Neighbour]:
    """A neighbour who stops at the end."""
    neighbour = Neighbour(memory)
    task = asyncio.create_task(neighbour.run())
    try:
        yield neighbour
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

"""Many writers at once: how many appends a second come through, and how long the slowest wait."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from benchmarks.rounds import Compared, Measurement
from recuerdo.concurrency.garbage import collect_seldom, freeze_loaded_objects

WRITERS = 128
_SECONDS = 0.5

Writer = Callable[[int], Awaitable[object]]
"""One append of the writer with that number."""


class Rush(NamedTuple):
    """One round of a crowd: seconds an append, of all together, and the 99th percentile of what one took."""

    each: float
    p99: float


async def rush(writer: Writer) -> Rush:
    """Let all writers append again and again for half a second, each waiting for its own appends."""
    taken: list[float] = []
    end = time.perf_counter() + _SECONDS

    async def write(number: int) -> None:
        while (start := time.perf_counter()) < end:
            await writer(number)
            taken.append(time.perf_counter() - start)

    start = time.perf_counter()
    await asyncio.gather(*[write(number) for number in range(WRITERS)])
    elapsed = time.perf_counter() - start
    return Rush(elapsed / len(taken), sorted(taken)[len(taken) * 99 // 100])


async def compare_crowds(
    topic: str, case: str, ours: Writer, peer: str, theirs: Writer, rounds: int
) -> list[Measurement]:
    """Throughput, as the time that one append takes of all of them together, and the slowest hundredth's wait.

    Like `recuerdo serve` the process collects garbage seldom, and not of what it has loaded: for both of them.
    """
    collect_seldom()
    freeze_loaded_objects()
    rushes: tuple[list[Rush], list[Rush]] = ([], [])
    for number in range(rounds + 1):
        for which in (0, 1) if number % 2 else (1, 0):
            found = await rush((ours, theirs)[which])
            if number:
                rushes[which].append(found)
    each, p99 = [
        Compared.of([[rush[field]] for rush in rushes[0]], [[rush[field]] for rush in rushes[1]]) for field in (0, 1)
    ]
    return [
        each.measurement(topic, f"{case}: an append", peer, goal=0.25),
        p99.measurement(topic, f"{case}: p99 of its wait", peer)._replace(goal_seconds=0.010),
    ]

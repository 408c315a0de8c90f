"""Contestants that take turns, so that a noisy machine is noisy to all of them alike."""

import time
from collections.abc import Awaitable, Callable
from statistics import median, quantiles
from typing import NamedTuple

Contestant = Callable[[], Awaitable[object]]


class Measurement(NamedTuple):
    """One line of the table. Times are medians in seconds; `ratio` is the median of the rounds' own ratios.

    `low` and `high` are the quartiles of those ratios: when they lie far apart, the machine was busy. A goal is for
    the ratio, or in seconds when `goal_seconds` says so. Without a peer there is no ratio.
    """

    topic: str
    case: str
    ours: float
    peer: str = ""
    theirs: float | None = None
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    goal: float | None = None
    goal_seconds: float | None = None

    @property
    def met(self) -> bool:
        """Whether the goal is met; without one it is."""
        if self.goal_seconds is not None:
            return self.ours <= self.goal_seconds
        return self.goal is None or self.ratio is None or self.ratio <= self.goal


class Compared(NamedTuple):
    """What two contestants took: medians over everything, and each round's ratio of medians."""

    ours: float
    theirs: float
    ratios: list[float]

    def measurement(self, topic: str, case: str, peer: str, goal: float | None = None) -> Measurement:
        low, ratio, high = quantiles(self.ratios, n=4)
        return Measurement(topic, case, self.ours, peer, self.theirs, ratio, low, high, goal)


async def compare(ours: Contestant, theirs: Contestant, *, rounds: int, turns: int, share: int = 1) -> Compared:
    """Let both run `turns` times in each round, and the first turns go to each in turn.

    One turn of ours does the work of `share` turns of theirs, as when many appends are committed together.
    """
    taken: tuple[list[float], list[float]] = ([], [])
    ratios: list[float] = []
    for number in range(rounds + 1):
        order = (0, 1) if number % 2 else (1, 0)
        samples = {which: await _time((ours, theirs)[which], turns) for which in order}
        if number == 0:  # everybody warms up
            continue
        own = [sample / share for sample in samples[0]]
        taken[0].extend(own)
        taken[1].extend(samples[1])
        ratios.append(median(own) / median(samples[1]))
    return Compared(median(taken[0]), median(taken[1]), ratios)


async def _time(contestant: Contestant, turns: int) -> list[float]:
    samples: list[float] = []
    for _ in range(turns):
        start = time.perf_counter()
        await contestant()
        samples.append(time.perf_counter() - start)
    return samples

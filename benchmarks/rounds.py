"""Contestants that take turns, so that a noisy machine is noisy to all of them alike."""

import time
from collections.abc import Awaitable, Callable, Mapping
from itertools import chain
from statistics import median, quantiles
from typing import NamedTuple

Contestant = Callable[[], Awaitable[object]]
_OURS = "recuerdo"


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
    unit: str = "s"

    @property
    def met(self) -> bool:
        """Whether the goal is met; without one it is."""
        if self.goal_seconds is not None:
            return self.ours <= self.goal_seconds
        return self.goal is None or self.ratio is None or self.ratio <= self.goal


class Compared(NamedTuple):
    """The times of two contestants: medians over everything, and each round's ratio of medians."""

    ours: float
    theirs: float
    ratios: list[float]

    @classmethod
    def of(cls, ours: list[list[float]], theirs: list[list[float]]) -> "Compared":
        """From the samples of each round."""
        ratios = [median(own) / median(other) for own, other in zip(ours, theirs, strict=True)]
        return cls(median(chain(*ours)), median(chain(*theirs)), ratios)

    def measurement(self, topic: str, case: str, peer: str, goal: float | None = None) -> Measurement:
        low, ratio, high = quantiles(self.ratios, n=4)
        return Measurement(topic, case, self.ours, peer, self.theirs, ratio, low, high, goal)


async def compare(ours: Contestant, theirs: Contestant, *, rounds: int, turns: int, share: int = 1) -> Compared:
    """Let both run `turns` times in each round, and the first turns go to each in turn.

    One turn of ours does the work of `share` turns of theirs, as when many appends are committed together.
    """
    return (await compare_each(ours, {"": theirs}, rounds=rounds, turns=turns, share=share))[""]


async def compare_each(
    ours: Contestant, peers: Mapping[str, Contestant], *, rounds: int, turns: int, share: int = 1
) -> dict[str, Compared]:
    """The same with several peers in one run: who begins changes with every round."""
    contestants = {_OURS: ours, **peers}
    samples: dict[str, list[list[float]]] = {name: [] for name in contestants}
    for number in range(rounds + 1):
        for name in _rotated(list(contestants), number):
            taken = await _time(contestants[name], turns)
            if number:  # in the first round everybody warms up
                samples[name].append([each / share for each in taken] if name == _OURS else taken)
    return {name: Compared.of(samples[_OURS], samples[name]) for name in peers}


def _rotated(names: list[str], by: int) -> list[str]:
    by %= len(names)
    return names[by:] + names[:by]


async def _time(contestant: Contestant, turns: int) -> list[float]:
    samples: list[float] = []
    for _ in range(turns):
        start = time.perf_counter()
        await contestant()
        samples.append(time.perf_counter() - start)
    return samples

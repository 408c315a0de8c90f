"""Thousands of schedules of replicas, clients and faults over a real Redis: none violates an invariant of the design.

RECUERDO_TEST_SEEDS=500:1000000 runs others than those of every test run, and more.
"""
# pyright: basic

import os

import pytest

from simulation.resp import Resp
from simulation.schedules import ScheduleFailed, run, run_one
from simulation.virtual_loop import VirtualLoop

Simulated = tuple[VirtualLoop, Resp]

SEEDS = "0:500"
"""The first 275 find every mutant; `make soak` plays on from 500."""

CHUNK = 100


def chunks() -> list[range]:
    first, last = map(int, os.environ.get("RECUERDO_TEST_SEEDS", SEEDS).split(":"))
    return [range(start, min(start + CHUNK, last)) for start in range(first, last, CHUNK)]


@pytest.mark.timeout(0)
@pytest.mark.parametrize("seeds", chunks(), ids=lambda seeds: f"{seeds.start}-{seeds.stop - 1}")
def test_no_schedule_violates_an_invariant(simulated: Simulated, seeds: range) -> None:
    """A seed that does comes with its trace, and is the whole of what is needed to see it again."""
    try:
        run(*simulated, seeds)
    except ScheduleFailed as failed:
        pytest.fail(str(failed), pytrace=False)


@pytest.mark.parametrize("seed", [20556])
def test_a_schedule_that_once_violated_one_does_not_again(simulated: Simulated, seed: int) -> None:
    """20556: a command that was lost while everything was purged."""
    assert run_one(*simulated, seed) is None


def test_a_seed_tells_the_same_story_twice(simulated: Simulated) -> None:
    """All that a schedule depends on is its seed, so that a failure can be looked at again."""
    for seed in range(40):
        stories: list[list[str]] = []
        for _ in range(2):
            trace: list[str] = []
            run_one(*simulated, seed, trace)
            stories.append([line.partition(" answers ")[0] for line in trace])
        assert stories[0] == stories[1]

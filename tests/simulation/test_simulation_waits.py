"""Waiting for runs under simulated schedules: it answers what they end with, and the simulator would notice.

RECUERDO_TEST_WAIT_SEEDS=200:100000 runs others than those of every test run, and more, as `make soak` does.
"""

import os

import pytest

from simulation.mutants import OF_WAITS, applied
from simulation.virtual_loop import VirtualLoop
from simulation.waits import run_one

SEEDS = "0:200"
"""Every mutant is found by the first twenty."""

PATIENCE = 200


@pytest.fixture(scope="module")
def loop():
    loop = VirtualLoop()
    yield loop
    loop.close()


def test_no_schedule_loses_a_result_that_somebody_waits_for(loop):
    """A seed that does is the whole of what is needed to see it again."""
    first, _, last = os.environ.get("RECUERDO_TEST_WAIT_SEEDS", SEEDS).partition(":")
    for seed in range(int(first), int(last)):
        violation = run_one(loop, seed)
        assert violation is None, _story(loop, seed)


@pytest.mark.parametrize("name", OF_WAITS)
def test_a_mutant_of_the_waits_is_caught(name, loop):
    with applied(OF_WAITS[name]):
        assert any(run_one(loop, seed) is not None for seed in range(PATIENCE)), "this hole would stay unseen"


def _story(loop, seed):
    trace = []
    violation = run_one(loop, seed, trace)
    return "\n".join([f"seed {seed}: {violation}", *trace])

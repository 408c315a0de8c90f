"""Chat turns under simulated schedules: an erasure of their user forgets them, and the simulator would notice.

RECUERDO_TEST_TURN_SEEDS=200:100000 runs others than those of every test run, and more, as `make soak` does.
"""

import logging
import os

import pytest

from simulation.mutants import OF_TURNS, applied
from simulation.turns import run_one
from simulation.virtual_loop import VirtualLoop

SEEDS = "0:200"
"""Every mutant is found by the first sixty."""

PATIENCE = 200


@pytest.fixture(scope="module")
def loop():
    logging.disable(logging.WARNING)  # refusals are what this is about
    loop = VirtualLoop()
    yield loop
    loop.close()
    logging.disable(logging.NOTSET)


def test_no_schedule_brings_back_what_a_user_had_erased(loop):
    """A seed that does is the whole of what is needed to see it again."""
    first, _, last = os.environ.get("RECUERDO_TEST_TURN_SEEDS", SEEDS).partition(":")
    for seed in range(int(first), int(last)):
        violation = run_one(loop, seed)
        assert violation is None, _story(loop, seed)


@pytest.mark.parametrize("name", OF_TURNS)
def test_a_mutant_of_the_turns_is_caught(name, loop):
    with applied(OF_TURNS[name]):
        assert any(run_one(loop, seed) is not None for seed in range(PATIENCE)), "this hole would stay unseen"


def _story(loop, seed):
    trace = []
    violation = run_one(loop, seed, trace)
    return "\n".join([f"seed {seed}: {violation}", *trace])

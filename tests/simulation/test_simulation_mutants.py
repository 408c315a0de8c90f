"""The simulator notices when one thing is wrong: else its silence would mean nothing."""

import pytest

from simulation.mutants import MUTANTS, PLAYED, applied
from simulation.scenarios import play
from simulation.schedules import run_one

SEEDS = range(500)


@pytest.mark.parametrize("name", MUTANTS)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_mutant_is_caught(name, simulated):
    """By one of the seeds, or where those would be too many by the scenario of its own."""
    loop, _ = simulated
    loop.set_exception_handler(lambda loop, context: None)  # a mutant may also break its own tasks
    with applied(MUTANTS[name]):
        assert _is_caught(name, simulated), "this hole in the cache layer would stay unseen"


def _is_caught(name, simulated):
    if name not in PLAYED:
        return any(run_one(*simulated, seed) is not None for seed in SEEDS)
    try:
        play(PLAYED[name], *simulated)
    except AssertionError:
        return True
    return False

"""The interleavings by which caches over a history have gone wrong, each by its name; see `scenarios`."""

import pytest

from simulation.scenarios import SCENARIOS, play


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenario(name, simulated):
    play(name, *simulated)

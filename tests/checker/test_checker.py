"""Two real servers over a real PostgreSQL and a real Valkey, eight clients, and whatever goes wrong by the seed.

`make test` plays one seed with each database, and in the three every fault comes once; `make soak` plays more with
each, and sees that the checker finds what is broken on purpose. RECUERDO_TEST_TRIALS=from:to chooses the seeds.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from checker.databases import DATABASES
from checker.deployment import Stores, running_deployment, running_stores
from checker.judge import Violation
from checker.mishaps import FAULTS, plan
from checker.mutants import MUTANTS
from checker.trial import ENOUGH, counted, run

TRIALS = os.environ.get("RECUERDO_TEST_TRIALS", "")
SEEDS = range(*map(int, (TRIALS or "0:3").split(":")))
SEEDS_OF_A_MUTANT = range(300, 310)


@pytest.fixture(scope="module")
def stores() -> Iterator[Stores]:
    with running_stores() as stores:
        yield stores


@pytest.mark.timeout(1500)  # the patience of as many trials as are asked for
@pytest.mark.parametrize(("seed", "database"), enumerate(DATABASES))
def test_nothing_acknowledged_is_lost_doubled_reordered_or_made_up_whatever_goes_wrong(
    seed: int, database: str
) -> None:
    """And strong reads are linearizable, and cached ones never older than they may be."""
    with running_stores(database) as stores, running_deployment(stores) as deployment:
        for each in SEEDS if TRIALS else [seed]:
            assert counted(run(deployment, each)) >= ENOUGH


def test_three_seeds_have_seen_every_fault() -> None:
    for first in range(0, 30, 3):
        assert {name for seed in range(first, first + 3) for step in plan(seed) for name in step} == set(FAULTS)


@pytest.mark.skipif(not TRIALS, reason="takes minutes: make soak")
@pytest.mark.parametrize("mutant", MUTANTS)
def test_what_is_broken_on_purpose_is_found(stores: Stores, mutant: str) -> None:
    """Within ten seeds."""
    program = Path(__file__).with_name("mutants.py")
    with running_deployment(stores, [sys.executable, str(program), mutant]) as deployment, pytest.raises(Violation):
        assert [run(deployment, seed) for seed in SEEDS_OF_A_MUTANT]

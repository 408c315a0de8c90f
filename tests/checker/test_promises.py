"""The promises to people hold at two real servers, one of them far from its database, which hang now and then.

`make test` plays three seeds over PostgreSQL, and `make soak` more, over every database. RECUERDO_TEST_TRIALS=from:to
chooses the seeds.
"""

import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from checker.databases import DATABASES
from checker.deployment import Deployment, running_deployment, running_stores
from checker.judge import Violation
from checker.mutants import BROKEN_PROMISES
from checker.promise_trial import play
from checker.test_checker import SEEDS, SEEDS_OF_A_MUTANT, TRIALS
from checker.trial import counted

GRAPHS = str(Path(__file__).with_name("graphs") / "langgraph.json")


@pytest.mark.parametrize("database", DATABASES if TRIALS else ["postgres"])
def test_nobody_meets_what_was_erased_or_loses_a_result_or_a_session(database: str) -> None:
    """Whatever the other replica does between two steps of one."""
    with running_stores(database) as stores, running_deployment(stores, config=GRAPHS) as deployment:
        answered = _play_all(deployment, SEEDS)
    kinds = {"Said", "Looked", "Erased", "ErasedUser", "Bound"} | ({"Waited"} if stores.database.has_runs else set())
    assert kinds <= answered.keys()
    assert answered["Said"] > 8 * len(SEEDS)


@pytest.mark.skipif(not TRIALS, reason="takes minutes: make soak")
@pytest.mark.parametrize("rule", BROKEN_PROMISES)
def test_a_promise_that_is_broken_on_purpose_is_found(rule: str) -> None:
    """Within ten seeds, by the rule that it breaks."""
    command = [sys.executable, str(Path(__file__).with_name("mutants.py")), rule]
    with (
        running_stores() as stores,
        running_deployment(stores, command, config=GRAPHS) as deployment,
        pytest.raises(Violation, match=f": {rule}: "),
    ):
        _play_all(deployment, SEEDS_OF_A_MUTANT)


def _play_all(deployment: Deployment, seeds: Iterable[int]) -> Counter[str]:
    """How often each kind of operation was answered."""
    answered = Counter[str]()
    for seed in seeds:
        answered.update(counted(play(deployment, seed)))
    return answered

"""Execution contexts under simulated schedules: none is ever foreign or revived, and the simulator would notice.

RECUERDO_TEST_CONTEXT_SEEDS=300:100000 runs others than those of every test run, and more.
"""

import os

import pytest

from simulation.contexts import run_one
from simulation.mutants import Edit, applied

SEEDS = "0:300"
PATIENCE = 1000
SHOWN = {"an update replaces whatever is there": 860, "a change does not wait until copies are trusted no more": 120}
"""From which seed on a mutant is looked for that few of them show."""

CONTEXTS = "recuerdo.contexts.contexts"
TIERED = "recuerdo.caching.tiered:TieredCache"

MUTANTS = {
    "a refresh fills in what was invalidated meanwhile": [
        Edit("entry_write.lua", "redis.call('GET', KEYS[2]) ~= ARGV[3] .. ':' .. generations", "false")
    ],
    "an entry outlives the generation of its groups": [
        Edit("entry_generations.lua", "if under == generations then return", "if under then return")
    ],
    "an update replaces whatever is there": [Edit(f"{TIERED}.update", ", instead_of=stamp)", ")")],
    "threads are joined carelessly": [
        Edit(
            f"{CONTEXTS}:_key",
            "prefix_of(scope.user) + digest(scope.thread,",
            "digest(f'{scope.user}:{scope.thread}',",
        )
    ],
    "an assistant's change is told to nobody": [
        Edit(
            f"{CONTEXTS}:Contexts.invalidate_assistant",
            "await self._cache.forget(tenant, _group(self.meant(assistant_id)))",
            "",
        )
    ],
    "a change does not wait until copies are trusted no more": [
        Edit(f"{TIERED}._change_behind", "await asyncio.sleep(self._trust)", "pass")
    ],
}


def test_no_schedule_revives_a_context_or_gives_away_a_foreign_one(simulated):
    """A seed that does is the whole of what is needed to see it again."""
    first, _, last = os.environ.get("RECUERDO_TEST_CONTEXT_SEEDS", SEEDS).partition(":")
    for seed in range(int(first), int(last)):
        violation = run_one(*simulated, seed)
        assert violation is None, _story(simulated, seed)


@pytest.mark.parametrize("name", MUTANTS)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_mutant_of_the_contexts_is_caught(name, simulated):
    simulated[0].set_exception_handler(lambda loop, context: None)  # a mutant may also break its own tasks
    with applied(MUTANTS[name]):
        seeds = range(SHOWN.get(name, 0), SHOWN.get(name, 0) + PATIENCE)
        assert any(run_one(*simulated, seed) is not None for seed in seeds), "this hole would stay unseen"


def _story(simulated, seed):
    trace = []
    violation = run_one(*simulated, seed, trace)
    return "\n".join([f"seed {seed}: {violation}", *trace])

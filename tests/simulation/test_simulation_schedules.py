"""Thousands of schedules of replicas, clients and faults over a real Redis: none violates an invariant of the design.

RECUERDO_TEST_SEEDS=6000:1000000 runs others than those of every test run, and more.
"""

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor, as_completed

import pytest

from simulation.resp import Resp
from simulation.schedules import ScheduleFailed, run, run_one
from simulation.virtual_loop import VirtualLoop

SEEDS = "0:6000"
"""Four times as many as find any mutant; `make soak` plays on from there."""

CHUNK = 250
PROCESSES = 2
FIRST_DATABASE = 9


@pytest.mark.timeout(0)
def test_no_schedule_violates_an_invariant(redis_url):
    """A seed that does comes with its trace, and is the whole of what is needed to see it again."""
    first, _, last = os.environ.get("RECUERDO_TEST_SEEDS", SEEDS).partition(":")
    chunks = [range(start, min(start + CHUNK, int(last))) for start in range(int(first), int(last), CHUNK)]
    spawning = multiprocessing.get_context("spawn")
    databases = spawning.Value("i", FIRST_DATABASE)
    with ProcessPoolExecutor(PROCESSES, spawning, _open, (redis_url, databases)) as pool:
        running = [pool.submit(_run, chunk) for chunk in chunks]
        try:
            for chunk in as_completed(running):
                chunk.result()
        except ScheduleFailed as failed:
            pool.shutdown(cancel_futures=True)
            pytest.fail(str(failed), pytrace=False)


@pytest.mark.parametrize("seed", [20556])
def test_a_schedule_that_once_violated_one_does_not_again(simulated, seed):
    """20556: a command that was lost while everything was purged."""
    assert run_one(*simulated, seed) is None


def test_a_seed_tells_the_same_story_twice(simulated):
    """All that a schedule depends on is its seed, so that a failure can be looked at again."""
    for seed in range(40):
        stories = []
        for _ in range(2):
            trace = []
            run_one(*simulated, seed, trace)
            stories.append([line.partition(" answers ")[0] for line in trace])
        assert stories[0] == stories[1]


class _Process:
    """What a process of the pool keeps."""

    simulated = None


def _open(url, databases):
    with databases.get_lock():
        database = databases.value
        databases.value += 1
    _Process.simulated = (VirtualLoop(), Resp(url, database))


def _run(seeds):
    run(*_Process.simulated, seeds)

"""Fixtures of simulations: a loop with a time of its own, and a database of a real Redis that nobody else uses."""

import pytest

from simulation.resp import Resp
from simulation.virtual_loop import VirtualLoop

FIRST_DATABASE = 8
"""Of the sixteen that a Redis has; the other tests use the first."""


@pytest.fixture(scope="module")
def simulated(redis_url):
    loop = VirtualLoop()
    resp = Resp(redis_url, FIRST_DATABASE)
    yield loop, resp
    resp.close()
    loop.close()

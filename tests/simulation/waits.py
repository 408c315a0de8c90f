"""Runs without a thread in simulated replicas over one database, and who waits for what they end with.

Each replica hears only of what it executes itself, as one whose way to Redis is cut. The answers to waiting callers are
judged by the rules of the history checker: see checker.promises.
"""

import asyncio
import random
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from itertools import count
from types import SimpleNamespace

from checker.record import Waited
from recuerdo.adapters.local import LocalDocuments, LocalRunEvents
from recuerdo.adapters.signals import LocalSignals
from recuerdo.core.errors import NotFound
from recuerdo.core.runs import RunRequest
from recuerdo.core.scope import Owner
from recuerdo.runs.lifecycle import RunOutcome
from recuerdo.runs.runs import NewRun
from recuerdo.runs.services import running_services
from recuerdo.testing.clock import NOON
from simulation.cache_faults import Faults
from simulation.database import ModelledDatabase
from simulation.judged import violation_of
from simulation.scheduler import ACTOR, Actor, Scheduler

OWNER = Owner("a", "emi")
RULES = ("wait",)
LEASE = 3.0
_NO_ANSWER = 404


class Echo:
    """A host of a graph that answers with its word; what it did is nowhere but in its outcome."""

    def __init__(self, scheduler):
        self._scheduler = scheduler

    async def execute(self, owner, run, tell):
        await self._scheduler.step("the graph works")
        return RunOutcome("success", "idle", {}, result={"said": run.kwargs.input["word"]})

    async def result(self, owner, graph_id, config):
        raise NotFound("thread", "of a run without one")


class Deployment:
    """Two replicas that execute runs."""

    def __init__(self, loop, seed, trace=None):
        self.dice = random.Random(f"waits of {seed}")
        self.scheduler = Scheduler(loop, seed, trace)
        self.database = ModelledDatabase(self.scheduler, Faults())
        self.signals = LocalSignals()
        self.moments = count(1)
        self.done = []

    @asynccontextmanager
    async def replica(self, name):
        """Its caretaker is an actor of its own."""
        replica = SimpleNamespace(name=name, alive=True)
        documents = self.database.port(LocalDocuments(self.database.content, self.signals))
        token = ACTOR.set(Actor(f"{name} caretaker", replica))
        try:
            services = running_services(
                documents,
                LocalRunEvents(),
                {"echo": None},
                lambda: Echo(self.scheduler),
                lambda: NOON + timedelta(seconds=self.scheduler.loop.time()),
                self.signals,
                lease=LEASE,
            )
            async with services as opened:
                replica.runs = opened.runs
                ACTOR.reset(token)
                yield replica
        finally:
            ACTOR.set(Actor(f"{name} ends", replica))

    async def wait(self, replica, word):
        """As the route does: make a run, and wait for what it ends with."""
        known = {"client": OWNER.user, "thread": "", "word": word, "began": next(self.moments)}
        actor = Actor(f"{replica.name}: wait {word}", replica)
        try:
            told = {"status": 200, "answer": await self.scheduler.spawn(actor, self._answer(replica, word))}
        except NotFound as gone:
            told = {"status": _NO_ANSWER, "answer": str(gone)}
        self.scheduler.note(f"answers {told}", actor)
        self.done.append(Waited(**known, **told, ended=next(self.moments)))

    async def _answer(self, replica, word):
        run = await replica.runs.create(OWNER, NewRun("echo", RunRequest(input={"word": word}, on_completion="delete")))
        return await replica.runs.wait(OWNER, run)


async def _schedule(deployment):
    dice = deployment.dice
    async with AsyncExitStack() as stack:
        replicas = [await stack.enter_async_context(deployment.replica(f"r{number}")) for number in range(2)]
        waits = [deployment.wait(dice.choice(replicas), f"w{number}") for number in range(dice.randint(1, 4))]
        await asyncio.gather(*[deployment.scheduler.spawn(Actor("client"), wait) for wait in waits])


def run_one(loop, seed, trace=None):
    """The violation of this seed's schedule, or None."""
    return violation_of(loop, Deployment(loop, seed, trace), _schedule, RULES)

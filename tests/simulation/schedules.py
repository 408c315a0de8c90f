"""One seed, one schedule: a deployment, clients that do as they like, and what goes wrong meanwhile."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field, replace

from recuerdo.core.errors import Conflict, DatabaseUnavailable, EpochChanged
from recuerdo.core.threads import NOWHERE, MessageQuery
from simulation.cache_faults import STALE_SECONDS, Faults, Rates
from simulation.oracle import Violation
from simulation.scheduler import ACTOR, TELLS, Actor
from simulation.world import MOST_RECORDS, SCOPES, Killed, Settings, world

TRIES = 3


class ScheduleFailed(AssertionError):
    """A seed whose schedule violates an invariant; the message tells the story."""


def run(loop, resp, seeds):
    """Run the schedules. Raises ScheduleFailed with the trace of the first one that violates an invariant."""
    for seed in seeds:
        violation = run_one(loop, resp, seed)
        if violation is not None:
            trace = []
            again = run_one(loop, resp, seed, trace)
            raise ScheduleFailed("\n".join([f"seed {seed}: {violation}", *trace, f"again: {again}"]))


def run_one(loop, resp, seed, trace=None):
    """The violation of this seed's schedule, or None."""
    # The settings come from the seed too, but not from the scheduler's own dice.
    import random

    dice = random.Random(f"settings of {seed}")
    settings = replace(_settings(dice), most_stale=0 if seed % 3 == 0 else 2**20)
    with world(loop, resp, seed, settings, trace) as made:
        main = made.scheduler.spawn(Actor("main"), _schedule(made, dice))
        try:
            loop.run_until_complete(main)
        except (Violation, AssertionError) as violation:
            return violation
    return None


def _settings(dice):
    shared, troubled = dice.random() < 0.8, dice.random() < 0.5
    replicas = dice.choice([1, 2, 2, 3]) if shared else dice.choice([1, 1, 2])
    return Settings(
        replicas=replicas,
        shared=shared,
        sweepers=dice.random() < (0.4 if shared or replicas == 1 else 1.0),
        room=dice.choice([0, 2**20, 2**20]),
        colliding=dice.random() < 0.15,
        faults=Faults(
            Rates(
                lost_command=dice.choice([0, 0.03, 0.1]) if troubled else 0,
                database_lost=dice.choice([0, 0.03]),
                database_reply_lost=dice.choice([0, 0.05, 0.15]),
                database_late=dice.choice([0, 0, 0.15]),
                impatience=dice.choice([0, 0, 0.2]),
            )
        ),
    )


async def _schedule(made, dice):
    losses = [dice.choice([0, 0, 1, 3]) for _ in range(3)]
    clients = [Client(made, name) for name in "vwxyz"[: dice.choice([3, 4, 5])]]
    tasks = [made.scheduler.spawn(Actor(f"client {client.name}"), client.live()) for client in clients]
    troubles = [_lose(made, losses)] if made.settings.shared else []
    if made.settings.sweepers and dice.random() < 0.85:
        troubles.append(_kill(made, dice))
    if made.settings.shared and dice.random() < 0.1:
        troubles.append(_cut(made, dice))
    background = [made.scheduler.spawn(Actor("fate"), trouble) for trouble in troubles]
    await asyncio.gather(*tasks)
    await asyncio.gather(*background)
    await _settle(made)


async def _lose(made, losses):
    """Lose entries, leases, everything, at any moment: nothing may change but the time that reads take."""
    lose = [lambda: made.forget_key(SCOPES[0], 0), lambda: made.forget_key(SCOPES[0], 1), made.flush]
    todo = [way for way, count in zip(lose, losses, strict=True) for _ in range(count)]
    made.scheduler.random.shuffle(todo)
    for way in todo:
        await _wait(made, 12)
        way()


async def _kill(made, dice):
    """Kill replicas, if possible between a commit and the cache's update."""
    for _ in range(dice.choice([1, 1, 2])):
        await _wait(made, 30)
        for _ in range(60):
            await _wait(made, 2)
            untold = [gate.actor.replica for gate in made.scheduler.gates if gate.label in TELLS]
            if untold and dice.random() < 0.5:
                made.kill(untold[0])
                break


async def _wait(made, most):
    """Let others take some steps, without a pace of one's own."""
    for _ in range(made.scheduler.random.randrange(most)):
        ACTOR.get().priority = 0.0
        await made.scheduler.step("waits")


async def _cut(made, dice):
    faults, names = made.settings.faults, [replica.name for replica in made.replicas]
    await _wait(made, 20)
    faults.cut |= set(names if dice.random() < 0.5 else names[:1])
    made.scheduler.note(f"the cache is away for {sorted(faults.cut)}")
    await asyncio.sleep(dice.choice([0.1, 1.0, 3.0]))
    faults.cut.clear()
    faults.happened(made.now)
    made.scheduler.note("the cache is back")


async def _settle(made):
    """When nothing goes wrong any more, all is seen at last."""
    made.settings.faults.rates = Rates()
    made.scheduler.note("no more faults")
    if made.settings.faults.last is not None or made.settings.sweepers:
        await asyncio.sleep(STALE_SECONDS + 0.1)
    for scope in SCOPES if made.settings.colliding else SCOPES[:1]:
        for replica in made.replicas:
            with suppress(DatabaseUnavailable):  # of one that began before, and shares its failure
                await made.read_cached(replica, scope, "page", MessageQuery(limit=MOST_RECORDS, archived=None))
                await made.read(replica, scope, "tail", MOST_RECORDS)


@dataclass
class Client:
    """Somebody with several threads, who goes from replica to replica and tries again what failed."""

    made: object
    name: str
    versions: dict = field(default_factory=dict)

    async def live(self):
        doings = [self.append] * 6 + [self.read] * 3 + [self.read_cached] * 6
        doings += [self.archive, self.archive, self.clear, self.delete, self.lose, self.rest]
        for number in range(self.dice.choice([3, 4, 6])):
            ACTOR.get().name = f"client {self.name}"
            scope = SCOPES[self.dice.random() < (0.5 if self.made.settings.colliding else 0.15)]
            with suppress(Killed, DatabaseUnavailable, Conflict):
                await self.dice.choice(doings)(scope, f"{self.name}{number}")

    @property
    def dice(self):
        return self.made.scheduler.random

    @property
    def replica(self):
        return self.dice.choice(self.made.replicas)

    async def append(self, scope, name):
        """Append with a key and try again, or without one and once; perhaps only to the epoch that one has seen."""
        texts = [f"{name}-{number}" for number in range(self.dice.choice([1, 1, 1, 2, 3]))]
        roles = ["system" if self.dice.random() < 0.15 else "user" for _ in texts]
        key = name if self.dice.random() < 0.6 else None
        expected = self.versions[scope].epoch if scope in self.versions and self.dice.random() < 0.4 else None
        for _ in range(TRIES if key else 1):
            try:
                receipt = await self.made.append(
                    self.replica, scope, texts, roles=roles, key=key, expected_epoch=expected
                )
            except EpochChanged:
                self.versions.pop(scope, None)
                return
            except (Killed, DatabaseUnavailable):
                await self.made.scheduler.step("waits to try again")
                continue
            self.versions[scope] = max(receipt.version, self.versions.get(scope, NOWHERE))
            return

    async def read(self, scope, name):
        await self.made.read(self.replica, scope, *self._asked())

    async def read_cached(self, scope, name):
        min_version = self.versions.get(scope, NOWHERE) if self.dice.random() < 0.5 else NOWHERE
        await self.made.read_cached(self.replica, scope, *self._asked(), min_version=min_version)

    async def archive(self, scope, name):
        first = self.dice.randint(1, 4)
        await self.made.archive(self.replica, scope, first, first + self.dice.randrange(3), self.dice.random() < 0.8)

    async def clear(self, scope, name):
        version = await self.made.clear(self.replica, scope)
        if version is not None and self.dice.random() < 0.5:
            self.versions[scope] = version

    async def delete(self, scope, name):
        await self.made.delete(self.replica, scope)

    async def lose(self, scope, name):
        """An entry is evicted, or its time is over: the next reader has to fill it."""
        if self.made.settings.shared:
            self.made.forget_key(scope, 0)

    async def rest(self, scope, name):
        await asyncio.sleep(self.dice.choice([0.01, 0.3, 1.0, 2.5]))

    def _asked(self):
        """A read, shallow or deep, forwards or backwards."""
        dice = self.dice
        if dice.random() < 0.5:
            return "tail", dice.randint(1, 6)
        limit, edge = dice.randint(1, 5), dice.randint(0, 6)
        place = dice.choice([{}, {}, {"before": edge}, {"after": edge}])
        archived = dice.choice([False, None, True])
        roles = dice.choice([frozenset(), frozenset(), frozenset({"user"})])
        return "page", MessageQuery(limit=limit, archived=archived, roles=roles, **place)

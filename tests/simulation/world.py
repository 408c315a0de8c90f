"""Replicas of the real cache layer over one modelled database and one real Redis, and what clients do with them."""
# pyright: basic, reportAttributeAccessIssue=false, reportArgumentType=false

import random
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta

from recuerdo.adapters.redis import history as redis_history
from recuerdo.adapters.redis import scripts
from recuerdo.caching import history as cached_history
from recuerdo.caching.guard import GuardedCache
from recuerdo.caching.history import CachedHistory, CachedThreads, HistoryTiers, LocalTier
from recuerdo.concurrency.breaker import Breaker
from recuerdo.core.errors import RecuerdoError
from recuerdo.core.scope import Scope
from recuerdo.core.threads import NOWHERE
from recuerdo.history.caches import Sweeper
from recuerdo.testing.clock import NOON
from recuerdo.testing.samples import request, said
from simulation.cache_faults import STALE_SECONDS, Faults
from simulation.database import ModelledDatabase
from simulation.scheduler import ACTOR, Actor, Scheduler
from simulation.shared_cache import ScriptedRedis

SCOPES = (Scope("a:b", "c", "d"), Scope("a", "b:c", "d"))
"""Two tenants whose ids are the same text when they are joined carelessly."""

MOST_RECORDS = 4
"""The messages of a thread that caches keep here: so few that short threads are longer."""

SCRIPTS = ("read", "fill", "append", "purge", "verify")


USERS = ("user",) * 9


class Killed(Exception):
    """The replica that was asked is gone, or its client, who can't know whether it did what it was asked."""


@dataclass
class Settings:
    """The kind of deployment that a schedule is about."""

    replicas: int = 2
    shared: bool = True
    sweepers: bool = False
    room: int = 2**20
    colliding: bool = False
    most_stale: int = 2**20
    faults: Faults = field(default_factory=Faults)


class Replica:
    """One process: what it knows is gone when it is killed."""

    def __init__(self, world, name):
        self.name = name
        self.alive = True
        self.calls = {}
        shared = self._guarded(world) if world.settings.shared else None
        self.tiers = HistoryTiers(LocalTier(world.settings.room), shared)
        self.history = CachedHistory(world.database.history, self.tiers)
        self.threads = CachedThreads(world.database.threads, self.tiers)
        self.sweeper = Sweeper(self.threads, self.tiers)
        if world.settings.sweepers:
            world.scheduler.spawn(Actor(f"{name} sweeper", self), self.sweeper.run())

    def _guarded(self, world):
        names = {scripts.load(name): name for name in SCRIPTS}
        redis = ScriptedRedis(self, world.resp, world.scheduler, world.settings.faults, world.leases, names)
        return GuardedCache(
            redis_history.RedisHistory(redis, lease=3600.0),
            Breaker(world.scheduler.loop.time),
            most_stale=world.settings.most_stale,
        )


class World:
    """Everything that a schedule happens in."""

    def __init__(self, loop, resp, seed, settings=None, trace=None):
        self.settings = settings or Settings()
        self.resp = resp
        self.leases = {}
        self.scheduler = Scheduler(loop, seed, trace)
        self.database = ModelledDatabase(self.scheduler, self.settings.faults)
        self.oracle = self.database.oracle
        self.replicas = [Replica(self, f"r{number}") for number in range(self.settings.replicas)]
        self._operations = 0

    @property
    def now(self):
        return self.scheduler.loop.now

    @property
    def is_lagging(self):
        """Whether replicas have nothing in common but the database: then only sweepers tell them of each other."""
        return not self.settings.shared and len(self.replicas) > 1

    # The clients' operations. Each checks what it is told, and raises Violation.

    async def append(self, replica, scope, texts, *, roles=USERS, key=None, expected_epoch=None):
        """The receipt; raises what the history raises."""
        messages = [said(text, role) for text, role in zip(texts, roles, strict=False)]
        clock_steps = timedelta(seconds=self.scheduler.random.uniform(-3600, 3600))
        append = request(scope, *messages, at=NOON + clock_steps, key=key, expected_epoch=expected_epoch)
        [outcome], _ = await self.call(replica, f"append {texts}", lambda: replica.history.append([append]))
        if isinstance(outcome, RecuerdoError):
            raise outcome
        self.oracle.check_receipt(scope, outcome, texts)
        self.oracle.acknowledged(scope, self.oracle.first_with(scope, outcome.version), self.now)
        if expected_epoch is not None:
            assert outcome.version.epoch == expected_epoch, f"I6: {outcome} is not of epoch {expected_epoch}"
        return outcome

    async def archive(self, replica, scope, first, last, archived=True):
        await self._write(replica, scope, "archive", lambda: replica.history.archive(scope, first, last, archived))

    async def clear(self, replica, scope):
        return await self._write(replica, scope, "clear", lambda: replica.threads.clear(scope, NOON))

    async def delete(self, replica, scope):
        await self._write(replica, scope, "delete", lambda: replica.threads.delete(scope, NOON))

    async def read(self, replica, scope, *asked):
        """A strong read: `asked` is a method of the history and its arguments behind the scope."""
        method, *arguments = asked
        began = self.oracle.now(scope)
        answer, _ = await self.call(
            replica, f"{method} {arguments}", lambda: getattr(replica.history, method)(scope, *arguments)
        )
        self.oracle.check_strong(scope, began, (method, scope, *arguments), answer)
        return answer

    async def read_cached(self, replica, scope, *asked, min_version=NOWHERE):
        """The same, cached."""
        method, argument = asked
        began, known = self.oracle.now(scope), self._must_be_known(scope)
        answer, _ = await self.call(
            replica,
            f"cached {method} {argument} at {min_version}",
            lambda: getattr(replica.history, f"cached_{method}")(scope, argument, min_version),
        )
        self.oracle.check_cached(scope, known, began, min_version, (method, scope, argument), answer)
        return answer

    async def call(self, replica, what, work):
        """The replica's answer, and who did the work there. Raises Killed when the replica dies before it answers."""
        if not replica.alive:
            raise Killed
        self._operations += 1
        actor = Actor(f"{replica.name} {self._operations}: {what}"[:60], replica)
        ACTOR.get().doing = actor
        reply = self.scheduler.loop.create_future()
        reply.add_done_callback(lambda _: reply.cancelled() or reply.exception())
        task = self.scheduler.spawn(actor, work())
        replica.calls[task] = reply
        task.add_done_callback(lambda _: _answer(replica, task))
        self.scheduler.note("begins", actor)
        if self.scheduler.random.random() < self.settings.faults.rates.impatience:
            self.scheduler.spawn(Actor("impatient client"), self._give_up(reply))
        answer = await reply
        self.scheduler.note(f"answers {answer}", actor)
        return answer, actor

    async def _give_up(self, reply):
        await self.scheduler.step("gives up")
        if not reply.done():
            reply.set_exception(Killed())

    # Events of the world.

    def kill(self, replica, delivered=0.25):
        """kill -9; another process takes its place. The messages that it was sending may still arrive."""
        self.scheduler.note(f"kill {replica.name}")
        replica.alive = False
        self.settings.faults.happened(self.now)
        self.scheduler.forget(replica, delivered)
        for reply in replica.calls.values():
            if not reply.done():
                reply.set_exception(Killed())
        self.replicas[self.replicas.index(replica)] = Replica(self, replica.name)

    def forget_key(self, scope, part):
        """The entry (0) or the lease (1) of the thread is evicted, or its time is over."""
        key = redis_history._keys(scope)[part]
        self.scheduler.note(f"the cache loses {key}")
        self.resp.command("DEL", key)

    def flush(self):
        self.scheduler.note("FLUSHALL")
        self.resp.command("FLUSHDB")

    async def _write(self, replica, scope, name, work):
        result, actor = await self.call(replica, name, work)
        self.oracle.acknowledged(scope, actor.committed, self.now)
        return result

    def _must_be_known(self, scope):
        """The version that a cached read must show at least: see I5."""
        faults = self.settings.faults
        told = self.now - STALE_SECONDS if self.is_lagging else faults.excuse_since(self.now)
        known = self.oracle.known_at(scope, told)
        if self.settings.sweepers:
            swept = self.oracle.committed_by(scope, faults.healed_by(self.now))
            known = max(known, swept)
        return known


def _answer(replica, task):
    reply = replica.calls.pop(task)
    error = None if task.cancelled() else task.exception()
    if task.cancelled() or reply.done():
        return
    if error is not None:
        reply.set_exception(error)
    else:
        reply.set_result(task.result())


@contextmanager
def small_caches(colliding=False):
    """Caches that keep a few messages, and, perhaps, keys that all threads share."""
    patched = [(module, "MOST_RECORDS", MOST_RECORDS) for module in (cached_history, redis_history)]
    if colliding:
        patched.append((redis_history, "digest", lambda *parts: "collision"))
    originals = [getattr(module, name) for module, name, _ in patched]
    for module, name, value in patched:
        setattr(module, name, value)
    try:
        yield
    finally:
        for (module, name, _), original in zip(patched, originals, strict=True):
            setattr(module, name, original)


@contextmanager
def world(loop, resp, seed=0, settings=None, trace=None):
    """A world from an empty cache to the last of its tasks."""
    random.seed(seed)
    settings = settings or Settings()
    resp.command("FLUSHDB")
    with small_caches(settings.colliding):
        made = World(loop, resp, seed, settings, trace)
        try:
            yield made
        finally:
            made.scheduler.finish()

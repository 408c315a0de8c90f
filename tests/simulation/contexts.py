"""Execution contexts in simulated deployments: replicas over one real Redis, updates, refreshes and invalidations.

The check: a context is never a foreign one, never older than the last change of its assistant that was
acknowledged before anybody asked, and never has a setting that was invalidated or replaced before.
"""

import asyncio
import random
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import count
from math import inf
from types import SimpleNamespace
from typing import NamedTuple
from unittest.mock import patch

from recuerdo.adapters.redis import RedisEntries, scripts
from recuerdo.caching import tiered
from recuerdo.caching.tiered import TieredCache
from recuerdo.concurrency.breaker import Breaker
from recuerdo.contexts import Contexts
from recuerdo.contexts.contexts import _key
from recuerdo.core.contexts import Enrichment
from recuerdo.core.errors import CacheUnavailable
from recuerdo.core.scope import Scope
from simulation.cache_faults import Faults, Rates
from simulation.oracle import Violation
from simulation.scheduler import ACTOR, Actor, Scheduler
from simulation.shared_cache import ScriptedRedis

NOW = datetime(2026, 11, 22, tzinfo=UTC)
SCOPES = (Scope("a", "b:c", "d"), Scope("a", "b", "c:d"), Scope("a:b", "c", "d"))
"""Ids that are the same text when they are joined carelessly."""

AGENTS = ("x", "y")
WITH_GENERATIONS = ("entry_read", "entry_write")
ALONE = ("purge", "entry_forget")


class Setting(NamedTuple):
    """A window that somebody has set, or None for an invalidation; it holds from some time between two moments."""

    window: int | None
    began: int
    ended: float


class _Entries(ScriptedRedis):
    """Leases end in real time, which does not pass here."""

    client = None
    """Only an erasure asks for it."""

    def evaluate(self, text, call):
        return self._resp.script(text, call.keys, call.arguments)


class Deployment:
    """The replicas, the assistants' versions, and what was acknowledged of them."""

    def __init__(self, loop, resp, seed, trace=None):
        dice = random.Random(f"contexts of {seed}")
        self.dice = dice
        self.scheduler = Scheduler(loop, seed, trace)
        lost = dice.choice([0, 0, 0.05, 0.15])
        self.faults = Faults(Rates(lost_command=lost, database_lost=0, database_reply_lost=0))
        trust, room = dice.choice([0.0, 0.0, 0.1]), dice.choice([0, 2**20])
        self.replicas = [self._replica(resp, f"r{number}", trust, room) for number in range(2)]
        self.versions, self.acknowledged, self.settings = {}, {}, {}
        self.moments, self.windows = count(1), count(1)
        self.scopes, self.agents = dice.choice([(SCOPES, AGENTS), (SCOPES[:1], AGENTS[:1])])
        self.failed = None

    def _replica(self, resp, name, trust, room):
        replica = SimpleNamespace(name=name, alive=True)
        generations = scripts.load("entry_generations")
        names = {generations + scripts.load(each): each for each in WITH_GENERATIONS}
        names |= {scripts.load(each): each for each in ALONE}
        redis = _Entries(replica, resp, self.scheduler, self.faults, {}, names)
        breaker = Breaker(self.scheduler.loop.time)
        cache = TieredCache(RedisEntries(redis), local_bytes=room, trust=trust, breaker=breaker)
        replica.contexts = Contexts(cache, self, lambda: NOW)
        return replica

    async def enrich(self, owner, assistant_id):
        """The EnrichmentSource: what it reads may be old when it arrives."""
        await self.scheduler.step("enrich: to the source")
        version = self.versions.get((owner.tenant, assistant_id), 1)
        await self.scheduler.step("enrich: from the source")
        return Enrichment(assistant_id=assistant_id, version=version)

    async def resolve(self, replica, scope, agent):
        least, began = self.acknowledged.get((scope.tenant, agent), 1), next(self.moments)
        found = await replica.contexts.get_or_create(scope, agent)
        self._check((found.scope, found.assistant_id) == (scope, agent), f"{scope} {agent} got that of {found.scope}")
        self._check(found.assistant_version >= least, f"{agent} {found.assistant_version} after {least}")
        allowed = self._allowed(scope, agent, began)
        self._check(found.limits.window in allowed, f"window {found.limits.window}, not of {allowed}")

    async def update(self, replica, scope, agent):
        window, began, ended = next(self.windows) % 1000 + 1, next(self.moments), inf
        with suppress(CacheUnavailable):
            self._note(scope, agent, Setting(window, began, inf))
            headers = {"x-recuerdo-window": str(window)}
            if await replica.contexts.update(scope, agent, headers) is not None:
                ended = next(self.moments)
        self._note(scope, agent, Setting(window, began, ended))

    async def invalidate(self, replica, scope, agent):
        began = next(self.moments)
        with suppress(CacheUnavailable):
            await replica.contexts.invalidate(scope, agent)
            self._note(scope, agent, Setting(None, began, next(self.moments)))

    async def change(self, replica, scope, agent):
        """As an assistant is changed: replicas are told before, and again before it is acknowledged."""
        tenant, began = scope.tenant, next(self.moments)
        with suppress(CacheUnavailable):
            await replica.contexts.invalidate_assistant(tenant, agent)
            self.versions[tenant, agent] = version = self.versions.get((tenant, agent), 1) + 1
            await replica.contexts.invalidate_assistant(tenant, agent)
            self.acknowledged[tenant, agent] = max(version, self.acknowledged.get((tenant, agent), 1))
            self._forgotten(tenant, [agent], began)

    async def invalidate_all(self, replica, scope, agent):
        began = next(self.moments)
        with suppress(CacheUnavailable):
            await replica.contexts.invalidate_tenant(scope.tenant)
            self._forgotten(scope.tenant, AGENTS, began)

    def _forgotten(self, tenant, agents, began):
        ended = next(self.moments)
        for scope in [scope for scope in SCOPES if scope.tenant == tenant]:
            for agent in agents:
                self._note(scope, agent, Setting(None, began, ended))

    def _note(self, scope, agent, setting):
        known = self.settings.setdefault((scope, agent), {})
        known[setting.began] = setting

    def _allowed(self, scope, agent, began):
        """The settings that may be read from this moment on: a cache may lose a setting, and never brings one back."""
        known = [*self.settings.get((scope, agent), {}).values()]
        over = [each.began for each in known if each.ended < began]
        return {None, *(each.window for each in known if not any(each.ended < later for later in over))}

    def _check(self, holds, what):
        if not holds:
            self.failed = self.failed or what
            raise Violation(what)


WAYS = {
    Deployment.resolve: 8,
    Deployment.update: 3,
    Deployment.invalidate: 2,
    Deployment.change: 2,
    Deployment.invalidate_all: 1,
}


async def _client(deployment, dice):
    for _ in range(dice.randint(2, 6)):
        [way] = dice.choices([*WAYS], [*WAYS.values()])
        await way(
            deployment, dice.choice(deployment.replicas), dice.choice(deployment.scopes), dice.choice(deployment.agents)
        )


async def _schedule(deployment):
    dice = deployment.dice
    clients = [
        deployment.scheduler.spawn(Actor(f"client {number}"), _client(deployment, random.Random(dice.random())))
        for number in range(dice.randint(2, 4))
    ]
    await asyncio.gather(*clients)


@contextmanager
def _deployed(loop, resp, seed, trace):
    resp.command("FLUSHDB")
    _key.cache_clear()
    deployment = Deployment(loop, resp, seed, trace)
    with patch.object(tiered, "time", SimpleNamespace(monotonic=loop.time)):
        token = ACTOR.set(Actor("main"))
        try:
            yield deployment
        finally:
            ACTOR.reset(token)
            deployment.scheduler.finish()


def run_one(loop, resp, seed, trace=None):
    """The violation of this seed's schedule, or None."""
    with _deployed(loop, resp, seed, trace) as deployment:
        main = deployment.scheduler.spawn(Actor("main"), _schedule(deployment))
        try:
            loop.run_until_complete(main)
        except Violation as violation:
            return violation
        return deployment.failed

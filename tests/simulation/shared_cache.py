"""The way to a real Redis: commands wait, get lost, or arrive after their caller has gone."""

import asyncio

from recuerdo.adapters.redis.connection import SILENT_SECONDS
from recuerdo.adapters.redis.history import LEASE_SECONDS
from recuerdo.core.errors import CacheUnavailable
from simulation.scheduler import ACTOR, Actor, is_dead

PROMPT = {"purge", "verify", "mark"}
"""The message that ends staleness: it may get lost, which is a fault, but it is not slow."""


class ScriptedRedis:
    """Stands where a RedisCache does, for one replica. The scripts run for real, each in one step."""

    def __init__(self, replica, resp, scheduler, faults, leases, names):
        self._replica = replica
        self._resp = resp
        self._scheduler = scheduler
        self._faults = faults
        self._leases = leases
        self._names = names

    def script(self, text):
        return _Script(self, self._names[text], text)

    async def get(self, key):
        return await self.travel("mark", lambda: self._resp.command("GET", key))

    async def set(self, key, value):
        await self.travel("mark", lambda: self._resp.command("SET", key, value))

    async def delete(self, pattern):
        keys = await self._soon("purge", lambda: self._resp.command("KEYS", pattern))
        for key in keys:
            await self._soon("purge", lambda key=key: self._resp.command("DEL", key))

    async def travel(self, name, apply):
        """There and back again."""
        if self._replica.name in self._faults.cut:
            await self._refuse(name)
        prompt = name in PROMPT
        late = lambda: self._scheduler.spawn(Actor("network"), self._arrive(name, apply))  # noqa: E731
        try:
            if self._scheduler.random.random() < self._faults.rates.lost_command:
                self._scheduler.note(f"{name}: lost")
                await asyncio.Event().wait()
            await self._scheduler.step(f"{name}: to the cache", prompt=prompt, orphaned=late)
        except asyncio.CancelledError:
            self._gave_up(name)
            if not self._is_over and self._scheduler.random.random() < 0.5:
                late()
            raise
        result = apply()
        try:
            await self._scheduler.step(f"{name}: from the cache", prompt=prompt)
        except asyncio.CancelledError:
            self._gave_up(name)
            raise
        return result

    async def _soon(self, name, apply):
        """Part of a work that takes long, and whose caller is patient: the client gives up a command that is lost."""
        try:
            async with asyncio.timeout(SILENT_SECONDS):
                return await self.travel(name, apply)
        except TimeoutError as error:
            raise CacheUnavailable("The simulated cache says nothing.") from error

    def evaluate(self, text, call):
        """One run of a script, on leases that end with virtual time."""
        lease_key = call.keys[1]
        token, end = self._leases.get(lease_key, (None, 0))
        if token is not None and end <= self._scheduler.loop.now:
            del self._leases[lease_key]
            if self._resp.command("GET", lease_key) == token:
                self._resp.command("DEL", lease_key)
        answer = self._resp.script(text, call.keys, call.arguments)
        if isinstance(answer, list) and answer[0] == b"lease":
            self._leases[lease_key] = (call.arguments[6], self._scheduler.loop.now + LEASE_SECONDS)
        return answer

    @property
    def _is_over(self):
        return self._scheduler.over or is_dead(ACTOR.get())

    def _gave_up(self, name):
        if not self._is_over:
            self._scheduler.note(f"{name}: the caller gave up")
            self._faults.happened(self._scheduler.loop.now)

    async def _arrive(self, name, apply):
        await self._scheduler.step(f"{name}: late to the cache")
        apply()

    async def _refuse(self, name):
        await self._scheduler.step(f"{name}: refused by the cache", prompt=name in PROMPT)
        raise CacheUnavailable("The simulated cache is away.")


class _Script:
    def __init__(self, redis, name, text):
        self._redis = redis
        self._name = name
        self._text = text

    async def run(self, call):
        return await self._redis.travel(self._name, lambda: self._redis.evaluate(self._text, call))

    async def run_all(self, calls):
        return await self._redis.travel(self._name, lambda: [self._redis.evaluate(self._text, call) for call in calls])

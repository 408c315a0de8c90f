"""The modelled database: atomic, durable, and at the other end of a network."""

from types import MappingProxyType

from recuerdo.adapters.local import LocalDatabase, LocalHistory, LocalThreads
from recuerdo.core.errors import DatabaseUnavailable, OutcomeUnknown
from recuerdo.core.threads import Append
from simulation.oracle import Oracle, immediately
from simulation.scheduler import ACTOR, Actor

WRITES = {"append", "archive", "clear", "delete", "fork"}
SWEEPS = {"changed"}


class ModelledDatabase:
    """Every call is a request, one atomic step, and a reply; each of the three may go wrong or wait for others."""

    def __init__(self, scheduler, faults):
        self._scheduler = scheduler
        self._faults = faults
        self.content = LocalDatabase()
        self.oracle = Oracle(self.content)
        self.history = _Port(self, LocalHistory(self.content))
        self.threads = _Port(self, LocalThreads(self.content))

    def port(self, repository):
        """The repository, over the network."""
        return _Port(self, repository)

    async def call(self, method, *arguments, **named):
        name, chance = method.__name__, self._scheduler.random.random
        prompt = name in SWEEPS
        late = self._later(method, arguments) if name in WRITES else None
        await self._scheduler.step(f"{name}: to the database", prompt=prompt, orphaned=late)
        if not prompt and chance() < self._faults.rates.database_lost:
            raise self._away("the request was lost")
        if late is not None and chance() < self._faults.rates.database_late:
            late()
            raise self._away("the connection broke before the commit", OutcomeUnknown)
        result = self._apply(method, arguments, named)
        await self._scheduler.step(f"{name}: from the database", prompt=prompt)
        if not prompt and chance() < self._faults.rates.database_reply_lost:
            raise self._away("the reply was lost", OutcomeUnknown)
        return result

    def _apply(self, method, arguments, named=MappingProxyType({})):
        result = immediately(method(*arguments, **named))
        for scope in _scopes(method.__name__, arguments):
            self.oracle.observe(scope, self._scheduler.loop.now)
            ACTOR.get().committed = self.oracle.now(scope)
        return result

    def _later(self, method, arguments):
        async def arrive():
            await self._scheduler.step(f"{method.__name__}: late to the database")
            self._apply(method, arguments)

        return lambda: self._scheduler.spawn(Actor("network"), arrive())

    def _away(self, why, kind=DatabaseUnavailable):
        self._scheduler.note(f"database: {why}")
        return kind(f"The simulated database did not answer: {why}.")


class _Port:
    """A repository whose methods are calls over the network."""

    def __init__(self, database, repository):
        self._database = database
        self._repository = repository

    def __getattr__(self, name):
        method = getattr(self._repository, name)
        return lambda *arguments, **named: self._database.call(method, *arguments, **named)


def _scopes(name, arguments):
    if name == "append":
        batch: list[Append] = arguments[0]
        return [request.scope for request in batch]
    if name == "fork":
        scope, _, target, _ = arguments
        return [scope.owner.thread(target)]
    return [arguments[0]] if name in WRITES else []

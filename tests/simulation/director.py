"""Plays one interleaving that somebody thought of, where a seed would play one of many."""

import asyncio
from dataclasses import dataclass

import pytest

from recuerdo.core.threads import NOWHERE, MessageQuery
from simulation.scheduler import Actor, Stuck
from simulation.world import MOST_RECORDS, SCOPES, Killed

EVERYTHING = ("page", MessageQuery(limit=MOST_RECORDS, archived=None))


@dataclass
class Operation:
    """Something that a client has asked for and that goes on when the director says so."""

    client: Actor
    task: asyncio.Task


class Director:
    """Lets one operation go on at a time. Time passes only when it has nothing else to do than to wait."""

    def __init__(self, world):
        self.world = world
        self.scope = SCOPES[0]
        self._operation = None
        self._until = None
        self._held = None
        world.scheduler.loop.idle = self._idle

    @property
    def replicas(self):
        return self.world.replicas

    # Operations that begin, and stop before a step of theirs (`until`) or run to their end.

    def begin(self, coroutine, until=None):
        """An operation that stands before the step `until`; without that, where it began."""
        client = Actor("client")
        operation = Operation(client, self.world.scheduler.spawn(client, coroutine))
        if until is not None:
            self._go_on(operation, until)
            assert not operation.task.done(), f"it never came to {until!r}"
        return operation

    def finish(self, operation):
        """The operation's result, when it has gone all the way."""
        self._go_on(operation, None)
        return operation.task.result()

    def now(self, coroutine):
        """The result of an operation that nothing interrupts."""
        return self.finish(self.begin(coroutine))

    # The clients' operations, uninterrupted unless `until` says so.

    def append(self, replica, *texts, until=None, **fields):
        return self._do(self.world.append(replica, fields.pop("scope", self.scope), list(texts), **fields), until)

    def archive(self, replica, first, last, until=None):
        return self._do(self.world.archive(replica, self.scope, first, last), until)

    def clear(self, replica, until=None):
        return self._do(self.world.clear(replica, self.scope), until)

    def delete(self, replica, until=None):
        return self._do(self.world.delete(replica, self.scope), until)

    def read(self, replica, asked=EVERYTHING, until=None):
        return self._do(self.world.read(replica, self.scope, *asked), until)

    def read_cached(self, replica, asked=EVERYTHING, until=None, min_version=NOWHERE, scope=None):
        return self._do(self.world.read_cached(replica, scope or self.scope, *asked, min_version=min_version), until)

    def sweep(self, replica, until=None):
        return self._do(self.world.call(replica, "sweep", replica.sweeper.sweep), until)

    # The world

    def kill(self, operation):
        """Kill the replica where the operation stands; what it was about to send is never sent."""
        self.world.kill(operation.client.doing.replica, delivered=0.0)
        with pytest.raises(Killed):
            self.finish(operation)

    def wait(self, seconds):
        """Let time pass, in which sweepers and repairs do their work and nobody else does."""
        self._operation = None
        self.world.scheduler.loop.run_until_complete(asyncio.sleep(seconds))

    def deliver(self, label):
        """Late messages arrive."""
        [gate] = [gate for gate in self.world.scheduler.gates if gate.label == label]
        self.world.scheduler.open(gate)
        self.wait(0.001)

    def cut(self, replica):
        """The cache is away for the replica."""
        self.world.settings.faults.cut.add(replica.name)

    def heal(self):
        """The cache is back for all."""
        self.world.settings.faults.cut.clear()
        self.world.settings.faults.happened(self.world.now)

    def _do(self, coroutine, until):
        return self.now(coroutine) if until is None else self.begin(coroutine, until)

    def _go_on(self, operation, until):
        loop = self.world.scheduler.loop
        self._operation, self._until, self._held = operation, until, loop.create_future()
        held = self._held
        operation.task.add_done_callback(lambda _: held.done() or held.set_result(None))
        loop.run_until_complete(held)

    def _idle(self, timeout):
        gates = self.world.scheduler.gates
        if self._operation is None:
            mine = [gate for gate in gates if gate.prompt]
        else:
            mine = [gate for gate in gates if gate.actor is self._operation.client.doing]
        if self._operation is not None and self._until in [gate.label for gate in mine]:
            self._held.set_result(None)
        elif mine:
            self.world.scheduler.open(mine[0])
        elif timeout is not None:
            self.world.scheduler.loop.pass_time(timeout)
        else:
            raise Stuck

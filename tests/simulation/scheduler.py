"""The order of steps: every step that the world outside could delay is a gate, and gates open one at a time."""

import asyncio
import random
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field

from simulation.virtual_loop import VirtualLoop

TIME_PASSES = 0.03
"""How often time passes although somebody could go on: such calls are slow ones."""

MOODS_CHANGE = 0.1
"""How often the one who is ahead of all others falls behind: low enough for some to overtake others by far."""

STALLS = 0.4
"""How often one falls far behind when what it knows is about to become old."""

TELLS = {f"{command}: to the cache" for command in ("append", "purge")}
"""Where a writer stands that has committed and not told the cache."""

GROWS_OLD = TELLS | {"fill: to the cache", "snapshot: from the database"}


@dataclass(eq=False)
class Actor:
    """Somebody who takes steps: an operation of a client, a sweeper, the network.

    `replica` is where it runs; `doing` is who works for it there.
    """

    name: str
    replica: object = None
    doing: object = None
    priority: float = 0.0


ACTOR: ContextVar[Actor] = ContextVar("actor")


@dataclass(eq=False)
class Gate:
    """A step that waits. `orphaned` is what may still happen when its replica is killed before."""

    actor: Actor
    label: str
    prompt: bool
    opened: asyncio.Future
    orphaned: Callable[[], None] | None


class Stuck(Exception):
    """Nobody can go on, and no time can pass."""


@dataclass
class Scheduler:
    """Opens gates in an order that the seed decides. `prompt` steps take no time: see Gate and `idle`."""

    loop: VirtualLoop
    seed: int
    trace: list[str] | None = None
    over: bool = False
    gates: list[Gate] = field(default_factory=list)
    buried: list[asyncio.Future] = field(default_factory=list)

    def __post_init__(self):
        self.random = random.Random(self.seed)
        self.loop.idle = self.idle

    async def step(self, label, *, prompt=False, orphaned=None):
        """Wait for one's turn; for ever, in a replica that was killed."""
        actor = ACTOR.get()
        opened = self.loop.create_future()
        if not is_dead(actor):
            if label in GROWS_OLD and self.random.random() < STALLS:
                actor.priority = 0.1 * self.random.random()
            gate = Gate(actor, label, prompt, opened, orphaned)
            self.gates.append(gate)
            try:
                await opened
            except BaseException:
                if gate in self.gates:
                    self.gates.remove(gate)
                raise
        else:
            self.buried.append(opened)
            await opened

    def idle(self, timeout):
        """Open a gate, or let time pass: never while a prompt gate waits."""
        gates = self.gates
        if gates and timeout is not None and self.random.random() < TIME_PASSES:
            gates = [gate for gate in gates if gate.prompt]
        if gates:
            self.open(self._next(gates))
        elif timeout is not None:
            self.loop.pass_time(timeout)
        else:
            raise Stuck

    def _next(self, gates):
        """The gate of the actor who is ahead; whoever is new, or has led for a while, gets a place at random."""
        if self.random.random() < MOODS_CHANGE:
            self._next_of(gates).actor.priority = self.random.random()
        return self._next_of(gates)

    def _next_of(self, gates):
        ahead, highest = None, -1.0
        for gate in gates:
            priority = gate.actor.priority
            if not priority:
                priority = gate.actor.priority = self.random.random()
            if priority > highest:
                ahead, highest = gate, priority
        return ahead

    def open(self, gate):
        self.gates.remove(gate)
        self.note(gate.label, gate.actor)
        if not gate.opened.done():
            gate.opened.set_result(None)

    def note(self, what, actor=None):
        """A line of the trace."""
        if self.trace is not None:
            self.trace.append(f"{self.loop.now:7.3f}  {(actor or ACTOR.get()).name:24} {what}")

    def spawn(self, actor, coroutine):
        """A task whose steps, and those of the tasks that it starts, are the actor's."""
        token = ACTOR.set(actor)
        try:
            return self.loop.create_task(coroutine)
        finally:
            ACTOR.reset(token)

    def forget(self, replica, delivered):
        """The replica was killed: its gates never open, though what it was sending may still arrive."""
        mine = [gate for gate in self.gates if gate.actor.replica is replica]
        self.gates = [gate for gate in self.gates if gate.actor.replica is not replica]
        for gate in mine:
            self.buried.append(gate.opened)
            if gate.orphaned is not None and self.random.random() < delivered:
                gate.orphaned()

    def finish(self):
        """End every task, whatever it waits for, and those that they start when they end."""
        self.over = True
        self.loop.idle = self.loop.pass_time
        while tasks := asyncio.all_tasks(self.loop):
            for task in tasks:
                task.cancel()
            self.loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self.loop.forget_timers()


def is_dead(actor):
    return actor.replica is not None and not actor.replica.alive

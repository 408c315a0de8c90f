"""Chat turns in simulated replicas over one database, and erasures of the user who speaks meanwhile.

Messages said and shown are judged by the rules of the history checker: see checker.promises.
"""

import asyncio
import random
import re
from contextlib import suppress
from itertools import count
from types import SimpleNamespace

from checker.record import ErasedUser, Looked, Said, Seen
from recuerdo.adapters.local import LocalMemories
from recuerdo.agents.chat import Chat
from recuerdo.core.errors import Conflict, DatabaseUnavailable, OutcomeUnknown
from recuerdo.core.messages import decode
from recuerdo.core.scope import Owner
from recuerdo.core.threads import Version
from recuerdo.history import History
from recuerdo.memories import Memories
from recuerdo.memories.erase import Eraser
from recuerdo.testing.clock import NOON
from simulation.cache_faults import Faults, Rates
from simulation.database import ModelledDatabase
from simulation.judged import violation_of
from simulation.scheduler import Actor, Scheduler

OWNER = Owner("a", "emi")
THREADS = ("t", "u")
RULES = ("told", "erased", "kept")
_WORD = re.compile(r"\b[vwx][0-9]\b")


class Parrot:
    """A model that takes its time, and repeats every word that it is shown, never in the same way."""

    name = "parrot"

    def __init__(self, scheduler):
        self._scheduler = scheduler
        self._answers = count()

    async def stream(self, prompt):
        await self._scheduler.step("the model answers")
        words = [word for message in prompt for word in _WORD.findall(message.text)]
        yield f"{next(self._answers)}: {' '.join(words)}"


class Deployment:
    """Two replicas of the chat, and what its user did."""

    def __init__(self, loop, seed, trace=None):
        self.dice = random.Random(f"turns of {seed}")
        self.scheduler = Scheduler(loop, seed, trace)
        lost = self.dice.choice([0, 0, 0.05])
        rates = Rates(database_lost=lost, database_reply_lost=lost)
        self.database = ModelledDatabase(self.scheduler, Faults(rates))
        self._model = Parrot(self.scheduler)
        self.replicas = [self._replica(f"r{number}") for number in range(2)]
        self.moments = count(1)
        self.done = []

    def _replica(self, name):
        ports, memories = self.database, self.database.port(LocalMemories(self.database.content))
        eraser = Eraser(memories, lambda: NOON, ports.threads)
        service = Memories(memories, None, lambda: NOON, eraser)
        history = History(ports.history, ports.threads, lambda: NOON)
        chat = Chat(history, service, self._model, clock=lambda: NOON)
        return SimpleNamespace(name=name, alive=True, memories=service, chat=chat)

    async def say(self, replica, thread, word):
        known = {"client": OWNER.user, "thread": thread, "word": word, "way": "chat", "began": next(self.moments)}
        try:
            reply = await self._call(replica, f"say {word}", self._reply(replica, thread, word))
        except OutcomeUnknown:
            told = {}
        except (Conflict, DatabaseUnavailable):
            told = {"outcome": "not stored", "ended": next(self.moments)}
        else:
            told = {"outcome": "stored", "version": reply.version, "ended": next(self.moments)}
            told = told if reply.message.seq else {}
        self.done.append(Said(**known, **told))

    async def erase(self, replica):
        began = next(self.moments)
        erased = {}
        with suppress(DatabaseUnavailable):
            receipt = await self._call(replica, "erase", replica.memories.erase(OWNER))
            erased = {"ended": next(self.moments), "is_complete": receipt.complete}
        self.done.append(ErasedUser(client=OWNER.user, thread="", began=began, **erased))

    def look(self):
        """The content of the database at one moment."""
        for thread in THREADS:
            stored = self.database.content.threads.get(OWNER.thread(thread))
            messages = [decode(each.record.body) for each in stored.messages.values()] if stored else []
            said = [Seen(each.seq, each.id, _WORD.findall(each.text)[0]) for each in messages if each.role == "user"]
            memories = self.database.content.memories.get(OWNER, {}).values()
            of_thread = {_WORD.findall(each.memory.text)[0] for each in memories if each.memory.source.thread == thread}
            texts = " ".join(each.text for each in messages)
            shown = {"memories": frozenset(of_thread), "messages": frozenset(_WORD.findall(texts))}
            version = stored.version if stored else Version(0, 0)
            at = next(self.moments)
            known = {"client": OWNER.user, "thread": thread, "began": at, "ended": at}
            self.done.append(Looked(**known, shown=shown, version=version, said=tuple(said)))

    async def _reply(self, replica, thread, word):
        return await replica.chat.reply(OWNER.thread(thread), f"me gusta el {word}")

    async def _call(self, replica, what, work):
        actor = Actor(f"{replica.name}: {what}", replica)
        self.scheduler.note("begins", actor)
        answer = await self.scheduler.spawn(actor, work)
        self.scheduler.note(f"answers {answer}", actor)
        return answer


async def _speak(deployment, name, dice):
    for number in range(dice.randint(1, 2)):
        await deployment.say(dice.choice(deployment.replicas), dice.choice(THREADS), f"{name}{number}")


async def _forget(deployment, dice):
    for _ in range(dice.randint(1, 2)):
        for _ in range(dice.randrange(12)):
            await deployment.scheduler.step("waits")
        deployment.look()
        await deployment.erase(dice.choice(deployment.replicas))
        deployment.look()


async def _schedule(deployment):
    dice = deployment.dice
    works = [_speak(deployment, name, random.Random(dice.random())) for name in "vwx"[: dice.randint(1, 3)]]
    works.append(_forget(deployment, random.Random(dice.random())))
    await asyncio.gather(*[deployment.scheduler.spawn(Actor("client"), work) for work in works])
    deployment.look()


def run_one(loop, seed, trace=None):
    """The violation of this seed's schedule, or None."""
    return violation_of(loop, Deployment(loop, seed, trace), _schedule, RULES)

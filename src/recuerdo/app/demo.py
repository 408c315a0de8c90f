"""The world of `recuerdo demo`: five people of two tenants who talk with the offline agent for two years.

Everything is told as real users would tell it, at an earlier time of the clock. `demo.json` says what happens.
"""

import random
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from datetime import datetime, timedelta
from importlib.resources import files
from typing import NamedTuple

import msgspec

from recuerdo.app.recuerdo import Recuerdo
from recuerdo.core.errors import InvalidInput
from recuerdo.core.memories import Source
from recuerdo.core.ports import Clock
from recuerdo.core.scope import Scope
from recuerdo.history.history import utc_now

_THREADS_OF_A_PERSON = 40
_MONTHS = 24
_DAYS_OF_A_MONTH = 30
_SEED = 7


class Person(msgspec.Struct):
    """One user, and the facts that they tell, each with its month."""

    tenant: str
    user: str
    language: str
    facts: list[tuple[int, str]]


class ToolText(msgspec.Struct):
    """A text that a tool returned and that wants to be remembered; it must end in the quarantine."""

    tenant: str
    user: str
    text: str


class Proposal(msgspec.Struct):
    """A memory that a user proposes to the tenant."""

    tenant: str
    by: str
    text: str
    approved: bool


class SampleDocument(msgspec.Struct):
    """A document that agents search."""

    tenant: str
    source: str
    text: str


class DemoWorld(msgspec.Struct):
    """The content of demo.json."""

    people: list[Person]
    talk: dict[str, list[str]]
    injections: list[ToolText]
    proposals: list[Proposal]
    documents: list[SampleDocument]


class DemoThread(NamedTuple):
    """One thread: when it begins, and the user's messages."""

    scope: Scope
    at: datetime
    messages: list[str]


class DemoClock:
    """A clock that is set to the time of each message."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


def read_world() -> DemoWorld:
    """Read the content of `recuerdo demo`."""
    return msgspec.json.decode((files("recuerdo.app") / "demo.json").read_bytes(), type=DemoWorld)


def demo_threads(world: DemoWorld, end: datetime) -> list[DemoThread]:
    """All threads of two years before `end`, in the order of time; the same ones each time."""
    found = [each for person in world.people for each in _threads_of(person, world.talk[person.language], end)]
    return sorted(found, key=lambda each: each.at)


def _threads_of(person: Person, talk: list[str], end: datetime) -> Iterator[DemoThread]:
    dice = random.Random(f"{_SEED}{person.user}")  # noqa: S311 (a story, no secret)
    begin = end - timedelta(days=_MONTHS * _DAYS_OF_A_MONTH)
    told = sorted(person.facts)
    for number in range(_THREADS_OF_A_PERSON):
        month = number * _MONTHS / _THREADS_OF_A_PERSON
        at = begin + timedelta(days=month * _DAYS_OF_A_MONTH + dice.random() * 5, minutes=dice.randrange(600))
        facts = [text for when, text in told if when <= month]
        told = told[len(facts) :]
        messages = facts + dice.sample(talk, dice.randint(1, 4))
        yield DemoThread(Scope(person.tenant, person.user, f"demo-{number + 1:02}"), at, messages)


async def play(
    opened: Callable[[Clock], AbstractAsyncContextManager[Recuerdo]], end: datetime | None = None
) -> AsyncIterator[tuple[int, int]]:
    """Write the world with a Recuerdo that has this clock; yields the number of threads so far, and of all.

    Raises InvalidInput if the database holds the world, or a part of it, already.
    """
    world, end = read_world(), end or utc_now()
    threads = demo_threads(world, end)
    clock = DemoClock(threads[0].at)
    async with opened(clock) as memory:
        first = threads[0].scope
        if await memory.thread(tenant=first.tenant, user=first.user, thread=first.thread).messages(limit=1):
            raise InvalidInput("database", "holds the demo already; name another one, or delete its threads")
        for document in world.documents:
            await memory.library.add(document.tenant, document.source, document.text.encode())
        for number, each in enumerate(threads, 1):
            clock.now = each.at
            for text in each.messages:
                await memory.chat.reply(each.scope, text)
                clock.now += timedelta(minutes=2)
            yield number, len(threads)
        await _review(memory, world)


async def _review(memory: Recuerdo, world: DemoWorld) -> None:
    """Store memories that wait for a decision, and some that have been decided."""
    for text in world.injections:
        await memory.user(tenant=text.tenant, user=text.user).remember(text.text, Source(author="tool"))
    for proposal in world.proposals:
        tenant = memory.tenant(tenant=proposal.tenant)
        proposed = await tenant.propose(proposal.text, by=proposal.by)
        if proposal.approved:
            await tenant.approve(proposed.id, by="admin")

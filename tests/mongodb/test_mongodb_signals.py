"""Words that go from one process to another through MongoDB, whatever happens to the one who tells or who hears."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pymongo
import pytest

from recuerdo.adapters.mongodb import MongoDatabase, MongoSignals
from recuerdo.core.identifiers import new_id
from servers.mongodb import MongoServer


class Ear:
    """The ear of a process: a queue of the words that it heard."""

    def __init__(self, signals: MongoSignals) -> None:
        self.heard: asyncio.Queue[str] = asyncio.Queue()
        signals.hear(self.heard.put_nowait)

    async def hears(self, word: str) -> None:
        async with asyncio.timeout(60):
            while await self.heard.get() != word:
                pass


@pytest.fixture
async def two(mongodb_server: MongoServer) -> AsyncIterator[tuple[MongoDatabase, MongoSignals, Ear]]:
    """The database and the signals of one process, and the ear of another, which listens already."""
    url = f"{mongodb_server.url}signals-{new_id()}"
    async with AsyncExitStack() as stack:
        here, there = [await stack.enter_async_context(MongoDatabase.open(url)) for _ in "12"]
        teller, hearer = [await stack.enter_async_context(MongoSignals.open(each)) for each in (here, there)]
        ear = Ear(hearer)
        await ear.hears("")
        yield here, teller, ear


async def test_a_word_is_sent_although_the_time_of_the_operation_that_tells_it_is_over(
    two: tuple[MongoDatabase, MongoSignals, Ear],
) -> None:
    """Where the database is suspected, an operation has a second, of which the change that it tells of took most."""
    _, teller, ear = two
    with pymongo.timeout(0.001):
        await asyncio.sleep(0.01)
        teller.tell("a")
    await ear.hears("a")


async def test_words_are_heard_when_the_collection_has_been_dropped(
    two: tuple[MongoDatabase, MongoSignals, Ear],
) -> None:
    """Its stream ends then, and another one begins."""
    database, teller, ear = two
    await database.signals.drop()
    await ear.hears("")
    teller.tell("a")
    await ear.hears("a")

"""Words that go from one process to another through MongoDB, whatever happens at either end."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pymongo
import pytest

from recuerdo.adapters.mongodb import MongoDatabase, MongoSignals
from recuerdo.core.identifiers import new_id
from servers.mongodb import MongoServer
from servers.patience import PATIENCE


class Subscriber:
    """Keeps the words that a process received in a queue."""

    def __init__(self, signals: MongoSignals) -> None:
        self.received: asyncio.Queue[str] = asyncio.Queue()
        signals.subscribe(self.received.put_nowait)

    async def receives(self, word: str) -> None:
        async with asyncio.timeout(PATIENCE):
            while await self.received.get() != word:
                pass


@pytest.fixture
async def two(mongodb_server: MongoServer) -> AsyncIterator[tuple[MongoDatabase, MongoSignals, Subscriber]]:
    """The database and the signals of one process, and the subscriber of another, which listens already."""
    url = f"{mongodb_server.url}signals-{new_id()}"
    async with AsyncExitStack() as stack:
        here, there = [await stack.enter_async_context(MongoDatabase.open(url)) for _ in "12"]
        sender, receiver = [await stack.enter_async_context(MongoSignals(each).opened()) for each in (here, there)]
        subscriber = Subscriber(receiver)
        await subscriber.receives("")
        yield here, sender, subscriber


async def test_a_word_is_sent_although_the_time_of_the_operation_that_publishes_it_is_over(
    two: tuple[MongoDatabase, MongoSignals, Subscriber],
) -> None:
    """Where the database is suspected, an operation has a second, of which its change took most."""
    _, sender, subscriber = two
    with pymongo.timeout(0.001):
        await asyncio.sleep(0.01)
        sender.publish("a")
    await subscriber.receives("a")


async def test_words_are_received_when_the_collection_has_been_dropped(
    two: tuple[MongoDatabase, MongoSignals, Subscriber],
) -> None:
    """Its stream ends then, and another one begins."""
    database, sender, subscriber = two
    await database.signals.drop()
    await subscriber.receives("")
    sender.publish("a")
    await subscriber.receives("a")

"""The contract of signals over every database, and words that could not be sent at once."""

import asyncio
from contextlib import AsyncExitStack

import pytest
import pytest_asyncio

from recuerdo.adapters.mongodb import MongoDatabase
from recuerdo.adapters.mongodb.signals import MongoSignals
from recuerdo.adapters.postgres.signals import PostgresSignals
from recuerdo.adapters.signals import LocalSignals, SharedSignals
from recuerdo.core.errors import DatabaseUnavailable
from recuerdo.testing import SignalContract
from servers.patience import PATIENCE
from servers.proxy import running_proxy


class TestLocalSignals(SignalContract):
    """See SignalContract."""

    @pytest.fixture
    def signals(self):
        return LocalSignals()

    @pytest.fixture
    def other(self, signals):
        return signals


class TestPostgresSignals(SignalContract):
    """See SignalContract."""

    @pytest_asyncio.fixture(loop_scope="module")
    async def signals(self, postgres_database):
        async with PostgresSignals(postgres_database).opened() as signals:
            yield signals

    @pytest_asyncio.fixture(loop_scope="module")
    async def other(self, postgres_database):
        async with PostgresSignals(postgres_database).opened() as other:
            yield other


class TestMongoSignals(SignalContract):
    """See SignalContract."""

    @pytest_asyncio.fixture(loop_scope="module")
    async def signals(self, mongodb_database):
        async with MongoSignals(mongodb_database).opened() as signals:
            yield signals

    @pytest_asyncio.fixture(loop_scope="module")
    async def other(self, mongodb_database):
        async with MongoSignals(mongodb_database).opened() as other:
            yield other


async def test_words_that_could_not_be_sent_are_made_up_for(mongodb_server, empty_mongodb_url):
    """Others are told to look for themselves, as soon as the database can be reached again."""
    with running_proxy(mongodb_server.port) as proxy:
        through = empty_mongodb_url.replace(str(mongodb_server.port), str(proxy.port), 1)
        async with AsyncExitStack() as stack:
            cut = await stack.enter_async_context(MongoDatabase.open(f"{through}?directConnection=true&timeoutMS=2000"))
            whole = await stack.enter_async_context(MongoDatabase.open(empty_mongodb_url, timeout_ms=60_000))
            signals = await stack.enter_async_context(MongoSignals(cut).opened())
            other = await stack.enter_async_context(MongoSignals(whole).opened())
            heard = asyncio.Queue[str]()
            other.subscribe(heard.put_nowait)
            assert await heard.get() == ""  # from now on it listens
            proxy.cut()
            signals.publish("lost")
            with pytest.raises(DatabaseUnavailable):
                await signals.send(["lost"])
            proxy.heal()
            assert await heard.get() in ("", "lost")


async def test_words_that_can_not_be_sent_delay_no_end():
    class Away(SharedSignals):
        async def send(self, words):
            raise DatabaseUnavailable("away")

    signals = Away()
    signals.publish("word")
    async with asyncio.timeout(PATIENCE):
        await signals.aclose()

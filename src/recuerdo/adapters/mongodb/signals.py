"""Signals through a change stream of MongoDB."""

import asyncio
from collections.abc import Sequence
from contextvars import Context
from datetime import UTC, datetime

import pymongo

from recuerdo.adapters.mongodb.connection import MongoDatabase, translated
from recuerdo.adapters.signals import SharedSignals
from recuerdo.core.errors import ConfigurationError, DatabaseUnavailable

_NEW = [{"$match": {"operationType": "insert"}}]
_WAITED_MS = 1000
_ANSWERED_SECONDS = 30


class MongoSignals(SharedSignals):
    """The Signals of all processes over a database: documents that are gone after some minutes.

    A single server has no change streams, so that `can_listen` is false there.
    """

    def __init__(self, database: MongoDatabase) -> None:
        super().__init__()
        self.timeout = database.timeout
        self.can_listen = database.transactions.are_there
        self._signals = database.signals

    async def send(self, signals: Sequence[str]) -> None:
        """Send them in a context of its own: the operation that publishes signals may have no time left."""
        if self.can_listen:
            await asyncio.create_task(self._insert(signals), context=Context())

    @translated
    async def _insert(self, signals: Sequence[str]) -> None:
        await self._signals.insert_one({"sender": self.name, "words": [*signals], "at": datetime.now(UTC)})

    async def listen(self) -> None:
        try:
            await self._follow()
        except ConfigurationError as error:  # rights may be given while this process runs
            raise DatabaseUnavailable(str(error)) from error

    @translated
    async def _follow(self) -> None:
        """Receive signals until the stream ends, as it does when the collection is dropped."""
        with pymongo.timeout(None):  # waiting is not a failure
            with pymongo.timeout(_ANSWERED_SECONDS):
                stream = await self._signals.watch(_NEW, max_await_time_ms=_WAITED_MS)
            async with stream:
                self.publish_here([""])  # something may have been sent before
                while stream.alive:
                    with pymongo.timeout(_ANSWERED_SECONDS):
                        change = await stream.try_next()
                    if change is not None and (said := change.get("fullDocument")):
                        self.receive(said["sender"], said["words"])

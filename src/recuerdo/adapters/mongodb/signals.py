"""Signals through a change stream of MongoDB."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pymongo

from recuerdo.adapters.mongodb.connection import MongoDatabase, speaking_recuerdo
from recuerdo.adapters.signals import SharedSignals

_NEW = [{"$match": {"operationType": "insert"}}]
_WAITED_MS = 1000
_ANSWERED_SECONDS = 30


class MongoSignals(SharedSignals):
    """The Signals of all processes over a database: documents that are gone after some minutes.

    A single server has no change streams, and nobody can listen there.
    """

    def __init__(self, database: MongoDatabase) -> None:
        super().__init__()
        self.patience = database.patience
        self.can_listen = database.transactions.are_there
        self._words = database.signals

    @classmethod
    @asynccontextmanager
    async def open(cls, database: MongoDatabase) -> AsyncGenerator["MongoSignals"]:
        """Until the end of the block."""
        signals = cls(database)
        try:
            yield signals
        finally:
            await signals.aclose()

    @speaking_recuerdo
    async def send(self, words: Sequence[str]) -> None:
        if self.can_listen:
            await self._words.insert_one({"teller": self.name, "words": [*words], "at": datetime.now(UTC)})

    @speaking_recuerdo
    async def listen(self) -> None:
        with pymongo.timeout(None):  # to wait is no failure
            async with await self._words.watch(_NEW, max_await_time_ms=_WAITED_MS) as stream:
                self.tell_here([""])  # something may have been told before
                while True:
                    with pymongo.timeout(_ANSWERED_SECONDS):
                        change = await stream.try_next()
                    if change is not None:
                        said = change["fullDocument"]
                        self.arrived(said["teller"], said["words"])

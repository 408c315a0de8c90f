"""Signals through PostgreSQL's NOTIFY."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress

import psycopg

from recuerdo.adapters.postgres.connection import PostgresDatabase, connect
from recuerdo.adapters.signals import LocalSignals
from recuerdo.concurrency.tasks import stop
from recuerdo.core.errors import DatabaseUnavailable
from recuerdo.core.identifiers import new_id

_CHANNEL = "recuerdo"
_MOST_WORDS = 100
"""In one notification, which holds less than 8,000 bytes."""

_PAUSE = 1.0
_log = logging.getLogger(__name__)


class PostgresSignals(LocalSignals):
    """The Signals of all processes over a database. Listening takes one more connection, from the first who hears.

    Behind a pooler nobody can listen: there processes find out when they look.
    """

    def __init__(self, database: PostgresDatabase) -> None:
        super().__init__()
        self._database = database
        self.name = new_id()
        """The sender's name, so that a process does not hear its own words twice."""
        self._unsaid: dict[str, None] = {}
        self._saying: asyncio.Task[None] | None = None
        self._listening: asyncio.Task[None] | None = None

    @classmethod
    @asynccontextmanager
    async def open(cls, database: PostgresDatabase) -> AsyncGenerator["PostgresSignals"]:
        """Until the end of the block."""
        signals = cls(database)
        try:
            yield signals
        finally:
            await signals._aclose()

    def tell(self, word: str) -> None:
        """Others hear it when it has gone through the database."""
        super().tell(word)
        self._unsaid[word] = None
        if self._saying is None or self._saying.done():
            self._saying = asyncio.create_task(self._say())

    def tell_here(self, words: Sequence[str]) -> None:
        """Tell this process what others were told already."""
        for word in words:
            super().tell(word)

    def hear(self, heard: Callable[[str], None]) -> None:
        super().hear(heard)
        if self._listening is None and self._database.listens_at is not None:
            self._listening = asyncio.create_task(self._listen_for_ever(self._database.listens_at))

    async def _aclose(self) -> None:
        if self._listening is not None:
            await stop(self._listening)
        if self._saying is not None:
            await asyncio.gather(self._saying, return_exceptions=True)

    async def _say(self) -> None:
        """Say what was told, and meanwhile more."""
        while self._unsaid:
            words = [*self._unsaid][:_MOST_WORDS]
            for word in words:
                del self._unsaid[word]
            with suppress(DatabaseUnavailable):
                await self._database.fetch("", "SELECT pg_notify(%s, %s)", (_CHANNEL, "\n".join((self.name, *words))))

    async def _listen_for_ever(self, url: str) -> None:
        while True:
            try:
                await self._listen(url)
            except psycopg.Error as error:
                _log.warning("words of other processes come late now: %s", type(error).__name__)
            await asyncio.sleep(_PAUSE)

    async def _listen(self, url: str) -> None:
        async with await connect(url) as connection:
            await connection.execute(f"LISTEN {_CHANNEL}")
            super().tell("")  # something may have been told before
            async for notification in connection.notifies():
                teller, *words = notification.payload.split("\n")
                for word in words if teller != self.name else ():
                    super().tell(word)

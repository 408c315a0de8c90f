"""Signals through PostgreSQL's NOTIFY."""

from collections.abc import Sequence

import psycopg

from recuerdo.adapters.postgres.connection import PostgresDatabase, connect
from recuerdo.adapters.signals import SharedSignals
from recuerdo.core.errors import DatabaseUnavailable

_CHANNEL = "recuerdo"


class PostgresSignals(SharedSignals):
    """The Signals of all processes over a database. Listening takes one more connection.

    Behind a pooler `can_listen` is false.
    """

    def __init__(self, database: PostgresDatabase) -> None:
        super().__init__()
        self._database = database
        self.can_listen = database.listens_at is not None

    async def send(self, signals: Sequence[str]) -> None:
        await self._database.fetch("", "SELECT pg_notify(%s, %s)", (_CHANNEL, "\n".join((self.name, *signals))))

    async def listen(self) -> None:
        try:
            async with await connect(self._database.listens_at or "") as connection:
                await connection.execute(f"LISTEN {_CHANNEL}")
                self.publish_here([""])  # something may have been sent before
                async for notification in connection.notifies():
                    sender, *signals = notification.payload.split("\n")
                    self.receive(sender, signals)
        except psycopg.Error as error:
            raise DatabaseUnavailable(type(error).__name__) from None

"""Decisions that come while others end are taken, too."""

import asyncio
from typing import Any, cast

from recuerdo.adapters.postgres.connection import PostgresDatabase
from recuerdo.adapters.postgres.decisions import Decisions, DocumentCache
from recuerdo.adapters.postgres.signals import PostgresSignals
from recuerdo.core.documents import Decision
from recuerdo.core.scope import Owner
from servers.patience import PATIENCE


class Database:
    """Answers all who ask at the same moment."""

    def __init__(self) -> None:
        self.asked = 0
        self.answers = asyncio.Event()

    async def call(self, *_: Any) -> list[Any]:
        self.asked += 1
        await self.answers.wait()
        return []


class Signals:
    name = "here"

    def publish_here(self, words: Any) -> None:
        del words


async def test_a_decision_is_taken_that_comes_when_all_lanes_end_at_the_same_moment() -> None:
    database = Database()
    decisions = Decisions(cast(PostgresDatabase, database), cast(PostgresSignals, Signals()), DocumentCache())

    async def take(group: str, times: int) -> None:
        for _ in range(times):
            await decisions.take(Owner("acme", "emi"), group, [], lambda _: Decision(None))

    taking: list[asyncio.Task[None]] = []
    async with asyncio.timeout(PATIENCE):
        for group, times in (("twice", 2), ("once", 1)):
            taking.append(asyncio.create_task(take(group, times)))
            while database.asked < len(taking):  # noqa: ASYNC110 - each is under way on its own
                await asyncio.sleep(0)
        database.answers.set()
        await asyncio.gather(*taking)

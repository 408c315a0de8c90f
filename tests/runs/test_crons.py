"""Schedules make their runs: each time once, whoever looks."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from recuerdo.adapters.local import LocalDatabase, LocalDocuments
from recuerdo.core.errors import InvalidInput
from recuerdo.core.runs import Cron
from recuerdo.core.scope import Owner
from recuerdo.runs.crons import Crons

EMI = Owner("acme", "emi")


class Schedules:
    """Schedules at a time that a test sets, and what they launched."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, 12, tzinfo=UTC)
        self.launched: list[str] = []
        self.documents = LocalDocuments(LocalDatabase())
        self.crons = Crons(self.documents, self._launch, lambda: self.now)

    async def _launch(self, _: Owner, cron: Cron) -> None:
        self.launched.append(cron.cron_id)

    async def fire(self) -> None:
        due = await self.documents.due("cron", self.now, 10)
        await asyncio.gather(*(self.crons.fire(owner, each.id) for owner, each in due for _ in range(3)))


async def test_a_schedule_is_due_at_its_times_and_fires_once() -> None:
    schedules = Schedules()
    cron = await schedules.crons.create(EMI, "a", {}, None, {"schedule": "*/5 * * * *"})
    await schedules.fire()
    assert schedules.launched == []
    for _ in range(2):
        schedules.now += timedelta(minutes=5)
        await schedules.fire()
    assert schedules.launched == [cron.cron_id] * 2


async def test_a_schedule_that_is_switched_off_does_not_fire() -> None:
    schedules = Schedules()
    cron = await schedules.crons.create(EMI, "a", {}, None, {"schedule": "*/5 * * * *"})
    await schedules.crons.update(EMI, cron.cron_id, {}, {"enabled": False})
    schedules.now += timedelta(hours=1)
    await schedules.fire()
    assert schedules.launched == []


@pytest.mark.parametrize("schedule", ["* * * * * *", "*/5 * * * * 30", "* * * *", "* * * * * * *", ""])
async def test_a_schedule_has_five_fields(schedule: str) -> None:
    schedules = Schedules()
    with pytest.raises(InvalidInput, match="five fields"):
        await schedules.crons.create(EMI, "a", {}, None, {"schedule": schedule})
    cron = await schedules.crons.create(EMI, "a", {}, None, {"schedule": "*/5 * * * *"})
    with pytest.raises(InvalidInput, match="five fields"):
        await schedules.crons.update(EMI, cron.cron_id, {}, {"schedule": schedule})


async def test_a_schedule_stops_at_its_end() -> None:
    schedules = Schedules()
    ends = schedules.now + timedelta(minutes=7)
    await schedules.crons.create(EMI, "a", {}, None, {"schedule": "*/5 * * * *", "end_time": ends})
    for _ in range(3):
        schedules.now += timedelta(minutes=5)
        await schedules.fire()
    assert len(schedules.launched) == 1

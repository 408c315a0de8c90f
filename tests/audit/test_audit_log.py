"""The audit log lets nobody wait, loses nothing that it can keep, and says what it lost."""

import asyncio
import logging
from datetime import timedelta

import pytest

from recuerdo import Recuerdo
from recuerdo.adapters.local import LocalAudit, LocalDatabase
from recuerdo.audit import AuditLog
from recuerdo.concurrency.tasks import in_background
from recuerdo.core.audit import SERVER_TENANT, AuditQuery
from recuerdo.core.errors import ConfigurationError, DatabaseUnavailable, OutcomeUnknown
from recuerdo.history.history import utc_now
from recuerdo.testing.clock import FakeClock
from servers.patience import PATIENCE


class Table(LocalAudit):
    """A table that is away while `error` is set, and counts how often it was written to."""

    def __init__(self):
        super().__init__(LocalDatabase())
        self.error = None
        self.writes = 0

    async def append(self, entries):
        await asyncio.sleep(0)
        if self.error is not None:
            if isinstance(self.error, OutcomeUnknown):
                await super().append(entries)
            raise self.error
        self.writes += 1
        await super().append(entries)


async def test_entries_of_the_same_moment_are_stored_together():
    table = Table()
    log = AuditLog(table, utc_now)
    for number in range(200):
        log.record("key.created", tenant="acme", actor="emi", target=str(number))
    await log.flush()
    found = await table.select("acme", AuditQuery(1000))
    assert {each.target for each in found} == {str(number) for number in range(200)}
    assert table.writes < 10


async def test_entries_wait_for_a_database_that_is_away_and_are_stored_once():
    table = Table()
    log = AuditLog(table, utc_now)
    table.error = OutcomeUnknown("the reply was lost", retry_after=0.01)
    log.record("key.created", tenant="acme", target="one")
    await asyncio.sleep(0.05)
    table.error = DatabaseUnavailable("away", retry_after=0.01)
    log.record("key.created", tenant="acme", target="two")
    await asyncio.sleep(0.05)
    table.error = None
    await log.flush()
    assert sorted(each.target for each in await table.select("acme", AuditQuery())) == ["one", "two"]


async def test_what_finds_no_room_is_logged_and_counted(caplog: pytest.LogCaptureFixture):
    table = Table()
    log = AuditLog(table, utc_now, most_waiting=3)
    table.error = DatabaseUnavailable("away", retry_after=0.01)
    with caplog.at_level(logging.INFO, "recuerdo.audit"):
        for number in range(5):
            log.record("key.created", tenant="acme", target=str(number))
    assert [record.target for record in caplog.records] == ["0", "1", "2", "3", "4"]
    table.error = None
    await log.flush()
    assert len(await table.select("acme", AuditQuery())) == 3
    [lost] = await table.select(SERVER_TENANT, AuditQuery())
    assert (lost.action, lost.details) == ("audit.lost", {"entries": "2"})


async def test_a_closing_log_stores_what_waits():
    table = Table()
    log = AuditLog(table, utc_now)
    log.record("key.created", tenant="acme")
    await log.aclose()
    assert len(await table.select("acme", AuditQuery())) == 1


async def test_without_a_table_entries_are_logged_and_nobody_can_read_them(caplog: pytest.LogCaptureFixture):
    log = AuditLog(None, utc_now)
    with caplog.at_level(logging.INFO, "recuerdo.audit"):
        log.record("key.revoked", tenant="acme", actor="emi", role="admin", target="k-1", address="10.0.0.1", why="x")
    [record] = caplog.records
    told = (record.message, record.tenant, record.actor, record.role, record.target, record.address, record.why)
    assert told == ("key.revoked", "acme", "emi", "admin", "k-1", "10.0.0.1", "x")
    with pytest.raises(ConfigurationError, match="no audit log"):
        await log.read("acme", AuditQuery())


async def test_an_entry_may_have_a_detail_with_a_name_of_loggings_own(caplog: pytest.LogCaptureFixture):
    """`thread` is the number of a thread to `logging`, which refuses to overwrite it."""
    with caplog.at_level(logging.INFO, "recuerdo.audit"):
        AuditLog(None, utc_now).record("thread.deleted", tenant="acme", thread="t-1")
    assert caplog.records[0].audit_thread == "t-1"


async def test_the_retention_policy_removes_entries_when_their_time_is_over():
    clock = FakeClock()
    async with Recuerdo.open("memory://", retention="audit=40d", clock=clock) as memory:
        memory.audit.record("key.created", tenant="acme", target="old")
        clock.advance(timedelta(days=39))
        memory.audit.record("key.created", tenant="acme", target="new")
        await memory.audit.flush()
        clock.advance(timedelta(days=2))
        async with asyncio.timeout(PATIENCE), in_background(memory.maintenance.run(memory.retention)):
            while len((found := await memory.audit.read("acme", AuditQuery())).entries) > 1:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
    assert [each.target for each in found.entries] == ["new"]

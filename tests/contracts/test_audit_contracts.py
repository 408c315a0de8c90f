"""The contract of the audit log over each database, and that nobody changes an entry there."""

import sqlite3
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from recuerdo.adapters.local import LocalAudit, LocalDatabase
from recuerdo.adapters.mongodb import MongoAudit
from recuerdo.adapters.postgres import PostgresAudit, PostgresDatabase
from recuerdo.adapters.sqlite import SqliteAudit, SqliteDatabase
from recuerdo.core.audit import AuditEntry, AuditQuery
from recuerdo.testing import AuditContract
from recuerdo.testing.samples import fresh_owner


class TestLocalAudit(AuditContract):
    @pytest.fixture
    def audit(self):
        return LocalAudit(LocalDatabase())


class TestSqliteAudit(AuditContract):
    @pytest.fixture
    def audit(self, sqlite_database):
        return SqliteAudit(sqlite_database)


class TestPostgresAudit(AuditContract):
    @pytest.fixture
    def audit(self, postgres_database):
        return PostgresAudit(postgres_database)


class TestMongoAudit(AuditContract):
    @pytest.fixture
    def audit(self, mongodb_database):
        return MongoAudit(mongodb_database)


def entry(**fields):
    made = {"id": "e", "at": datetime.now(UTC), "tenant": fresh_owner().tenant, "actor": "emi", "action": "key.created"}
    return AuditEntry(**(made | fields))


async def test_the_role_that_serves_requests_neither_changes_nor_removes_entries(postgres_url):
    """It may add and read; sweeping removes what is older than 30 days, and nothing else."""
    async with PostgresDatabase.open(postgres_url) as database:
        young = entry()
        await PostgresAudit(database).append([young])
        for statement in ("UPDATE recuerdo.audit SET actor = 'x'", "DELETE FROM recuerdo.audit"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                await database.fetch(young.tenant, f"{statement} RETURNING id")
        assert await PostgresAudit(database).sweep(datetime.now(UTC), 10_000) == 0


async def test_no_role_changes_an_entry_of_postgres(postgres_url):
    async with PostgresDatabase.open(postgres_url) as database:
        await PostgresAudit(database).append([entry()])
    async with await psycopg.AsyncConnection.connect(postgres_url) as superuser:
        with pytest.raises(psycopg.errors.RaiseException, match="are not changed"):
            await superuser.execute("UPDATE recuerdo.audit SET actor = 'x'")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit SET actor = 'x'",
        "DELETE FROM audit",
        "DELETE FROM audit WHERE actor = 'emi'",
        "UPDATE audit SET at = 0",
        "REPLACE INTO audit SELECT tenant, at, id, 'x', action, body FROM audit",
        "INSERT INTO audit SELECT tenant, at, id, 'x', action, body FROM audit WHERE true"
        " ON CONFLICT DO UPDATE SET actor = 'x'",
    ],
)
async def test_nobody_changes_or_removes_a_young_entry_of_a_file(tmp_path, statement):
    """Sweeping removes what is older than 30 days, and nothing else, whatever the server's clock says."""
    old, young = entry(id="old", at=datetime.now(UTC) - timedelta(days=31)), entry()
    async with SqliteDatabase.open(tmp_path / "recuerdo.db") as database:
        audit = SqliteAudit(database)
        await audit.append([old, young])
        with closing(sqlite3.connect(tmp_path / "recuerdo.db")) as file, suppress(sqlite3.IntegrityError):
            file.execute(statement)
            file.commit()
        assert await audit.select(old.tenant, AuditQuery()) == [old]
        assert await audit.sweep(datetime.now(UTC) + timedelta(days=400), 10) == 1
        assert await audit.select(old.tenant, AuditQuery()) == []
        assert await audit.select(young.tenant, AuditQuery()) == [young]

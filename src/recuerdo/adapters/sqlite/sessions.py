"""Rows of sessions in SQLite."""

import sqlite3
from collections.abc import Sequence
from datetime import datetime

from recuerdo.adapters.sqlite.connection import SqliteDatabase
from recuerdo.adapters.times import from_microseconds, to_microseconds
from recuerdo.core.contexts import Session
from recuerdo.core.scope import Owner

_COLUMNS = "tenant, user, session, thread, assistant, began_at, expires_at, stamp"


class SqliteSessions:
    """The SessionRepository over a SQLite file."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    async def find(self, session_id: str) -> Session | None:
        """See SessionRepository."""
        return await self._database.read(lambda connection: _find(connection, session_id), brief=True)

    async def save(self, session: Session, instead_of: Session | None) -> bool:
        """See SessionRepository."""
        return await self._database.write(lambda connection: _save(connection, session, instead_of), brief=True)

    async def erase(self, owner: Owner) -> Sequence[str]:
        """See SessionRepository."""
        return await self._database.write(lambda connection: _erase(connection, owner))

    async def sweep(self, now: datetime, limit: int) -> int:
        """See SessionRepository."""
        return await self._database.write(lambda connection: _sweep(connection, now, limit))


def _find(connection: sqlite3.Connection, session_id: str) -> Session | None:
    row = connection.execute(f"SELECT {_COLUMNS} FROM sessions WHERE session = ?", (session_id,)).fetchone()
    if row is None:
        return None
    tenant, user, session, thread, assistant, began_at, expires_at, stamp = row
    begun, expiry = from_microseconds(began_at), from_microseconds(expires_at)
    return Session(tenant, user, session, thread, assistant, begun, expiry, stamp)


def _save(connection: sqlite3.Connection, session: Session, instead_of: Session | None) -> bool:
    row = (
        *(session.tenant, session.user, session.session, session.thread, session.assistant_id),
        *(to_microseconds(session.began_at), to_microseconds(session.expires_at), session.stamp),
    )
    if instead_of is None:
        stored = connection.execute(
            f"INSERT INTO sessions ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", row
        )
    else:
        stored = connection.execute(
            f"UPDATE sessions SET ({_COLUMNS}) = (?, ?, ?, ?, ?, ?, ?, ?) WHERE session = ? AND stamp = ?",
            (*row, session.session, instead_of.stamp),
        )
    return stored.rowcount == 1


def _erase(connection: sqlite3.Connection, owner: Owner) -> list[str]:
    gone = connection.execute(
        "DELETE FROM sessions WHERE tenant = ? AND user = ? RETURNING session", (owner.tenant, owner.user)
    )
    return [session for (session,) in gone]


def _sweep(connection: sqlite3.Connection, now: datetime, limit: int) -> int:
    expired = "SELECT session FROM sessions WHERE expires_at <= ? LIMIT ?"
    gone = connection.execute(f"DELETE FROM sessions WHERE session IN ({expired})", (to_microseconds(now), limit))
    return gone.rowcount

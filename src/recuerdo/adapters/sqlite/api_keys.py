"""Rows of API keys in SQLite."""

import sqlite3
from datetime import datetime
from typing import Any

from recuerdo.adapters.sqlite.connection import SqliteDatabase
from recuerdo.adapters.times import from_microseconds, to_microseconds
from recuerdo.core.api_keys import ApiKey
from recuerdo.core.scope import Owner

_COLUMNS = "digest, id, tenant, user, name, role, tier, created_at, expires_at, revoked_at"


class SqliteApiKeys:
    """The ApiKeyRepository over a SQLite file."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    async def add(self, key: ApiKey) -> None:
        """See ApiKeyRepository."""
        await self._database.write(lambda connection: _add(connection, key))

    async def find(self, digest: bytes) -> ApiKey | None:
        """See ApiKeyRepository."""
        return await self._database.read(lambda connection: _find(connection, digest))

    async def select(self, tenant: str, user: str | None, limit: int) -> list[ApiKey]:
        """See ApiKeyRepository."""
        return await self._database.read(lambda connection: _select(connection, tenant, user, limit))

    async def revoke(self, tenant: str, key_id: str, at: datetime) -> bool:
        """See ApiKeyRepository."""
        return await self._database.write(lambda connection: _revoke(connection, tenant, key_id, at))

    async def erase(self, owner: Owner) -> int:
        """See ApiKeyRepository."""
        return await self._database.write(lambda connection: _erase(connection, owner))


def _add(connection: sqlite3.Connection, key: ApiKey) -> None:
    connection.execute(
        f"INSERT INTO api_keys ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            key.digest,
            key.id,
            key.owner.tenant,
            key.owner.user,
            key.name,
            key.role,
            key.tier,
            *(moment and to_microseconds(moment) for moment in (key.created_at, key.expires_at, key.revoked_at)),
        ),
    )


def _find(connection: sqlite3.Connection, digest: bytes) -> ApiKey | None:
    row = connection.execute(f"SELECT {_COLUMNS} FROM api_keys WHERE digest = ?", (digest,)).fetchone()
    return _api_key(row) if row else None


def _select(connection: sqlite3.Connection, tenant: str, user: str | None, limit: int) -> list[ApiKey]:
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM api_keys WHERE tenant = :tenant AND (:user IS NULL OR user = :user)"
        " ORDER BY created_at DESC, id LIMIT :limit",
        {"tenant": tenant, "user": user, "limit": limit},
    )
    return [_api_key(row) for row in rows]


def _revoke(connection: sqlite3.Connection, tenant: str, key_id: str, at: datetime) -> bool:
    revoked = connection.execute(
        "UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?) WHERE tenant = ? AND id = ?",
        (to_microseconds(at), tenant, key_id),
    )
    return revoked.rowcount == 1


def _erase(connection: sqlite3.Connection, owner: Owner) -> int:
    statement = "DELETE FROM api_keys WHERE tenant = ? AND user = ?"
    return connection.execute(statement, (owner.tenant, owner.user)).rowcount


def _api_key(row: tuple[Any, ...]) -> ApiKey:
    digest, key_id, tenant, user, name, role, tier, created_at, expires_at, revoked_at = row
    return ApiKey(
        id=key_id,
        owner=Owner(tenant, user),
        digest=digest,
        name=name,
        role=role,
        tier=tier,
        created_at=from_microseconds(created_at),
        expires_at=None if expires_at is None else from_microseconds(expires_at),
        revoked_at=None if revoked_at is None else from_microseconds(revoked_at),
    )

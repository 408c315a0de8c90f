"""Rows of API keys in PostgreSQL."""

from datetime import UTC, datetime
from typing import Any

from recuerdo.adapters.postgres.conditions import named
from recuerdo.adapters.postgres.connection import PostgresDatabase
from recuerdo.core.api_keys import ApiKey
from recuerdo.core.scope import Owner

_NOBODY = ""
"""The tenant of no row: an id has a character at least."""

_ADD = """
INSERT INTO recuerdo.api_keys
    (digest, id, tenant, "user", name, role, tier, created_at, expires_at, revoked_at)
VALUES (
    %(digest)s, %(id)s, %(tenant)s, %(user)s, %(name)s, %(role)s, %(tier)s,
    %(created_at)s, %(expires_at)s, %(revoked_at)s
)
RETURNING id"""

_FIND = """
SELECT digest, id, tenant, "user", name, role, tier, created_at, expires_at, revoked_at
FROM recuerdo.api_key(%(digest)s)"""

_SELECT = """
SELECT digest, id, tenant, "user", name, role, tier, created_at, expires_at, revoked_at FROM recuerdo.api_keys
WHERE tenant = %(tenant)s AND (%(user)s::text IS NULL OR "user" = %(user)s)
ORDER BY created_at DESC, id LIMIT %(limit)s"""

_REVOKE = """
UPDATE recuerdo.api_keys SET revoked_at = coalesce(revoked_at, %(at)s)
WHERE tenant = %(tenant)s AND id = %(id)s RETURNING id"""

_ERASE = """
DELETE FROM recuerdo.api_keys WHERE tenant = %(tenant)s AND "user" = %(user)s RETURNING id"""


class PostgresApiKeys:
    """The ApiKeyRepository over a PostgreSQL database."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    async def add(self, key: ApiKey) -> None:
        """See ApiKeyRepository."""
        row = {name: getattr(key, name) for name in ApiKey.__struct_fields__ if name != "owner"}
        await self._database.fetch(key.owner.tenant, _ADD, row | named(key.owner), writes=True)

    async def find(self, digest: bytes) -> ApiKey | None:
        """See ApiKeyRepository."""
        rows = await self._database.fetch(_NOBODY, _FIND, {"digest": digest})
        return _api_key(rows[0]) if rows else None

    async def select(self, tenant: str, user: str | None, limit: int) -> list[ApiKey]:
        """See ApiKeyRepository."""
        rows = await self._database.fetch(tenant, _SELECT, {"tenant": tenant, "user": user, "limit": limit})
        return [_api_key(row) for row in rows]

    async def revoke(self, tenant: str, key_id: str, at: datetime) -> bool:
        """See ApiKeyRepository."""
        return bool(
            await self._database.fetch(tenant, _REVOKE, {"tenant": tenant, "id": key_id, "at": at}, writes=True)
        )

    async def erase(self, owner: Owner) -> int:
        """See ApiKeyRepository."""
        return len(await self._database.fetch(owner.tenant, _ERASE, named(owner), writes=True))


def _api_key(row: tuple[Any, ...]) -> ApiKey:
    digest, key_id, tenant, user, name, role, tier, created_at, expires_at, revoked_at = row
    return ApiKey(
        id=key_id,
        owner=Owner(tenant, user),
        digest=digest,
        name=name,
        role=role,
        tier=tier,
        created_at=created_at.astimezone(UTC),
        expires_at=expires_at and expires_at.astimezone(UTC),
        revoked_at=revoked_at and revoked_at.astimezone(UTC),
    )

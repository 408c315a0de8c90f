"""API keys, sessions and the users of tenants in PostgreSQL. API keys are looked up before the tenant is known."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, LiteralString

from recuerdo.adapters.postgres.connection import PostgresRepository, named
from recuerdo.adapters.rows import API_KEY_COLUMNS, api_key_of, session_of, utc
from recuerdo.core.api_keys import ApiKey
from recuerdo.core.contexts import Session
from recuerdo.core.ports import ApiKeyRepository, SessionRepository, UserDirectory
from recuerdo.core.scope import Owner

_NOBODY = ""
"""The tenant of no row: an id has a character at least."""

_KEY_VALUES: LiteralString = """
    %(digest)s, %(id)s, %(tenant)s, %(user)s, %(name)s, %(role)s, %(tier)s, %(scopes)s, %(replaced_by)s,
    %(created_at)s, %(expires_at)s, %(revoked_at)s, %(last_used_at)s"""

_ADD: LiteralString = f"""
INSERT INTO recuerdo.api_keys ({API_KEY_COLUMNS}) VALUES ({_KEY_VALUES}) RETURNING id"""

_ROTATE: LiteralString = f"""
WITH replaced AS (
    UPDATE recuerdo.api_keys SET replaced_by = %(id)s, expires_at = least(coalesce(expires_at, %(until)s), %(until)s)
    WHERE tenant = %(tenant)s AND id = %(old)s AND revoked_at IS NULL AND replaced_by IS NULL RETURNING id
)
INSERT INTO recuerdo.api_keys ({API_KEY_COLUMNS}) SELECT {_KEY_VALUES} FROM replaced RETURNING id"""

_MARK_USED = """
UPDATE recuerdo.api_keys SET last_used_at = greatest(coalesce(last_used_at, %(at)s), %(at)s)
WHERE tenant = %(tenant)s AND id = %(id)s RETURNING id"""

_FIND_KEY: LiteralString = f"SELECT {API_KEY_COLUMNS} FROM recuerdo.api_key(%(digest)s)"

_GET_KEY: LiteralString = f"""
SELECT {API_KEY_COLUMNS} FROM recuerdo.api_keys WHERE tenant = %(tenant)s AND id = %(id)s"""

_SELECT: LiteralString = f"""
SELECT {API_KEY_COLUMNS} FROM recuerdo.api_keys
WHERE tenant = %(tenant)s AND (%(user)s::text IS NULL OR "user" = %(user)s)
ORDER BY created_at DESC, id LIMIT %(limit)s"""

_REVOKE = """
UPDATE recuerdo.api_keys SET revoked_at = coalesce(revoked_at, %(at)s)
WHERE tenant = %(tenant)s AND id = %(id)s RETURNING id"""

_ERASE_KEYS = """
DELETE FROM recuerdo.api_keys WHERE tenant = %(tenant)s AND "user" = %(user)s RETURNING id"""


class PostgresApiKeys(PostgresRepository, ApiKeyRepository):
    """The ApiKeyRepository over a PostgreSQL database."""

    async def add(self, key: ApiKey) -> None:
        await self._database.fetch(key.owner.tenant, _ADD, _key_row(key), writes=True)

    async def find(self, digest: bytes) -> ApiKey | None:
        rows = await self._database.fetch(_NOBODY, _FIND_KEY, {"digest": digest})
        return api_key_of(rows[0], utc) if rows else None

    async def select(self, tenant: str, user: str | None, limit: int) -> list[ApiKey]:
        rows = await self._database.fetch(tenant, _SELECT, {"tenant": tenant, "user": user, "limit": limit})
        return [api_key_of(row, utc) for row in rows]

    async def get(self, tenant: str, key_id: str) -> ApiKey | None:
        rows = await self._database.fetch(tenant, _GET_KEY, {"tenant": tenant, "id": key_id})
        return api_key_of(rows[0], utc) if rows else None

    async def rotate(self, old_id: str, new: ApiKey, until: datetime) -> bool:
        row = _key_row(new) | {"old": old_id, "until": until}
        return bool(await self._database.fetch(new.owner.tenant, _ROTATE, row, writes=True))

    async def mark_used(self, tenant: str, key_id: str, at: datetime) -> None:
        await self._database.fetch(tenant, _MARK_USED, {"tenant": tenant, "id": key_id, "at": at}, writes=True)

    async def revoke(self, tenant: str, key_id: str, at: datetime) -> bool:
        return bool(
            await self._database.fetch(tenant, _REVOKE, {"tenant": tenant, "id": key_id, "at": at}, writes=True)
        )

    async def erase(self, owner: Owner) -> int:
        return len(await self._database.fetch(owner.tenant, _ERASE_KEYS, named(owner), writes=True))


def _key_row(key: ApiKey) -> dict[str, Any]:
    row = {name: getattr(key, name) for name in ApiKey.__struct_fields__ if name != "owner"}
    return row | named(key.owner) | {"scopes": " ".join(key.scopes)}


_FIND = """
SELECT tenant, "user", session, thread, assistant, began_at, expires_at, stamp
FROM recuerdo.sessions WHERE tenant = %(tenant)s AND session = %(session)s"""

_BEGIN = """
INSERT INTO recuerdo.sessions (session, tenant, "user", thread, assistant, began_at, expires_at, stamp)
VALUES (
    %(session)s, %(tenant)s, %(user)s, %(thread)s, %(assistant_id)s, %(began_at)s, %(expires_at)s, %(stamp)s
)
ON CONFLICT DO NOTHING RETURNING session"""

_REPLACE = """
UPDATE recuerdo.sessions SET
    "user" = %(user)s, thread = %(thread)s, assistant = %(assistant_id)s,
    began_at = %(began_at)s, expires_at = %(expires_at)s, stamp = %(stamp)s
WHERE tenant = %(tenant)s AND session = %(session)s AND stamp = %(known)s RETURNING session"""

_ERASE = 'DELETE FROM recuerdo.sessions WHERE tenant = %(tenant)s AND "user" = %(user)s RETURNING session'

_SWEEP = """
DELETE FROM recuerdo.swept_sessions
WHERE session IN (SELECT session FROM recuerdo.swept_sessions WHERE expires_at <= %(now)s LIMIT %(limit)s)
    AND expires_at <= %(now)s
RETURNING session"""


class PostgresSessions(PostgresRepository, SessionRepository):
    """The SessionRepository over a PostgreSQL database."""

    async def find(self, tenant: str, session_id: str) -> Session | None:
        rows = await self._database.fetch(tenant, _FIND, {"tenant": tenant, "session": session_id})
        return session_of(rows[0], utc) if rows else None

    async def save(self, session: Session, instead_of: Session | None) -> bool:
        row = {name: getattr(session, name) for name in Session.__struct_fields__}
        if instead_of is None:
            return bool(await self._database.fetch(session.tenant, _BEGIN, row, writes=True))
        return bool(
            await self._database.fetch(session.tenant, _REPLACE, row | {"known": instead_of.stamp}, writes=True)
        )

    async def erase(self, owner: Owner) -> Sequence[str]:
        erased = await self._database.fetch(owner.tenant, _ERASE, named(owner), writes=True)
        return [session for (session,) in erased]

    async def sweep(self, now: datetime, limit: int) -> int:
        return len(await self._database.sweep(_SWEEP, {"now": now, "limit": limit}))


_OWNED: tuple[LiteralString, ...] = (
    "threads WHERE NOT deleted AND",
    *("memories WHERE", "memory_changes WHERE", "checkpoint_threads WHERE", "store_items WHERE", "documents WHERE"),
    *("api_keys WHERE", "sessions WHERE"),
)
_NEXT: LiteralString = " UNION ALL ".join(
    f'SELECT min("user") AS "user" FROM recuerdo.{owned} tenant = %(tenant)s AND "user" > found."user"'
    for owned in _OWNED
)
_USERS: LiteralString = f"""
WITH RECURSIVE found ("user") AS (
    SELECT %(after)s::text COLLATE "C"
    UNION ALL SELECT (SELECT min("user") FROM ({_NEXT}) AS next) FROM found WHERE "user" IS NOT NULL
)
SELECT "user" FROM found WHERE "user" IS NOT NULL LIMIT %(limit)s OFFSET 1"""
"""From one user to the next by an index of each table, as some users have very many rows."""


class PostgresUsers(PostgresRepository, UserDirectory):
    """The UserDirectory over a PostgreSQL database."""

    async def users(self, tenant: str, limit: int, after: str = "") -> list[str]:
        rows = await self._database.fetch(tenant, _USERS, {"tenant": tenant, "after": after, "limit": limit})
        return [user for (user,) in rows]

"""Rows of sessions in PostgreSQL."""

from collections.abc import Sequence
from datetime import UTC, datetime

from recuerdo.adapters.postgres.conditions import named
from recuerdo.adapters.postgres.connection import PostgresDatabase
from recuerdo.core.contexts import Session
from recuerdo.core.scope import Owner

_NOBODY = ""
"""The tenant of no row: an id has a character at least."""

_FIND = """
SELECT tenant, "user", session, thread, assistant, began_at, expires_at, stamp
FROM recuerdo.sessions WHERE session = %(session)s"""

_BEGIN = """
INSERT INTO recuerdo.sessions (session, tenant, "user", thread, assistant, began_at, expires_at, stamp)
VALUES (
    %(session)s, %(tenant)s, %(user)s, %(thread)s, %(assistant_id)s, %(began_at)s, %(expires_at)s, %(stamp)s
)
ON CONFLICT DO NOTHING RETURNING session"""

_REPLACE = """
UPDATE recuerdo.sessions SET
    tenant = %(tenant)s, "user" = %(user)s, thread = %(thread)s, assistant = %(assistant_id)s,
    began_at = %(began_at)s, expires_at = %(expires_at)s, stamp = %(stamp)s
WHERE session = %(session)s AND stamp = %(known)s"""

_ERASE = 'DELETE FROM recuerdo.sessions WHERE tenant = %(tenant)s AND "user" = %(user)s RETURNING session'

_SWEEP = """
DELETE FROM recuerdo.sessions
WHERE session IN (SELECT session FROM recuerdo.sessions WHERE expires_at <= %(now)s LIMIT %(limit)s)
    AND expires_at <= %(now)s
RETURNING session"""


class PostgresSessions:
    """The SessionRepository over a PostgreSQL database."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    async def find(self, session_id: str) -> Session | None:
        """See SessionRepository."""
        holds = {"session": session_id}
        rows = await self._database.fetch(_NOBODY, _FIND, holds, settings={"recuerdo.session": session_id})
        if not rows:
            return None
        tenant, user, session, thread, assistant, began_at, expires_at, stamp = rows[0]
        begun, expiry = began_at.astimezone(UTC), expires_at.astimezone(UTC)
        return Session(tenant, user, session, thread, assistant, begun, expiry, stamp)

    async def save(self, session: Session, instead_of: Session | None) -> bool:
        """See SessionRepository."""
        row = {name: getattr(session, name) for name in Session.__struct_fields__}
        if instead_of is None:
            return bool(await self._database.fetch(session.tenant, _BEGIN, row))
        async with self._database.transaction([session.tenant, instead_of.tenant]) as connection:
            return (await connection.execute(_REPLACE, row | {"known": instead_of.stamp})).rowcount == 1

    async def erase(self, owner: Owner) -> Sequence[str]:
        """See SessionRepository."""
        return [session for (session,) in await self._database.fetch(owner.tenant, _ERASE, named(owner))]

    async def sweep(self, now: datetime, limit: int) -> int:
        """See SessionRepository."""
        return len(await self._database.sweep(_SWEEP, {"now": now, "limit": limit}))

"""API keys, sessions and the users of tenants in SQLite. API keys are looked up before the tenant is known."""

import sqlite3
from collections.abc import Sequence
from datetime import datetime

from recuerdo.adapters.rows import API_KEY_COLUMNS, api_key_of, from_microseconds, session_of, to_microseconds
from recuerdo.adapters.sqlite.connection import SqliteRepository, reading, writing
from recuerdo.core.api_keys import ApiKey
from recuerdo.core.contexts import Session
from recuerdo.core.ports import ApiKeyRepository, SessionRepository, UserDirectory
from recuerdo.core.scope import Owner

_KEY = API_KEY_COLUMNS


class SqliteApiKeys(SqliteRepository, ApiKeyRepository):
    """The ApiKeyRepository over a SQLite file."""

    @writing()
    def add(self, connection: sqlite3.Connection, key: ApiKey) -> None:
        _insert_key(connection, key)

    @reading()
    def find(self, connection: sqlite3.Connection, digest: bytes) -> ApiKey | None:
        row = connection.execute(f"SELECT {_KEY} FROM api_keys WHERE digest = ?", (digest,)).fetchone()
        return api_key_of(row, from_microseconds) if row else None

    @reading()
    def select(self, connection: sqlite3.Connection, tenant: str, user: str | None, limit: int) -> list[ApiKey]:
        rows = connection.execute(
            f"SELECT {_KEY} FROM api_keys WHERE tenant = :tenant AND (:user IS NULL OR user = :user)"
            " ORDER BY created_at DESC, id LIMIT :limit",
            {"tenant": tenant, "user": user, "limit": limit},
        )
        return [api_key_of(row, from_microseconds) for row in rows]

    @reading()
    def get(self, connection: sqlite3.Connection, tenant: str, key_id: str) -> ApiKey | None:
        statement = f"SELECT {_KEY} FROM api_keys WHERE tenant = ? AND id = ?"
        row = connection.execute(statement, (tenant, key_id)).fetchone()
        return api_key_of(row, from_microseconds) if row else None

    @writing()
    def rotate(self, connection: sqlite3.Connection, old_id: str, new: ApiKey, until: datetime) -> bool:
        replaced = connection.execute(
            "UPDATE api_keys SET replaced_by = :new, expires_at = min(coalesce(expires_at, :until), :until)"
            " WHERE tenant = :tenant AND id = :old AND revoked_at IS NULL AND replaced_by IS NULL",
            {"new": new.id, "until": to_microseconds(until), "tenant": new.owner.tenant, "old": old_id},
        )
        if replaced.rowcount == 1:
            _insert_key(connection, new)
        return replaced.rowcount == 1

    @writing()
    def mark_used(self, connection: sqlite3.Connection, tenant: str, key_id: str, at: datetime) -> None:
        connection.execute(
            "UPDATE api_keys SET last_used_at = max(coalesce(last_used_at, :at), :at)"
            " WHERE tenant = :tenant AND id = :id",
            {"at": to_microseconds(at), "tenant": tenant, "id": key_id},
        )

    @writing()
    def revoke(self, connection: sqlite3.Connection, tenant: str, key_id: str, at: datetime) -> bool:
        revoked = connection.execute(
            "UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?) WHERE tenant = ? AND id = ?",
            (to_microseconds(at), tenant, key_id),
        )
        return revoked.rowcount == 1

    @writing()
    def erase(self, connection: sqlite3.Connection, owner: Owner) -> int:
        statement = "DELETE FROM api_keys WHERE tenant = ? AND user = ?"
        return connection.execute(statement, (owner.tenant, owner.user)).rowcount


def _insert_key(connection: sqlite3.Connection, key: ApiKey) -> None:
    times = (key.created_at, key.expires_at, key.revoked_at, key.last_used_at)
    connection.execute(
        f"INSERT INTO api_keys ({_KEY}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(key.digest, key.id, key.owner.tenant, key.owner.user, key.name, key.role, key.tier),
            *(" ".join(key.scopes), key.replaced_by),
            *(moment and to_microseconds(moment) for moment in times),
        ),
    )


_SESSION = "tenant, user, session, thread, assistant, began_at, expires_at, stamp"


class SqliteSessions(SqliteRepository, SessionRepository):
    """The SessionRepository over a SQLite file."""

    @reading(brief=True)
    def find(self, connection: sqlite3.Connection, tenant: str, session_id: str) -> Session | None:
        asked = f"SELECT {_SESSION} FROM sessions WHERE tenant = ? AND session = ?"
        row = connection.execute(asked, (tenant, session_id)).fetchone()
        return session_of(row, from_microseconds) if row else None

    @writing(brief=True)
    def save(self, connection: sqlite3.Connection, session: Session, instead_of: Session | None) -> bool:
        row = (
            *(session.tenant, session.user, session.session, session.thread, session.assistant_id),
            *(to_microseconds(session.began_at), to_microseconds(session.expires_at), session.stamp),
        )
        if instead_of is None:
            stored = connection.execute(
                f"INSERT INTO sessions ({_SESSION}) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", row
            )
        else:
            stored = connection.execute(
                f"UPDATE sessions SET ({_SESSION}) = (?, ?, ?, ?, ?, ?, ?, ?)"
                " WHERE tenant = ? AND session = ? AND stamp = ?",
                (*row, session.tenant, session.session, instead_of.stamp),
            )
        return stored.rowcount == 1

    @writing()
    def erase(self, connection: sqlite3.Connection, owner: Owner) -> Sequence[str]:
        gone = connection.execute(
            "DELETE FROM sessions WHERE tenant = ? AND user = ? RETURNING session", (owner.tenant, owner.user)
        )
        return [session for (session,) in gone]

    @writing()
    def sweep(self, connection: sqlite3.Connection, now: datetime, limit: int) -> int:
        expired = "SELECT tenant, session FROM sessions WHERE expires_at <= ? LIMIT ?"
        statement = f"DELETE FROM sessions WHERE (tenant, session) IN ({expired})"
        gone = connection.execute(statement, (to_microseconds(now), limit))
        return gone.rowcount


_OWNED = (
    "threads INDEXED BY threads_by_minute WHERE NOT deleted AND",
    *("memories WHERE", "memory_changes WHERE", "checkpoint_threads WHERE", "store_items WHERE", "documents WHERE"),
    *("api_keys WHERE", "sessions WHERE"),
)
_NEXT = " UNION ALL ".join(
    f"SELECT min(user) AS user FROM {owned} tenant = :tenant AND user > found.user" for owned in _OWNED
)
_USERS = f"""WITH RECURSIVE found (user) AS (
    SELECT :after UNION ALL SELECT (SELECT min(user) FROM ({_NEXT})) FROM found WHERE user IS NOT NULL
)
SELECT user FROM found WHERE user IS NOT NULL LIMIT :limit OFFSET 1"""
"""From one user to the next by an index of each table, as some users have very many rows."""


class SqliteUsers(SqliteRepository, UserDirectory):
    """The UserDirectory over a SQLite file."""

    @reading()
    def users(self, connection: sqlite3.Connection, tenant: str, limit: int, after: str = "") -> list[str]:
        rows = connection.execute(_USERS, {"tenant": tenant, "after": after, "limit": limit})
        return [user for (user,) in rows]

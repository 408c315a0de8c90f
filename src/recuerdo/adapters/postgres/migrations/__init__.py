"""The schema, and who may use it: SQL files of tables, which run in the order of their names, each once, and of
functions, which run behind them whenever their text has changed.

A function that takes or answers something else than before gets another name: replicas of the version before go on
calling the old one until they are replaced, and PostgreSQL would not let it change under its name.
"""

from collections.abc import Sequence
from hashlib import sha256
from importlib import resources
from typing import Any, NamedTuple

from psycopg import AsyncConnection
from psycopg.errors import DuplicateObject, InsufficientPrivilege, UndefinedObject, UniqueViolation

from recuerdo.core.errors import ConfigurationError

APP_ROLE = "recuerdo_app"
"""The role that requests are served as: it owns nothing, and row-level security binds it."""

_FUNCTIONS = "functions/"
_LOCK = 0x7265637565726400  # "recuerdo" in ASCII, one key for all versions
_GRANTS = f"""
GRANT USAGE ON SCHEMA recuerdo TO {APP_ROLE};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA recuerdo TO {APP_ROLE};
REVOKE INSERT, UPDATE, DELETE ON
    recuerdo.migrations, recuerdo.swept_threads, recuerdo.swept_tombstones, recuerdo.swept_documents,
    recuerdo.swept_memories, recuerdo.swept_memory_owners, recuerdo.swept_items, recuerdo.swept_checkpoint_threads,
    recuerdo.swept_keys, recuerdo.swept_sessions, recuerdo.swept_audit, recuerdo.swept_data_keys
    FROM {APP_ROLE};
GRANT UPDATE ON recuerdo.swept_tombstones TO {APP_ROLE};
GRANT DELETE ON recuerdo.swept_keys, recuerdo.swept_sessions, recuerdo.swept_audit TO {APP_ROLE};
REVOKE UPDATE, DELETE ON recuerdo.audit FROM {APP_ROLE};
GRANT USAGE ON ALL SEQUENCES IN SCHEMA recuerdo TO {APP_ROLE};
"""

Connection = AsyncConnection[tuple[Any, ...]]


class _Migration(NamedTuple):
    """One file; that of functions has another name whenever it has another text.

    No text runs twice, and none replaces another where tables are of a newer version: a replica of an older one that
    starts late does not take its functions away. A version with other functions brings a script of tables too.
    """

    name: str
    text: bytes

    @property
    def file(self) -> str:
        return _file(self.name)


async def pending(connection: Connection) -> list[str]:
    """The names of the scripts that have not run on this database, in their order."""
    return [script.name for script in await _pending(connection)]


async def migrate(connection: Connection) -> list[str]:
    """Bring the tables up to date, all or nothing; returns the names of the scripts that ran.

    Processes that start at the same moment wait for each other. Raises ConfigurationError when the connection's role
    may not change the tables.
    """
    if not await _pending(connection):
        return []
    try:
        async with connection.transaction():
            await connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            return await _run_new_scripts(connection)
    except InsufficientPrivilege as error:
        raise ConfigurationError(
            f"The tables are not up to date, and this role may not change them: {error.diag.message_primary}. "
            "Run `recuerdo db upgrade` with the URL of a role that owns the database."
        ) from error


async def serving_role(connection: Connection) -> str:
    """The role to serve requests as: the app role, or the connection's own where it can't have that one.

    Raises ConfigurationError when only roles that row-level security does not bind are left.
    """
    cursor = await connection.execute(
        "SELECT session_user, rolsuper OR rolbypassrls, EXISTS (SELECT FROM pg_roles AS app WHERE app.rolname = %s"
        " AND pg_has_role(app.oid, 'MEMBER')) FROM pg_roles WHERE rolname = session_user",
        (APP_ROLE,),
    )
    [(own, unbound, is_member)] = await cursor.fetchall()
    if is_member:
        return APP_ROLE
    if unbound:
        raise ConfigurationError(
            f"Row-level security does not bind the role {own!r}, and it can't become {APP_ROLE!r}, which it binds. "
            f'Let a superuser run: CREATE ROLE {APP_ROLE} NOLOGIN; GRANT {APP_ROLE} TO "{own}";'
        )
    return own


async def _pending(connection: Connection) -> list[_Migration]:
    # Not by to_regclass: that may still answer from before the migration that we have just waited for.
    cursor = await connection.execute(
        "SELECT FROM pg_tables WHERE schemaname = 'recuerdo' AND tablename = 'migrations'"
    )
    done: set[str] = set()
    if cursor.rowcount:
        done = {name for (name,) in await (await connection.execute("SELECT name FROM recuerdo.migrations")).fetchall()}
    return _missing(_scripts(), done)


def _missing(scripts: Sequence[_Migration], done: set[str]) -> list[_Migration]:
    latest = max(script.name for script in scripts if not script.name.startswith(_FUNCTIONS))
    is_newer = any(name > latest for name in done if not name.startswith(_FUNCTIONS))
    kept = {_file(name) for name in done} if is_newer else set[str]()
    return [script for script in scripts if script.name not in done and script.file not in kept]


def _scripts() -> list[_Migration]:
    tables, functions = resources.files(__name__), resources.files("recuerdo.adapters.postgres") / "functions"
    return [
        *sorted(_Migration(file.name, file.read_bytes()) for file in tables.iterdir() if file.name.endswith(".sql")),
        *sorted(_function(file.name, file.read_bytes()) for file in functions.iterdir()),
    ]


def _function(name: str, text: bytes) -> _Migration:
    return _Migration(f"{_FUNCTIONS}{name} {sha256(text).hexdigest()[:8]}", text)


def _file(name: str) -> str:
    return name.partition(" ")[0]


async def _run_new_scripts(connection: Connection) -> list[str]:
    scripts = await _pending(connection)
    if not scripts:
        return []
    await connection.execute("CREATE SCHEMA IF NOT EXISTS recuerdo")
    await connection.execute(
        "CREATE TABLE IF NOT EXISTS recuerdo.migrations (name text PRIMARY KEY, ran_at timestamptz DEFAULT now())"
    )
    for script in scripts:
        await connection.execute(script.text)
        await connection.execute("INSERT INTO recuerdo.migrations (name) VALUES (%s)", (script.name,))
    if await _have_app_role(connection):
        await connection.execute(_GRANTS.encode())
    return [script.name for script in scripts]


async def _have_app_role(connection: Connection) -> bool:
    """Make the app role where we may, and become a member. Roles belong to the server, so that it may be there."""
    for statement in (f"CREATE ROLE {APP_ROLE} NOLOGIN", f"GRANT {APP_ROLE} TO SESSION_USER"):
        try:
            async with connection.transaction():
                await connection.execute(statement.encode())
        except (DuplicateObject, UniqueViolation, UndefinedObject, InsufficientPrivilege):
            pass
    cursor = await connection.execute("SELECT FROM pg_roles WHERE rolname = %s", (APP_ROLE,))
    return cursor.rowcount == 1

"""The schema, as SQL files that run in the order of their names, each once."""

import sqlite3
import time
from importlib import resources
from importlib.resources.abc import Traversable

from recuerdo.core.memories import ledger_name
from recuerdo.core.scope import owner_of

_PAUSE = 0.05


def switch_to_wal(connection: sqlite3.Connection) -> None:
    """Let readers and a writer work at once.

    SQLite answers "locked" at once, without its busy timeout, while another connection switches too.
    """
    [milliseconds] = connection.execute("PRAGMA busy_timeout").fetchone()
    deadline = time.monotonic() + milliseconds / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE)


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the tables up to date, inside a transaction, for which processes that start together wait in turn."""
    connection.create_function("ledger_name", 2, lambda *names: ledger_name(owner_of(*names)), deterministic=True)
    connection.execute("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID")
    for script in _pending(connection):
        for statement in _statements(script.read_text("utf-8")):
            connection.execute(statement)
        connection.execute("INSERT INTO migrations (name) VALUES (?)", (script.name,))


def pending(connection: sqlite3.Connection | None) -> list[str]:
    """The names of the scripts that have not run on this database, in their order; without one, of all."""
    return [script.name for script in _pending(connection)]


def unknown(connection: sqlite3.Connection) -> list[str] | None:
    """The names of scripts that have run on this database and that this version does not know.

    None where the database is no Recuerdo's.
    """
    done = _done(connection)
    return sorted(done - {script.name for script in _pending(None)}) if done else None


def _pending(connection: sqlite3.Connection | None) -> list[Traversable]:
    done = _done(connection) if connection is not None else set[str]()
    scripts = (file for file in resources.files(__name__).iterdir() if file.name.endswith(".sql"))
    return sorted((script for script in scripts if script.name not in done), key=lambda script: script.name)


def _done(connection: sqlite3.Connection) -> set[str]:
    if connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'migrations'").fetchone() is None:
        return set()
    return {name for (name,) in connection.execute("SELECT name FROM migrations")}


def _statements(script: str) -> list[str]:
    """The script's statements one by one: `executescript` would commit the transaction first."""
    statements: list[str] = []
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            statements.append(pending)
            pending = ""
    return statements

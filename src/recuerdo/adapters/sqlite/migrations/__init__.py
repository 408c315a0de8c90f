"""The schema, as SQL files that run in the order of their names, each once."""

import sqlite3
import time
from importlib import resources

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
    connection.execute("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID")
    done = {name for (name,) in connection.execute("SELECT name FROM migrations")}
    scripts = sorted((f for f in resources.files(__name__).iterdir() if f.name.endswith(".sql")), key=lambda f: f.name)
    for script in scripts:
        if script.name not in done:
            for statement in _statements(script.read_text("utf-8")):
                connection.execute(statement)
            connection.execute("INSERT INTO migrations (name) VALUES (?)", (script.name,))


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

"""SQLite's failures in Recuerdo's words."""

import sqlite3

from recuerdo.core.errors import DamagedDatabase, DatabaseUnavailable

_PERMISSIONS = "Give this process permission to read and write the file and its folder, or name another in the URL."
_ADVICE = {
    sqlite3.SQLITE_BUSY: "Another process holds its lock for long: end that process, or try again later.",
    sqlite3.SQLITE_CANTOPEN: _PERMISSIONS,
    sqlite3.SQLITE_FULL: "Make room on the file's disk.",
    sqlite3.SQLITE_NOTADB: "The file is something else: name another in the database URL.",
    sqlite3.SQLITE_PERM: _PERMISSIONS,
    sqlite3.SQLITE_READONLY: _PERMISSIONS,
}
_OTHER_ADVICE = "Check the file's disk and its permissions."
_NOT_UTF_8 = "Could not decode to UTF-8"
_PRIMARY_CODE = 0xFF
"""What the extended result codes of SQLite have in common with their primary one."""


def translate(error: Exception) -> Exception:
    """DatabaseUnavailable for what SQLite can't do, DamagedDatabase for what it can't read.

    Bugs and the caller's own errors stay as they are.
    """
    if not isinstance(error, sqlite3.DatabaseError) or isinstance(
        error, sqlite3.IntegrityError | sqlite3.ProgrammingError
    ):
        return error
    code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE
    if str(error).startswith(_NOT_UTF_8):  # and goes on with the text itself
        return DamagedDatabase("SQLite has a text that is none")
    if code == sqlite3.SQLITE_CORRUPT:
        return DamagedDatabase(f"SQLite says: {error}")
    advice = _ADVICE.get(code, _OTHER_ADVICE)
    return DatabaseUnavailable(f"SQLite says: {error}. {advice}")


def is_about_the_disk(error: sqlite3.Error) -> bool:
    """Whether the disk failed to read or write."""
    return getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE == sqlite3.SQLITE_IOERR


def is_busy(error: Exception) -> bool:
    """Whether another connection held the lock that was asked for."""
    return getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE == sqlite3.SQLITE_BUSY

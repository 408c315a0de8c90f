"""Copies of a SQLite file: taken while it is in use, checked before they count, and put back in one step."""

import os
import sqlite3
import tempfile
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from recuerdo.adapters.sqlite import migrations
from recuerdo.adapters.sqlite.connection import open_read_only, translate
from recuerdo.core.errors import ConfigurationError, DamagedDatabase


class BackupCounts(NamedTuple):
    """The contents of a copy, counted in the copy."""

    threads: int
    messages: int
    bytes: int


def back_up(source: Path, target: Path) -> BackupCounts:
    """Copy the database as it is at one moment, while others write. The target appears when the copy is checked.

    Raises ConfigurationError when there is no such database or the target exists, DamagedDatabase when the copy is not
    sound, DatabaseUnavailable when SQLite can't read or write.
    """
    if not source.exists():
        raise ConfigurationError(f"There is no database {source}. Name one with --database-url.")
    if target.exists():
        raise ConfigurationError(f"{target} exists already. Name another file.")
    return _copied(source, target)


def restore(backup: Path, target: Path, *, replace: bool = False) -> BackupCounts:
    """Put a checked copy of the backup in the place of the database, in one step.

    Raises ConfigurationError when it is not a backup, or is newer than this version; when the database exists and is
    not to be replaced, or is in use. Raises DamagedDatabase when the backup is not sound.
    """
    if not backup.exists():
        raise ConfigurationError(f"There is no file {backup}. Name the one that `recuerdo backup` has written.")
    if target.exists() and not replace:
        raise ConfigurationError(f"{target} exists already. Pass --replace to overwrite it.")
    if target.exists():
        _check_unused(target)
    return _copied(backup, target)


def _copied(source: Path, target: Path) -> BackupCounts:
    with (
        _translated(),
        _part_of(target) as part,
        closing(open_read_only(source, timeout=10)) as original,
        closing(sqlite3.connect(part)) as copy,
    ):
        original.backup(copy)  # in one step: a write by others between several steps would restart it
        copy.execute("PRAGMA journal_mode = DELETE")
        return _checked(copy, source)._replace(bytes=part.stat().st_size)


def _checked(copy: sqlite3.Connection, source: Path) -> BackupCounts:
    problems = [text for (text,) in copy.execute("PRAGMA integrity_check(10)")]
    if problems != ["ok"]:
        raise DamagedDatabase(f"The copy of {source} has damaged pages: {problems[0]}")
    unknown = migrations.unknown(copy)
    if unknown is None:
        raise ConfigurationError(f"{source} is not a database of Recuerdo's.")
    if unknown:
        raise ConfigurationError(
            f"{source} is of a newer version, which has run {', '.join(unknown)}. Install that version first."
        )
    [(threads,)] = copy.execute("SELECT count(*) FROM threads")
    [(messages,)] = copy.execute("SELECT count(*) FROM messages")
    return BackupCounts(threads, messages, 0)


def _check_unused(target: Path) -> None:
    """Switch the database out of WAL mode, which SQLite does for the only connection alone."""
    try:
        with closing(sqlite3.connect(target, timeout=0)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
            raise translate(error) from error
        problem = f"{target} is in use. Stop the servers, workers and programs that have it open."
        raise ConfigurationError(problem) from None
    except sqlite3.DatabaseError:
        return  # it is damaged, which is why it is replaced


@contextmanager
def _part_of(target: Path) -> Generator[Path]:
    """A file beside the target, readable by its owner alone, that takes the target's place when the block succeeds."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    os.close(handle)
    part = Path(name)
    try:
        yield part
        _flush(part, os.O_RDWR)
        for beside in (f"{target}-wal", f"{target}-shm"):  # of a damaged file: they are not of this one
            Path(beside).unlink(missing_ok=True)
        os.replace(part, target)
        _flush(target.parent, os.O_RDONLY)
    finally:
        part.unlink(missing_ok=True)


def _flush(path: Path, flags: int) -> None:
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _translated() -> Generator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise translate(error) from error
    except OSError as error:
        raise ConfigurationError(f"Can't write: {error.strerror}. Free some space, or name another file.") from None

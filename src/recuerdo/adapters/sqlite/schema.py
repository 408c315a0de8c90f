"""What a SQLite file's tables lack, and what is wrong with it, without touching the file."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

from recuerdo.adapters.sqlite import migrations
from recuerdo.adapters.sqlite.failures import translate
from recuerdo.core.errors import Damaged


async def pending(path: Path) -> list[str]:
    """The scripts that have not run on the file; all of them when it is absent. Raises DatabaseUnavailable."""
    try:
        return await asyncio.to_thread(_pending, path)
    except sqlite3.Error as error:
        raise translate(error) from error


async def faults(path: Path, *, thorough: bool) -> list[str]:
    """What SQLite finds wrong with the file; `thorough` also compares the indexes with the tables.

    Raises DatabaseUnavailable where it can't even begin.
    """
    try:
        return await asyncio.to_thread(_faults, path, thorough)
    except sqlite3.Error as error:
        if isinstance(known := translate(error), Damaged):
            return [str(error)]
        raise known from error


def _pending(path: Path) -> list[str]:
    if not path.exists():
        return migrations.pending(None)
    with closing(_open(path)) as connection:
        return migrations.pending(connection)


def _faults(path: Path, thorough: bool) -> list[str]:
    if not path.exists():
        return []
    with closing(_open(path)) as connection:
        found = [line for (line,) in connection.execute(f"PRAGMA {'integrity' if thorough else 'quick'}_check")]
    return [] if found == ["ok"] else found


def _open(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)

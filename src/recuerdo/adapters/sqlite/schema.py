"""What a SQLite file's tables lack, without touching the file."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

from recuerdo.adapters.sqlite import migrations
from recuerdo.adapters.sqlite.failures import translate


async def pending(path: Path) -> list[str]:
    """The scripts that have not run on the file; all of them when it is absent. Raises DatabaseUnavailable."""
    try:
        return await asyncio.to_thread(_pending, path)
    except sqlite3.Error as error:
        raise translate(error) from error


def _pending(path: Path) -> list[str]:
    if not path.exists():
        return migrations.pending(None)
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        return migrations.pending(connection)

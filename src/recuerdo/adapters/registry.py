"""From a database URL to open repositories. Drivers are imported when their scheme is asked for."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from recuerdo.core.errors import ConfigurationError
from recuerdo.core.ports import HistoryRepository, MemoryRepository, ThreadRepository


class Repositories(NamedTuple):
    """Everything durable, over one database."""

    history: HistoryRepository
    threads: ThreadRepository
    memories: MemoryRepository


def open_repositories(url: str) -> AbstractAsyncContextManager[Repositories]:
    """The repositories of the database that `url` names.

    `sqlite:///relative/file.db`, `sqlite:////absolute/file.db`, or `memory://` for a database that is gone with the
    process. Raises ConfigurationError for other schemes.
    """
    scheme, separator, rest = url.partition("://")
    opener = _OPENERS.get(scheme)
    if opener is None or not separator:
        known = ", ".join(f"{known}://" for known in _OPENERS)
        raise ConfigurationError(f"{scheme!r} is no database that Recuerdo knows. A database URL starts with {known}.")
    return opener(rest)


@asynccontextmanager
async def _open_sqlite(rest: str) -> AsyncGenerator[Repositories]:
    from recuerdo.adapters import sqlite

    async with sqlite.SqliteDatabase.open(_private_file(rest)) as database:
        yield Repositories(
            sqlite.SqliteHistory(database), sqlite.SqliteThreads(database), sqlite.SqliteMemories(database)
        )


def _private_file(rest: str) -> Path:
    """The file of a SQLite URL, in a folder that only its owner can read when we make it."""
    path = Path(rest.removeprefix("/")).expanduser()
    if not rest.startswith("/") or not path.name or path.name == ":memory:":
        raise ConfigurationError(
            f"'sqlite://{rest}' names no file. Write sqlite:///file.db for a file in the current folder, "
            "sqlite:////var/lib/file.db for an absolute path, or memory:// to keep nothing."
        )
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.touch(mode=0o600)
    return path


@asynccontextmanager
async def _open_local(rest: str) -> AsyncGenerator[Repositories]:
    from recuerdo.adapters import local

    if rest:
        raise ConfigurationError(
            f"'memory://{rest}' names a place, and memory:// keeps nothing. Write memory:// alone."
        )
    database = local.LocalDatabase()
    yield Repositories(local.LocalHistory(database), local.LocalThreads(database), local.LocalMemories(database))


_OPENERS: dict[str, Callable[[str], AbstractAsyncContextManager[Repositories]]] = {
    "sqlite": _open_sqlite,
    "memory": _open_local,
}

"""SQLite: the embedded default, one file, any number of processes."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from recuerdo.adapters.repositories import Repositories
from recuerdo.adapters.signals import LocalSignals
from recuerdo.adapters.sqlite.access import SqliteApiKeys, SqliteSessions, SqliteUsers
from recuerdo.adapters.sqlite.audit import SqliteAudit
from recuerdo.adapters.sqlite.checkpoints import SqliteCheckpoints
from recuerdo.adapters.sqlite.connection import SqliteDatabase
from recuerdo.adapters.sqlite.data_keys import SqliteDataKeys
from recuerdo.adapters.sqlite.documents import SqliteDocuments
from recuerdo.adapters.sqlite.history import SqliteHistory
from recuerdo.adapters.sqlite.items import SqliteItems
from recuerdo.adapters.sqlite.library import SqliteLibrary
from recuerdo.adapters.sqlite.memories import SqliteMemories
from recuerdo.adapters.sqlite.passages import SqlitePassages
from recuerdo.adapters.sqlite.texts import SqliteTexts
from recuerdo.adapters.sqlite.threads import SqliteThreads
from recuerdo.core.ports import LogPurge

__all__ = ["SqliteDatabase", "SqliteHistory", "SqliteMemories", "SqliteThreads"]


@asynccontextmanager
async def opened(path: Path) -> AsyncGenerator[Repositories]:
    """The repositories over the database."""
    async with SqliteDatabase.open(path) as database:
        signals = LocalSignals()
        yield Repositories(
            SqliteHistory(database),
            SqliteThreads(database),
            SqliteMemories(database),
            SqliteCheckpoints(database),
            documents=SqliteDocuments(database, signals),
            api_keys=SqliteApiKeys(database),
            passages=SqlitePassages(database),
            items=SqliteItems(database),
            library=SqliteLibrary(database),
            signals=signals,
            sessions=SqliteSessions(database),
            users=SqliteUsers(database),
            audit=SqliteAudit(database),
            data_keys=SqliteDataKeys(database),
            texts=SqliteTexts(database),
            purge=LogPurge("write-ahead log", "moved into the file and cut to nothing", database.truncate_log),
        )

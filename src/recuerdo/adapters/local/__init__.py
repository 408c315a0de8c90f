"""Plain dicts in memory: `memory://`, and the reference that other adapters are compared with."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from recuerdo.adapters.local.access import LocalApiKeys, LocalSessions
from recuerdo.adapters.local.audit import LocalAudit
from recuerdo.adapters.local.checkpoints import LocalCheckpoints
from recuerdo.adapters.local.connection import LocalDatabase
from recuerdo.adapters.local.data_keys import LocalDataKeys
from recuerdo.adapters.local.documents import LocalDocuments
from recuerdo.adapters.local.events import LocalRunEvents
from recuerdo.adapters.local.history import LocalHistory, LocalThreads
from recuerdo.adapters.local.items import LocalItems
from recuerdo.adapters.local.library import LocalLibrary
from recuerdo.adapters.local.memories import LocalMemories
from recuerdo.adapters.repositories import Repositories
from recuerdo.adapters.signals import LocalSignals

__all__ = ["LocalDatabase", "LocalHistory", "LocalMemories", "LocalRunEvents", "LocalThreads"]


@asynccontextmanager
async def opened() -> AsyncGenerator[Repositories]:
    """The repositories over the database."""
    database = LocalDatabase()
    signals = LocalSignals()
    yield Repositories(
        LocalHistory(database),
        LocalThreads(database),
        LocalMemories(database),
        LocalCheckpoints(database),
        documents=LocalDocuments(database, signals),
        api_keys=LocalApiKeys(database),
        items=LocalItems(),
        library=LocalLibrary(),
        signals=signals,
        sessions=LocalSessions(database),
        audit=LocalAudit(database),
        data_keys=LocalDataKeys(database),
    )

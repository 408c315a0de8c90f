"""PostgreSQL 15 or newer: any number of processes and tenants, kept apart by row-level security."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from recuerdo.adapters.postgres.access import PostgresApiKeys, PostgresSessions, PostgresUsers
from recuerdo.adapters.postgres.audit import PostgresAudit
from recuerdo.adapters.postgres.checkpoints import PostgresCheckpoints
from recuerdo.adapters.postgres.connection import PostgresDatabase
from recuerdo.adapters.postgres.data_keys import PostgresDataKeys
from recuerdo.adapters.postgres.documents import PostgresDocuments
from recuerdo.adapters.postgres.history import PostgresHistory
from recuerdo.adapters.postgres.items import PostgresItems
from recuerdo.adapters.postgres.library import PostgresLibrary
from recuerdo.adapters.postgres.memories import PostgresMemories
from recuerdo.adapters.postgres.passages import PostgresPassages
from recuerdo.adapters.postgres.signals import PostgresSignals
from recuerdo.adapters.postgres.texts import PostgresTexts
from recuerdo.adapters.postgres.threads import PostgresThreads
from recuerdo.adapters.repositories import Repositories


@asynccontextmanager
async def opened(url: str, pool_size: int, read_url: str | None) -> AsyncGenerator[Repositories]:
    """The repositories over the database."""
    async with AsyncExitStack() as stack:
        opening = PostgresDatabase.open(url, pool_size=pool_size)
        database = await stack.enter_async_context(opening)
        signals = await stack.enter_async_context(PostgresSignals(database).opened())
        standby = read_url and await stack.enter_async_context(database.open_replica(read_url))
        yield Repositories(
            PostgresHistory(database),
            PostgresThreads(database),
            PostgresMemories(database),
            PostgresCheckpoints(database),
            documents=PostgresDocuments(database, signals),
            api_keys=PostgresApiKeys(database),
            passages=PostgresPassages(database),
            items=PostgresItems(database),
            library=PostgresLibrary(database),
            signals=signals,
            sessions=PostgresSessions(database),
            users=PostgresUsers(database),
            replica=PostgresHistory(standby) if standby else None,
            audit=PostgresAudit(database),
            data_keys=PostgresDataKeys(database),
            texts=PostgresTexts(database),
            concurrency=2,
        )

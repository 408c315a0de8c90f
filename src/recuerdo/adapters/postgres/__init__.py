"""PostgreSQL 15 or newer: any number of processes and tenants, kept apart by row-level security."""

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

__all__ = [
    "PostgresApiKeys",
    "PostgresAudit",
    "PostgresCheckpoints",
    "PostgresDataKeys",
    "PostgresDatabase",
    "PostgresDocuments",
    "PostgresHistory",
    "PostgresItems",
    "PostgresLibrary",
    "PostgresMemories",
    "PostgresPassages",
    "PostgresSessions",
    "PostgresSignals",
    "PostgresTexts",
    "PostgresThreads",
    "PostgresUsers",
]

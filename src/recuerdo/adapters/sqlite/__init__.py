"""SQLite: the embedded default, one file, any number of processes."""

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

__all__ = [
    "SqliteApiKeys",
    "SqliteAudit",
    "SqliteCheckpoints",
    "SqliteDataKeys",
    "SqliteDatabase",
    "SqliteDocuments",
    "SqliteHistory",
    "SqliteItems",
    "SqliteLibrary",
    "SqliteMemories",
    "SqlitePassages",
    "SqliteSessions",
    "SqliteTexts",
    "SqliteThreads",
    "SqliteUsers",
]

"""Plain dicts in memory: `memory://`, and the reference that other adapters are compared with."""

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

__all__ = [
    "LocalApiKeys",
    "LocalAudit",
    "LocalCheckpoints",
    "LocalDataKeys",
    "LocalDatabase",
    "LocalDocuments",
    "LocalHistory",
    "LocalItems",
    "LocalLibrary",
    "LocalMemories",
    "LocalRunEvents",
    "LocalSessions",
    "LocalThreads",
]

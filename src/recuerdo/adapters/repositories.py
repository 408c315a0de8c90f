"""The repositories over one database."""

from typing import NamedTuple

from recuerdo.core.encryption_ports import DataKeyRepository, TextRepository
from recuerdo.core.errors import ConfigurationError
from recuerdo.core.graph_ports import (
    CheckpointRepository,
    DocumentRepository,
    ItemRepository,
    LibraryRepository,
    Signals,
)
from recuerdo.core.ports import (
    ApiKeyRepository,
    AuditRepository,
    HistoryRepository,
    LogPurge,
    MemoryRepository,
    PassageRepository,
    SessionRepository,
    ThreadRepository,
    UserDirectory,
)


def stores_no(what: str) -> ConfigurationError:
    """The error of a database that has no place for it, which names those that have."""
    return ConfigurationError(f"This database stores no {what}. Use sqlite://, postgresql:// or mongodb://.")


class Repositories(NamedTuple):
    """Everything durable, over one database. The first three are the core tier, which every database must have.

    Without the others Recuerdo searches over the history, keeps sessions and actions in the process, and refuses what
    it can't do (graphs, stores, API keys, the library) with an error that says so.
    """

    history: HistoryRepository
    threads: ThreadRepository
    memories: MemoryRepository
    checkpoints: CheckpointRepository | None = None
    documents: DocumentRepository | None = None
    api_keys: ApiKeyRepository | None = None
    passages: PassageRepository | None = None
    items: ItemRepository | None = None
    library: LibraryRepository | None = None
    signals: Signals | None = None
    sessions: SessionRepository | None = None
    users: UserDirectory | None = None
    data_keys: DataKeyRepository | None = None
    texts: TextRepository | None = None
    purge: LogPurge | None = None
    audit: AuditRepository | None = None
    replica: HistoryRepository | None = None
    """Messages as a read replica has them, which may be behind."""
    concurrency: int = 1
    """How many batches of appends the database is given at a time: more than one where it works on several."""

    @property
    def works_on_several(self) -> bool:
        """Whether the database works on several transactions that write at a time."""
        return self.concurrency > 1

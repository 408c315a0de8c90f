"""The state that the repositories of one process share.

None of them awaits anything between reading and writing it, so every call is a transaction.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from typing import NamedTuple

from recuerdo.core.api_keys import ApiKey
from recuerdo.core.audit import AuditEntry
from recuerdo.core.contexts import Session
from recuerdo.core.documents import Document, DocumentKey
from recuerdo.core.encryption import DataKey
from recuerdo.core.memories import LedgerState, MemoryChange
from recuerdo.core.messages import Record, Role
from recuerdo.core.ports import MemoryWithVector
from recuerdo.core.scope import Owner, Scope, owner_of
from recuerdo.core.thread_metadata import NO_METADATA, ThreadMetadata, read_metadata
from recuerdo.core.threads import Head, NewMessage, PriorAppend, Thread, Version, spent_digest


class StoredMessage(NamedTuple):
    """A message as it was appended, and as it is read."""

    message: NewMessage
    record: Record


@dataclass
class StoredThread:
    """A living thread: its messages by id in the order of their seqs, and its appends by idempotency key."""

    epoch: int
    created_at: datetime
    updated_at: datetime
    revision: int = 0
    title: str = ""
    metadata: ThreadMetadata = NO_METADATA
    messages: dict[str, StoredMessage] = field(default_factory=dict[str, StoredMessage])
    counts: Counter[Role] = field(default_factory=Counter[Role])
    appends: dict[str, PriorAppend] = field(default_factory=dict[str, PriorAppend])

    @property
    def version(self) -> Version:
        return Version(self.epoch, len(self.messages))

    @property
    def head(self) -> Head:
        return Head(self.version, self.revision)

    def named(self, thread_id: str) -> Thread:
        """The thread as callers see it."""
        return Thread(
            id=thread_id,
            version=self.version,
            title=self.title,
            metadata=read_metadata(thread_id, self.metadata.text),
            archived=bool(self.messages) and next(reversed(self.messages.values())).record.archived,
            created_at=self.created_at,
            updated_at=self.updated_at,
        )


class LocalDatabase:
    """Every tenant's data. A deleted thread needs no tombstone here: epochs are never reused anyway.

    Times are the wall clock's, like those of appends, which they are compared with: a monotonic clock drifts from it.
    """

    def __init__(self) -> None:
        self.api_keys: dict[bytes, ApiKey] = {}
        self.data_keys: dict[tuple[str, int], DataKey] = {}
        self.sessions: dict[tuple[str, str], Session] = {}
        self.audit: dict[str, AuditEntry] = {}
        self.threads: dict[Scope, StoredThread] = {}
        self.emptied: dict[Scope, datetime] = {}
        self.memories: dict[Owner, dict[str, MemoryWithVector]] = {}
        self.memory_states: dict[Owner, LedgerState] = {}
        self.memory_erasures: dict[Owner, datetime] = {}
        self.memory_changes: dict[Owner, list[MemoryChange]] = {}
        self.documents: dict[Owner, dict[DocumentKey, Document]] = {}
        self.spent_keys: dict[bytes, datetime] = {}
        self._epochs = count(1)
        self._changes = count(1)
        self.changes: dict[Scope, int] = {}

    def new_epoch(self) -> int:
        """An epoch that no thread has had."""
        return next(self._epochs)

    def create(self, scope: Scope, at: datetime) -> StoredThread:
        """A new empty thread in a new epoch."""
        thread = self.threads[scope] = StoredThread(self.new_epoch(), created_at=at, updated_at=at)
        self.touch(scope)
        return thread

    def clear(self, scope: Scope, at: datetime) -> StoredThread:
        """The thread without its messages and its title, in a new epoch."""
        old = self.threads[scope]
        self.emptied[scope] = datetime.now(UTC)
        self.spend_keys(scope, at)
        new = self.create(scope, at)
        new.created_at, new.metadata = old.created_at, old.metadata
        return new

    def spend_keys(self, scope: Scope, at: datetime) -> None:
        """Remember the idempotency keys of a thread that is about to be erased."""
        for key in self.threads[scope].appends:
            self.spent_keys[spent_digest(scope, key)] = at

    def touch(self, scope: Scope) -> None:
        """Note that the thread was changed: `changes` is in the order of the last changes."""
        self.changes.pop(scope, None)
        self.changes[scope] = next(self._changes)


def page_of_owners(owners: Iterable[Owner], limit: int, after: Owner | None) -> list[Owner]:
    """The first owners after one, in the order of their names."""
    place = (after.tenant, after.user) if after else ("", "")
    behind = sorted((owner.tenant, owner.user) for owner in owners if (owner.tenant, owner.user) > place)
    return [owner_of(*names) for names in behind[:limit]]

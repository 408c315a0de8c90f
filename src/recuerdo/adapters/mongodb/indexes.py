"""The indexes. To create one that is there does nothing, so every process does it when it opens the database.

| index of messages | what for |
|---|---|
| tenant, epoch, seq (unique) | tails, pages, erasing; no seq is ever taken twice |
| tenant, epoch, id (unique) | duplicates |
| tenant, epoch, append.key (unique, keyed appends only) | idempotency |
| tenant, epoch, seq (system messages only) | the system message, however far back |
| tenant, user, thread, created_at descending | a conversation by time |
| tenant, user, created_at, epoch, seq | a user by time, over all conversations |

Those of idempotency keys and of system messages are partial, and queries name them: a planner that
chose another would read the whole conversation.
"""

from contextlib import suppress
from typing import Any

from pymongo import ASCENDING, DESCENDING, IndexModel
from pymongo.asynchronous.database import AsyncDatabase
from pymongo.errors import OperationFailure

_AN_HOUR = 3600
"""Seconds after which no writer is under way any more that was when something was removed."""

_A_MINUTE = 60

Keys = list[tuple[str, int]]


_FORMER = {"messages": ("user_by_time",)}
"""Indexes of former versions that no query uses any more, by their collections."""


async def create_indexes(database: AsyncDatabase[Any]) -> None:
    """Create what is missing, and drop what is used no more."""
    for name, indexes in INDEXES.items():
        await database[name].create_indexes(indexes)
    for name, former in _FORMER.items():
        there = await database[name].index_information()
        for index in there.keys() & former:
            with suppress(OperationFailure):  # another process drops it at this moment, or this one may not
                await database[name].drop_index(index)


def _keys(*names: str) -> Keys:
    """Ascending, but for names that start with a minus."""
    return [(name.removeprefix("-"), DESCENDING if name.startswith("-") else ASCENDING) for name in names]


_THREADS = [
    IndexModel(_keys("tenant", "user", "thread"), name="scope", unique=True),
    IndexModel(_keys("tenant", "user", "deleted", "-updated_at", "thread"), name="latest_first"),
    IndexModel(_keys("tenant", "user", "fields"), name="metadata"),
    IndexModel(_keys("erasing.since"), name="erasing", sparse=True),
    IndexModel(_keys("dirty"), name="dirty", sparse=True),
    IndexModel(_keys("changed"), name="changed"),
]
_MESSAGES = [
    IndexModel(_keys("tenant", "epoch", "seq"), name="seq", unique=True),
    IndexModel(_keys("tenant", "epoch", "id"), name="id", unique=True),
    IndexModel(
        _keys("tenant", "epoch", "append.key"),
        name="idempotency_key",
        unique=True,
        partialFilterExpression={"append.key": {"$exists": True}},
    ),
    IndexModel(_keys("tenant", "epoch", "-seq"), name="system", partialFilterExpression={"role": "system"}),
    IndexModel(_keys("tenant", "user", "thread", "-created_at"), name="conversation_by_time"),
    IndexModel(_keys("tenant", "user", "created_at", "epoch", "seq"), name="user_by_exact_time"),
]
_SPENT_KEYS = [IndexModel(_keys("spent_at"), name="spent_at")]
_MEMORIES = [
    IndexModel(_keys("tenant", "user", "id"), name="id", unique=True),
    IndexModel(_keys("tenant", "user", "-created_at", "id"), name="latest_first"),
    IndexModel(_keys("expires_at"), name="expiry"),
]
_MEMORY_CHANGES = [IndexModel(_keys("tenant", "ledger", "version"), name="ledger", unique=True)]

_API_KEYS = [
    IndexModel(_keys("digest"), name="digest", unique=True),
    IndexModel(_keys("tenant", "id"), name="id", unique=True),
    IndexModel(_keys("tenant", "-created_at", "id"), name="latest_first"),
]

_DATA_KEYS = [
    IndexModel(_keys("tenant", "number"), name="number", unique=True),
    IndexModel(_keys("id"), name="id", unique=True),
]

_SESSIONS = [IndexModel(_keys("tenant", "user"), name="owner"), IndexModel(_keys("expires_at"), name="expiry")]

_AUDIT = [IndexModel(_keys("tenant", "-at", "-_id"), name="latest_first"), IndexModel(_keys("at"), name="time")]

_DOCUMENTS = [
    IndexModel(_keys("tenant", "user", "kind", "-created_at", "-id"), name="latest_first"),
    IndexModel(_keys("tenant", "user", "group"), name="group"),
    IndexModel(_keys("kind", "due"), name="due", partialFilterExpression={"due": {"$exists": True}}),
    IndexModel(_keys("gone_at"), name="tombstones", expireAfterSeconds=_AN_HOUR),
]
_DOCUMENT_GROUPS = [
    IndexModel(_keys("tenant", "user"), name="owner"),
    IndexModel(_keys("pending.since"), name="pending", sparse=True),
    IndexModel(_keys("at"), name="idle", expireAfterSeconds=_AN_HOUR),
]

_CHECKPOINT_THREADS = [IndexModel(_keys("tenant", "user", "thread"), name="scope", unique=True)]
_CHECKPOINTS = [
    IndexModel(_keys("tenant", "key", "namespace", "-id"), name="id", unique=True),
    IndexModel(_keys("tenant", "user", "-id", "thread", "namespace"), name="latest_first"),
    IndexModel(_keys("tenant", "user", "run"), name="run", partialFilterExpression={"run": {"$exists": True}}),
]
_CHECKPOINT_WRITES = [
    IndexModel(_keys("tenant", "key", "namespace", "checkpoint", "task", "place"), name="place", unique=True)
]
_CHECKPOINT_SEGMENTS = [IndexModel(_keys("tenant", "key", "log", "start"), name="start", unique=True)]
_CHECKPOINT_VALUES = [IndexModel(_keys("tenant", "key", "digest"), name="digest", unique=True)]

_STORE_ITEMS = [
    IndexModel(_keys("tenant", "user", "namespace", "key"), name="place", unique=True),
    IndexModel(_keys("tenant", "user", "-updated_at", "namespace", "key"), name="latest_first"),
    IndexModel(_keys("expires_at"), name="expiry"),
]
_STORE_OWNERS = [IndexModel(_keys("tenant", "user"), name="owner", unique=True)]
_LIBRARY_DOCUMENTS = [
    IndexModel(_keys("tenant", "id"), name="id", unique=True),
    IndexModel(_keys("tenant", "-created_at", "id"), name="latest_first"),
]
_DOCUMENT_CHUNKS = [
    IndexModel(_keys("tenant", "edition", "number"), name="edition"),
    IndexModel(_keys("tenant", "document"), name="document"),
]
_LIBRARY_VERSIONS = [IndexModel(_keys("tenant"), name="tenant", unique=True)]
_SIGNALS = [IndexModel(_keys("at"), name="said", expireAfterSeconds=_A_MINUTE)]

INDEXES = {
    "threads": _THREADS,
    "messages": _MESSAGES,
    "spent_keys": _SPENT_KEYS,
    "memories": _MEMORIES,
    "memory_changes": _MEMORY_CHANGES,
    "api_keys": _API_KEYS,
    "data_keys": _DATA_KEYS,
    "sessions": _SESSIONS,
    "audit": _AUDIT,
    "documents": _DOCUMENTS,
    "document_groups": _DOCUMENT_GROUPS,
    "checkpoint_threads": _CHECKPOINT_THREADS,
    "checkpoints": _CHECKPOINTS,
    "checkpoint_writes": _CHECKPOINT_WRITES,
    "checkpoint_segments": _CHECKPOINT_SEGMENTS,
    "checkpoint_values": _CHECKPOINT_VALUES,
    "store_items": _STORE_ITEMS,
    "store_owners": _STORE_OWNERS,
    "library_documents": _LIBRARY_DOCUMENTS,
    "document_chunks": _DOCUMENT_CHUNKS,
    "library_versions": _LIBRARY_VERSIONS,
    "signals": _SIGNALS,
}
"""By their collections."""

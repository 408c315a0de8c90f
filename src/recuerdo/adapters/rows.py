"""Entities from the rows of databases, which tell by `time` how they keep times; and times as numbers.

Databases whose own times are not exact keep microseconds since 1970, UTC, in 64 bits.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, LiteralString

import msgspec

from recuerdo.core.api_keys import ApiKey
from recuerdo.core.checks import UNREADABLE
from recuerdo.core.contexts import Session
from recuerdo.core.encryption import DataKey
from recuerdo.core.errors import DamagedRow
from recuerdo.core.items import Item, ItemAddress, read_namespace
from recuerdo.core.library import Chunk, StoredChunk
from recuerdo.core.memories import Embedding, Ending, Memory, MemoryChange, MemoryEntry, Review, Source, read_memory
from recuerdo.core.messages import ROLES, Role, rows_within, verified
from recuerdo.core.passages import MessagePlace, TimedPage, TimedQuery, TimedRecord
from recuerdo.core.scope import Owner
from recuerdo.core.thread_metadata import read_metadata
from recuerdo.core.threads import Thread, Version

EARLIEST, LATEST = -(2**63), 2**63 - 1
"""Bounds for "any time": before and after every time that can be stored."""

LONGEST_INLINE_SECONDS = 0.001
"""How long work on a disk may block the event loop. Handing it to a thread takes 0.1 to 0.2 ms."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def to_microseconds(moment: datetime) -> int:
    """The stored form of an aware time."""
    return (moment - _EPOCH) // _MICROSECOND


def from_microseconds(stored: int) -> datetime:
    """The time of a stored form, aware, UTC."""
    return _EPOCH + stored * _MICROSECOND


def this_microsecond() -> int:
    """Now, in the stored form."""
    return time.time_ns() // 1000


def utc(moment: datetime) -> datetime:
    """An aware time, in UTC."""
    return moment.astimezone(UTC)


MEMORY_COLUMNS: LiteralString = (
    "id, kind, attribute, value, text, source, trust, created_at, updated_at,"
    " status, review, valid_from, valid_until, ending, expires_at, refresh, pinned"
)
API_KEY_COLUMNS: LiteralString = (
    'digest, id, tenant, "user", name, role, tier, scopes, replaced_by,'
    " created_at, expires_at, revoked_at, last_used_at"
)
COUNTS: LiteralString = "counted_epoch, system_count, user_count, assistant_count, tool_count"
"""The columns of a thread's row that tell how many messages of each role it has, in the order of ROLES."""

MEMORY_WIDTH = MEMORY_COLUMNS.count(",") + 1

Row = Sequence[Any]
ReadTime = Callable[[Any], datetime]
"""An aware time in UTC from a stored one."""


def api_key_of(row: Row, time: ReadTime) -> ApiKey:
    """The key of a row that has API_KEY_COLUMNS."""
    digest, key_id, tenant, user, name, role, tier, scopes, replaced_by, *times = row
    created_at, expires_at, revoked_at, last_used_at = times
    return ApiKey(
        id=key_id,
        owner=Owner(tenant, user),
        digest=digest,
        name=name,
        role=role,
        tier=tier,
        created_at=time(created_at),
        expires_at=None if expires_at is None else time(expires_at),
        revoked_at=None if revoked_at is None else time(revoked_at),
        scopes=tuple(scopes.split()),
        last_used_at=None if last_used_at is None else time(last_used_at),
        replaced_by=replaced_by,
    )


def data_key_of(row: Row, time: ReadTime) -> DataKey:
    """The data key of the tenant, number, id, master key, wrapped key, and when it was made."""
    tenant, number, key_id, master, wrapped, created_at = row
    return DataKey(tenant, number, key_id, master, bytes(wrapped), time(created_at))


def session_of(row: Row, time: ReadTime) -> Session:
    """The session of the tenant, user, session, thread, assistant, when it began and expires, and its stamp."""
    tenant, user, session, thread, assistant, began_at, expires_at, stamp = row
    return Session(tenant, user, session, thread, assistant, time(began_at), time(expires_at), stamp)


_BODY = 5
"""The place of a message's body in the rows of a page by time."""


def timed_page_of(rows: Iterable[Row], query: TimedQuery, time: ReadTime) -> TimedPage:
    """The page of rows in their order: thread, epoch, time, seq, archived, body, checksum; one more than the limit.

    Raises DamagedMessage.
    """
    kept, is_full = rows_within(rows, query.most_bytes, _BODY)
    found = [
        TimedRecord(MessagePlace(thread, epoch, row[0]), time(at), verified(thread, epoch, [row])[0])
        for thread, epoch, at, *row in kept[: query.limit]
    ]
    return TimedPage(found, len(kept) > query.limit or is_full)


def thread_of(row: Row, time: ReadTime) -> Thread:
    """The thread of its id, epoch, last seq, title and metadata, when it was made and changed, and if it is archived.

    Raises DamagedRow.
    """
    thread, epoch, last_seq, title, metadata, created_at, updated_at, archived = row
    return Thread(
        id=thread,
        version=Version(epoch, last_seq),
        title=title,
        metadata=read_metadata(thread, metadata),
        archived=bool(archived),
        created_at=time(created_at),
        updated_at=time(updated_at),
    )


def counts_of(row: Row) -> dict[Role, int] | None:
    """The number of a thread's messages by role, by its epoch, its last seq and COUNTS; None if they don't have it.

    Versions from before the counts made rows without them, and may go on writing beside this one.
    """
    epoch, last_seq, counted_epoch, *counts = row
    if counted_epoch != epoch or sum(counts) != last_seq:
        return None
    return by_role(counts)


def by_role(counts: Iterable[int]) -> dict[Role, int]:
    """The counts in the order of ROLES by their role, without those of no message."""
    return {role: count for role, count in zip(ROLES, counts, strict=True) if count}


def memory_of(owner: Owner, row: Row, time: ReadTime) -> Memory:
    """The memory of a row that begins with MEMORY_COLUMNS. Raises DamagedRow."""
    memory_id, kind, attribute, value, text, source, trust, created_at, updated_at, status, review = row[:11]
    valid_from, valid_until, ending, expires_at, refresh, pinned = row[11:MEMORY_WIDTH]
    try:
        return Memory(
            id=memory_id,
            owner=owner,
            kind=kind,
            attribute=attribute,
            value=value,
            text=text,
            source=msgspec.json.decode(source, type=Source),
            trust=trust,
            created_at=time(created_at),
            updated_at=time(updated_at),
            status=status,
            review=msgspec.json.decode(review, type=Review) if review else None,
            valid_from=None if valid_from is None else time(valid_from),
            valid_until=None if valid_until is None else time(valid_until),
            ending=msgspec.json.decode(ending, type=Ending) if ending else None,
            expires_at=None if expires_at is None else time(expires_at),
            refresh=refresh,
            pinned=bool(pinned),
        )
    except UNREADABLE:
        raise DamagedRow("memory", str(memory_id)) from None


_MEMORY_TIMES = ("created_at", "updated_at", "valid_from", "valid_until", "expires_at")


def memory_fields(memory: Memory) -> dict[str, Any]:
    """The MEMORY_COLUMNS by name, with times in microseconds and structures as JSON."""
    fields: dict[str, Any] = {name: getattr(memory, name) for name in memory.__struct_fields__ if name != "owner"}
    for name in _MEMORY_TIMES:
        fields[name] = fields[name] and to_microseconds(fields[name])
    for name in ("source", "review", "ending"):
        fields[name] = json_or_none(fields[name])
    return fields


def memory_change_of(owner: Owner, rows: Sequence[Row], time: ReadTime) -> MemoryChange:
    """The change of the version, time, action, what it undoes, whether it was undone, and each memory before and after.

    There is a row for each memory. Raises DamagedRow.
    """
    version, at, action, undoes, undone = rows[0][:5]
    return MemoryChange(
        version=version,
        at=time(at),
        action=action,
        entries=[entry_of(owner, version, row[5], row[6]) for row in rows],
        undoes=undoes,
        undone=bool(undone),
    )


def entry_of(owner: Owner, version: int, before: str | None, after: str | None) -> MemoryEntry:
    """A memory before and after the change of that version. Raises DamagedRow."""
    try:
        return MemoryEntry(read_memory(owner, before), read_memory(owner, after))
    except UNREADABLE:
        raise DamagedRow("change of memories", str(version)) from None


def item_of(row: Row, time: ReadTime) -> Item:
    """The item of a row that begins with its namespace, key, value, when it was made and changed, and its ttl."""
    namespace, key, value, created_at, updated_at, ttl = row[:6]
    return Item(ItemAddress(read_namespace(namespace), key), value, time(created_at), time(updated_at), ttl)


def chunk_of(row: Row) -> StoredChunk:
    """The chunk of its document, body, and the model and bytes of its vector. Raises DamagedRow."""
    document, body, model, vector = row
    embedding = None if model is None else Embedding(model, bytes(vector))
    try:
        return StoredChunk(document, msgspec.json.decode(body, type=Chunk), embedding)
    except UNREADABLE:
        raise DamagedRow("chunk of the document", str(document)) from None


def json_or_none(value: object) -> str | None:
    """The value as JSON; None stays None."""
    return None if value is None else msgspec.json.encode(value).decode()

"""Appends, readings, memories and vectors in few words, for tests of repositories."""

import hashlib
import math
import struct
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from recuerdo.core.identifiers import new_id
from recuerdo.core.memories import Action, Embedding, Memory, MemoryChange, MemoryEntry
from recuerdo.core.messages import Content, Message, Record, Role, checksum_of, decode_all, encode
from recuerdo.core.ports import HistoryRepository, MemoryRepository
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.threads import Append, Appended, MessageQuery, NewMessage
from recuerdo.testing.clock import NOON

ALL = 2**53
"""A limit that nothing reaches."""


def fresh_scope(thread: str = "t-1", user: str = "emi") -> Scope:
    """Return a thread of a new tenant, so that tests that share a server don't affect each other."""
    return Scope(f"tenant-{new_id()}", user, thread)


def said(content: Content = "hello", role: Role = "user", *, at: datetime = NOON, **fields: Any) -> NewMessage:
    """A message that is ready to be inserted, with a fresh id unless `id` names one."""
    fields.setdefault("id", new_id())
    if role == "tool":
        fields.setdefault("tool_call_id", "call-1")
    message = Message(role=role, content=content, created_at=at, **fields)
    body = encode(message)
    return NewMessage(message.id, role, at, body, checksum_of(body))


def request(
    scope: Scope,
    *messages: NewMessage,
    at: datetime = NOON,
    title: str = "",
    key: str | None = None,
    expected_epoch: int | None = None,
) -> Append:
    """An append whose fingerprint covers what was said and not its ids, as a caller's retry would have it."""
    said_things = [(message.role, message.content) for message in map(_decoded, messages)]
    fingerprint = hashlib.sha256(repr(said_things).encode()).digest()
    return Append(scope, messages, at, title, key, fingerprint if key is not None else b"", expected_epoch)


async def commit(history: HistoryRepository, append: Append) -> Appended:
    """Append alone; an error that comes back is raised."""
    [outcome] = await history.append([append])
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


async def say(history: HistoryRepository, scope: Scope, *texts: str) -> Appended:
    """Append the texts as a user's messages."""
    return await commit(history, request(scope, *map(said, texts)))


async def fill(history: HistoryRepository, scope: Scope, count: int) -> Appended:
    """Append `count` messages of a user's, in one request; the text of each is its seq."""
    return await say(history, scope, *map(str, range(1, count + 1)))


async def everything(history: HistoryRepository, scope: Scope) -> list[Record]:
    """All records of the thread, archived ones included."""
    return (await history.page(scope, MessageQuery(limit=ALL, archived=None))).records


def texts(records: Sequence[Record]) -> list[str]:
    """Return the texts of the records."""
    return [message.text for message in decode_all(records)]


def seqs(records: Sequence[Record]) -> list[int]:
    """The records' seqs."""
    return [record.seq for record in records]


def _decoded(message: NewMessage) -> Message:
    [decoded] = decode_all([Record(1, archived=False, body=message.body)])
    return decoded


def fresh_owner(user: str = "emi") -> Owner:
    """Return a user of a new tenant."""
    return Owner(f"tenant-{new_id()}", user)


def remembered(owner: Owner, text: str = "a memory", *, at: datetime = NOON, **fields: Any) -> Memory:
    """A memory, with a fresh id unless `id` names one."""
    defaults: dict[str, Any] = {"id": new_id(), "created_at": at, "updated_at": at}
    return Memory(owner=owner, text=text, **defaults | fields)


def vector(*numbers: float, model: str = "model-1") -> Embedding:
    """The numbers' direction as an embedding."""
    length = math.hypot(*numbers)
    return Embedding(model, struct.pack(f"<{len(numbers)}f", *(number / length for number in numbers)))


def cosine(one: Embedding, other: Embedding) -> float:
    """How near two embeddings are, from -1 to 1."""
    return sum(a * b for a, b in zip(_floats(one), _floats(other), strict=True))


def length(embedding: Embedding) -> float:
    """The length of the vector."""
    return math.hypot(*_floats(embedding))


async def keep(memories: MemoryRepository, memory: Memory, embedding: Embedding | None = None) -> None:
    """Add the memory, or put it in the place of the one with its id, and give it the vector."""
    before = await memories.get(memory.owner, memory.id)
    await _change(memories, memory.owner, "updated" if before else "added", MemoryEntry(before, memory))
    if embedding is not None:
        assert await memories.embed(memory, embedding)


async def drop(memories: MemoryRepository, memory: Memory) -> None:
    """Delete the memory."""
    await _change(memories, memory.owner, "deleted", MemoryEntry(memory, None))


async def vectors(memories: MemoryRepository, owner: Owner) -> dict[str, Embedding | None]:
    """The vectors of the owner's memories, by their ids."""
    return {memory.id: embedding for memory, embedding in await memories.list_with_vectors(owner, 100)}


async def _change(memories: MemoryRepository, owner: Owner, action: Action, entry: MemoryEntry) -> None:
    change = MemoryChange(at=NOON, action=action, entries=[entry])
    assert await memories.apply(owner, change, await memories.state(owner)) is not None


def _floats(embedding: Embedding) -> tuple[float, ...]:
    return struct.unpack(f"<{len(embedding.vector) // 4}f", embedding.vector)

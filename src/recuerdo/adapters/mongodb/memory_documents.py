"""A memory as a document of MongoDB, and back."""

from datetime import datetime
from typing import Any

import msgspec

from recuerdo.adapters.mongodb.connection import Document
from recuerdo.adapters.times import from_microseconds, to_microseconds
from recuerdo.core.errors import DamagedRow
from recuerdo.core.memories import Embedding, Ending, Memory, Review, Source
from recuerdo.core.scope import Owner

_TIMES = ("created_at", "updated_at", "valid_from", "valid_until", "expires_at")
_STRUCTURES: dict[str, type] = {"source": Source, "review": Review, "ending": Ending}


def of_owner(owner: Owner) -> Document:
    """The owner, as a query."""
    return {"tenant": owner.tenant, "user": owner.user}


def address(owner: Owner, memory_id: str) -> Document:
    """One memory, as a query."""
    return of_owner(owner) | {"id": memory_id}


def holding(at: datetime | None) -> list[Document]:
    """Conditions on a memory that holds at that time, see Memory.holds; none without a time."""
    if at is None:
        return []
    now = to_microseconds(at)
    return [
        {"status": {"$in": ["approved", None]}},
        {"$or": [{"valid_from": {"$lte": now}}, {"valid_from": None, "created_at": {"$lte": now}}]},
        *({"$or": [{name: None}, {name: {"$gt": now}}]} for name in ("valid_until", "expires_at")),
    ]


def document_of(memory: Memory, embedding: Embedding | None) -> Document:
    """The memory and its vector."""
    fields: dict[str, Any] = {name: getattr(memory, name) for name in memory.__struct_fields__ if name != "owner"}
    for name in _TIMES:
        fields[name] = fields[name] and to_microseconds(fields[name])
    for name in _STRUCTURES:
        fields[name] = fields[name] and msgspec.json.encode(fields[name]).decode()
    vector = {"embedder": embedding and embedding.model, "vector": embedding and embedding.vector}
    return of_owner(memory.owner) | fields | vector


def memory_of(owner: Owner, document: Document) -> Memory:
    """The memory of a document. Raises DamagedRow."""
    try:
        return _memory_of(owner, document)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise DamagedRow("memory", str(document.get("id"))) from None


def _memory_of(owner: Owner, document: Document) -> Memory:
    fields = {name: document[name] for name in Memory.__struct_fields__ if name in document}
    for name in _TIMES:
        if fields.get(name) is not None:
            fields[name] = from_microseconds(fields[name])
    for name, structure in _STRUCTURES.items():
        if fields.get(name):
            fields[name] = msgspec.json.decode(fields[name], type=structure)
    return Memory(owner=owner, **fields)

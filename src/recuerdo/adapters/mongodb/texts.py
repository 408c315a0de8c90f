"""Texts of all kinds in MongoDB, as they are stored."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from recuerdo.adapters.mongodb.connection import Collection, Document, MongoDatabase, translated, translated_write
from recuerdo.core.encryption import Stored, StoredText, TextKind
from recuerdo.core.encryption_ports import TextRepository
from recuerdo.core.messages import checksum_of


class _TextFields(NamedTuple):
    """The fields with texts of a collection's documents, those that they are bound to, and those that tell the place.

    Documents without the fields `has` have no texts.
    """

    texts: Sequence[str]
    names: Sequence[str] = ()
    place: Sequence[str] = ()
    has: Sequence[str] = ()


_ROW = ("user", "thread")
_FIELDS: Mapping[TextKind, _TextFields] = {
    "message": _TextFields(("body",), ("role", "id", "checksum")),
    "thread": _TextFields(("title",)),
    "message vector": _TextFields(("vector",), ("vector_model",), ("thread", "epoch", "seq"), ("vector",)),
    "memory": _TextFields(("text", "value", "review", "vector"), ("id", "embedder")),
    "memory change": _TextFields(()),
    "checkpoint": _TextFields(("body", "metadata"), (), (*_ROW, "namespace", "id")),
    "checkpoint write": _TextFields(("body",), (), (*_ROW, "namespace", "checkpoint", "task", "place")),
    "checkpoint segment": _TextFields(("data",), (), (*_ROW, "log", "start")),
    "checkpoint value": _TextFields(("digest", "data")),
    "document": _TextFields(("body",), (), ("kind", "id"), ("body",)),
}


class MongoTexts(TextRepository):
    """The TextRepository over a MongoDB database. Keys begin with the `_id`, in whose order the pages are."""

    kinds: Sequence[TextKind] = tuple(_FIELDS)

    def __init__(self, database: MongoDatabase) -> None:
        self.timeout = database.timeout
        self._collections: Mapping[TextKind, Collection] = {
            "message": database.messages,
            "thread": database.threads,
            "message vector": database.messages,
            "memory": database.memories,
            "memory change": database.memory_changes,
            "checkpoint": database.checkpoints,
            "checkpoint write": database.checkpoint_writes,
            "checkpoint segment": database.checkpoint_segments,
            "checkpoint value": database.checkpoint_values,
            "document": database.documents,
        }

    @translated
    async def tenants(self) -> list[str]:
        found: set[str] = set()
        for collection in self._collections.values():
            found.update(await collection.distinct("tenant"))
        return sorted(found)

    @translated
    async def select(
        self, tenant: str, kind: TextKind, limit: int, after: StoredText | None = None
    ) -> list[StoredText]:
        wanted: Document = {"tenant": tenant, **{name: {"$exists": True} for name in _FIELDS[kind].has}}
        if after is not None:
            wanted["_id"] = {"$gt": after.key[0]}
        found = await self._collections[kind].find(wanted).sort("_id", 1).limit(limit).to_list()
        return [_stored(kind, each) for each in found]

    @translated_write
    async def replace(self, tenant: str, kind: TextKind, changes: Sequence[tuple[StoredText, Sequence[Stored]]]) -> int:
        replaced = 0
        for old, new in changes:
            address = {"_id": old.key[0], "tenant": tenant}
            done = await self._collections[kind].update_one(
                address | _seen(kind, old, old.texts), _change(kind, old, new)
            )
            replaced += done.modified_count
        return replaced


def _stored(kind: TextKind, document: Document) -> StoredText:
    fields, user = _FIELDS[kind], document.get("user", "")
    key = (document["_id"], *(document[name] for name in fields.place))
    if kind == "memory change":
        entries: list[Document] = document.get("entries") or []
        texts = [each[name] for each in entries for name in ("before", "after")]
        return StoredText(key, user, tuple(each["memory"] for each in entries), tuple(texts))
    names, texts = ([document.get(name) for name in several] for several in (fields.names, fields.texts))
    return StoredText(key, user, tuple(names), tuple(texts))


def _seen(kind: TextKind, old: StoredText, texts: Sequence[Stored]) -> Document:
    """The fields of the document with these texts."""
    if kind == "memory change":
        pairs = zip(old.names, texts[::2], texts[1::2], strict=True)
        return {"entries": [{"memory": memory, "before": before, "after": after} for memory, before, after in pairs]}
    fields = _FIELDS[kind]
    return dict(zip((*fields.names, *fields.texts), (*old.names, *texts), strict=True))


def _change(kind: TextKind, old: StoredText, new: Sequence[Stored]) -> Document:
    changed = _seen(kind, old, new)
    if kind == "message":
        [body] = new
        changed["checksum"] = checksum_of(body.encode() if isinstance(body, str) else body or b"")
    return {"$set": changed}

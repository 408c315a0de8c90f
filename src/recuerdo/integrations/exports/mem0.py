"""mem0's memories, as `get_all` and its export write them: a list, or an object with `results` or `memories`."""

import msgspec

from recuerdo.core.errors import InvalidInput
from recuerdo.core.identifiers import derived_id
from recuerdo.integrations.exports.shapes import ExportedFact, ForeignExport, ReadingOptions, at_text, read_json


class _Mem0Memory(msgspec.Struct):
    memory: str
    id: str | None = None
    user_id: str | None = None
    created_at: str | None = None


class _Mem0Results(msgspec.Struct):
    results: list[_Mem0Memory] = []
    memories: list[_Mem0Memory] = []


def read(data: bytes, name: str, reading: ReadingOptions) -> ForeignExport:
    """See read_export."""
    if data.lstrip().startswith(b"["):
        memories = read_json(data, list[_Mem0Memory])
    else:
        found = read_json(data, _Mem0Results)
        memories = [*found.results, *found.memories]
    users = sorted({each.user_id for each in memories if each.user_id})
    if reading.of is None and len(users) > 1:
        raise InvalidInput("--of", f"must say whose memories are meant: the file has those of {', '.join(users[:10])}")
    facts = [
        ExportedFact(each.id or derived_id("mem0", each.memory), each.memory.strip(), at_text(each.created_at))
        for each in memories
        if (reading.of is None or each.user_id == reading.of) and each.memory.strip()
    ]
    return ForeignExport(facts=facts, skipped=len(memories) - len(facts))

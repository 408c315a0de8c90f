"""How documents lie in rows."""

from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import Any, LiteralString

import msgspec

from recuerdo.core.documents import Document

COLUMNS: LiteralString = "kind, id, family, body, open, due"
_LARGE = ("kwargs", "payload", "interrupts", "error")


def document(row: Sequence[Any]) -> Document:
    """The document of a row of the columns."""
    kind, document_id, group, body, is_open, due = row
    return Document(kind, document_id, group, body.encode(), is_open, due.astimezone(UTC) if due is not None else None)


def found_by(about: Mapping[str, Any]) -> str:
    """What finds a document: its body without what is large."""
    return jsonb({name: value for name, value in about.items() if name not in _LARGE}).decode()


def jsonb(value: Any) -> bytes:
    """JSON without the NUL characters that jsonb can't hold."""
    return msgspec.json.encode(value).replace(b"\\u0000", b"\\ufffd")

"""How documents lie in rows."""

from collections.abc import Sequence
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


def about(document: Document) -> bytes:
    """What finds a document: its body without what is large."""
    body: dict[str, Any] = msgspec.json.decode(document.body)
    return jsonb({name: value for name, value in body.items() if name not in _LARGE})


def jsonb(value: Any) -> bytes:
    """JSON without the NUL characters that jsonb can't hold."""
    return msgspec.json.encode(value).replace(b"\\u0000", b"\\ufffd")

"""Data keys: what texts at rest are encrypted with, a key by tenant, each wrapped by a master key."""

from datetime import datetime
from typing import Any, Literal, NamedTuple

INSTALLATION = ""
"""The tenant of the installation's own data key: no tenant has an empty id."""


class DataKey(NamedTuple):
    """A tenant's key as it is stored: `wrapped` by the master key with the id `master`, and useless without it.

    The newest, with the greatest `number`, encrypts; the others still decrypt. The first of a tenant has the number 1.
    Ciphertexts name the `id`, which is never used again: 16 hexadecimal digits.
    """

    tenant: str
    number: int
    id: str
    master: str
    wrapped: bytes
    created_at: datetime


Stored = str | bytes | None
"""A text in a row."""

TextKind = Literal[
    "message",
    "thread",
    "message vector",
    "memory",
    "memory change",
    "checkpoint",
    "checkpoint write",
    "checkpoint segment",
    "checkpoint value",
    "document",
]
"""The kinds of rows that hold texts which are encrypted."""


class StoredText(NamedTuple):
    """A row with texts, as it is stored: its key, its user, what its texts are bound to besides, and the texts."""

    key: tuple[Any, ...]
    user: str
    names: tuple[Any, ...]
    texts: tuple[Stored, ...]

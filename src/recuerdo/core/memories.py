"""A memory: one long-term record of a user, across threads."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

import msgspec

from recuerdo.core.scope import Owner

Kind = Literal["semantic", "episodic", "procedural", "summary"]
Attribute = Literal[
    "name",
    "employer",
    "job",
    "department",
    "team",
    "city",
    "email",
    "phone",
    "birthday",
    "likes",
    "dislikes",
    "preference",
    "remember",
]


class Fact(msgspec.Struct, frozen=True):
    """Something that a user said of themselves: which attribute, its value, and the user's own words."""

    attribute: Attribute
    value: str
    text: str


class Source(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a memory comes from: the message, who said it, and what extracted it."""

    thread: str | None = None
    seq: int | None = None
    author: str = "user"
    extractor: str = "manual"


class Memory(msgspec.Struct, frozen=True, kw_only=True):
    """One long-term record. `text` is in the user's own language and words; times are aware, UTC.

    `trust` runs from 0 (hearsay) to 1 (the user's own statement).
    """

    id: str
    owner: Owner
    text: str
    kind: Kind = "semantic"
    attribute: Attribute | None = None
    value: str | None = None
    source: Source = Source()
    trust: float = 1.0
    created_at: datetime
    updated_at: datetime


class MemoryQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Which memories of an owner to list, the latest first; `before` is the id that the last page ended with."""

    limit: int = 50
    before: str | None = None
    kind: Kind | None = None
    attribute: Attribute | None = None


class MemoryHit(NamedTuple):
    """A memory that a search found. Scores order the hits of one search and mean nothing across searches."""

    memory: Memory
    score: float


class Embedding(NamedTuple):
    """A memory's vector as little-endian 32-bit floats, unit length, and the name of the model that made it."""

    model: str
    vector: bytes


def in_order(memories: Iterable[Memory], attributes: Sequence[Attribute]) -> list[Memory]:
    """The first of the memories for each attribute, in the order of the attributes."""
    first: dict[Attribute | None, Memory] = {}
    for memory in memories:
        first.setdefault(memory.attribute, memory)
    return [first[attribute] for attribute in attributes if attribute in first]

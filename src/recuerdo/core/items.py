"""An item: what LangGraph's Store keeps under a namespace and a key, and how items are asked for."""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple

import msgspec

from recuerdo.core.conditions import Condition
from recuerdo.core.errors import DamagedRow
from recuerdo.core.scope import check_id

Namespace = tuple[str, ...]
"""Labels from the root down; none of them is empty or has a period."""


SHARED = "shared"


def is_shared(tenant: str, namespace: Sequence[str]) -> bool:
    """Whether a user's namespace, `(tenant, "shared", ...)`, is the tenant's: all of its users see what is there."""
    return tuple(namespace[:2]) == (tenant, SHARED)


class StoreScope(msgspec.Struct, frozen=True):
    """The owner of a store: a tenant, or, with a user, one user of the tenant. Items never cross."""

    tenant: str
    user: str = ""

    def __post_init__(self) -> None:
        check_id("tenant", self.tenant)
        if self.user != "":
            check_id("user", self.user)


class ItemAddress(NamedTuple):
    """The address of an item in its store."""

    namespace: Namespace
    key: str


class IndexEntry(NamedTuple):
    """One of an item's fields, by which it is found: as words, as a vector of unit length, or both.

    The vector is little-endian 32-bit floats. Words are searched without regard to case and accents.
    """

    path: str
    words: str = ""
    vector: bytes = b""


class Put(NamedTuple):
    """An item to be written, with all that it is found by; to be deleted, when it has no value (JSON).

    It expires `ttl` minutes after it was written or read last.
    """

    place: ItemAddress
    value: str | None
    ttl: float | None = None
    entries: Sequence[IndexEntry] = ()


class Item(NamedTuple):
    """A stored item; its value is JSON. Times are aware, UTC."""

    place: ItemAddress
    value: str
    created_at: datetime
    updated_at: datetime
    ttl: float | None = None


class ItemHit(NamedTuple):
    """An item that was found; the score is 0 to 1 for vectors, more with words, None where nothing was compared."""

    item: Item
    score: float | None = None


class ItemQuery(NamedTuple):
    """Which items to find: below the namespace `prefix`, with a value that meets all the conditions.

    Nearest to the vector, or to the words, or to both together, come first; items that can't be compared fill up the
    page. Without either the latest updated come first, then by place. Items that expired before `alive_at` don't count.
    """

    prefix: Namespace
    conditions: Sequence[Condition] = ()
    limit: int = 10
    offset: int = 0
    vector: bytes = b""
    words: str = ""
    alive_at: datetime | None = None

    @property
    def dims(self) -> int:
        """How many numbers the vector has."""
        return len(self.vector) // 4


class NamespacePattern(NamedTuple):
    """A path that namespaces begin or end with; `*` stands for any one label."""

    at: Literal["prefix", "suffix"]
    path: Namespace

    def matches(self, namespace: Namespace) -> bool:
        labels, path = (namespace, self.path) if self.at == "prefix" else (namespace[::-1], self.path[::-1])
        return len(labels) >= len(path) and all(want in ("*", label) for label, want in zip(labels, path, strict=False))

    @property
    def fixed(self) -> Namespace:
        """The prefix of all namespaces that match."""
        path = self.path if self.at == "prefix" else ()
        return path[: path.index("*")] if "*" in path else path


def page_of_namespaces(
    namespaces: Iterable[Namespace],
    patterns: Sequence[NamespacePattern],
    max_depth: int | None,
    limit: int,
    offset: int,
) -> list[Namespace]:
    """The namespaces that match all patterns, cut to `max_depth` labels, each once, in order."""
    matching = (namespace for namespace in namespaces if all(pattern.matches(namespace) for pattern in patterns))
    return sorted(dict.fromkeys(namespace[:max_depth] for namespace in matching))[offset : offset + limit]


def write_namespace(namespace: Namespace) -> str:
    """The namespace as one text, each label with a period after it: what is below another begins with that one's."""
    return "".join(f"{label}." for label in namespace)


def read_namespace(text: str) -> Namespace:
    """The namespace that `write_namespace` wrote."""
    return tuple(text.split(".")[:-1])


def bounds_of(prefix: Namespace) -> tuple[str, str]:
    """The texts between which (the second exclusive) all namespaces below the prefix lie, ordered by their bytes."""
    text = write_namespace(prefix)
    return text, f"{text[:-1]}/" if text else "\U0010ffff"


def read_value(item: Item) -> dict[str, Any]:
    """The item's value, decoded. Raises DamagedRow."""
    try:
        return json.loads(item.value)
    except (ValueError, RecursionError):
        raise DamagedRow("item", item.place.key) from None

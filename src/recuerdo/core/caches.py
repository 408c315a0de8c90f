"""Cache entries by tenant, data type and resource, for everything but histories."""

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Literal, NamedTuple

import msgspec

from recuerdo.core.scope import check_id

DataType = Literal["messages", "window", "memory", "context", "session"]

Items = tuple[bytes, ...]
"""The content of an entry: one value, or several."""

asking: ContextVar[str] = ContextVar("asking", default="")
"""The tenant on whose behalf the cache is asked, for keys stored under no tenant: metrics count it there."""


class CacheKey(msgspec.Struct, frozen=True):
    """The name of an entry. The parts stay apart everywhere: `a:b` + `c` is not `a` + `b:c`.

    `groups` are what the entry can be forgotten with, at once with all that are in one of them. An entry has always
    the same groups. A tenant's entries with groups lie beside each other: on one node, where there are several.
    """

    tenant: str
    data: DataType
    resource: str
    groups: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_id("tenant", self.tenant)
        check_id("resource", self.resource)


class Life(NamedTuple):
    """How long an entry lives, in seconds: `ttl` from when it was set or refreshed, and `longest` in all."""

    ttl: float
    longest: float


_HOUR = 60 * 60.0
GENERATION_SECONDS = 7 * 24 * _HOUR
"""How long the cache knows that a group was forgotten: longer than any entry lives. Without that it is forgotten."""

_DAY = 24 * _HOUR

LIVES: Mapping[DataType, Life] = {
    "messages": Life(_DAY, _DAY),
    "window": Life(_HOUR, _HOUR),
    "memory": Life(_HOUR, _HOUR),
    "context": Life(_HOUR / 2, 12 * _HOUR),
    "session": Life(_HOUR, _DAY),
}


class CacheHit(NamedTuple):
    """An entry, or the asked part of it. The stamp changes with every change of the entry."""

    stamp: str
    items: Items


class Unchanged(NamedTuple):
    """The entry still has the stamp that the caller knows."""


class CacheMiss(NamedTuple):
    """There is no entry. The token lets its holder set one, until anybody changes it; None: another process has it."""

    token: str | None = None


class CacheStatistics(NamedTuple):
    """Counts of one cache, over all its nodes. All but `threads` include the cache's other uses."""

    threads: int
    """Threads that have an entry."""

    used_bytes: int
    most_bytes: int
    """0: no limit is set."""

    hits: int
    misses: int
    evicted: int
    expired: int
    """Since the nodes were started, these four."""

    nodes: int

    @property
    def hit_rate(self) -> float | None:
        """Of all looks at keys, the part that found one, from 0 to 1; None before the first."""
        looks = self.hits + self.misses
        return self.hits / looks if looks else None

"""What a shared cache says of itself."""

from typing import NamedTuple


class CacheStatistics(NamedTuple):
    """Counts of one cache, over all its nodes. Everything but `threads` counts for whoever else uses it as well."""

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

"""The faults of a schedule, and when each last happened: reads from a cache may be stale for a while after that."""

from dataclasses import dataclass, field

STALE_SECONDS = 2.0
"""For how long, by the design, a cached read may miss an acknowledged write after a failure of the cache."""


@dataclass
class Rates:
    """How likely each fault is, at each call."""

    lost_command: float = 0.0
    database_lost: float = 0.0
    database_reply_lost: float = 0.0
    database_late: float = 0.0
    impatience: float = 0.0


@dataclass
class Faults:
    """The cache's failures so far. Losing entries or leases is none: that must hide nothing for a moment."""

    rates: Rates = field(default_factory=Rates)
    last: float | None = None
    cut: set[str] = field(default_factory=set)

    def happened(self, now):
        """A command to the cache was lost or is late, or a writer died."""
        self.last = now

    def excuse_since(self, now):
        """The time from which on acknowledged writes may be missed; None when all must be seen."""
        return None if self.last is None and not self.cut else self.healed_by(now)

    def healed_by(self, now):
        """Commits before this time, which perhaps nobody was told of, have been swept."""
        troubled = self.cut or (self.last is not None and now < self.last + STALE_SECONDS)
        return float("-inf") if troubled else now - STALE_SECONDS

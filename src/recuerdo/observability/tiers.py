"""Which tier answered a read: the wrappers around the tiers note it where the wrapper around the whole looks."""

from contextvars import ContextVar
from typing import Literal

Tier = Literal["local", "shared", "database"]


class FarthestTier:
    """The farthest tier that one read has come to."""

    def __init__(self) -> None:
        self.tier: Tier = "local"


_trail: ContextVar[FarthestTier | None] = ContextVar("trail", default=None)
"""Tasks that a read starts share the trail of the read."""


def begin() -> FarthestTier:
    """Follow the read that starts here."""
    trail = FarthestTier()
    _trail.set(trail)
    return trail


def reach(tier: Tier) -> None:
    """The read that is under way has its answer from this tier."""
    trail = _trail.get()
    if trail is not None and trail.tier != "database":
        trail.tier = tier

"""How long a server is waited for that let the last deadline pass."""

from math import inf

SECONDS_FOR_A_SUSPECT = 1.0
"""Whoever asks it several things in turn does not wait the whole time for each of them."""


class Patience:
    """What a server deserves: all the time that a caller has, or a second when it `is_suspect`, until it answers."""

    def __init__(self) -> None:
        self.is_suspect = False

    @property
    def seconds(self) -> float:
        """How long it may take at most."""
        return SECONDS_FOR_A_SUSPECT if self.is_suspect else inf

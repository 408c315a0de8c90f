"""How long a server is waited for that let the last deadline pass."""

import time
from math import inf

from recuerdo.core.errors import DatabaseUnavailable

SECONDS_FOR_A_SUSPECT = 1.0
"""What it gets until it answers again."""

SECONDS_OF_REST = 0.5
"""How long nobody asks it at all: a chat turn asks several things, and waits once."""


class AdaptiveTimeout:
    """What a server deserves: all the time that a caller has, or a second when it `is_suspect`, until it answers."""

    def __init__(self) -> None:
        self.is_suspect = False
        self._rests_until = 0.0

    @property
    def seconds(self) -> float:
        """How long it may take at most. Raises DatabaseUnavailable when it was waited for in vain just now."""
        if self.is_suspect and time.monotonic() < self._rests_until:
            raise DatabaseUnavailable("The database did not answer a moment ago. Check the server, and try again.")
        return SECONDS_FOR_A_SUSPECT if self.is_suspect else inf

    def lost(self) -> None:
        """Somebody has waited for it in vain, and it has taken nothing."""
        self.is_suspect = True
        self._rests_until = time.monotonic() + SECONDS_OF_REST

    def answered(self) -> None:
        """It deserves everybody's time again."""
        self.is_suspect = False

"""The schedule of retries."""

import random
from typing import NamedTuple


class Retries(NamedTuple):
    """How often an action is tried while something is away, and how many seconds lie in between.

    By default about four minutes: a service that restarts, or is overrun for a minute, makes no dead letters.
    """

    most_attempts: int = 10
    first_pause: float = 1.0
    longest_pause: float = 60.0

    def pause(self, attempts: int, retry_after: float) -> float:
        """The pause in seconds after this many attempts, the last of which was answered with `retry_after`.

        It is never less than that. At first it is no more either, as most outages are short; then it doubles
        each time. Actions that failed together do not come back together.
        """
        doubled = min(self.first_pause * 2 ** (attempts - 1), self.longest_pause) if attempts > 1 else 0.0
        return max(doubled, retry_after) * random.uniform(1.0, 1.25)  # noqa: S311

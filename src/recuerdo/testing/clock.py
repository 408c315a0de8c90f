"""A clock that tests hold in their hands."""

from datetime import UTC, datetime, timedelta

NOON = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)


class FakeClock:
    """A Clock that stands still until it is moved, or moves by `tick` after every look at it."""

    def __init__(self, now: datetime = NOON, tick: timedelta = timedelta()) -> None:
        self.now = now
        self.tick = tick

    def __call__(self) -> datetime:
        now = self.now
        self.now += self.tick
        return now

    def set(self, now: datetime) -> None:
        """Make it this late; earlier is fine, as real clocks step back too."""
        self.now = now

    def advance(self, by: timedelta) -> None:
        """Let time pass."""
        self.now += by

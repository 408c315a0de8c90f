"""Times as numbers, for databases whose own times are not exact: microseconds since 1970, UTC, in 64 bits."""

import time
from datetime import UTC, datetime, timedelta

EARLIEST, LATEST = -(2**63), 2**63 - 1
"""Bounds for "any time": before and behind every time that can be stored."""

LONGEST_INLINE_SECONDS = 0.001
"""How long work on a disk may block the event loop. Handing it to a thread takes 0.1 to 0.2 ms."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def to_microseconds(moment: datetime) -> int:
    """The stored form of an aware time."""
    return (moment - _EPOCH) // _MICROSECOND


def from_microseconds(stored: int) -> datetime:
    """The time of a stored form, aware, UTC."""
    return _EPOCH + stored * _MICROSECOND


def this_microsecond() -> int:
    """Now, in the stored form."""
    return time.time_ns() // 1000


def utc(moment: datetime) -> datetime:
    """An aware time, in UTC."""
    return moment.astimezone(UTC)

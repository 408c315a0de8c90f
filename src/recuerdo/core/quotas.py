"""Token buckets: a size, and a rate at which they are refilled."""

from typing import NamedTuple, Protocol


class Quota(NamedTuple):
    """`size` may be taken at once; the bucket is refilled at `per_second`."""

    size: float
    per_second: float


class QuotaOutcome(NamedTuple):
    """The outcome of a request: whether it was granted, what is left, and the seconds until it would be granted."""

    granted: bool
    left: float
    wait: float


class TokenBuckets(Protocol):
    """A bucket for each key, full at first. All buckets may be lost at any time, and are full again then."""

    async def take(self, key: str, cost: float, quota: Quota) -> QuotaOutcome:
        """Take `cost` from the bucket, or nothing where it has less; a negative one is given back.

        Raises CacheUnavailable.
        """
        ...


def taken_from_level(level: float, seconds: float, cost: float, quota: Quota) -> QuotaOutcome:
    """Decide about a request to a bucket that had this level so many seconds ago."""
    size, per_second = quota
    level += seconds * per_second
    if level > size:
        level = size
    if cost > size:  # a request larger than the bucket takes all of it, or it could never be granted
        cost = size
    if level >= cost:
        return QuotaOutcome(True, level - cost, 0.0)
    return QuotaOutcome(False, level, (cost - level) / per_second)

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


BucketKey = tuple[str, ...]
"""The name of a bucket: what it counts, and of whom; without control characters."""


class SharedTokenBuckets(Protocol):
    """A bucket for each key, full at first. All buckets may be lost at any time, and are full again then."""

    async def take(self, key: BucketKey, cost: float, quota: Quota) -> QuotaOutcome:
        """Take `cost` from the bucket, or nothing where it has less; a negative one is given back.

        A cost larger than the bucket takes all of it, or it could never be granted. Raises CacheUnavailable.
        """
        ...


class TokenBuckets(SharedTokenBuckets, Protocol):
    """The buckets of a server. They count for themselves while what they share is away, and never raise."""

    async def take_both(
        self, keys: tuple[BucketKey, BucketKey], cost: float, quotas: tuple[Quota, Quota]
    ) -> tuple[QuotaOutcome, Quota]:
        """Take `cost` from both buckets, or nothing where either has less.

        Returns the outcome of the bucket that has less, or that of the first, with its quota.
        """
        ...

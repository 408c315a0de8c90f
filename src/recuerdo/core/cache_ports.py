"""Ports of caches. A `Cache` may lose everything at any time; see `recuerdo.core.ports` for what ports are."""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Protocol

from recuerdo.core.caches import CacheHit, CacheKey, CacheMiss, Items, Unchanged
from recuerdo.core.scope import Scope
from recuerdo.core.threads import (
    MOST_READ_BYTES,
    AppendedRecords,
    ChangedThreads,
    Head,
    Lease,
    MessageQuery,
    Page,
    Snapshot,
    Tail,
    Version,
)


class CacheEntries(Protocol):
    """Entries by tenant, data type and resource, at one authority: each call is one atomic step there.

    A `Cache` may lose everything at any time. Raises CacheUnavailable when it does not answer; what was asked of it may
    then happen late, or never.
    """

    async def read(
        self, key: CacheKey, *, known: str | None = None, refresh: bool = False, lease: bool = False
    ) -> CacheHit | Unchanged | CacheMiss:
        """The entry, or that it still has the stamp `known`.

        Where there is none a `lease` gives the first who asks a token to fill it with. `refresh` lengthens the life of
        an entry that is there.
        """
        ...

    async def write(
        self, key: CacheKey, items: Items, token: str | None = None, *, instead_of: str | None = None
    ) -> str | None:
        """Replace the entry and break its token; returns the stamp. With a token that is broken: None, and nothing.

        With the stamp `instead_of` the entry is replaced only while it has this stamp, and its longest life stays.
        """
        ...

    async def delete(self, keys: Sequence[CacheKey]) -> None:
        """Forget the entries, and break their tokens."""
        ...

    async def forget(self, tenant: str, group: str) -> None:
        """Forget the tenant's entries that are in the group, and break their tokens, however many they are."""
        ...

    async def remove(self, tenant: str, prefix: str) -> int:
        """Remove the tenant's entries whose resource begins with `prefix`; returns how many. Goes through all keys."""
        ...


class CacheTier(Protocol):
    """A cache for anything that can be had again: by tenant, data type and resource, over one tier or two.

    A change is visible to every replica when the call returns; it raises CacheUnavailable when that is not certain.
    Reads never raise that: without the cache they find nothing.
    """

    async def get(self, key: CacheKey, *, refresh: bool = False) -> Items | None:
        """The entry, or None. `refresh` begins its time anew, within its longest life, in the same atomic step."""
        ...

    async def load(self, key: CacheKey, load: Callable[[], Coroutine[Any, Any, Items]]) -> Items:
        """The entry, refreshed; where there is none what `load` says, which is kept unless the key changed meanwhile.

        Callers who come at the same time share one load.
        """
        ...

    async def set(self, key: CacheKey, items: Items) -> None:
        """Replace the entry."""
        ...

    async def update(self, key: CacheKey, change: Callable[[Items], Items]) -> Items | None:
        """Replace the entry by what `change` makes of it, as one step. Where there is none nothing is begun: None.

        `change` is pure, and may be called again. The entry's longest life stays.
        """
        ...

    async def delete(self, *keys: CacheKey) -> None:
        """Forget the entries."""
        ...

    async def forget(self, tenant: str, group: str) -> None:
        """Forget the tenant's entries that are in the group."""
        ...

    async def remove(self, tenant: str, prefix: str) -> int:
        """Remove the tenant's entries whose resource begins with `prefix`, for erasures: it goes through all keys."""
        ...


class HistoryCache(Protocol):
    """Snapshots of threads, shared by all replicas. A `Cache` may lose everything at any time.

    Raises CacheUnavailable when the cache does not answer; what was asked of it may then happen late, or never.
    """

    async def read(self, scope: Scope, at_least: Version, wanted: int, head: Head | None = None) -> Snapshot | Lease:
        """The `wanted` newest messages at a version of `at_least` or later, and of the epoch and revision of `head`.

        When the entry does not have them: a lease, with a token if no other reader is filling the entry.
        """
        ...

    async def fill(self, scope: Scope, lease: Lease, snapshot: Snapshot) -> bool:
        """Replace the entry. False when the lease was broken: the thread changed, and what was read may be old."""
        ...

    async def append(self, appended: Sequence[AppendedRecords]) -> None:
        """The messages were committed: extend the entries that they fit, delete those that they don't."""
        ...

    async def purge(self, scopes: Sequence[Scope]) -> None:
        """Forget the threads, and break their leases."""
        ...

    async def purge_all(self) -> None:
        """Forget all threads, and break all leases that there are when it begins."""
        ...

    async def verify(self, changed: ChangedThreads) -> int:
        """Forget the entries that are behind the heads, and break the leases of threads without one.

        Keeps the mark then, for all replicas. Returns how many entries were forgotten.
        """
        ...

    async def mark(self) -> str | None:
        """The mark that the last `verify` kept, or None when it is lost, perhaps without the entries."""
        ...


class CachedReads(Protocol):
    """Reads that ask a cache first, and the database only where no cache knows the thread well enough."""

    async def cached_tail(
        self, scope: Scope, limit: int, at_least: Version, *, most_bytes: int = MOST_READ_BYTES
    ) -> Tail:
        """See HistoryRepository.tail; at a version of `at_least` or later."""
        ...

    async def cached_page(self, scope: Scope, query: MessageQuery, at_least: Version) -> Page:
        """See HistoryRepository.page; at a version of `at_least` or later."""
        ...

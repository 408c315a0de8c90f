"""The two tiers over a history: this process's snapshots, and those that all replicas share."""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from recuerdo.caching.local import LocalTier
from recuerdo.caching.snapshots import MOST_RECORDS
from recuerdo.concurrency.single_flight import SingleFlight
from recuerdo.core.cache_ports import HistoryCache
from recuerdo.core.scope import Scope
from recuerdo.core.threads import BEGINNING, NOWHERE, Change, Changes, Head, Lease, Snapshot, Version

LoadSnapshot = Callable[[], Coroutine[Any, Any, Snapshot]]


class HistoryTiers:
    """Finds the newest part of a thread in the nearest tier that has it, and keeps both tiers true.

    `shared` must not raise: see GuardedCache.
    """

    def __init__(self, local: LocalTier, shared: HistoryCache | None = None) -> None:
        self._local = local
        self._shared = shared
        self._flights: SingleFlight[Snapshot] = SingleFlight()
        self._mark: str | None = None

    async def at(self, scope: Scope, head: Head, load: LoadSnapshot) -> Snapshot:
        """The snapshot of a head that the database has just shown, or of a later one."""
        if head.version == NOWHERE:
            return Snapshot(head, None, [])
        entry = self._local.get(scope)
        if entry is not None and _has_reached(entry.head, head):
            return entry
        return await self._flights.run((scope, head), lambda: self._fetch(scope, head, load))

    async def known(self, scope: Scope, at_least: Version, look: LoadSnapshot, wanted: int = MOST_RECORDS) -> Snapshot:
        """The snapshot that the nearest authority without a database knows; where none does, what `look` finds.

        It may hold no more than the `wanted` newest messages.

        That authority is the shared tier, and in its absence this process. Each caller asks it anew: an answer that
        was asked for before the caller came may miss what the caller has been told of since.
        """
        if self._shared is None:
            entry = self._local.get(scope)
            return entry if entry is not None and entry.head.version >= at_least else await look()
        found = await self._shared.read(scope, at_least, wanted)
        return found if isinstance(found, Snapshot) else await self._fill(self._shared, scope, found, look)

    async def appended(self, changes: Sequence[Change]) -> None:
        """Messages were committed."""
        for change in changes:
            self._local.append(change)
        if self._shared is not None and changes:
            await self._shared.append(changes)

    async def changed(self, scopes: Sequence[Scope]) -> None:
        """The threads were changed, perhaps, by something else than an append that we know."""
        for scope in scopes:
            self._local.drop(scope)
        if self._shared is not None and scopes:
            await self._shared.purge(scopes)

    async def verify(self, changes: Changes) -> int:
        """The database was at these heads: forget what is behind them. Returns how many entries were forgotten.

        Only the authority of cached reads is verified; strong reads see for themselves. Raises CacheUnavailable.
        """
        if self._shared is not None:
            return await self._shared.verify(changes)
        if self._mark is None:
            self._local.drop_all()  # what was kept before the first mark may have missed anything
        self._mark = changes.mark
        return self._local.verify(changes.heads)

    async def mark(self) -> str | None:
        """Where to go on verifying; None: nothing is known of what came before. Raises CacheUnavailable."""
        if self._shared is None:
            return self._mark
        mark = await self._shared.mark()
        return BEGINNING if mark is None else mark

    async def _fetch(self, scope: Scope, head: Head, load: LoadSnapshot) -> Snapshot:
        promise = self._local.begin(scope)
        try:
            snapshot = await self._from_shared_or_database(scope, head, load)
        except BaseException:
            self._local.abandon(scope, promise)
            raise
        self._local.put(scope, promise, snapshot)
        return snapshot

    async def _from_shared_or_database(self, scope: Scope, head: Head, load: LoadSnapshot) -> Snapshot:
        if self._shared is None:
            return await load()
        found = await self._shared.read(scope, head.version, MOST_RECORDS, head)
        return found if isinstance(found, Snapshot) else await self._fill(self._shared, scope, found, load)

    async def _fill(self, shared: HistoryCache, scope: Scope, lease: Lease, load: LoadSnapshot) -> Snapshot:
        snapshot = await load()
        if lease.token is not None:
            await shared.fill(scope, lease, snapshot)
        return snapshot


def _has_reached(known: Head, asked: Head) -> bool:
    return (
        known.version.epoch == asked.version.epoch
        and known.revision == asked.revision
        and known.version.seq >= asked.version.seq
    )

"""The two tiers over a history: this process's snapshots, and those that all replicas share."""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from recuerdo.caching.local import LocalTier
from recuerdo.caching.single_flight import SingleFlight
from recuerdo.caching.snapshots import MOST_RECORDS
from recuerdo.core.ports import HistoryCache
from recuerdo.core.scope import Scope
from recuerdo.core.threads import NOWHERE, Change, Head, Lease, Snapshot, Version

LoadSnapshot = Callable[[], Coroutine[Any, Any, Snapshot]]


class HistoryTiers:
    """Finds the newest part of a thread in the nearest tier that has it, and keeps both tiers true.

    `shared` must not raise: see GuardedCache.
    """

    def __init__(self, local: LocalTier, shared: HistoryCache | None = None) -> None:
        self._local = local
        self._shared = shared
        self._flights: SingleFlight[Snapshot] = SingleFlight()

    async def at(self, scope: Scope, head: Head, load: LoadSnapshot) -> Snapshot:
        """The snapshot of a head that the database has just shown, or of a later one."""
        if head.version == NOWHERE:
            return Snapshot(head, None, [])
        entry = self._local.get(scope)
        if entry is not None and _has_reached(entry.head, head):
            return entry
        return await self._flights.run((scope, head), lambda: self._fetch(scope, head.version, head, load))

    async def known(self, scope: Scope, at_least: Version, load: LoadSnapshot) -> Snapshot:
        """The snapshot that the nearest authority without a database knows; it is loaded only where none does.

        That authority is the shared tier, and in its absence this process.
        """
        entry = self._local.get(scope) if self._shared is None else None
        if entry is not None and entry.head.version >= at_least:
            return entry
        return await self._flights.run((scope, at_least), lambda: self._fetch(scope, at_least, None, load))

    async def appended(self, changes: Sequence[Change]) -> None:
        """Messages were committed."""
        for change in changes:
            self._local.append(change.scope, change.epoch, change.records)
        if self._shared is not None and changes:
            await self._shared.append(changes)

    async def changed(self, scope: Scope) -> None:
        """The thread was changed by something else than an append."""
        self._local.drop(scope)
        if self._shared is not None:
            await self._shared.purge(scope)

    async def _fetch(self, scope: Scope, at_least: Version, head: Head | None, load: LoadSnapshot) -> Snapshot:
        promise = self._local.begin(scope)
        try:
            snapshot = await self._from_shared_or_database(scope, at_least, head, load)
        except BaseException:
            self._local.abandon(scope, promise)
            raise
        self._local.put(scope, promise, snapshot)
        return snapshot

    async def _from_shared_or_database(
        self, scope: Scope, at_least: Version, head: Head | None, load: LoadSnapshot
    ) -> Snapshot:
        if self._shared is None:
            return await load()
        found = await self._shared.read(scope, at_least, MOST_RECORDS, head)
        if isinstance(found, Snapshot):
            return found
        return await self._load_and_fill(self._shared, scope, found, load)

    async def _load_and_fill(self, shared: HistoryCache, scope: Scope, lease: Lease, load: LoadSnapshot) -> Snapshot:
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

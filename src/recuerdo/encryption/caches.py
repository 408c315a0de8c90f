"""Copies of texts outside the database: the shared cache of histories, the spool, and the event log of runs."""

import asyncio
import logging
from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace

from recuerdo.core.cache_ports import HistoryCache
from recuerdo.core.encryption import INSTALLATION
from recuerdo.core.errors import CacheUnavailable, Damaged, Unavailable
from recuerdo.core.graph_ports import EventLog, LogOutcome
from recuerdo.core.messages import Record
from recuerdo.core.ports import Spool
from recuerdo.core.runs import RunEvent
from recuerdo.core.scope import Scope
from recuerdo.core.threads import Append, AppendedRecords, Head, Lease, Snapshot, Version
from recuerdo.encryption.ciphers import Ciphers, Unsealable
from recuerdo.encryption.history import open_append, open_snapshot, seal_append, seal_record
from recuerdo.encryption.keyring import Keyring

_log = logging.getLogger(__name__)

_PAUSE = 0.5
"""Seconds between attempts to open what waits in the spool while the database, which has the keys, is away."""


class EncryptedHistoryCache(HistoryCache):
    """The HistoryCache over another one, which gets sealed messages only. It raises no more than that one does."""

    def __init__(self, cache: HistoryCache, keyring: Keyring) -> None:
        self._cache = cache
        self._keyring = keyring
        self.purge = cache.purge
        self.purge_all = cache.purge_all
        self.verify = cache.verify
        self.mark = cache.mark

    async def read(self, scope: Scope, at_least: Version, wanted: int, head: Head | None = None) -> Snapshot | Lease:
        found = await self._cache.read(scope, at_least, wanted, head)
        if not isinstance(found, Snapshot):
            return found
        try:
            return await self._keyring.opened(scope.tenant, lambda ciphers: open_snapshot(ciphers, scope, found))
        except (Damaged, Unavailable):
            return Lease(None)  # the database answers

    async def fill(self, scope: Scope, lease: Lease, snapshot: Snapshot) -> bool:
        try:
            ciphers = await self._keyring.sealing(scope.tenant)
        except Unavailable:
            return False
        system = snapshot.system and seal_record(ciphers, scope.owner, snapshot.system)
        records = [seal_record(ciphers, scope.owner, record) for record in snapshot.records]
        return await self._cache.fill(scope, lease, Snapshot(snapshot.head, system, records))

    async def append(self, appended: Sequence[AppendedRecords]) -> None:
        try:
            sealed = [await self._sealed(each) for each in appended]
        except Unavailable:
            await self._cache.purge([each.scope for each in appended])
            return
        await self._cache.append(sealed)

    async def _sealed(self, change: AppendedRecords) -> AppendedRecords:
        ciphers = await self._keyring.sealing(change.scope.tenant)
        records: list[Record] = [seal_record(ciphers, change.scope.owner, record) for record in change.records]
        return change._replace(records=records)


class EncryptedSpool(Spool):
    """The Spool over another one, whose files have sealed appends only."""

    def __init__(self, spool: Spool, keyring: Keyring) -> None:
        self._spool = spool
        self._keyring = keyring
        self.done = spool.done

    @property
    def depth(self) -> int:
        return self._spool.depth

    async def put(self, request: Append) -> None:
        await self._spool.put(seal_append(await self._keyring.sealing(request.scope.tenant), request, whole=True))

    async def oldest(self, limit: int) -> list[Append]:
        while True:
            batch = await self._spool.oldest(limit)
            opened: list[Append] = []
            try:
                for request in batch:
                    opening = partial(open_append, request=request)
                    opened.append(await self._keyring.opened(request.scope.tenant, opening))
            except Unavailable:
                await asyncio.sleep(_PAUSE)
            except (Damaged, Unsealable) as error:
                if opened:
                    return opened
                name = type(error).__name__
                _log.error("an append in the spool can't be decrypted, and is left out: %s", name, exc_info=error)
                await self._spool.done(1)
            else:
                return opened


class EncryptedEventLog(EventLog):
    """The EventLog over another one. Events live for an hour, and are sealed with the installation's own key.

    A listener knows the id of a run, and not yet its tenant.
    """

    def __init__(self, log: EventLog, keyring: Keyring) -> None:
        self._log = log
        self._keyring = keyring
        self.begin = log.begin
        self.seal = log.seal
        self.last = log.last
        self.is_sealed = log.is_sealed
        self.take_over = log.take_over

    async def add(self, run_id: str, token: int, events: Sequence[RunEvent], *, is_begun: bool = False) -> LogOutcome:
        ciphers = await self._keyring.sealing(INSTALLATION)
        sealed = [replace(each, data=ciphers.seal(_place(ciphers, run_id, each), each.data)) for each in events]
        return await self._log.add(run_id, token, sealed, is_begun=is_begun)

    async def read(self, run_id: str, after: str, seconds: float) -> list[RunEvent]:
        found = await self._log.read(run_id, after, seconds)
        try:
            return await self._keyring.opened(
                INSTALLATION,
                lambda ciphers: [
                    replace(each, data=ciphers.open(_place(ciphers, run_id, each), each.data)) for each in found
                ],
            )
        except (Damaged, Unsealable):
            raise CacheUnavailable("Events of the run can't be decrypted.") from None


def _place(ciphers: Ciphers, run_id: str, event: RunEvent) -> bytes:
    return ciphers.place("event", run_id, event.id, event.name)

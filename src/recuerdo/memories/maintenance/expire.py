"""The expiry of memories: each by its own lifetime, or by that of its kind."""

import asyncio
import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import groupby

from recuerdo.core.checks import check_time
from recuerdo.core.errors import InvalidInput
from recuerdo.core.memories import Kind, Memory, MemoryEntry, MemoryQuery
from recuerdo.core.ports import Clock, MemoryRepository
from recuerdo.core.retention import Lifetime, RetentionPolicy, lifetime
from recuerdo.core.scope import Owner
from recuerdo.memories.changes import MemoryChanges
from recuerdo.memories.listing import all_of

_log = logging.getLogger(__name__)

_PAGE = 200
_WORTH_WRITING = 0.05
"""A use is written down when it puts an expiry off by this part of its time, so that most uses write nothing."""


class Expiry:
    """Decides when memories expire, extends their lives when they are used, and removes expired ones."""

    def __init__(
        self, repository: MemoryRepository, changes: MemoryChanges, clock: Clock, policy: RetentionPolicy | None = None
    ) -> None:
        self._repository = repository
        self._changes = changes
        self._clock = clock
        self._policy = policy or RetentionPolicy()
        self._under_way: set[asyncio.Task[None]] = set()

    def lifetime(
        self, kind: Kind, now: datetime, ttl: timedelta | None = None, expires_at: datetime | None = None
    ) -> Lifetime:
        """The lifetime of a memory that is made now. Raises InvalidInput for a time that is over, or two of them."""
        if expires_at is not None:
            check_time("expires_at", expires_at)
            if expires_at <= now:
                raise InvalidInput("expires_at", "must lie in the future")
        if ttl is not None and (not isinstance(ttl, timedelta) or ttl < timedelta(0) or expires_at is not None):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput("ttl", "must be a positive timedelta, and can't be combined with `expires_at`")
        try:
            return lifetime(self._policy.memories.get(kind), now, ttl=ttl, expires_at=expires_at)
        except OverflowError:
            raise InvalidInput("ttl", "ends after the year 9999; leave it out to keep the memory for ever") from None

    def used(self, memories: Sequence[Memory]) -> None:
        """Put off the expiry of those memories whose use does that, in the background."""
        now = self._clock()
        later: dict[Owner, dict[str, datetime]] = {}
        for each in memories:
            if (until := _postponed(each, now)) is not None:
                later.setdefault(each.owner, {})[each.id] = until
        for owner, expiries in later.items():
            task = asyncio.create_task(self._postpone(owner, expiries))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)

    async def flush(self) -> None:
        """Wait for the background."""
        await asyncio.gather(*self._under_way)

    async def sweep(self) -> int:
        """Remove the expired memories of all owners, and their traces in changes. Returns the number of memories."""
        removed = 0
        while expired := await self._repository.expired(self._clock(), _PAGE):
            before = removed
            by_owner = sorted(expired, key=lambda pair: (pair[0].tenant, pair[0].user))
            for owner, group in groupby(by_owner, key=lambda pair: pair[0]):
                removed += await self._remove(owner, [memory_id for _, memory_id in group])
            if removed == before:  # all of them were put off meanwhile
                break
        return removed

    async def retire(self, owner: Owner, policy: RetentionPolicy, *, dry_run: bool = False) -> int:
        """Remove the owner's memories that are older than the term of their kind. Returns their number.

        It is for memories that were made before there was a term: others expire automatically. One that was changed
        or used since counts from then.
        """
        now = self._clock()
        old: list[Memory] = []
        for kind, term in policy.memories.items():
            old += await self._older(owner, kind, now - term.time)
        if dry_run or not old:
            return len(old)
        return await self._remove(owner, [memory.id for memory in old], unless_changed=old)

    async def _older(self, owner: Owner, kind: Kind, made_before: datetime) -> list[Memory]:
        found = await all_of(self._repository, owner, MemoryQuery(kind=kind, until=made_before))
        return [each for each in found if not (each.pinned or each.expires_at) and each.updated_at < made_before]

    async def _remove(self, owner: Owner, ids: Sequence[str], unless_changed: Sequence[Memory] = ()) -> int:
        known = {memory.id: memory for memory in unless_changed}

        async def decide() -> list[MemoryEntry]:
            now = self._clock()
            memories = [await self._repository.get(owner, memory_id) for memory_id in ids]
            return [
                MemoryEntry(each, None)
                for each in memories
                if each and (known.get(each.id) == each or (each.expires_at is not None and each.expires_at <= now))
            ]

        return len(await self._changes.make(owner, "expired", decide))

    async def _postpone(self, owner: Owner, expiries: dict[str, datetime]) -> None:
        try:
            await self._repository.postpone(owner, expiries)
        except Exception as error:  # the next use tries again
            name = type(error).__name__
            _log.warning("The expiry of %d memories could not be put off (%s).", len(expiries), name, exc_info=error)


def _postponed(memory: Memory, now: datetime) -> datetime | None:
    if memory.refresh is None or memory.expires_at is None:
        return None
    until = now + timedelta(seconds=memory.refresh)
    worth = timedelta(seconds=memory.refresh * _WORTH_WRITING)
    return until if until - memory.expires_at >= worth else None

"""Sessions of browsers and WebSockets, and the threads that they are bound to."""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta

from msgspec.structs import replace

from recuerdo.caching.tiered import TypedCache
from recuerdo.core.cache_ports import CacheTier
from recuerdo.core.caches import LIVES, CacheKey, Life, asking
from recuerdo.core.contexts import Session
from recuerdo.core.errors import CacheUnavailable, NotFound, Unavailable
from recuerdo.core.identifiers import derived_id, new_id
from recuerdo.core.ports import Clock, SessionRepository
from recuerdo.core.scope import Owner, check_id

_AHEAD = timedelta(minutes=5)
"""A renewal lasts this much longer than its life, so that a busy session is not written with each message.

It is also the longest time for which a cached copy is used without checking the database.
"""

_Decide = Callable[[Session | None], Session]


class Sessions:
    """Binds sessions to threads, for some time after the last use and some time at most: an hour and a day, unless the
    settings say otherwise.

    The database decides who owns a session. A `shared` cache answers until the session must be renewed; another cache
    answers only while the database is down.
    """

    def __init__(
        self,
        repository: SessionRepository,
        cache: CacheTier,
        clock: Clock,
        *,
        shared: bool,
        life: Life = LIVES["session"],
    ) -> None:
        self._repository = repository
        self._cache = TypedCache(cache, Session)
        self._clock = clock
        self._shared = shared
        self._life, self._longest = (timedelta(seconds=each) for each in life)

    async def bind(
        self, owner: Owner, session_id: str, thread_id: str | None = None, assistant_id: str | None = None
    ) -> Session:
        """The owner's session, bound to the given thread, else to its previous one, else to one of its own.

        Raises InvalidInput, NotFound if it is another user's, and Unavailable if neither database nor cache has it.
        """
        check_id("session_id", session_id)
        own = derived_id(owner.tenant, owner.user, session_id)
        thread = owner.thread(thread_id or own).thread

        def decide(found: Session | None) -> Session:
            known = self._of(owner, session_id, found)
            if known is None:
                return self._begun(owner, session_id, thread, assistant_id or "recuerdo")
            return replace(
                self._renewed(known),
                thread=thread if thread_id else known.thread,
                assistant_id=assistant_id or known.assistant_id,
            )

        return await self._decide(owner, session_id, decide)

    async def renew(self, session: Session) -> Session:
        """Renew the session, in its current thread; an expired session starts again.

        Does nothing if it was renewed recently. Raises NotFound if it belongs to another user now, and Unavailable.
        """
        if not self._is_due(session):
            return session

        def decide(found: Session | None) -> Session:
            known = self._of(session.owner, session.session, found)
            if known is None:
                return self._begun(session.owner, session.session, session.thread, session.assistant_id)
            return self._renewed(known)

        return await self._decide(session.owner, session.session, decide)

    async def erase(self, owner: Owner) -> int:
        """Delete all sessions of the owner, also from the cache. Returns their number."""
        gone = await self._repository.erase(owner)
        if gone:
            with suppress(CacheUnavailable):  # copies contain only ids, and are used for _AHEAD at most
                await self._cache.delete(*[_key(owner.tenant, each) for each in gone])
        return len(gone)

    async def _decide(self, owner: Owner, session_id: str, decide: _Decide) -> Session:
        asked_before = asking.set(owner.tenant)
        try:
            return await self._decided(owner.tenant, session_id, decide)
        finally:
            asking.reset(asked_before)

    async def _decided(self, tenant: str, session_id: str, decide: _Decide) -> Session:
        """Apply `decide`: to the cached session if that changes nothing, otherwise to the stored one."""
        key = _key(tenant, session_id)

        async def load() -> Session:
            found = await self._repository.find(tenant, session_id)
            is_alive = found is not None and found.expires_at > self._clock()
            return found if found is not None and is_alive else await self._store(tenant, session_id, decide)

        known = await self._cache.load(key, load) if self._shared else None
        if known is not None and decide(known) == known:
            return known
        try:
            session = await self._store(tenant, session_id, decide)
        except Unavailable:
            known = known or await self._cache.get(key)
            if known is None or known.expires_at <= self._clock():
                raise
            return decide(known)
        with suppress(CacheUnavailable):
            await self._cache.set(key, session)
        return session

    async def _store(self, tenant: str, session_id: str, decide: _Decide) -> Session:
        while True:
            found = await self._repository.find(tenant, session_id)
            session = decide(found)
            if session == found:
                return session
            session = replace(session, stamp=new_id())
            if await self._repository.save(session, found):
                return session

    def _of(self, owner: Owner, session_id: str, found: Session | None) -> Session | None:
        """The found session if it belongs to the owner; None if the id is free."""
        if found is None or found.expires_at <= self._clock():
            return None
        if found.owner != owner:
            raise NotFound("session", session_id)
        return found

    def _begun(self, owner: Owner, session_id: str, thread: str, assistant_id: str) -> Session:
        now = self._clock()
        return Session(
            owner.tenant, owner.user, session_id, thread, assistant_id, now, now + self._life + _AHEAD, new_id()
        )

    def _renewed(self, session: Session) -> Session:
        if not self._is_due(session):
            return session
        return replace(session, expires_at=min(self._clock() + self._life + _AHEAD, self._end(session)))

    def _end(self, session: Session) -> datetime:
        return session.began_at + self._longest

    def _is_due(self, session: Session) -> bool:
        return session.expires_at < min(self._clock() + self._life, self._end(session))


def _key(tenant: str, session_id: str) -> CacheKey:
    return CacheKey(tenant, "session", session_id)

"""Sessions: which thread a browser's or a WebSocket's session is in, for every replica."""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta

from msgspec.structs import replace

from recuerdo.caching.typed import TypedCache
from recuerdo.core.cache_ports import CacheTier
from recuerdo.core.caches import CacheKey, asking
from recuerdo.core.contexts import Session
from recuerdo.core.errors import CacheUnavailable, NotFound, Unavailable
from recuerdo.core.identifiers import derived_id, new_id
from recuerdo.core.ports import Clock, SessionRepository
from recuerdo.core.scope import Owner, check_id

LIFE = timedelta(hours=1)
"""How long a session lives at least from its last use on, within its longest life."""

LONGEST = timedelta(days=1)

_AHEAD = timedelta(minutes=5)
"""So much longer than LIFE a renewal lasts: a busy session is written once in that time, not with each message.

A cached copy is used no longer than that without a look into the database.
"""

_NAMESPACE = "sessions"
"""Sessions are known before anybody knows whose they are, so they stand under a name of their own, not a tenant's."""

_Decide = Callable[[Session | None], Session]


class Sessions:
    """Binds sessions to threads: an hour from when one was last used, and a day in all.

    A session belongs to who began it, as the database has it. The cache answers for it until it has to be renewed, if
    it is `shared` by all replicas; else it only answers while the database is away.
    """

    def __init__(self, repository: SessionRepository, cache: CacheTier, clock: Clock, *, shared: bool) -> None:
        self._repository = repository
        self._cache = TypedCache(cache, Session)
        self._clock = clock
        self._shared = shared

    async def bind(
        self, owner: Owner, session_id: str, thread_id: str | None = None, assistant_id: str | None = None
    ) -> Session:
        """The owner's session, in the thread if one is named, else in the one that it was in, or in one of its own.

        Raises InvalidInput, NotFound when it is somebody else's, and Unavailable when neither database nor cache knows.
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
        """Note that the session is used. It stays in the thread that it is in by now; one that has expired begins anew.

        Costs nothing as long as the session was renewed a moment ago. Raises NotFound when it is somebody else's by
        now, and Unavailable.
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
        """Remove all of the owner's sessions, from the cache too. Returns how many there were."""
        gone = await self._repository.erase(owner)
        if gone:
            with suppress(CacheUnavailable):  # the copies hold ids alone, and are used no longer than _AHEAD
                await self._cache.delete(*map(_key, gone))
        return len(gone)

    async def _decide(self, owner: Owner, session_id: str, decide: _Decide) -> Session:
        asked_before = asking.set(owner.tenant)
        try:
            return await self._decided(session_id, decide)
        finally:
            asking.reset(asked_before)

    async def _decided(self, session_id: str, decide: _Decide) -> Session:
        """What is decided on the session: from the cache where nothing of it changes, else it is stored."""
        key = _key(session_id)

        async def load() -> Session:
            found = await self._repository.find(session_id)
            is_alive = found is not None and found.expires_at > self._clock()
            return found if found is not None and is_alive else await self._store(session_id, decide)

        known = await self._cache.load(key, load) if self._shared else None
        if known is not None and decide(known) == known:
            return known
        try:
            session = await self._store(session_id, decide)
        except Unavailable:
            known = known or await self._cache.get(key)
            if known is None or known.expires_at <= self._clock():
                raise
            return decide(known)
        with suppress(CacheUnavailable):
            await self._cache.set(key, session)
        return session

    async def _store(self, session_id: str, decide: _Decide) -> Session:
        while True:
            found = await self._repository.find(session_id)
            session = decide(found)
            if session == found:
                return session
            session = replace(session, stamp=new_id())
            if await self._repository.save(session, found):
                return session

    def _of(self, owner: Owner, session_id: str, found: Session | None) -> Session | None:
        """The session that was found, if it is the owner's; None if anybody may begin it."""
        if found is None or found.expires_at <= self._clock():
            return None
        if found.owner != owner:
            raise NotFound("session", session_id)
        return found

    def _begun(self, owner: Owner, session_id: str, thread: str, assistant_id: str) -> Session:
        now = self._clock()
        return Session(owner.tenant, owner.user, session_id, thread, assistant_id, now, now + LIFE + _AHEAD, new_id())

    def _renewed(self, session: Session) -> Session:
        if not self._is_due(session):
            return session
        return replace(session, expires_at=min(self._clock() + LIFE + _AHEAD, _end(session)))

    def _is_due(self, session: Session) -> bool:
        return session.expires_at < min(self._clock() + LIFE, _end(session))


def _end(session: Session) -> datetime:
    return session.began_at + LONGEST


def _key(session_id: str) -> CacheKey:
    return CacheKey(_NAMESPACE, "session", session_id)

"""Sessions: which thread a browser's or a WebSocket's session is in, for every replica."""

import msgspec

from recuerdo.caching.typed import TypedCache
from recuerdo.core.cache_ports import CacheTier
from recuerdo.core.caches import CacheKey
from recuerdo.core.contexts import Session
from recuerdo.core.errors import CacheUnavailable, NotFound
from recuerdo.core.identifiers import derived_id
from recuerdo.core.scope import Owner, check_id

_NAMESPACE = "sessions"
"""Sessions are known before anybody knows whose they are, so they stand under a name of their own, not a tenant's."""


class Sessions:
    """Binds sessions to threads: an hour from when one was last used, and a day in all.

    A session belongs to who began it. While the shared cache is away each process knows only what it is told.
    """

    def __init__(self, cache: CacheTier) -> None:
        self._sessions = TypedCache(cache, Session)

    async def bind(
        self, owner: Owner, session_id: str, thread_id: str | None = None, assistant_id: str | None = None
    ) -> Session:
        """The owner's session, in the thread if one is named, else in the one that it was in, or in one of its own.

        Raises NotFound when it is somebody else's, and InvalidInput.
        """
        check_id("session_id", session_id)
        key = CacheKey(_NAMESPACE, "session", session_id)
        thread = owner.thread(thread_id or derived_id(owner.tenant, owner.user, session_id)).thread
        wanted = Session(owner.tenant, owner.user, session_id, thread, assistant_id or "recuerdo")

        async def begin() -> Session:
            return wanted

        known = await self._sessions.load(key, begin)
        if known.owner != owner:
            raise NotFound("session", session_id)
        moved = msgspec.structs.replace(
            known, thread=thread if thread_id else known.thread, assistant_id=assistant_id or known.assistant_id
        )
        if moved != known:
            await self._move(key, moved)
        return moved

    async def _move(self, key: CacheKey, moved: Session) -> None:
        """Unless it has become somebody else's meanwhile."""
        try:
            await self._sessions.update(key, lambda known: moved if known.owner == moved.owner else known)
        except CacheUnavailable:  # the connection goes on in the thread that it names
            return

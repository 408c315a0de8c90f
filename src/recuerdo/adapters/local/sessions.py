"""Sessions in the memory of one process."""

from collections.abc import Sequence
from datetime import datetime

from recuerdo.adapters.local.connection import LocalDatabase
from recuerdo.core.contexts import Session
from recuerdo.core.scope import Owner


class LocalSessions:
    """The SessionRepository of one process."""

    def __init__(self, database: LocalDatabase) -> None:
        self._sessions = database.sessions

    async def find(self, session_id: str) -> Session | None:
        """See SessionRepository."""
        return self._sessions.get(session_id)

    async def save(self, session: Session, instead_of: Session | None) -> bool:
        """See SessionRepository."""
        found = self._sessions.get(session.session)
        is_expected = (found and found.stamp) == (instead_of and instead_of.stamp)
        if is_expected:
            self._sessions[session.session] = session
        return is_expected

    async def erase(self, owner: Owner) -> Sequence[str]:
        """See SessionRepository."""
        return self._remove([each for each in self._sessions.values() if each.owner == owner])

    async def sweep(self, now: datetime, limit: int) -> int:
        """See SessionRepository."""
        expired = [each for each in self._sessions.values() if each.expires_at <= now]
        return len(self._remove(expired[:limit]))

    def _remove(self, sessions: Sequence[Session]) -> list[str]:
        for each in sessions:
            del self._sessions[each.session]
        return [each.session for each in sessions]

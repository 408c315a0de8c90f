"""API keys and sessions in the memory of one process."""

from collections.abc import Sequence
from datetime import datetime

from msgspec.structs import replace

from recuerdo.adapters.local.connection import LocalDatabase
from recuerdo.core.api_keys import ApiKey
from recuerdo.core.contexts import Session
from recuerdo.core.ports import ApiKeyRepository, SessionRepository
from recuerdo.core.scope import Owner


class LocalApiKeys(ApiKeyRepository):
    """API keys, in this process."""

    def __init__(self, database: LocalDatabase) -> None:
        self._keys = database.api_keys

    async def add(self, key: ApiKey) -> None:
        self._keys[key.digest] = key

    async def find(self, digest: bytes) -> ApiKey | None:
        return self._keys.get(digest)

    async def select(self, tenant: str, user: str | None, limit: int) -> list[ApiKey]:
        keys = [key for key in self._keys.values() if key.owner.tenant == tenant and user in (None, key.owner.user)]
        keys.sort(key=lambda key: key.id)
        return sorted(keys, key=lambda key: key.created_at, reverse=True)[:limit]

    async def get(self, tenant: str, key_id: str) -> ApiKey | None:
        return next((key for key in self._keys.values() if (key.owner.tenant, key.id) == (tenant, key_id)), None)

    async def rotate(self, old_id: str, new: ApiKey, until: datetime) -> bool:
        old = await self.get(new.owner.tenant, old_id)
        if old is None or old.revoked_at or old.replaced_by:
            return False
        self._keys[old.digest] = replace(old, replaced_by=new.id, expires_at=min(old.expires_at or until, until))
        self._keys[new.digest] = new
        return True

    async def mark_used(self, tenant: str, key_id: str, at: datetime) -> None:
        key = await self.get(tenant, key_id)
        if key is not None:
            self._keys[key.digest] = replace(key, last_used_at=max(key.last_used_at or at, at))

    async def revoke(self, tenant: str, key_id: str, at: datetime) -> bool:
        key = await self.get(tenant, key_id)
        if key is not None:
            self._keys[key.digest] = replace(key, revoked_at=key.revoked_at or at)
        return key is not None

    async def erase(self, owner: Owner) -> int:
        gone = [digest for digest, key in self._keys.items() if key.owner == owner]
        for digest in gone:
            del self._keys[digest]
        return len(gone)


class LocalSessions(SessionRepository):
    """The SessionRepository of one process."""

    def __init__(self, database: LocalDatabase) -> None:
        self._sessions = database.sessions

    async def find(self, tenant: str, session_id: str) -> Session | None:
        return self._sessions.get((tenant, session_id))

    async def save(self, session: Session, instead_of: Session | None) -> bool:
        found = self._sessions.get((session.tenant, session.session))
        is_expected = (found and found.stamp) == (instead_of and instead_of.stamp)
        if is_expected:
            self._sessions[session.tenant, session.session] = session
        return is_expected

    async def erase(self, owner: Owner) -> Sequence[str]:
        return self._remove([each for each in self._sessions.values() if each.owner == owner])

    async def sweep(self, now: datetime, limit: int) -> int:
        expired = [each for each in self._sessions.values() if each.expires_at <= now]
        return len(self._remove(expired[:limit]))

    def _remove(self, sessions: Sequence[Session]) -> list[str]:
        for each in sessions:
            del self._sessions[each.tenant, each.session]
        return [each.session for each in sessions]

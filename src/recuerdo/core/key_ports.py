"""What authentication needs from outside."""

from datetime import datetime
from typing import Protocol

from recuerdo.core.api_keys import ApiKey


class ApiKeyRepository(Protocol):
    """API keys. Whose one is, is asked before anybody knows the tenant: the digest of the secret is the only way in."""

    async def add(self, key: ApiKey) -> None:
        """Store a new key."""
        ...

    async def find(self, digest: bytes) -> ApiKey | None:
        """The key of this digest, of whatever tenant, and revoked or expired ones too."""
        ...

    async def select(self, tenant: str, user: str | None, limit: int) -> list[ApiKey]:
        """The tenant's keys, or one user's of them, the latest first."""
        ...

    async def revoke(self, tenant: str, key_id: str, at: datetime) -> bool:
        """Let the key be good for nothing from now on; the time of the first revocation stays. False: no such key."""
        ...

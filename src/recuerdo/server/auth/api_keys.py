"""API keys as they are presented: looked up in the database, and remembered for a moment."""

import time
from collections import OrderedDict
from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple

from recuerdo.core.api_keys import ApiKey, digest_of
from recuerdo.core.errors import DatabaseUnavailable, Unauthenticated
from recuerdo.core.ports import ApiKeyRepository
from recuerdo.server.auth.principal import Principal

FRESH_SECONDS = 2.0
"""How long a key is believed without asking again: so long after it was revoked it may still be used."""

STALE_SECONDS = 300.0
"""How long a key that was good is believed while the database does not answer."""

MOST_CHARACTERS = 255
_MOST_KNOWN = 10_000


class _CachedKey(NamedTuple):
    key: ApiKey
    at: float


class PresentedKeys:
    """Finds out whose a secret is. Only keys that exist are remembered, so that guesses fill nothing."""

    def __init__(self, repository: ApiKeyRepository, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._repository = repository
        self._clock = clock
        self._known: OrderedDict[bytes, _CachedKey] = OrderedDict()

    async def read(self, secret: str) -> Principal:
        """Whom the key acts as. Raises Unauthenticated when it is none, or none any more, and DatabaseUnavailable."""
        key = await self._find(digest_of(secret)) if len(secret) <= MOST_CHARACTERS else None
        if key is None or not key.is_good(datetime.now(UTC)):
            raise Unauthenticated("The API key is not known here: it was never made, was revoked, or has expired.")
        return Principal(key.owner, key.role, key.tier)

    async def _find(self, digest: bytes) -> ApiKey | None:
        known, now = self._known.get(digest), self._clock()
        if known is not None and now - known.at < FRESH_SECONDS:
            return known.key
        try:
            key = await self._repository.find(digest)
        except DatabaseUnavailable:
            if known is not None and now - known.at < STALE_SECONDS:
                return known.key
            raise
        self._remember(digest, key, now)
        return key

    def _remember(self, digest: bytes, key: ApiKey | None, now: float) -> None:
        self._known.pop(digest, None)
        if key is not None:
            self._known[digest] = _CachedKey(key, now)
        if len(self._known) > _MOST_KNOWN:
            self._known.popitem(last=False)

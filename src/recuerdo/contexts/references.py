"""References to execution contexts, to be handed on with actions: unguessable, for one tenant and one audience."""

import secrets

import msgspec

from recuerdo.caching.typed import TypedCache
from recuerdo.core.actions import Audience
from recuerdo.core.cache_ports import CacheTier
from recuerdo.core.caches import CacheKey
from recuerdo.core.contexts import ExecutionContext

_RANDOM_BYTES = 32


class _Referred(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    audience: Audience
    context: ExecutionContext


class ContextReferences:
    """Gives contexts out by reference. A reference lives as long as contexts do, and may be lost before."""

    def __init__(self, cache: CacheTier) -> None:
        self._contexts = TypedCache(cache, _Referred)

    async def refer(self, context: ExecutionContext, audience: Audience) -> str:
        """A key that leads to the context, as it is now. Raises CacheUnavailable."""
        key = secrets.token_urlsafe(_RANDOM_BYTES)
        await self._contexts.set(_cache_key(context.tenant, key), _Referred(audience, context))
        return key

    async def resolve(self, tenant: str, audience: Audience, key: str) -> ExecutionContext | None:
        """The context; None when the key is not known, any more or at all, or is for another tenant or audience."""
        found = await self._contexts.get(_cache_key(tenant, key))
        if found is None or found.audience != audience or found.context.tenant != tenant:
            return None
        return found.context


def _cache_key(tenant: str, key: str) -> CacheKey:
    return CacheKey(tenant, "context", f"reference {key}")

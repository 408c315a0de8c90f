"""References to execution contexts for actions: unguessable, for one tenant and one queue."""

import secrets

import msgspec

from recuerdo.caching.tiered import TypedCache
from recuerdo.core.actions import Queue
from recuerdo.core.cache_ports import CacheTier
from recuerdo.core.caches import CacheKey
from recuerdo.core.contexts import ExecutionContext
from recuerdo.core.identifiers import digest

_RANDOM_BYTES = 32


class _Referred(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    audience: Queue
    context: ExecutionContext


class ContextReferences:
    """Stores contexts under references, which expire like contexts and may be lost earlier."""

    def __init__(self, cache: CacheTier) -> None:
        self._contexts = TypedCache(cache, _Referred)

    async def refer(self, context: ExecutionContext, queue: Queue) -> str:
        """Store the context and return its key. Raises CacheUnavailable."""
        key = prefix_of(context.user) + secrets.token_urlsafe(_RANDOM_BYTES)
        await self._contexts.set(_cache_key(context.tenant, key), _Referred(queue, context))
        return key

    async def resolve(self, tenant: str, queue: Queue, key: str) -> ExecutionContext | None:
        """The context; None if the key is unknown, expired, or for another tenant or queue."""
        found = await self._contexts.get(_cache_key(tenant, key))
        if found is None or found.audience != queue or found.context.tenant != tenant:
            return None
        return found.context


def prefix_of(user: str) -> str:
    """How the resources of a user's entries begin, so that they can be erased."""
    return f"{digest(user)} "


def _cache_key(tenant: str, key: str) -> CacheKey:
    return CacheKey(tenant, "context", f"{key} reference")

"""Execution contexts: enriched once, cached, and invalidated on every replica at once."""

from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache

import msgspec
from msgspec.structs import replace

from recuerdo.caching.tiered import TypedCache
from recuerdo.contexts.references import ContextReferences, prefix_of
from recuerdo.contexts.settings import ContextChange, read_headers
from recuerdo.core.actions import ActionEnvelope
from recuerdo.core.cache_ports import CacheTier
from recuerdo.core.caches import CacheKey
from recuerdo.core.contexts import MOST_BYTES, ExecutionContext, Headers, context_of
from recuerdo.core.errors import CacheUnavailable, InvalidInput, RecuerdoError
from recuerdo.core.graph_ports import ContextWatch, EnrichmentSource
from recuerdo.core.identifiers import digest
from recuerdo.core.ports import Clock
from recuerdo.core.scope import Owner, Scope, check_id

_EVERYTHING = "contexts"
"""The cache group of all contexts of a tenant."""


class Contexts:
    """Execution contexts of all tenants, one per thread and assistant.

    A context expires some time after its last use, and some time after its creation: 30 minutes and 12 hours, unless
    the settings say otherwise. If the shared cache is down, conversations continue and are enriched more often.
    """

    def __init__(
        self, cache: CacheTier, source: EnrichmentSource, clock: Clock, *, watch: ContextWatch | None = None
    ) -> None:
        self._cache = TypedCache(cache, ExecutionContext)
        references = ContextReferences(cache)
        self.refer = references.refer
        self.referred = references.resolve
        self._clock = clock
        self.source = source
        self.watch = watch or _Unwatched()
        self.stands_for: Mapping[str, str] = {}
        """Assistants' ids by their aliases."""

    async def get_or_create(
        self,
        scope: Scope,
        assistant_id: str,
        headers: Headers | None = None,
        *,
        role: str = "user",
        tier: str | None = None,
        session: str | None = None,
    ) -> ExecutionContext:
        """The context of the thread with the assistant, enriched if necessary, with the headers' values.

        `role` and `tier` are the credential's. Concurrent first callers share one enrichment. Raises
        NotFound and Unavailable as the source does, Forbidden and InvalidInput for headers, and InvalidInput for a
        context that is too large.
        """
        change = read_headers(headers, role) if headers else None
        assistant_id = self.meant(assistant_id)
        key = _key(scope, assistant_id)

        async def enrich() -> ExecutionContext:
            return await self._enrich(scope, assistant_id)

        context = await self._cache.load(key, enrich)
        if context.stale:  # the next message enriches again
            with suppress(CacheUnavailable):
                await self._cache.delete(key)
        self.watch.resolved(context, (self._clock() - context.created_at).total_seconds())
        if change:
            context = await self._changed(key, context, change)
        return replace(context, tier=tier, session=session) if tier or session else context

    def meant(self, assistant_id: str) -> str:
        """The id of the assistant that answers where this one is named."""
        return self.stands_for.get(assistant_id, assistant_id)

    async def update(
        self, scope: Scope, assistant_id: str, headers: Headers, *, role: str = "user"
    ) -> ExecutionContext | None:
        """Set the headers' values in the context, for every replica; None if there is no context.

        Unknown headers are ignored. Raises Forbidden, InvalidInput, or CacheUnavailable.
        """
        change = read_headers(headers, role)
        return await self._cache.update(
            _key(scope, self.meant(assistant_id)), lambda context: _checked(change(context))
        )

    async def resolve(self, action: ActionEnvelope) -> ExecutionContext:
        """The context to do the action with: the one that it refers to, else the one that its own fields make."""
        key = action.context_reference_key
        found = await self.referred(action.tenant, action.queue, key) if key else None
        return found or action.own_context

    async def invalidate(self, scope: Scope, assistant_id: str) -> None:
        """Delete the thread's context: the next message enriches again. Raises CacheUnavailable."""
        await self._cache.delete(_key(scope, self.meant(assistant_id)))
        self.watch.invalidated(scope.tenant, "one")

    async def invalidate_assistant(self, tenant: str, assistant_id: str) -> None:
        """Invalidate all contexts of the assistant, on every replica when it returns. Raises CacheUnavailable."""
        check_id("assistant_id", assistant_id)
        await self._cache.forget(tenant, _group(self.meant(assistant_id)))
        self.watch.invalidated(tenant, "assistant")

    async def invalidate_tenant(self, tenant: str) -> None:
        """Invalidate all contexts of the tenant, on every replica when it returns. Raises CacheUnavailable."""
        await self._cache.forget(tenant, _EVERYTHING)
        self.watch.invalidated(tenant, "tenant")

    async def erase(self, owner: Owner) -> int:
        """Remove all contexts of the owner, and what actions refer to, from all caches. Raises CacheUnavailable."""
        return await self._cache.remove(owner.tenant, prefix_of(owner.user))

    async def _enrich(self, scope: Scope, assistant_id: str) -> ExecutionContext:
        try:
            enrichment = await self.source.enrich(scope.owner, assistant_id)
        except RecuerdoError as error:
            self.watch.enriched(scope.tenant, type(error).__name__)
            raise
        self.watch.enriched(scope.tenant, "stale" if enrichment.stale else "fresh")
        return _checked(context_of(scope, enrichment, self._clock()))

    async def _changed(self, key: CacheKey, context: ExecutionContext, change: ContextChange) -> ExecutionContext:
        wanted = change(context)
        if wanted == context:
            return context
        _checked(wanted)  # the caller learns that it is too large even if it can't be stored
        with suppress(CacheUnavailable):
            await self._cache.update(key, lambda kept: _checked(change(kept)))
        return wanted


class _Unwatched:
    """The ContextWatch that does nothing."""

    def resolved(self, context: ExecutionContext, age: float) -> None:
        """See ContextWatch."""

    def enriched(self, tenant: str, outcome: str) -> None:
        """See ContextWatch."""

    def invalidated(self, tenant: str, what: str) -> None:
        """See ContextWatch."""


@lru_cache(10_000)
def _key(scope: Scope, assistant_id: str) -> CacheKey:
    check_id("assistant_id", assistant_id)
    resource = prefix_of(scope.user) + digest(scope.thread, assistant_id)
    return CacheKey(scope.tenant, "context", resource, (_EVERYTHING, _group(assistant_id)))


def _group(assistant_id: str) -> str:
    return f"assistant {assistant_id}"


def _checked(context: ExecutionContext) -> ExecutionContext:
    size = len(msgspec.json.encode(context))
    if size > MOST_BYTES:
        raise InvalidInput(
            "assistant_id",
            f"its execution context takes {size} bytes, and may take {MOST_BYTES}: shorten the prompts or the "
            "metadata of the assistant",
        )
    return context

"""The contexts of threads: enriched once, kept in the caches, invalidated on every replica at once."""

from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import lru_cache
from typing import Any

import msgspec
from msgspec.structs import replace

from recuerdo.caching.keys import digest
from recuerdo.contexts.settings import Change, read_settings
from recuerdo.core.cache_ports import CacheTier
from recuerdo.core.caches import CacheKey, Items
from recuerdo.core.context_ports import ContextWatch, EnrichmentSource, NobodyWatches
from recuerdo.core.contexts import MOST_BYTES, ExecutionContext, Headers, context_of
from recuerdo.core.errors import CacheUnavailable, InvalidInput, RecuerdoError
from recuerdo.core.ports import Clock
from recuerdo.core.scope import Scope, check_id

_EVERYTHING = "contexts"
"""The group that all contexts of a tenant are in."""

_Enrich = Callable[[], Coroutine[Any, Any, Items]]

_decoder = msgspec.json.Decoder(ExecutionContext)


class Contexts:
    """Execution contexts of all tenants: one a thread and assistant.

    A context lives 30 minutes from when it was last asked for, and 12 hours in all. Without the shared cache
    conversations go on, and are enriched more often.
    """

    def __init__(
        self,
        cache: CacheTier,
        source: EnrichmentSource,
        clock: Clock,
        *,
        watch: ContextWatch | None = None,
    ) -> None:
        self._cache = cache
        self._source = source
        self._clock = clock
        self._watch = watch or NobodyWatches()

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
        """The context of the thread with the assistant, enriched if it is not known, and with what the headers set.

        `role` and `tier` are the credential's. Callers who come first at the same time share one enrichment. Raises
        NotFound and Unavailable as the source does, Forbidden and InvalidInput for headers, and InvalidInput for a
        context that is too large.
        """
        change = read_settings(headers, role) if headers else None
        key = _key(scope, assistant_id)

        async def enrich() -> Items:
            return await self._enrich(scope, assistant_id)

        items = await self._cache.load(key, enrich)
        context = _context(items)
        if context is None:
            items, context = await self._load_anew(key, enrich)
        if context.stale:  # the next message asks again
            with suppress(CacheUnavailable):
                await self._cache.delete(key)
        self._watch.resolved(len(items[0]), (self._clock() - context.created_at).total_seconds())
        if change:
            context = await self._changed(key, context, change)
        return replace(context, tier=tier, session=session) if tier or session else context

    async def update(
        self, scope: Scope, assistant_id: str, headers: Headers, *, role: str = "user"
    ) -> ExecutionContext | None:
        """The context with what the headers set, for every replica; None where there is none, and then nothing is made.

        Only known headers, and only those that the role may send. Raises Forbidden, InvalidInput, or CacheUnavailable.
        """
        change = read_settings(headers, role)
        items = await self._cache.update(_key(scope, assistant_id), lambda items: _change_items(items, change))
        return None if items is None else _context(items)

    async def invalidate(self, scope: Scope, assistant_id: str) -> None:
        """Forget the thread's context: the next message is enriched anew. Raises CacheUnavailable."""
        await self._cache.delete(_key(scope, assistant_id))
        self._watch.invalidated("one")

    async def invalidate_assistant(self, tenant: str, assistant_id: str) -> None:
        """Forget all contexts of the tenant's assistant, on every replica when it returns. Raises CacheUnavailable."""
        check_id("assistant_id", assistant_id)
        await self._cache.forget(tenant, _group(assistant_id))
        self._watch.invalidated("assistant")

    async def invalidate_tenant(self, tenant: str) -> None:
        """Forget all contexts of the tenant, on every replica when it returns. Raises CacheUnavailable."""
        await self._cache.forget(tenant, _EVERYTHING)
        self._watch.invalidated("tenant")

    async def _enrich(self, scope: Scope, assistant_id: str) -> Items:
        try:
            enrichment = await self._source.enrich(scope.owner, assistant_id)
        except RecuerdoError as error:
            self._watch.enriched(type(error).__name__)
            raise
        self._watch.enriched("stale" if enrichment.stale else "fresh")
        return _encode(context_of(scope, enrichment, self._clock()))

    async def _load_anew(self, key: CacheKey, enrich: _Enrich) -> tuple[Items, ExecutionContext]:
        """Instead of a context that another version of ours has written."""
        with suppress(CacheUnavailable):
            await self._cache.delete(key)
        items = await self._cache.load(key, enrich)
        context = _context(items)
        if context is None:
            items = await enrich()
            context = _decoder.decode(items[0])
        return items, context

    async def _changed(self, key: CacheKey, context: ExecutionContext, change: Change) -> ExecutionContext:
        wanted = change(context)
        if wanted == context:
            return context
        _encode(wanted)  # too large is said to the caller, whether or not it can be kept
        with suppress(CacheUnavailable):
            await self._cache.update(key, lambda items: _change_items(items, change))
        return wanted


@lru_cache(10_000)
def _key(scope: Scope, assistant_id: str) -> CacheKey:
    check_id("assistant_id", assistant_id)
    resource = digest(scope.user, scope.thread, assistant_id)
    return CacheKey(scope.tenant, "context", resource, (_EVERYTHING, _group(assistant_id)))


def _group(assistant_id: str) -> str:
    return f"assistant {assistant_id}"


def _encode(context: ExecutionContext) -> Items:
    body = msgspec.json.encode(context)
    if len(body) > MOST_BYTES:
        raise InvalidInput(
            "assistant_id",
            f"its execution context takes {len(body)} bytes, and may take {MOST_BYTES}: shorten the prompts or the "
            "metadata of the assistant",
        )
    return (body,)


def _change_items(items: Items, change: Change) -> Items:
    context = _context(items)
    return items if context is None else _encode(change(context))


def _context(items: Items) -> ExecutionContext | None:
    try:
        return _decoder.decode(items[0])
    except (msgspec.MsgspecError, IndexError):
        return None

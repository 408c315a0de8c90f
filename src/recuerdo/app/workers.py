"""The composition root for workers: what this process does of the work that is handed over."""

import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

from recuerdo.adapters.cache_tier import open_cache_tier
from recuerdo.app.recuerdo import Recuerdo
from recuerdo.contexts.references import ContextReferences
from recuerdo.core.actions import Audience
from recuerdo.core.cache_ports import CacheTier
from recuerdo.observability.actions import CountedActions
from recuerdo.observability.metrics import Metrics

_log = logging.getLogger(__name__)


@asynccontextmanager
async def working(
    memory: Recuerdo,
    queues: Sequence[Audience],
    tier: CacheTier,
    *,
    concurrency: int = 10,
    metrics: Metrics | None = None,
) -> AsyncGenerator[None]:
    """Take actions from the queues inside the block; behind it those under way are handed back.

    Contexts that actions refer to are in `tier`.
    """
    from recuerdo.agents.action_handlers import action_handlers

    if memory.documents is None and queues:
        _log.warning(
            "This database keeps no actions: what is handed over lies in this process alone, and is lost when it ends. "
            "Use postgresql:// or sqlite:// where that matters."
        )
    worker = memory.worker
    worker.concurrency = concurrency
    worker.resolve = ContextReferences(tier).resolve
    worker.watch = CountedActions(metrics) if metrics else None
    duties = dict(action_handlers(lambda: memory.chat, memory.embedder, memory.actions.result))
    if memory.learning is not None:
        duties["memory"] = memory.learning.do
    for audience in queues:
        if audience in duties:
            worker.take(audience, duties[audience])
    try:
        yield
    finally:
        await worker.aclose()


@asynccontextmanager
async def working_alone(
    memory: Recuerdo, queues: Sequence[Audience], cache: str | None, *, concurrency: int
) -> AsyncGenerator[None]:
    """The same in a process that does nothing else; contexts are in the shared cache, if there is one.

    Raises MissingExtra or ConfigurationError when its model can't be had.
    """
    if not {"agent", "query"}.isdisjoint(queues):
        _ = memory.chat  # what is slow to import, or wrong, shows before the first action
    async with open_cache_tier(cache) as tier, working(memory, queues, tier, concurrency=concurrency):
        yield

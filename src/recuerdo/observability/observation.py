"""Wrap parts of Recuerdo in measuring ones if there are metrics."""

from collections.abc import Callable

from recuerdo.core.cache_ports import HistoryCache
from recuerdo.core.caches import CacheKey, asking
from recuerdo.core.ports import ChatModel, HistoryRepository
from recuerdo.observability.metrics import Metrics
from recuerdo.observability.observed import ObservedCache, ObservedDatabase, ObservedModel, ObservedReads, Reads


class Observation:
    """Used by the composition root. Each method returns its argument, measured if there are metrics."""

    def __init__(self, metrics: Metrics | None) -> None:
        self._metrics = metrics

    def database(self, repository: HistoryRepository) -> HistoryRepository:
        """Measure the database, below every cache."""
        return ObservedDatabase(repository, self._metrics) if self._metrics else repository

    def cache(self, cache: HistoryCache | None) -> HistoryCache | None:
        """Measure the shared cache, if there is one."""
        return ObservedCache(cache, self._metrics) if self._metrics and cache is not None else cache

    def outages(self, failures: Callable[[], int], stale: Callable[[], int]) -> None:
        """Export the shared cache's failed calls, and the threads with outdated entries."""
        if self._metrics:
            self._metrics.watch_counter("cache_failures", "Shared cache calls that timed out or failed.", failures)
            self._metrics.watch_gauge(
                "cache_stale_threads", "Threads with outdated entries in the shared cache.", stale
            )

    def looks(self, key: CacheKey, tier: str, found: bool) -> None:
        """Count a lookup in a tier; see TieredCache."""
        if self._metrics:
            tenant = self._metrics.tenant(asking.get() or key.tenant)
            (self._metrics.hits if found else self._metrics.misses).of(key.data, tier, *tenant).inc()

    def reads(self, cached: Reads) -> Reads:
        """Measure reads as callers see them, above every cache."""
        return ObservedReads(cached, self._metrics) if self._metrics else cached

    def model(self, model: ChatModel) -> ChatModel:
        """Measure the chat model."""
        return ObservedModel(model, self._metrics) if self._metrics else model

    def spool(self, depth: Callable[[], int], refused: Callable[[], int]) -> None:
        """Export the spool's waiting appends, and those refused after they were acknowledged."""
        if self._metrics:
            self._metrics.watch_gauge("spool_depth", "Appends in the spool.", depth)
            self._metrics.watch_counter(
                "spool_refused", "Appends refused by the database after the spool had acknowledged them.", refused
            )

    def repairs(self, repairs: Callable[[], int]) -> None:
        """Export the number of outdated cache entries that the sweeper removed."""
        if self._metrics:
            self._metrics.watch_counter("cache_repairs", "Outdated cache entries that were removed.", repairs)

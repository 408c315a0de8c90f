"""Puts the measuring wrappers where there are metrics, and nothing where there are none."""

from collections.abc import Callable

from recuerdo.core.cache_ports import HistoryCache
from recuerdo.core.caches import CacheKey, asking
from recuerdo.core.ports import ChatModel, HistoryRepository
from recuerdo.observability.metrics import Metrics
from recuerdo.observability.observed import ObservedCache, ObservedDatabase, ObservedModel, ObservedReads, Reads


class Observation:
    """For the composition root: each method returns what it is given, measured."""

    def __init__(self, metrics: Metrics | None) -> None:
        self._metrics = metrics

    def database(self, repository: HistoryRepository) -> HistoryRepository:
        """The messages in the database, below every cache."""
        return ObservedDatabase(repository, self._metrics) if self._metrics else repository

    def cache(self, cache: HistoryCache | None) -> HistoryCache | None:
        """The cache that replicas share, if there is one."""
        return ObservedCache(cache, self._metrics) if self._metrics and cache is not None else cache

    def outages(self, failures: Callable[[], int], stale: Callable[[], int]) -> None:
        """The shared cache: calls that it did not answer in time, and threads whose entries there may be wrong."""
        if self._metrics:
            self._metrics.watch_counter("cache_failures", "Calls that the shared cache did not answer.", failures)
            self._metrics.watch_gauge("cache_stale_threads", "Threads whose entries wait to be purged.", stale)

    def looks(self, key: CacheKey, tier: str, found: bool) -> None:
        """A look into a tier of the cache for anything; see TieredCache."""
        if self._metrics:
            tenant = self._metrics.tenant(asking.get() or key.tenant)
            (self._metrics.hits if found else self._metrics.misses).of(key.data, tier, *tenant).inc()

    def reads(self, cached: Reads) -> Reads:
        """The messages as callers get them, above every cache."""
        return ObservedReads(cached, self._metrics) if self._metrics else cached

    def model(self, model: ChatModel) -> ChatModel:
        """The chat model."""
        return ObservedModel(model, self._metrics) if self._metrics else model

    def spool(self, depth: Callable[[], int], refused: Callable[[], int]) -> None:
        """The appends of durability `async`: how many wait, and how many were refused after they were acknowledged."""
        if self._metrics:
            self._metrics.watch_gauge("spool_depth", "Appends that wait for the database.", depth)
            self._metrics.watch_counter("spool_refused", "Appends refused behind their acknowledgement.", refused)

    def repairs(self, repairs: Callable[[], int]) -> None:
        """Cache entries that the sweeper found behind their threads."""
        if self._metrics:
            self._metrics.watch_counter("cache_repairs", "Entries behind their threads, now forgotten.", repairs)

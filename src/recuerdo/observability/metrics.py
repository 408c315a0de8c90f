"""The metrics of one Recuerdo, for Prometheus. Optional: without prometheus-client nothing is counted.

| metric | labels | what |
|---|---|---|
| recuerdo_reads_seconds | data, operation, tier | reads, by the tier that had the answer: local, shared, database |
| recuerdo_database_seconds | data, operation | what the database itself took |
| recuerdo_database_failures_total | data, operation | calls that it did not answer, or not in time |
| recuerdo_cache_hits_total, recuerdo_cache_misses_total | data, tier | looks into a cache |
| recuerdo_cache_fills_total, recuerdo_cache_fills_refused_total | data | entries filled; or not: the thread changed |
| recuerdo_messages_appended_total | role | messages |
| recuerdo_thread_messages | | how long threads are when something is appended |
| recuerdo_appends_refused_total | reason | appends that the history refused |
| recuerdo_cache_failures_total | | calls that the shared cache did not answer in time |
| recuerdo_cache_stale_threads | | threads whose entries there may be wrong: they wait to be purged |
| recuerdo_cache_repairs_total | | entries that were behind their threads, and were forgotten |
| recuerdo_spool_depth, recuerdo_spool_refused_total | | appends that wait; that were acknowledged and then refused |
| recuerdo_model_calls_total, recuerdo_model_seconds | model, outcome | calls of the chat model |
| recuerdo_context_bytes, recuerdo_context_age_seconds | | execution contexts that were given out |
| recuerdo_context_enrichments_total | outcome | questions to whoever knows the assistants: fresh, stale, or the error |
| recuerdo_actions_total | queue, outcome | attempts at actions: done, failed (and tried again), dead |
| recuerdo_actions_without_context_total | queue | actions whose context was gone |
| recuerdo_actions_waiting | queue | actions that could be begun now |
| recuerdo_context_invalidations_total | what | contexts that were invalidated: one, of an assistant, of a tenant |

When metrics tell tenants apart, `tenant` is one more label of the first eight rows and of those of contexts.
"""

from collections.abc import Callable, Iterable
from typing import Any, Generic, Protocol, TypeVar

_PREFIX = "recuerdo_"
_FAST = (0.00001, 0.00005, 0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)
_SLOW = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_SIZES = (256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536)
_AGES = (1, 10, 60, 300, 900, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600)
_LENGTHS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 10_000, 100_000)


class Counting(Protocol):
    """A counter with its labels given."""

    def inc(self, amount: float = 1) -> None:
        """Count."""
        ...


class Observing(Protocol):
    """A histogram with its labels given."""

    def observe(self, amount: float) -> None:
        """Note a value."""
        ...


class Gauging(Protocol):
    """A gauge with its labels given."""

    def set(self, value: float) -> None:
        """It is so much now."""
        ...


Series = TypeVar("Series", Counting, Observing, Gauging)


class Metric(Generic[Series]):
    """A metric of which each combination of labels is a series; the series are kept, because finding one is slow."""

    def __init__(self, make: Callable[[tuple[str, ...]], Series]) -> None:
        self._make = make
        self._series: dict[tuple[str, ...], Series] = {}

    def of(self, *labels: str) -> Series:
        """The series of these labels, in the order in which the metric names them, the tenant last."""
        series = self._series.get(labels)
        if series is None:
            series = self._series[labels] = self._make(labels)
        return series


class Metrics:
    """Everything that is counted, in a registry of its own: two in one process count apart."""

    def __init__(self, *, by_tenant: bool = False) -> None:
        """`by_tenant` labels everything with its tenant: as many series as tenants. Raises ModuleNotFoundError."""
        import prometheus_client

        self._library: Any = prometheus_client
        self._registry = prometheus_client.CollectorRegistry()
        self._by_tenant = by_tenant
        prometheus_client.ProcessCollector(registry=self._registry)
        prometheus_client.GCCollector(registry=self._registry)
        owned = ("tenant",) if by_tenant else ()
        place, entry = ("data", "operation", *owned), ("data", *owned)
        self.reads = self._histogram(
            "reads_seconds", "Reads, by the tier that answered.", ("data", "operation", "tier", *owned)
        )
        self.database = self._histogram("database_seconds", "Calls of the database.", place)
        self.failures = self._counter("database_failures", "Calls that the database did not answer.", place)
        self.hits = self._counter("cache_hits", "Looks that found what was needed.", ("data", "tier", *owned))
        self.misses = self._counter("cache_misses", "Looks that did not.", ("data", "tier", *owned))
        self.fills = self._counter("cache_fills", "Entries filled.", entry)
        self.fills_refused = self._counter("cache_fills_refused", "Fills that came behind a change.", entry)
        self.messages = self._counter("messages_appended", "Messages appended.", ("role", *owned))
        self.lengths = self._histogram("thread_messages", "Messages of a thread at an append.", owned, _LENGTHS)
        self.appends_refused = self._counter("appends_refused", "Appends refused.", ("reason", *owned))
        self.model_calls = self._counter("model_calls", "Calls of the chat model.", ("model", "outcome"))
        self.model_seconds = self._histogram("model_seconds", "Calls of the chat model.", ("model", "outcome"), _SLOW)
        self.context_bytes = self._histogram("context_bytes", "Contexts that were given out.", owned, _SIZES)
        self.context_ages = self._histogram("context_age_seconds", "Since they were made.", owned, _AGES)
        self.enrichments = self._counter("context_enrichments", "Questions how assistants are.", ("outcome", *owned))
        self.invalidations = self._counter("context_invalidations", "Contexts forgotten.", ("what", *owned))
        self.actions = self._counter("actions", "Attempts at actions.", ("queue", "outcome"))
        self.actions_without_context = self._counter("actions_without_context", "Contexts were gone.", ("queue",))
        self.actions_waiting = self._gauge("actions_waiting", "Actions that could be begun now.", ("queue",))

    def tenant(self, tenant: str) -> tuple[str, ...]:
        """The last label of a series: the tenant, or none where tenants are not told apart."""
        return (tenant,) if self._by_tenant else ()

    def watch_gauge(self, name: str, meaning: str, read: Callable[[], float]) -> None:
        """Show what `read` says whenever somebody looks."""
        self._registry.register(_Watched(self._library.metrics_core.GaugeMetricFamily, _PREFIX + name, meaning, read))

    def watch_counter(self, name: str, meaning: str, read: Callable[[], float]) -> None:
        """The same for what only grows."""
        self._registry.register(_Watched(self._library.metrics_core.CounterMetricFamily, _PREFIX + name, meaning, read))

    def render(self) -> bytes:
        """Everything, in the text format of Prometheus."""
        return self._library.generate_latest(self._registry)

    @property
    def content_type(self) -> str:
        """The content type of what `render` returns."""
        return self._library.CONTENT_TYPE_LATEST

    def _counter(self, name: str, meaning: str, labels: tuple[str, ...]) -> Metric[Counting]:
        counter = self._library.Counter(_PREFIX + name, meaning, labels, registry=self._registry)
        return Metric(lambda values: counter.labels(*values) if values else counter)

    def _gauge(self, name: str, meaning: str, labels: tuple[str, ...]) -> Metric[Gauging]:
        gauge = self._library.Gauge(_PREFIX + name, meaning, labels, registry=self._registry)
        return Metric(lambda values: gauge.labels(*values))

    def _histogram(
        self, name: str, meaning: str, labels: tuple[str, ...], buckets: tuple[float, ...] = _FAST
    ) -> Metric[Observing]:
        histogram = self._library.Histogram(_PREFIX + name, meaning, labels, registry=self._registry, buckets=buckets)
        return Metric(lambda values: histogram.labels(*values) if values else histogram)


class _Watched:
    """A collector of one value that somebody else keeps."""

    def __init__(self, family: Any, name: str, meaning: str, read: Callable[[], float]) -> None:
        self._family = family
        self._name = name
        self._meaning = meaning
        self._read = read

    def collect(self) -> Iterable[Any]:
        yield self._family(self._name, self._meaning, value=self._read())


def open_metrics(*, by_tenant: bool = False) -> Metrics | None:
    """Metrics, or None where prometheus-client is not installed."""
    try:
        return Metrics(by_tenant=by_tenant)
    except ModuleNotFoundError:
        return None

"""The Prometheus metrics of one Recuerdo, listed in docs/how-to/watch-it.md; none without prometheus-client."""

import platform
from collections.abc import Callable, Iterable
from importlib.metadata import version
from typing import Any, Generic, Protocol, TypeVar

_PREFIX = "recuerdo_"
_FAST = (0.00001, 0.00005, 0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)
_SLOW = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_REQUESTS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_SIZES = (256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536)
_AGES = (1, 10, 60, 300, 900, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600)
_LENGTHS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 10_000, 100_000)


class Counting(Protocol):
    """A counter with its labels given."""

    def inc(self, amount: float = 1) -> None:
        """Add to the counter."""
        ...


class Observing(Protocol):
    """A histogram with its labels given."""

    def observe(self, amount: float) -> None:
        """Record a value."""
        ...


class LabelledGauge(Protocol):
    """A gauge with its labels given."""

    def set(self, value: float) -> None:
        """Set the current value."""
        ...


Series = TypeVar("Series", Counting, Observing, LabelledGauge)


class Metric(Generic[Series]):
    """A metric with one series for each combination of labels. Series are cached, because looking one up is slow."""

    def __init__(self, make: Callable[[tuple[str, ...]], Series]) -> None:
        self._make = make
        self._series: dict[tuple[str, ...], Series] = {}

    def of(self, *labels: str) -> Series:
        """The series with these labels, in the order of the metric's label names, the tenant last."""
        series = self._series.get(labels)
        if series is None:
            series = self._series[labels] = self._make(labels)
        return series


class Metrics:
    """All metrics, in a registry of their own: two instances in one process count separately."""

    def __init__(self, *, by_tenant: bool = False) -> None:
        """`by_tenant` adds a label with the tenant, and so a series for each tenant. Raises ModuleNotFoundError."""
        import prometheus_client

        self._library: Any = prometheus_client
        self._registry = prometheus_client.CollectorRegistry()
        self._by_tenant = by_tenant
        prometheus_client.ProcessCollector(registry=self._registry)
        prometheus_client.GCCollector(registry=self._registry)
        owned = ("tenant",) if by_tenant else ()
        place, entry = ("data", "operation", *owned), ("data", *owned)
        self.reads = self._histogram(
            "reads_seconds",
            "Seconds that callers waited for a read, by the tier that answered.",
            ("data", "operation", "tier", *owned),
        )
        self.database = self._histogram("database_seconds", "Seconds that a database call took.", place)
        self.failures = self._counter(
            "database_failures", "Database calls that failed because it was unavailable.", place
        )
        self.hits = self._counter("cache_hits", "Cache lookups that hit.", ("data", "tier", *owned))
        self.misses = self._counter("cache_misses", "Cache lookups that missed.", ("data", "tier", *owned))
        self.fills = self._counter("cache_fills", "Cache entries written.", entry)
        self.fills_refused = self._counter(
            "cache_fills_refused", "Cache entries refused because the thread had changed.", entry
        )
        self.replica_reads = self._counter("read_replica_reads", "Reads of the read replica.", ("outcome",))
        self.messages = self._counter("messages_appended", "Messages appended.", ("role", *owned))
        self.lengths = self._histogram("thread_messages", "Length of the thread at each append.", owned, _LENGTHS)
        self.appends_refused = self._counter("appends_refused", "Appends refused.", ("reason", *owned))
        self.memory_events = self._counter("memory_events", "Changes and searches of memories.", ("event", *owned))
        self.model_calls = self._counter("model_calls", "Chat model calls.", ("model", "outcome"))
        self.model_seconds = self._histogram(
            "model_seconds", "Seconds that a chat model call took.", ("model", "outcome"), _SLOW
        )
        self.model_tokens = self._counter(
            "model_tokens", "Tokens of prompts and of replies, as OpenAI's o200k counts them.", ("model", "direction")
        )
        self.context_bytes = self._histogram("context_bytes", "Size of execution contexts in bytes.", owned, _SIZES)
        self.context_ages = self._histogram(
            "context_age_seconds", "Age of execution contexts in seconds.", owned, _AGES
        )
        self.enrichments = self._counter(
            "context_enrichments", "Lookups of assistants' configurations.", ("outcome", *owned)
        )
        self.invalidations = self._counter("context_invalidations", "Invalidated execution contexts.", ("what", *owned))
        self.actions = self._counter("actions", "Attempts to execute actions.", ("queue", "outcome"))
        self.actions_without_context = self._counter(
            "actions_without_context", "Actions whose execution context had expired.", ("queue",)
        )
        self.actions_waiting = self._gauge("actions_waiting", "Actions that are due.", ("queue",))
        self.requests = self._histogram(
            "http_requests_seconds",
            "Seconds that a request took, until the end of its response.",
            ("method", "route", "status"),
            _REQUESTS,
        )
        build = ("version", "python")
        info = self._gauge("build_info", "Always 1; the labels are the versions.", build)
        info.of(version("recuerdo"), platform.python_version()).set(1)

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Record an HTTP request that has ended."""
        self.requests.of(method, route, str(status)).observe(seconds)

    def tenant(self, tenant: str) -> tuple[str, ...]:
        """The last label of a series: the tenant, or none without `by_tenant`."""
        return (tenant,) if self._by_tenant else ()

    def watch_gauge(self, name: str, meaning: str, read: Callable[[], float]) -> None:
        """Export a gauge whose value `read` returns."""
        self._registry.register(_Watched(self._library.metrics_core.GaugeMetricFamily, _PREFIX + name, meaning, read))

    def watch_counter(self, name: str, meaning: str, read: Callable[[], float]) -> None:
        """Export a counter whose value `read` returns."""
        self._registry.register(_Watched(self._library.metrics_core.CounterMetricFamily, _PREFIX + name, meaning, read))

    def render(self) -> bytes:
        """All metrics in the text format of Prometheus."""
        return self._library.generate_latest(self._registry)

    @property
    def content_type(self) -> str:
        """The content type of what `render` returns."""
        return self._library.CONTENT_TYPE_LATEST

    def _counter(self, name: str, meaning: str, labels: tuple[str, ...]) -> Metric[Counting]:
        counter = self._library.Counter(_PREFIX + name, meaning, labels, registry=self._registry)
        return Metric(lambda values: counter.labels(*values) if values else counter)

    def _gauge(self, name: str, meaning: str, labels: tuple[str, ...]) -> Metric[LabelledGauge]:
        gauge = self._library.Gauge(_PREFIX + name, meaning, labels, registry=self._registry)
        return Metric(lambda values: gauge.labels(*values))

    def _histogram(
        self, name: str, meaning: str, labels: tuple[str, ...], buckets: tuple[float, ...] = _FAST
    ) -> Metric[Observing]:
        histogram = self._library.Histogram(_PREFIX + name, meaning, labels, registry=self._registry, buckets=buckets)
        return Metric(lambda values: histogram.labels(*values) if values else histogram)


class _Watched:
    """A Prometheus collector for one value that is computed on demand."""

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

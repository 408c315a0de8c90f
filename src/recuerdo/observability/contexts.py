"""What becomes of execution contexts, counted."""

from recuerdo.observability.metrics import Metrics


class CountedContexts:
    """The ContextWatch over metrics."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def resolved(self, size: int, age: float) -> None:
        """See ContextWatch."""
        self._metrics.context_bytes.of().observe(size)
        self._metrics.context_ages.of().observe(age)

    def enriched(self, outcome: str) -> None:
        """See ContextWatch."""
        self._metrics.enrichments.of(outcome).inc()

    def invalidated(self, what: str) -> None:
        """See ContextWatch."""
        self._metrics.invalidations.of(what).inc()

"""What becomes of execution contexts, counted."""

import msgspec

from recuerdo.core.contexts import ExecutionContext
from recuerdo.observability.metrics import Metrics


class CountedContexts:
    """The ContextWatch over metrics."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def resolved(self, context: ExecutionContext, age: float) -> None:
        """See ContextWatch."""
        self._metrics.context_bytes.of().observe(len(msgspec.json.encode(context)))
        self._metrics.context_ages.of().observe(age)

    def enriched(self, outcome: str) -> None:
        """See ContextWatch."""
        self._metrics.enrichments.of(outcome).inc()

    def invalidated(self, what: str) -> None:
        """See ContextWatch."""
        self._metrics.invalidations.of(what).inc()

"""Counts enrichments, uses and invalidations of execution contexts."""

import msgspec

from recuerdo.core.contexts import ExecutionContext
from recuerdo.observability.metrics import Metrics


class CountedContexts:
    """The ContextWatch over metrics."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def resolved(self, context: ExecutionContext, age: float) -> None:
        """See ContextWatch."""
        tenant = self._metrics.tenant(context.tenant)
        self._metrics.context_bytes.of(*tenant).observe(len(msgspec.json.encode(context)))
        self._metrics.context_ages.of(*tenant).observe(age)

    def enriched(self, tenant: str, outcome: str) -> None:
        """See ContextWatch."""
        self._metrics.enrichments.of(outcome, *self._metrics.tenant(tenant)).inc()

    def invalidated(self, tenant: str, what: str) -> None:
        """See ContextWatch."""
        self._metrics.invalidations.of(what, *self._metrics.tenant(tenant)).inc()

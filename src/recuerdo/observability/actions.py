"""Counts what workers do."""

from recuerdo.core.actions import Audience
from recuerdo.core.graph_ports import AttemptOutcome
from recuerdo.observability.metrics import Metrics


class CountedActions:
    """The ActionWatch over metrics."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def attempted(self, audience: Audience, outcome: AttemptOutcome) -> None:
        """See ActionWatch."""
        self._metrics.actions.of(audience, outcome).inc()

    def without_context(self, audience: Audience) -> None:
        """See ActionWatch."""
        self._metrics.actions_without_context.of(audience).inc()

    def waiting(self, audience: Audience, count: int) -> None:
        """See ActionWatch."""
        self._metrics.actions_waiting.of(audience).set(count)

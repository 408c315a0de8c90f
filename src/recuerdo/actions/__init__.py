"""Actions: work that is handed over, and the workers that do it."""

from recuerdo.actions.actions import Actions
from recuerdo.actions.work import Worker
from recuerdo.jobs.leases import Retries

__all__ = ["Actions", "Retries", "Worker"]

"""Actions: work that is handed over, and the workers that do it."""

from recuerdo.actions.actions import Actions
from recuerdo.actions.retries import Retries
from recuerdo.actions.work import Worker

__all__ = ["Actions", "Retries", "Worker"]

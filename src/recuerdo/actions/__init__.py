"""Workers: who does the actions that are handed on."""

from recuerdo.actions.work import Worker

__all__ = ["Worker"]

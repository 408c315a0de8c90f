"""Short-term memory: everything that was said in a thread, exactly and in order."""

from recuerdo.history.history import History, ThreadHistory

__all__ = ["History", "ThreadHistory"]

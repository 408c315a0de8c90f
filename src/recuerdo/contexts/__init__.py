"""Execution contexts: made once a conversation, the same on every replica, gone when their assistant changes."""

from recuerdo.contexts.contexts import Contexts
from recuerdo.contexts.sessions import Sessions

__all__ = ["Contexts", "Sessions"]

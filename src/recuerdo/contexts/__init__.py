"""Execution contexts and sessions."""

from recuerdo.contexts.contexts import Contexts
from recuerdo.contexts.sessions import Sessions

__all__ = ["Contexts", "Sessions"]

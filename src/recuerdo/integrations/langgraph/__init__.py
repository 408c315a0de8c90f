"""LangGraph over Recuerdo: a checkpointer that grows linearly, and a store."""

from recuerdo.integrations.langgraph.saver import RecuerdoSaver
from recuerdo.integrations.langgraph.store import RecuerdoStore

__all__ = ["RecuerdoSaver", "RecuerdoStore"]

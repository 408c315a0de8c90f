"""LangGraph over Recuerdo: a checkpointer that grows linearly, a store, and memories as tools."""

from recuerdo.integrations.langgraph.saver import RecuerdoSaver
from recuerdo.integrations.langgraph.store import RecuerdoStore
from recuerdo.integrations.langgraph.tools import memory_tools

__all__ = ["RecuerdoSaver", "RecuerdoStore", "memory_tools"]

"""LangGraph over Recuerdo: a checkpointer that grows linearly."""

from recuerdo.integrations.langgraph.saver import RecuerdoSaver

__all__ = ["RecuerdoSaver"]

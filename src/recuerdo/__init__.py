"""Recuerdo: the memory that conversational agents run on."""

from recuerdo.bootstrap import Recuerdo
from recuerdo.core.memories import Memory
from recuerdo.core.messages import Message, ToolCall
from recuerdo.core.scope import Owner, Scope
from recuerdo.windowing import CombinedWindow, MessageWindow, Summary, SummaryWindow, TokenWindow, WindowPolicy

__version__ = "0.1.0"

__all__ = [
    "CombinedWindow",
    "Memory",
    "Message",
    "MessageWindow",
    "Owner",
    "Recuerdo",
    "Scope",
    "Summary",
    "SummaryWindow",
    "TokenWindow",
    "ToolCall",
    "WindowPolicy",
]

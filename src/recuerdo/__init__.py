"""Recuerdo: the memory that conversational agents run on."""

from typing import TYPE_CHECKING

from recuerdo.core.memories import Memory
from recuerdo.core.messages import Message, ToolCall
from recuerdo.core.scope import Owner, Scope
from recuerdo.windowing import CombinedWindow, MessageWindow, Summary, SummaryWindow, TokenWindow, WindowPolicy

if TYPE_CHECKING:
    from recuerdo.app.recuerdo import Recuerdo

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


def __getattr__(name: str) -> object:
    """Load the composition root, and asyncio with it, for those who open a database: messages and windows need none."""
    if name != "Recuerdo":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from recuerdo.app.recuerdo import Recuerdo

    return globals().setdefault(name, Recuerdo)

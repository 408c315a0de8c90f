"""Short-term memory: everything that was said in a thread, exactly and in order."""

from recuerdo.history.chat_memory import ChatMemory, WindowsOver
from recuerdo.history.history import History, ThreadHistory

__all__ = ["ChatMemory", "History", "ThreadHistory", "WindowsOver"]

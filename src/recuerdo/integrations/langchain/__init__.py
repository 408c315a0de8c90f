"""LangChain over Recuerdo: chat histories, windows as runnables, and messages without loss."""

from recuerdo.integrations.langchain.histories import ChatHistories, RecuerdoChatMessageHistory
from recuerdo.integrations.langchain.messages import from_langchain, to_langchain
from recuerdo.integrations.langchain.moving import move_in, move_out
from recuerdo.integrations.langchain.windows import window_messages

__all__ = [
    "ChatHistories",
    "RecuerdoChatMessageHistory",
    "from_langchain",
    "move_in",
    "move_out",
    "to_langchain",
    "window_messages",
]

"""The offline model: it answers only with what its prompt says, in Spanish, Portuguese or English.

`model` speaks LangChain, `conversation` is what it read in the prompt, `answers` decides what to say, and `tongues`
holds the words, one file a language. Everything but `model` is pure functions over texts.
"""

from recuerdo.agents.offline.model import OfflineChatModel

__all__ = ["OfflineChatModel"]

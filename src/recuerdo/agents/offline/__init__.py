"""The offline model: it answers only with what its prompt says, in the languages of `recuerdo.memories.locales`.

`answers` decides what to say, `langchain` is the face that it shows to LangChain, and `conversation` reads a prompt.
All but the faces are pure functions over texts.
"""

from recuerdo.agents.offline.answers import OfflineModel

__all__ = ["OfflineModel"]

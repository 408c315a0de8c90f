"""The offline model: it answers only with what its prompt says, in the languages of `recuerdo.memories.locales`.

`model` is its face, and `langchain` the one that it shows to LangChain; `reading` turns a prompt into a `conversation`,
and `answers` decides what to say. All but the faces are pure functions over texts.
"""

from recuerdo.agents.offline.model import OfflineModel

__all__ = ["OfflineModel"]

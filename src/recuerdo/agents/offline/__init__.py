"""The offline model: it answers only with what its prompt says, in Spanish, Portuguese or English.

`model` is its face, and `langchain` the one that it shows to LangChain; `reading` turns a prompt into a `conversation`,
`answers` decides what to say, and `tongues` holds the words, one file a language. All but the faces are pure functions
over texts.
"""

from recuerdo.agents.offline.model import OfflineModel

__all__ = ["OfflineModel"]

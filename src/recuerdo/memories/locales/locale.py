"""Everything that Recuerdo has to know of a language."""

from typing import NamedTuple

from recuerdo.memories.extraction.language import Language
from recuerdo.memories.locales.offline_language import OfflineLanguage


class ModelPrompts(NamedTuple):
    """The prompts for chat models in a language.

    A text is in the language most of whose `markers` it has: folded small words. `extract` asks for the facts in a
    message, `summarise` for a summary of a conversation.
    """

    markers: frozenset[str]
    extract: str
    summarise: str


class Locale(NamedTuple):
    """One language: how facts are detected in it, what models are asked in it, and how the offline model answers."""

    code: str
    detection: Language
    prompts: ModelPrompts
    offline: OfflineLanguage

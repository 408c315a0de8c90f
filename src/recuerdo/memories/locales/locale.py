"""Everything that Recuerdo has to know of a language."""

from importlib import import_module
from typing import Any, NamedTuple

from recuerdo.memories.extraction.kinds import cues_of
from recuerdo.memories.extraction.language import Language
from recuerdo.memories.locales.offline_language import OfflineLanguage

_MODULES = ("cues", "dialogue", "endings", "forgetting", "kinds", "limits", "offline", "prompts", "tagged", "times")


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


def locale_of(code: str) -> Locale:
    """The locale of a folder, whose modules have PROMPTS, OFFLINE, and each field of Language in capitals."""
    named: dict[str, Any] = {}
    for module in _MODULES:
        words = vars(import_module(f"recuerdo.memories.locales.{code}.{module}"))
        named |= {name.lower(): value for name, value in words.items() if name.isupper()}
    fields = {name: named[name] for name in Language._fields if name in named}
    fields["cues"] = (*named["cues"], *cues_of(named["kinds"]))
    return Locale(code, Language(**fields), named["prompts"], named["offline"])

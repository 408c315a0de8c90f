"""The languages that Recuerdo understands and answers in, one folder each.

A new language is a folder with what `locale.Locale` asks for, and a line in LOCALES.
"""

from recuerdo.memories.extraction.language import ValueChecks
from recuerdo.memories.extraction.patterns import any_of
from recuerdo.memories.locales.en import ENGLISH
from recuerdo.memories.locales.es import SPANISH
from recuerdo.memories.locales.locale import Locale
from recuerdo.memories.locales.pt import PORTUGUESE

LOCALES: dict[str, Locale] = {"es": SPANISH, "pt": PORTUGUESE, "en": ENGLISH}

TAGGED = ValueChecks(*map(any_of, zip(*(each.detection.tagged for each in LOCALES.values()), strict=True)))
"""The checks of values in all languages at once: one search instead of one for each."""

__all__ = ["LOCALES", "TAGGED", "Locale"]

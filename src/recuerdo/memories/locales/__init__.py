"""The languages that Recuerdo understands and answers in, one folder each.

A new language is a folder with what `locale.Locale` asks for, and a line in LOCALES.
"""

from recuerdo.memories.locales.en import ENGLISH
from recuerdo.memories.locales.es import SPANISH
from recuerdo.memories.locales.locale import Locale
from recuerdo.memories.locales.pt import PORTUGUESE

LOCALES: dict[str, Locale] = {"es": SPANISH, "pt": PORTUGUESE, "en": ENGLISH}

__all__ = ["LOCALES", "Locale"]

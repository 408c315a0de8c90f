"""All languages, each with everything that is known of it."""

from recuerdo.memories.locales import LANGUAGES
from recuerdo.memories.locales.locale import Locale, locale_of

LOCALES: dict[str, Locale] = {code: locale_of(code) for code in LANGUAGES}

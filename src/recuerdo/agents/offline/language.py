"""Which language somebody speaks."""

from collections.abc import Iterable

from recuerdo.agents.offline.words import fold
from recuerdo.memories.locales import LOCALES
from recuerdo.memories.locales.offline_language import OfflineLanguage

_LOOKED_AT = 600


def detect(text: str) -> OfflineLanguage | None:
    """The language of the text, or None when its words don't tell."""
    text = text[:_LOOKED_AT].lower()
    languages = [locale.offline for locale in LOCALES.values()]
    words = fold(text).split()
    shared = [[each for each in languages if word in each.markers] for word in words]
    scores = [
        sum(1 / len(having) for having in shared if each in having) + 2 * len(each.letters.findall(text))
        for each in languages
    ]
    best = max(scores)
    return languages[scores.index(best)] if best and scores.count(best) == 1 else None


def language_of(texts: Iterable[str]) -> OfflineLanguage:
    """The language of the first text that tells it, else English."""
    return next((locale for text in texts if (locale := detect(text))), LOCALES["en"].offline)

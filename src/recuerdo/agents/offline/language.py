"""Which language somebody speaks."""

from collections.abc import Iterable

from recuerdo.agents.offline.locales import ENGLISH, TONGUES, Locale
from recuerdo.agents.offline.words import fold

_LOOKED_AT = 600


def detect(text: str) -> Locale | None:
    """The language of the text, or None when its words don't tell."""
    text = text[:_LOOKED_AT].lower()
    words = fold(text).split()
    shared = [[locale for locale in TONGUES if word in locale.markers] for word in words]
    scores = [
        (sum(1 / len(tongues) for tongues in shared if locale in tongues) + 2 * len(locale.letters.findall(text)))
        for locale in TONGUES
    ]
    best = max(scores)
    return TONGUES[scores.index(best)] if best and scores.count(best) == 1 else None


def language_of(texts: Iterable[str]) -> Locale:
    """The language of the first text that tells it, else English."""
    return next((locale for text in texts if (locale := detect(text))), ENGLISH)

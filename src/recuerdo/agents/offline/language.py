"""Which language somebody speaks."""

from collections.abc import Iterable

from recuerdo.agents.offline.tongues import ENGLISH, TONGUES, Tongue
from recuerdo.agents.offline.words import fold

_LOOKED_AT = 600


def detect(text: str) -> Tongue | None:
    """The language of the text, or None when its words don't tell."""
    text = text[:_LOOKED_AT].lower()
    words = fold(text).split()
    shared = [[tongue for tongue in TONGUES if word in tongue.markers] for word in words]
    scores = [
        (sum(1 / len(tongues) for tongues in shared if tongue in tongues) + 2 * len(tongue.letters.findall(text)))
        for tongue in TONGUES
    ]
    best = max(scores)
    return TONGUES[scores.index(best)] if best and scores.count(best) == 1 else None


def language_of(texts: Iterable[str]) -> Tongue:
    """The language of the first text that tells it, else English."""
    return next((tongue for text in texts if (tongue := detect(text))), ENGLISH)

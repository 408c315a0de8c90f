"""The languages that people speak."""

from recuerdo.memories.detectors.language import Hearing, Reading
from recuerdo.memories.detectors.lexicon.languages import DEGREES, LANGUAGES


def tongue(hearing: Hearing) -> Reading | None:
    """One language or several, from the first to the last that is named."""
    first: int | None = None
    last = 0
    small = DEGREES | hearing.language.joiners | hearing.language.articles
    for index, word in enumerate(hearing.words[:16]):
        if word.folded in LANGUAGES:
            first, last = index if first is None else first, index + 1
        elif not (word.folded in small or word.text == ","):
            break
    return None if first is None else Reading("language", first, last)

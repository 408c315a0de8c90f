"""The languages that people speak."""

from recuerdo.memories.extraction.language import ReaderInput, Reading
from recuerdo.memories.extraction.lexicon.languages import DEGREES, LANGUAGES


def spoken_language(input_: ReaderInput) -> Reading | None:
    """One language or several, from the first to the last that is named."""
    first: int | None = None
    last = 0
    small = DEGREES | input_.language.joiners | input_.language.articles
    for index, word in enumerate(input_.words[:16]):
        if word.folded in LANGUAGES:
            first, last = index if first is None else first, index + 1
        elif not (word.folded in small or word.text == ","):
            break
    return None if first is None else Reading("language", first, last)

"""Readers of what people own."""

from collections.abc import Sequence

from recuerdo.memories.extraction.language import ReaderInput, Reading
from recuerdo.memories.extraction.lexicon import organisations, possessions
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.extraction.readers.spans import skip, trimmed_end
from recuerdo.memories.extraction.words import Word
from recuerdo.memories.locales.joined import READERS

_THING = Pattern(possessions.THINGS)
_MOST = 6


def possession(input_: ReaderInput) -> Reading | None:
    """Read a thing that people are known to own, by its kind or its maker: `a blue Volvo`, `un piso en Cádiz`."""
    reading = driven(input_)
    if reading is None:
        return None
    group = input_.words[reading.first : reading.last]
    group = group[: next((index for index, word in enumerate(group) if word.folded in READERS.places), None)]
    named = any(word.folded in possessions.MAKERS or _is_model(word) for word in group)
    return reading if named or _thing(group) is not None else None


def driven(input_: ReaderInput) -> Reading | None:
    """Read what is driven: anything that one is said to have one of, or that has a name."""
    words, language = input_.words, input_.language
    first = skip(words, language.articles | organisations.INDEFINITE)
    last = _end(input_, first)
    thing = _thing(words[first:last])
    if thing is not None and last < len(words) and words[last].text == ",":  # `una moto,` `una honda wave`
        named = last + 1 + skip(words[last + 1 :], language.articles | organisations.INDEFINITE)
        end = _end(input_, named)
        if named > last + 1 and end > named:
            first, last = named, end
    if last <= first or (first == 0 and not (words[0].is_proper or words[0].text[0].isdigit() or input_.casual)):
        return None
    return Reading("possession", first, last)


def _is_model(word: Word) -> bool:
    """Whether it is written like the name of a model: CR-V, F-150."""
    return len(word.text) > 1 and word.text.isupper() and not word.text.isalpha()


def _thing(group: Sequence[Word]) -> int | None:
    return next((index for index, word in enumerate(group) if _THING.fullmatch(word.folded)), None)


def _end(input_: ReaderInput, first: int) -> int:
    words, language, last = input_.words, input_.language, first
    while last < min(len(words), first + _MOST):
        word = words[last]
        place = word.folded in READERS.places and last > first and last + 1 < len(words) and words[last + 1].is_proper
        ends = word.folded in language.stops | language.starters and not (word.is_proper and last == first)
        if (word.is_mark and word.text != "-") or word.folded in language.joiners or (ends and not place):
            break
        last += 1
    return trimmed_end(input_, first, last)

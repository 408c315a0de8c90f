"""Values that are whole phrases: likes, preferences, and what is to be remembered."""

from collections.abc import Sequence

from recuerdo.core.memories import Attribute
from recuerdo.memories.extraction.language import Reader, ReaderInput, Reading
from recuerdo.memories.extraction.lexicon import names
from recuerdo.memories.extraction.lexicon.organisations import INDEFINITE
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.extraction.readers.spans import joins, respaced, skip, trimmed_end
from recuerdo.memories.extraction.words import Word
from recuerdo.memories.locales.joined import EXTRACTION, READERS

_LATELY = Pattern(rf"(?:{READERS.lately})")
_CLOSED = frozenset('.,;:!?()[]…|/"«»“”')


def phrase(attribute: Attribute) -> Reader:
    """A reader of likes and dislikes: up to the end of the clause, lists included."""

    def read(input_: ReaderInput) -> Reading | None:
        words, language = input_.words, input_.language
        begin = skip(words, language.fillers)
        first = begin + skip(words[begin:], language.articles | INDEFINITE)
        if first < len(words) and words[first].folded in language.joiners:
            first = begin
        last = trimmed_end(input_, first, _without_time(words, first, _phrase_end(input_, first)))
        if last <= first or words[first].is_mark:
            return None
        if attribute == "dislikes" and last < len(words) and words[last].folded in READERS.so_much:
            last += 1
        if any(language.vacuous.match(respaced(words[start:])) for start in (begin, first)):
            return None
        return Reading(attribute, first, last)

    return read


def fan(input_: ReaderInput) -> Reading | None:
    """Read what a user is a fan of: a lifelong `Celtics` fan."""
    last = next((index for index, word in enumerate(input_.words[:4]) if word.folded in ("fan", "supporter")), 0)
    return Reading("likes", 0, last, last + 1) if last else None


def preference(input_: ReaderInput) -> Reading | None:
    """Read a preference as it was said, up to the end of the clause."""
    wishes = bool(input_.words) and input_.words[0].folded in READERS.asks_assistant
    language = input_.language
    if wishes:
        language = language._replace(starters=language.starters & EXTRACTION.oneself)
    last = trimmed_end(input_, 0, _phrase_end(input_._replace(language=language), 0, stops=False))
    wish = last > 2 and wishes
    vacuous = not last or (input_.language.vacuous.match(respaced(input_.words)) and not wish)
    return None if vacuous else Reading("preference", 0, last)


def instruction(input_: ReaderInput) -> Reading | None:
    """Read how the user always wants to be answered, as it was said."""
    last = trimmed_end(input_, 0, _phrase_end(input_, 0, stops=False))
    return Reading("preference", 0, last) if last > 1 else None


def _without_time(words: Sequence[Word], first: int, last: int) -> int:
    """The end before words that only say that it is so at present."""
    return next((index for index in range(first + 1, last) if _LATELY.fullmatch(respaced(words[index:last]))), last)


def everything(input_: ReaderInput) -> Reading | None:
    """Read what the user asks to remember: the rest of the sentence."""
    last = _before_consequence(input_.words)
    while last and (input_.words[last - 1].is_mark and input_.words[last - 1].text not in ')]"”»%$€'):
        last -= 1
    last = trimmed_end(input_, 0, last)
    return Reading("remember", 0, last) if last >= 2 else None


def _before_consequence(words: Sequence[Word]) -> int:
    """Where it ends that is to be remembered, and begins what for: `..., así no me tirás recetas`."""
    for index in range(2, len(words) - 1):
        if f"{words[index].folded} {words[index + 1].folded}" in READERS.consequences:
            return index
    return len(words)


def _phrase_end(input_: ReaderInput, first: int, *, stops: bool = True) -> int:
    words, language = input_.words, input_.language
    last = first
    while last < len(words):
        word = words[last]
        if word.text == "." and words[last - 1].folded in names.TITLES and last > first:
            pass
        elif word.text in _CLOSED:
            if not (word.text == "," and (_is_list(input_, last) or (not stops and _narrows(words, last)))):
                break
        elif word.folded in language.joiners:
            if not joins(input_, last):
                break
        elif last > first and words[last - 1].folded in READERS.people:
            pass
        elif last > first and word.folded in (language.breaks | language.turns if stops else language.breaks):
            break
        last += 1
    return last


def _narrows(words: Sequence[Word], comma: int) -> bool:
    """Whether a comma continues the list of unwanted things: `direto, sem enrolação`."""
    return comma + 2 < len(words) and words[comma + 1].folded in READERS.without


def _is_list(input_: ReaderInput, comma: int) -> bool:
    """Whether a comma stands in a list (`el café, el té y el mate`): short items, and a joiner before the last."""
    words, language = input_.words, input_.language
    if comma + 1 >= len(words) or words[comma + 1].folded in language.starters:
        return False
    since = 0
    for index in range(comma + 1, min(len(words), comma + 24)):
        word = words[index]
        if word.folded in language.joiners:
            return since <= 4 and joins(input_, index)
        if word.text == ",":
            since = -1
        elif word.text in _CLOSED or word.folded in language.starters:
            return False
        since += 1
        if since > 4:
            return False
    return False

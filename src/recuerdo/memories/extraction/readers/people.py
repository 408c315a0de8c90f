"""Names of people."""

from collections.abc import Sequence

from recuerdo.memories.extraction.language import ReaderInput, Reading
from recuerdo.memories.extraction.lexicon import jobs, names, organisations, places
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.extraction.readers.spans import OF
from recuerdo.memories.extraction.words import Word

_WRITTEN_NAME = Pattern(r"[^\W\d_][\w.'-]*")


def known_name(input_: ReaderInput) -> Reading | None:
    """A name after words that announce one: `me llamo ...`."""
    return _name(input_, sure=True)


def likely_name(input_: ReaderInput) -> Reading | None:
    """A name after words that announce many things: `soy ...`, `I'm ...`."""
    return _name(input_, sure=False)


def nickname(input_: ReaderInput) -> Reading | None:
    """A name after an article: `soy la Javi`, but not `soy el Messi de las ventas`."""
    reading = likely_name(input_)
    if reading is None or reading.last >= len(input_.words):
        return reading
    following = input_.words[reading.last :]
    compared = following[0].folded in OF and not organisations.is_field(following[1:2])
    return None if compared and not following[1:2][0].is_proper else reading


def introduced(input_: ReaderInput) -> Reading | None:
    """A name after words that only introduce: `aqui é o` `Japa`, alone in its clause."""
    reading = known_name(input_)
    if reading is None or reading.last >= len(input_.words):
        return reading
    following = input_.words[reading.last]
    return reading if following.is_mark or following.folded in OF | input_.language.joiners else None


def _name(input_: ReaderInput, *, sure: bool) -> Reading | None:
    title = _skip_titles(input_.words)
    reading = _untitled_name(input_._replace(words=input_.words[title:]), sure=sure)
    return reading and Reading("name", reading.first + title, reading.last + title)


def _skip_titles(words: Sequence[Word]) -> int:
    index = 0
    while index < len(words) and words[index].folded in names.TITLES:
        index += 2 if index + 1 < len(words) and words[index + 1].text == "." else 1
    return index


def _untitled_name(input_: ReaderInput, *, sure: bool) -> Reading | None:
    words = input_.words
    if not words or not _WRITTEN_NAME.fullmatch(words[0].text) or words[0].folded.endswith("'s"):
        return None
    if _is_no_name(words[0], input_) or (not sure and not _looks_like_name(words[0], input_)):
        return None
    goes_on = _proper_name_goes_on if words[0].is_proper else _plain_name_goes_on
    last = 1
    while last < min(len(words), 7) and goes_on(words[last], input_) and not _comes_from(words[last : last + 3]):
        last += 1
    while last > 1 and (words[last - 1].folded in input_.language.links or words[last - 1].is_mark):
        last -= 1
    return Reading("name", 0, last)


def _comes_from(words: Sequence[Word]) -> bool:
    """Whether a particle and a town, or a department, follow: `Facundo de Córdoba` has no surname."""
    town = words[0].folded == "de" and places.is_place(words[1:2])
    return town or (words[0].folded in OF and organisations.is_field(words[1:3]))


def _is_no_name(word: Word, input_: ReaderInput) -> bool:
    language = input_.language
    return word.folded not in names.GIVEN and (
        word.folded in names.NEVER
        or (word.folded in OF and not word.is_proper)
        or word.folded in language.stops
        or word.folded in language.starters
        or word.folded in language.articles | language.joiners
    )


def _looks_like_name(word: Word, input_: ReaderInput) -> bool:
    if word.folded in names.GIVEN:
        return word.is_proper or word.folded not in names.AMBIGUOUS
    if not word.is_proper or (word.text.isupper() and len(word.text) < 5):
        return False
    head = word.folded
    return not (jobs.is_job(head) or head in places.KNOWN or names.is_belonging(head))


def _proper_name_goes_on(word: Word, input_: ReaderInput) -> bool:
    if word.is_mark:
        return False
    return word.folded in names.PARTICLES or (
        word.is_proper and not _is_no_name(word, input_) and word.folded not in ("i", "i'm")
    )


def _plain_name_goes_on(word: Word, input_: ReaderInput) -> bool:
    if word.is_mark or not word.text.isalpha():
        return False
    return word.folded in names.PARTICLES or not (
        _is_no_name(word, input_) or word.folded in input_.language.joiners or jobs.is_job(word.folded)
    )

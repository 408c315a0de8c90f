"""Relatives and animals: what they are called, or how many there are."""

from recuerdo.core.memories import Attribute
from recuerdo.memories.detectors.language import Hearing, Reader, Reading
from recuerdo.memories.detectors.lexicon import households
from recuerdo.memories.detectors.patterns import Pattern
from recuerdo.memories.detectors.readers.people import known_name
from recuerdo.memories.detectors.words import vocabulary

_NOUN = Pattern(rf"(?:{households.RELATIVES}|{households.ANIMALS})")
_NAMED = vocabulary("llamado llamada llamados llamadas named called chamado chamada chamados chamadas whose")
_INDEFINITE = vocabulary("un una um uma a an")


def named(attribute: Attribute) -> Reader:
    """A reader of the name behind `my daughter is called`, or of several names."""

    def read(hearing: Hearing) -> Reading | None:
        reading = known_name(hearing)
        if reading is None:
            return None
        last = reading.last
        while _goes_on(hearing, last):
            following = known_name(hearing._replace(words=hearing.words[last + 1 :]))
            if following is None:
                break
            last += 1 + following.last
        return Reading(attribute, 0, last)

    return read


def counted(attribute: Attribute) -> Reader:
    """A reader of `two cats and a parrot`; a single one comes without its article."""

    def read(hearing: Hearing) -> Reading | None:
        words = hearing.words
        first = 1 if words and words[0].folded in _INDEFINITE else 0
        last = index = first
        while index < min(len(words), first + 10) and _counts(hearing, index):
            if _NOUN.fullmatch(words[index].folded):
                last = index + 1
            index += 1
        return Reading(attribute, first, last) if last > first and not _is_named(hearing, last) else None

    return read


def _goes_on(hearing: Hearing, last: int) -> bool:
    words = hearing.words
    if last + 1 >= len(words) or not words[last + 1].is_proper:
        return False
    return words[last].folded in hearing.language.joiners or words[last].text == ","


def _counts(hearing: Hearing, index: int) -> bool:
    word = hearing.words[index]
    small = households.NUMBERS | hearing.language.joiners
    return word.folded in small or word.text == "," or _NOUN.fullmatch(word.folded) is not None


def _is_named(hearing: Hearing, last: int) -> bool:
    following = [word.folded for word in hearing.words[last : last + 3]]
    if not following:
        return False
    return following[0] in _NAMED or (following[0] == "que" and len(following) > 1 and following[1] in ("se", "chama"))

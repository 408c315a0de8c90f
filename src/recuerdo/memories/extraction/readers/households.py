"""Relatives and animals: what they are called, or how many there are."""

from recuerdo.core.memories import Attribute
from recuerdo.memories.extraction.language import Reader, ReaderInput, Reading
from recuerdo.memories.extraction.lexicon import households, names
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.extraction.readers.people import known_name, likely_name
from recuerdo.memories.extraction.readers.spans import respaced
from recuerdo.memories.extraction.words import vocabulary

_NOUNS: dict[Attribute, Pattern] = {"family": Pattern(households.RELATIVES), "pet": Pattern(households.ANIMALS)}
_NAME_FOLLOWS = Pattern(rf"{households.NAMED}(?!\w)")
_INDEFINITE = vocabulary("un una um uma a an")


def named(attribute: Attribute) -> Reader:
    """A reader of the name behind `my daughter is called`, or of several names."""

    def read(input_: ReaderInput) -> Reading | None:
        reading = known_name(input_)
        if reading is None:
            return None
        last = reading.last
        while _goes_on(input_, last):
            following = known_name(input_._replace(words=input_.words[last + 1 :]))
            if following is None:
                break
            last += 1 + following.last
        return Reading(attribute, 0, last)

    return read


def given(attribute: Attribute) -> Reader:
    """A reader of the name behind `my wife is ...`: only one that is written like a name, or known as one."""

    def read(input_: ReaderInput) -> Reading | None:
        reading = likely_name(input_)
        if reading is None:
            return None
        head = input_.words[reading.first]
        known = head.folded in names.GIVEN and head.folded not in names.AMBIGUOUS
        return named(attribute)(input_) if known or (attribute == "pet" and head.is_proper) else None

    return read


def counted(attribute: Attribute) -> Reader:
    """A reader of `two cats and a parrot`; a single one comes without its article."""

    noun = _NOUNS[attribute]

    def read(input_: ReaderInput) -> Reading | None:
        words = input_.words
        first = 1 if words and words[0].folded in _INDEFINITE else 0
        last = index = first
        while index < min(len(words), first + 10) and _counts(input_, index, noun):
            if noun.fullmatch(words[index].folded):
                if last > first and _is_named(input_, index + 1):
                    break
                last = index + 1
            index += 1
        return Reading(attribute, first, last) if last > first and not _is_named(input_, last) else None

    return read


def _goes_on(input_: ReaderInput, last: int) -> bool:
    words = input_.words
    if last + 1 >= len(words) or not words[last + 1].is_proper:
        return False
    return words[last].folded in input_.language.joiners or words[last].text == ","


def _counts(input_: ReaderInput, index: int, noun: Pattern) -> bool:
    word = input_.words[index]
    small = households.NUMBERS | input_.language.joiners
    return word.folded in small or word.text == "," or noun.fullmatch(word.folded) is not None


def _is_named(input_: ReaderInput, last: int) -> bool:
    """Whether a name follows, which tells more than a count: `tengo una hija, se llama Abril`."""
    return last < len(input_.words) and bool(_NAME_FOLLOWS.match(respaced(input_.words[last:])))

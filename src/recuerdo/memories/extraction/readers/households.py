"""Relatives and animals: what they are called, or how many there are."""

from recuerdo.core.memories import Attribute
from recuerdo.memories.extraction.language import Reader, ReaderInput, Reading
from recuerdo.memories.extraction.lexicon import households, names
from recuerdo.memories.extraction.patterns import Pattern, words_in
from recuerdo.memories.extraction.readers.people import known_name, likely_name
from recuerdo.memories.extraction.readers.spans import respaced, skip
from recuerdo.memories.extraction.words import Word
from recuerdo.memories.locales.joined import READERS, WORDS

_NOUNS: dict[Attribute, Pattern] = {"family": Pattern(households.RELATIVES), "pet": Pattern(households.ANIMALS)}
_NAME_FOLLOWS = Pattern(rf"{households.NAMED}(?!\w)")
_PRONOUNS = words_in(WORDS.they)
_ONE = READERS.an | {"one", "1"}


def named(attribute: Attribute) -> Reader:
    """A reader of the name after `my daughter is called`, or of several names."""

    def read(input_: ReaderInput) -> Reading | None:
        reading = known_name(input_)
        if reading is None:
            return None
        return Reading(attribute, 0, _names_end(input_, reading.last))

    return read


def written(attribute: Attribute) -> Reader:
    """A reader of a name that nothing announces but its capital, or that many people have: `casado con` `Teresa`."""

    def read(input_: ReaderInput) -> Reading | None:
        reading = likely_name(input_)
        if reading is None:
            return None
        head = input_.words[reading.first]
        return Reading(attribute, reading.first, reading.last) if head.is_proper or _is_given(head) else None

    return read


def given(attribute: Attribute) -> Reader:
    """A reader of the name after `my wife is ...`: only one that is written like a name, or known as one."""

    def read(input_: ReaderInput) -> Reading | None:
        reading = likely_name(input_)
        if reading is None:
            return None
        head = input_.words[reading.first]
        return named(attribute)(input_) if _is_given(head) or (attribute == "pet" and head.is_proper) else None

    return read


def called(attribute: Attribute) -> Reader:
    """A reader of the name after an article: `mi novia es la` `Bia`, which a word without one may not be."""

    def read(input_: ReaderInput) -> Reading | None:
        reading = known_name(input_)
        head = input_.words[reading.first] if reading else None
        known = head and (head.is_proper or head.folded in names.GIVEN)
        return named(attribute)(input_) if known else None

    return read


def counted(attribute: Attribute) -> Reader:
    """A reader of `two cats and a parrot`; a single one comes without its article."""

    noun = _NOUNS[attribute]

    def read(input_: ReaderInput) -> Reading | None:
        words = input_.words
        first = 1 if words and words[0].folded in READERS.an else 0
        last = index = first
        while index < min(len(words), first + 10) and _counts(input_, index, noun):
            if noun.fullmatch(words[index].folded):
                apposed = index and words[index - 1].text == "," and words[index].is_proper
                if last > first and (apposed or _is_named(input_, index + 1)):
                    break
                last = index + 1
            index += 1
        if last > first and (names_of_them := _names_behind(input_, last)):
            return Reading(attribute, *names_of_them)
        return Reading(attribute, first, last) if last > first and not _is_named(input_, last) else None

    return read


def _names_end(input_: ReaderInput, last: int) -> int:
    """The end of a list of names, the first of which ends at `last`: `Iker`, `Nina y la` Pipoca."""
    while (begin := _next_name(input_, last)) is not None:
        following = known_name(input_._replace(words=input_.words[begin:]))
        listed = {word.folded for word in input_.words[:last]}
        if following is None or input_.words[begin].folded in listed:
            break  # `Ana y Leo, el Leo vive en` a town
        last = begin + following.last
    return last


def _next_name(input_: ReaderInput, last: int) -> int | None:
    words = input_.words
    if last >= len(words) or not (words[last].folded in input_.language.joiners or words[last].text == ","):
        return None
    joined = last + 1 < len(words) and words[last].text == "," and words[last + 1].folded in input_.language.joiners
    begin = last + 1 + joined
    begin += skip(words[begin : begin + 1], input_.language.articles)
    return begin if begin < len(words) and (words[begin].is_proper or _is_given(words[begin])) else None


def _names_behind(input_: ReaderInput, last: int) -> tuple[int, int] | None:
    """Where the names are that a count introduces: `dos gatos,` `Michi y Luna`, `three children:` `Ann and Ben`.

    Of one a single name may follow: `one sister,` `Jo`.
    """
    words = input_.words
    if last >= len(words) or words[last].text not in (",", ":"):
        return None
    single = words[0].folded in _ONE
    begin = last + 1 + skip(words[last + 1 : last + 2], input_.language.articles)
    if begin < len(words) and (words[begin].is_proper or _is_given(words[begin])):
        reading = known_name(input_._replace(words=words[begin:]))
        end = _names_end(input_, begin + reading.last) if reading else begin
        listed = any(word.folded in input_.language.joiners | {","} for word in words[begin:end])
        return (begin, end) if listed or (single and end > begin) else None
    return _plain_names(input_, begin, single=single) if input_.casual else None


def _plain_names(input_: ReaderInput, begin: int, *, single: bool = False) -> tuple[int, int] | None:
    """Names without capitals, alone in their clause: `2 cachorros,` `thor e mel`, `2 gatas, la` `mota y la nube`."""
    language, words = input_.language, input_.words[begin : begin + 10]
    small = language.stops | language.starters | language.links | language.fillers | households.NUMBERS
    index = found = 0
    while index < len(words):
        index += words[index].folded in language.articles
        if index >= len(words) or not words[index].text.isalpha() or words[index].folded in small:
            return None
        index, found = index + 1, found + 1
        after = words[index] if index < len(words) else None
        last = words[index - 2].folded in language.joiners | language.articles if index > 1 else False
        if after is None or (after.is_mark and (after.text != "," or single)) or (last and after.text == ","):
            return (begin, begin + index) if found > 1 or single else None
        if after.text != "," and after.folded not in language.joiners:
            return None
        index += 1
    return None


def _is_given(word: Word) -> bool:
    return word.folded in names.GIVEN and word.folded not in names.AMBIGUOUS and word.folded not in _PRONOUNS


def _counts(input_: ReaderInput, index: int, noun: Pattern) -> bool:
    word = input_.words[index]
    small = households.NUMBERS | input_.language.joiners
    return word.folded in small or word.text == "," or noun.fullmatch(word.folded) is not None


def _is_named(input_: ReaderInput, last: int) -> bool:
    """Whether a name follows, which tells more than a count: `tengo una hija, se llama Abril`."""
    return last < len(input_.words) and bool(_NAME_FOLLOWS.match(respaced(input_.words[last:])))

"""Where values begin and end among the words after a cue."""

from collections.abc import Sequence

from recuerdo.memories.extraction.language import ReaderInput
from recuerdo.memories.extraction.lexicon import names, organisations
from recuerdo.memories.extraction.patterns import Pattern, words_in
from recuerdo.memories.extraction.words import Word
from recuerdo.memories.locales.joined import READERS, WORDS

OF = words_in(WORDS.of)


def skip(words: Sequence[Word], small: frozenset[str]) -> int:
    index = 0
    while index < len(words) and words[index].folded in small and not words[index].is_proper:
        index += 1
    return index


LAUGHTER = Pattern(r"(?:[jh]+[aeiu]+)+[jh]*|k{2,}|(?:rs)+|lo+l+|l?mf?ao|x+d+|(?:ka)+")


def trimmed_end(input_: ReaderInput, first: int, last: int) -> int:
    """The end of a value without the small words that people end on, and without laughter."""
    words, language = input_.words, input_.language
    trim = language.fillers | language.links | language.joiners | language.articles | READERS.slang
    while last > first and (
        words[last - 1].folded in trim or words[last - 1].text in "-&," or LAUGHTER.fullmatch(words[last - 1].folded)
    ):
        last -= 1
    return last


def proper_run(words: Sequence[Word], first: int, input_: ReaderInput) -> int:
    """The end of a name that starts at `first`; `first` itself when there is none."""
    last = index = first
    while index < min(len(words), first + 10):
        word = words[index]
        if word.is_mark and word.text not in "&-" and not (index and words[index - 1].folded in names.ABBREVIATED):
            break
        if word.is_proper or (last > first and word.text.isdigit()):
            if last > first and word.folded in input_.language.starters:
                break
            last = index + 1
        elif last == first or not _links(input_, index):
            break
        index += 1
    return last


def _links(input_: ReaderInput, index: int) -> bool:
    word, words = input_.words[index], input_.words
    if word.is_mark or word.folded in input_.language.links:
        return True
    if word.folded not in input_.language.joiners or index + 1 >= len(words) or not words[index + 1].is_proper:
        return False
    behind = words[index + 2] if index + 2 < len(words) else None
    return words[index + 1].folded not in input_.language.starters and (
        behind is None or behind.is_mark or behind.folded in input_.language.stops
    )


def plain_run(input_: ReaderInput, first: int, most: int, *, joiners: bool = True, noun: bool = False) -> int:
    """The end of a value in lower case: at most `most` words, up to a word that ends every value.

    `noun` says that an article stands before it, so that its first word ends nothing: `un estudio` is not `estudio`.
    """
    words, language = input_.words, input_.language
    last = first
    while last < min(len(words), first + most + 1):
        word = words[last]
        if word.text == "&" and _joins_names(words, last):
            last += 1
            continue
        verb = word.folded in language.stops or word.folded in language.starters
        ends = word.is_mark or (verb and not (noun and last == first))
        ends = ends or (word.folded in language.links and last + 1 < len(words) and words[last + 1].is_proper)
        if ends or (word.folded in language.joiners and not (joiners and _joins_fields(input_, last))):
            break
        last += 1
    last = trimmed_end(input_, first, last)
    return last if last - first <= most else first


def _joins_names(words: Sequence[Word], joiner: int) -> bool:
    """`Bichos` & `Companhia` is one name."""
    around = words[max(0, joiner - 1) : joiner + 2]
    return len(around) == 3 and around[0].is_proper and around[2].is_proper


def _joins_fields(input_: ReaderInput, joiner: int) -> bool:
    """`investigación y desarrollo` is one department."""
    around = input_.words[joiner - 1 : joiner + 2]
    return len(around) == 3 and organisations.is_field(around[:1]) and organisations.is_field(around[2:])


def joins(input_: ReaderInput, joiner: int) -> bool:
    """Whether the word after a joiner continues the value rather than with another clause."""
    if joiner + 1 >= len(input_.words):
        return False
    following, language = input_.words[joiner + 1], input_.language
    return not following.is_mark and following.folded not in language.starters


def respaced(words: Sequence[Word]) -> str:
    """The folded words where they stood, so that positions count from the first one."""
    text, offset = "", words[0].start
    for word in words[:12]:
        text += " " * (word.start - offset - len(text)) + word.folded
    return text


def before_time(words: Sequence[Word]) -> Sequence[Word]:
    """The words up to a time: `tecamac` `la semana pasada`, `Hull` `last month`."""
    for index, word in enumerate(words[:6]):
        if index and word.folded in READERS.times and not word.is_proper:
            end = index
            while end > 1 and words[end - 1].folded in READERS.before_times:
                end -= 1
            return words[:end]
    return words

"""Text as the detectors see it: folded to lower case without accents, and cut into words. Positions stay the same."""

import re
import unicodedata
from functools import cache
from typing import NamedTuple

from recuerdo.memories.extraction.patterns import Pattern

_WORD = Pattern(r"[^\W_]+(?:['.\-&@/+#_][^\W_]+)*[+#]*|&|[^\s\w]|_+")
_REACH = 240
"""Characters after a cue that a value can be in: no employer is longer, and the work stays bounded."""

_TOLD_BY_ACCENT = frozenset(("té", "él", "sí", "é"))
"""Words that mean something else without their accents."""

_FOLDED = {ord(quote): "'" for quote in "’‘`´ʼ"}


class Word(NamedTuple):
    """A word of a sentence: where it stands, as it was written, and folded. Punctuation marks are words too."""

    start: int
    end: int
    text: str
    folded: str

    @property
    def is_mark(self) -> bool:
        return not self.text[0].isalnum()

    @property
    def is_proper(self) -> bool:
        """Whether it is written like a name: Ana, iFood, IBM, 3M."""
        return self.text != self.text.lower()


def fold(text: str) -> str:
    """The text in lower case without accents, every character in its old place."""
    if text.isascii():
        return text.lower()
    return "".join([_fold_character(character) for character in text])


@cache
def _fold_character(character: str) -> str:
    if ord(character) in _FOLDED:
        return "'"
    base = unicodedata.normalize("NFD", character)[0].lower()
    return base if len(base) == 1 else character


def words_from(text: str, folded: str, start: int) -> list[Word]:
    """The words from `start` on, as far as a value reaches."""
    found = _WORD.finditer(folded, start, min(len(folded), start + _REACH))
    return [_word(text[match.start() : match.end()], match) for match in found]


def all_words(text: str) -> list[Word]:
    """All words of a text."""
    return [_word(text[match.start() : match.end()], match) for match in _WORD.finditer(fold(text))]


def _word(text: str, match: re.Match[str]) -> Word:
    lowered = text.lower()
    return Word(match.start(), match.end(), text, lowered if lowered in _TOLD_BY_ACCENT else match.group())

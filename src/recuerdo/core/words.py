"""Words as searches and comparisons see them: without case and accents, which hurried writers leave out."""

import re
import unicodedata
from itertools import filterfalse

_WORD = re.compile(r"[^\W_]+")
_ACCENTS = re.compile("[\u0300-\u036f]+")


def words_of(text: str) -> list[str]:
    """The words of the text, normalized, in their order."""
    return _WORD.findall(normalize(text))


def normalize(text: str) -> str:
    """The text without case and accents, which may change its length. Plain ASCII takes the shortest way."""
    folded = text.casefold()
    if not folded.isascii():
        folded = _ACCENTS.sub("", unicodedata.normalize("NFKD", folded))
        if not folded.isascii():
            folded = "".join(filterfalse(unicodedata.combining, folded))
    return folded


def word_set(text: str) -> frozenset[str]:
    """The words of a table written as running text; an underscore stands for a space inside an entry."""
    return frozenset(entry.replace("_", " ") for entry in text.split())


def numbered(text: str, first: int = 1) -> dict[str, int]:
    """The words of such a table with their numbers, those for the same one together: `one/a two three/a_few`."""
    entries = enumerate(text.split(), first)
    return {word.replace("_", " "): number for number, entry in entries for word in entry.split("/")}

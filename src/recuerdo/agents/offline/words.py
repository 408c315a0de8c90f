"""Texts as sentences and words, so that accents, case and endings don't matter when they are compared."""

import re

from recuerdo.core.words import words_of

LONGEST = 8_000
"""Characters of one text that are looked at: nobody states a fact after four pages."""

_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=\?)(?=\S)|\n+|;\s|,?\s*(?=¿)")
_ENDING = re.compile(r"(?<=\w{3})(?:[aeiou]*s?|[aeiou]r|mos)$")


def fold(text: str) -> str:
    """Lower case, without accents and punctuation, single spaces: `¿Cómo me llamo?` -> `como me llamo`."""
    return " ".join(words_of(text))


def sentences(text: str) -> list[str]:
    """The sentences of a text as they are written. A Spanish question begins a sentence of its own."""
    parts = (part.strip() for part in _SENTENCE.split(text[:LONGEST]))
    return [part for part in parts if fold(part)]


def root(word: str) -> str:
    """A folded word without the endings of number, gender and person: `perros` and `perra` -> `perr`."""
    return _ENDING.sub("", word) or word

"""Words of a search: significant ones, their stems, and their n-grams."""

from itertools import filterfalse

from recuerdo.searching.lexicon import ENDINGS, STOP_WORDS

_GRAM = 4
_SHORTEST_STEM = 3


def significant(words: list[str]) -> list[str]:
    """The significant words of a text; all words if it has only stop words."""
    return [*filterfalse(STOP_WORDS.__contains__, words)] or words


def stem(word: str) -> str:
    """A light stemmer for English, Spanish and Portuguese.

    Dictionaries of one language would need to know the language. Where this is too rough, the n-grams help.
    """
    if len(word) <= _SHORTEST_STEM or not word.isalpha():
        return word
    root = word
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            root = word.removesuffix(ending)
            break
    if len(root) > _SHORTEST_STEM and root[-1] in "aeioy":
        root = root[:-1]
    if len(root) > _SHORTEST_STEM and root[-1] == root[-2] and root[-1] not in "lrs":
        root = root[:-1]
    return root


def grams(word: str) -> list[str]:
    """The word's character 4-grams, including boundaries."""
    bounded = f"^{word}$"
    return [bounded[start : start + _GRAM] for start in range(max(1, len(bounded) - _GRAM + 1))]

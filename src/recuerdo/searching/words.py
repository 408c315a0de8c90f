"""From texts to words, and what words have in common."""

from recuerdo.searching.lexicon import ENDINGS, STOP_WORDS

_GRAM = 4
_SHORTEST_STEM = 3


def telling(words: list[str]) -> list[str]:
    """The words that say what a text is about; all of them where no other is left."""
    return [word for word in words if word not in STOP_WORDS] or words


def stem(word: str) -> str:
    """What the forms of a word begin with, roughly, in English, Spanish and Portuguese alike.

    Dictionaries of one language would need to know the language. Where this is too rough, the n-grams help.
    """
    if len(word) <= _SHORTEST_STEM or not word.isalpha():
        return word
    ending = next((each for each in ENDINGS if word.endswith(each) and len(word) - len(each) >= _SHORTEST_STEM), "")
    root = word.removesuffix(ending)
    if len(root) > _SHORTEST_STEM and root[-1] in "aeioy":
        root = root[:-1]
    if len(root) > _SHORTEST_STEM and root[-1] == root[-2] and root[-1] not in "lrs":
        root = root[:-1]
    return root


def grams(word: str) -> list[str]:
    """The word's character 4-grams, its borders among them."""
    bounded = f"^{word}$"
    return [bounded[start : start + _GRAM] for start in range(max(1, len(bounded) - _GRAM + 1))]

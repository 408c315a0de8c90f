"""How many of a query's words a text has, for stores that can't tell themselves."""

from recuerdo.core.words import words_of

_GRAM = 3


class Words:
    """The words of a query and their character n-grams."""

    def __init__(self, query: str) -> None:
        self._words = set(words_of(query))
        self._grams = _grams(self._words)

    def agreement(self, text: str) -> float:
        """0 to 1: half for the share of the query's words that the text has, half for that of their n-grams.

        A text that has none of the words whole scores 0.
        """
        said = set(words_of(text))
        if said.isdisjoint(self._words):
            return 0.0
        return (_share(self._words, said) + _share(self._grams, _grams(said))) / 2


def _share(asked: set[str], said: set[str]) -> float:
    return len(asked & said) / len(asked) if asked else 0.0


def _grams(words: set[str]) -> set[str]:
    bounded = [f" {word} " for word in words]
    return {word[start : start + _GRAM] for word in bounded for start in range(len(word) - _GRAM + 1)}

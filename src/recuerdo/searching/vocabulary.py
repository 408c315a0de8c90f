"""Words of a search: their stems and n-grams, those of one owner's messages, and those that a query expands to."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from recuerdo.searching.lexicon import ENDINGS
from recuerdo.searching.postings import grown

Array = np.ndarray[Any, Any]

_GRAM = 4
_SHORTEST_STEM = 3


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


NEAR = 0.35
"""The minimum cosine of words with similar meaning, after subtracting the mean vector."""

_NO_WORD = "-"
"""The placeholder for a removed word, because models accept no empty texts."""


class Vocabulary:
    """Words by number, in order of arrival."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.gram_counts: list[int] = []
        self._ids: dict[str, int] = {}
        self._by_stem: defaultdict[str, list[int]] = defaultdict(list)
        self._by_gram: defaultdict[str, list[int]] = defaultdict(list)
        self._vectors: Array = np.zeros((0, 0), np.float32)
        self._known = self._meant = 0
        self._sum: Array = np.zeros(0)
        self._mean_and_distances: tuple[Array, Array] | None = None

    def __len__(self) -> int:
        return len(self.words)

    def copy(self) -> "Vocabulary":
        """A copy that can change while this one is searched."""
        other = Vocabulary()
        other.words, other.gram_counts, other._ids = self.words.copy(), self.gram_counts.copy(), self._ids.copy()
        other._by_stem.update({stem: numbers.copy() for stem, numbers in self._by_stem.items()})
        other._by_gram.update({gram: numbers.copy() for gram, numbers in self._by_gram.items()})
        other._vectors, other._known = self._vectors.copy(), self._known
        other._sum, other._meant = self._sum.copy(), self._meant
        return other

    def number(self, word: str) -> int:
        """The word's number; a new word gets the next number."""
        known = self._ids.get(word)
        if known is not None:
            return known
        number = self._ids[word] = len(self.words)
        self.words.append(word)
        self._by_stem[stem(word)].append(number)
        parts = grams(word)
        self.gram_counts.append(len(parts))
        for gram in set(parts):
            self._by_gram[gram].append(number)
        return number

    def keep(self, said: Array) -> None:
        """Remove all other words. Their numbers remain, unused."""
        unsaid: list[int] = np.setdiff1d(np.arange(len(self)), said).tolist()
        gone = [number for number in unsaid if self._ids.pop(self.words[number], None) is not None]
        for number in gone:
            word, self.words[number], self.gram_counts[number] = self.words[number], _NO_WORD, 0
            self._by_stem[stem(word)].remove(number)
            for gram in set(grams(word)):
                self._by_gram[gram].remove(number)
        unmeant = [number for number in gone if number < self._known]
        self._sum -= self._vectors[unmeant].sum(0)
        self._meant -= len(unmeant)
        self._vectors[unmeant] = 0
        self._mean_and_distances = None

    def of_stem(self, word: str) -> list[int]:
        """The words with the word's stem."""
        return self._by_stem.get(stem(word), [])

    def of_gram(self, gram: str) -> list[int]:
        """The words that contain the n-gram."""
        return self._by_gram.get(gram, [])

    @property
    def without_vectors(self) -> list[str]:
        """The latest words, which have no vector yet."""
        return self.words[self._known :]

    def learn(self, vectors: Array) -> None:
        """Set vectors of unit length for the first words of `without_vectors`, one per row."""
        if not self._known:
            self._vectors, self._sum = np.zeros((0, vectors.shape[1]), np.float32), np.zeros(vectors.shape[1])
        before, self._known = self._known, self._known + len(vectors)
        self._vectors = grown(self._vectors, self._known)
        self._vectors[before : self._known] = vectors
        self._sum += vectors.sum(0)
        self._meant += len(vectors)
        self._mean_and_distances = None

    def vectors_of(self, words: Iterable[str]) -> dict[str, bytes]:
        """The vectors of those words that have one, as little-endian 32-bit floats."""
        numbers = {word: number for word in words if (number := self._ids.get(word)) is not None}
        rows = {word: self._vectors[number] for word, number in numbers.items() if number < self._known}
        return {word: row.astype("<f4").tobytes() for word, row in rows.items()}

    def cosines(self, vectors: Array) -> Array:
        """How near in meaning to each of these rows each word is; 0 for words without a vector.

        Both are taken from the mean word: of a word v of unit length, (v - mean) / |v - mean|.
        """
        cosines = np.zeros((len(vectors), len(self)), np.float32)
        if self._known:
            mean, lengths = self._around_mean
            around = vectors - mean
            asked = around / np.maximum(np.linalg.norm(around, axis=1, keepdims=True), 1e-9)
            # einsum and not @: a BLAS wakes a thread for each core, which costs more than it saves
            products = np.einsum("ij,kj->ik", asked, self._vectors[: self._known])
            cosines[:, : self._known] = (products - np.einsum("ij,j->i", asked, mean)[:, None]) / lengths
        return cosines

    @property
    def _around_mean(self) -> tuple[Array, Array]:
        """The mean word, and how far from it each word is; computed once for each state."""
        if self._mean_and_distances is None:
            mean = (self._sum / max(1, self._meant)).astype(np.float32)
            known = self._vectors[: self._known]
            squares = 1 - 2 * np.einsum("ij,j->i", known, mean) + np.einsum("j,j->", mean, mean)
            self._mean_and_distances = mean, np.sqrt(np.maximum(squares, 1e-9))
        return self._mean_and_distances


def weighed(cosines: Array) -> list[tuple[int, float]]:
    """The words that are similar enough, each with its weight, 0 to 1."""
    [found] = np.nonzero(cosines > NEAR)
    weights = (cosines[found] - NEAR) / (1 - NEAR)
    return list(zip(found.tolist(), weights.tolist(), strict=True))


def words_of_term(exact: Sequence[int], near: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    """The words of a soft term; those with its stem have full weight."""
    weights = dict(near) | dict.fromkeys(exact, 1.0)
    return list(weights.items())

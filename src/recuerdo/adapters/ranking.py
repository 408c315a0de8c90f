"""Exact search over the memories of one owner, for databases that can't do it themselves."""

from collections.abc import Iterator, Sequence

from recuerdo.core.memories import Embedding, Memory, MemoryHit
from recuerdo.core.words import words_of

_GRAM = 3

Candidate = tuple[Memory, Embedding | None]


def rank(text: str, embedding: Embedding | None, candidates: Sequence[Candidate], limit: int) -> list[MemoryHit]:
    """The candidates nearest to the text, best first, of equal ones the first given.

    A score adds what the words have in common (0 to 1) and the cosine of the vectors; what scores 0 is no hit.
    """
    cosines = _cosines(embedding, [vector for _, vector in candidates])
    compared = [(memory, cosine) for (memory, _), cosine in zip(candidates, cosines, strict=True)]
    return rank_compared(text, compared, limit)


def rank_compared(text: str, compared: Sequence[tuple[Memory, float]], limit: int) -> list[MemoryHit]:
    """As `rank`, for memories whose vectors the database has compared already: each comes with its cosine."""
    asked = Words(text)
    hits = [MemoryHit(memory, asked.likeness(memory.text) + cosine) for memory, cosine in compared]
    found = [hit for hit in hits if hit.score > 0]
    return sorted(found, key=lambda hit: hit.score, reverse=True)[:limit]


class Words:
    """The words of a query and their character n-grams."""

    def __init__(self, query: str) -> None:
        self._words = set(words_of(query))
        self._grams = _grams(self._words)

    def likeness(self, text: str) -> float:
        """0 to 1: how many of the query's words, and of its n-grams, the text has."""
        return self._likeness(set(words_of(text)))

    def agreement(self, text: str) -> float:
        """The likeness of a text that has at least one of the query's words whole; 0 of others."""
        said = set(words_of(text))
        return 0.0 if said.isdisjoint(self._words) else self._likeness(said)

    def _likeness(self, said: set[str]) -> float:
        return (_share(self._words, said) + _share(self._grams, _grams(said))) / 2


def _cosines(query: Embedding | None, stored: Sequence[Embedding | None]) -> list[float]:
    """The cosines of unit vectors of one model; 0 where there is nothing to compare."""
    cosines = [0.0] * len(stored)
    same = [] if query is None else [i for i, each in enumerate(stored) if each and each.model == query.model]
    if query is None or not same:
        return cosines
    import numpy  # whoever made the vectors has it

    matrix = numpy.frombuffer(b"".join(each.vector for i in same if (each := stored[i])), "<f4").reshape(len(same), -1)
    for index, cosine in zip(same, (matrix @ numpy.frombuffer(query.vector, "<f4")).tolist(), strict=True):
        cosines[index] = cosine
    return cosines


def _share(asked: set[str], said: set[str]) -> float:
    return len(asked & said) / len(asked) if asked else 0.0


def _grams(words: set[str]) -> set[str]:
    return {gram for word in words for gram in _slices(f" {word} ")}


def _slices(word: str) -> Iterator[str]:
    return (word[start : start + _GRAM] for start in range(len(word) - _GRAM + 1))

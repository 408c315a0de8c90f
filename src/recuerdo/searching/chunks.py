"""The chunks of a tenant's documents, ready to be searched: by words, by pieces of words, and by meaning."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from recuerdo.core.library import StoredChunk
from recuerdo.core.memories import Embedding
from recuerdo.searching.diversity import REACH, diverse, likeness_of
from recuerdo.searching.postings import Postings
from recuerdo.searching.vocabulary import Vocabulary
from recuerdo.searching.words import grams, telling, words_of

Array = np.ndarray[Any, Any]

WORDS, GRAMS, MEANING = 0.35, 0.25, 0.4
"""What the words, their pieces and the meaning count; without vectors the words count for the meaning, too."""

LEAST = 0.05
"""The least score of a hit: some letters in a row are in common with nearly everything."""

_SATURATION, _LENGTH = 1.2, 0.75


class Found(NamedTuple):
    """A chunk's number, and its score, 0 to 1."""

    number: int
    score: float


class ChunkIndex:
    """Chunks by number, in the order in which they are given; headings are searched with their text."""

    def __init__(self, chunks: Sequence[StoredChunk], titles: Sequence[str], model: str | None) -> None:
        self._vocabulary = Vocabulary()
        self._postings = Postings()
        self._lengths = np.zeros(len(chunks), np.float32)
        self._gram_lengths = np.zeros(len(chunks), np.float32)
        for number, (stored, title) in enumerate(zip(chunks, titles, strict=True)):
            self._add(number, f"{title} {stored.chunk.heading} {stored.chunk.text}")
        self._known, self._rows = _vectors([each.embedding for each in chunks], model)

    def search(
        self,
        text: str,
        embedding: Embedding | None,
        wanted: Sequence[bool],
        limit: int,
        *,
        least: float = LEAST,
        texts: Sequence[str] | None = None,
    ) -> list[Found]:
        """The best of the chunks that are wanted, best first; such as have nothing in common are none.

        With the chunks' `texts` they are ranked once more: see diversity.
        """
        if not len(self._lengths):
            return []
        scores = np.where(wanted, self._scores(text, embedding), 0.0)
        best = np.argsort(-scores, kind="stable")[: limit * REACH if texts else limit]
        found = [Found(int(number), float(scores[number])) for number in best if scores[number] >= max(least, LEAST)]
        return found if texts is None else _spread(found, texts, limit)

    def _scores(self, text: str, embedding: Embedding | None) -> Array:
        asked = list(dict.fromkeys(telling(words_of(text))))
        known = self._vocabulary
        words = self._fit([known.of_stem(word) for word in asked], self._lengths)
        parts = list(dict.fromkeys(gram for word in asked for gram in grams(word)))
        pieces = self._fit([known.of_gram(gram) for gram in parts], self._gram_lengths)
        if embedding is None or not self._known.any():
            return (WORDS + MEANING) * words + GRAMS * pieces
        likeness = np.zeros(len(self._lengths), np.float32)
        vector = np.frombuffer(embedding.vector, "<f4")
        likeness[self._known] = np.clip(np.einsum("ij,j->i", self._rows, vector), 0, 1)
        return WORDS * words + GRAMS * pieces + MEANING * likeness

    def _add(self, number: int, text: str) -> None:
        counts = Counter(map(self._vocabulary.number, telling(words_of(text))))
        self._postings.add(number, counts)
        self._lengths[number] = sum(counts.values())
        self._gram_lengths[number] = sum(count * self._vocabulary.gram_counts[word] for word, count in counts.items())

    def _fit(self, terms: Sequence[Sequence[int]], lengths: Array) -> Array:
        """BM25 as a part of the most that it could be: what nobody has written anywhere counts as missing."""
        count, fitting = len(lengths), np.zeros(len(lengths), np.float32)
        norm = _SATURATION * (1 - _LENGTH + _LENGTH * lengths / max(float(lengths.mean()), 1e-9))
        most = 0.0
        for words in terms:
            found = self._postings.find(np.asarray(words, np.int64))
            frequencies = np.bincount(found.passages, weights=found.counts, minlength=count)
            spread = int((frequencies > 0).sum())
            rarity = float(np.log(1 + (count - spread + 0.5) / (spread + 0.5)))
            fitting += rarity * frequencies * (_SATURATION + 1) / (frequencies + norm)
            most += rarity * (_SATURATION + 1)
        return fitting / most if most else fitting


def _vectors(embeddings: Sequence[Embedding | None], model: str | None) -> tuple[Array, Array]:
    """Which chunks have a vector of the model, and those."""
    vectors = [each.vector for each in embeddings if each is not None and each.model == model]
    known = np.fromiter((each is not None and each.model == model for each in embeddings), bool, len(embeddings))
    return known, np.frombuffer(b"".join(vectors), "<f4").reshape(len(vectors), -1) if vectors else np.zeros((0, 0))


def _spread(found: Sequence[Found], texts: Sequence[str], limit: int) -> list[Found]:
    likeness = likeness_of([frozenset(telling(words_of(texts[each.number]))) for each in found])
    return [found[place] for place in diverse([each.score for each in found], likeness, limit)]

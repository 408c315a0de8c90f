"""The search index of a tenant's document chunks: words, n-grams and vectors."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from recuerdo.core.library import StoredChunk
from recuerdo.core.memories import Embedding
from recuerdo.core.words import words_of
from recuerdo.searching.diversity import REACH, diverse, likeness_of
from recuerdo.searching.lexicon import significant
from recuerdo.searching.postings import Postings
from recuerdo.searching.vocabulary import Vocabulary, grams

Array = np.ndarray[Any, Any]

WORDS, GRAMS, MEANING = 0.35, 0.25, 0.4
"""The weights of words, n-grams and vectors; without vectors, words take over their weight."""

LEAST = 0.05
"""The minimum score of a hit, because almost every text shares some n-grams."""

_SATURATION, _LENGTH = 1.2, 0.75


class ChunkMatch(NamedTuple):
    """A chunk's number and its score, 0 to 1."""

    number: int
    score: float


class ChunkIndex:
    """Chunks, numbered in the given order; headings are searched with their text."""

    def __init__(
        self,
        chunks: Sequence[StoredChunk],
        titles: Sequence[str],
        model: str | None,
        *,
        known: "ChunkIndex | None" = None,
        kept: Sequence[int] = (),
    ) -> None:
        """The first chunks may be `kept`: the numbers of these chunks in a `known` index, which is reused."""
        self._vocabulary = Vocabulary()
        self._postings = Postings()
        self._lengths = np.zeros(len(chunks), np.float32)
        self._gram_lengths = np.zeros(len(chunks), np.float32)
        if known is not None:
            self._take(known, kept)
        for number, (stored, title) in [*enumerate(zip(chunks, titles, strict=True))][len(kept) :]:
            self._add(number, f"{title} {stored.chunk.heading} {stored.chunk.text}")
        self._vocabulary.keep(self._postings.words)
        self._norms, self._gram_norms = _norms(self._lengths), _norms(self._gram_lengths)
        self._known, self._rows = _vectors([each.embedding for each in chunks], model)
        self._documents = list(dict.fromkeys(each.document for each in chunks))
        places = {document: place for place, document in enumerate(self._documents)}
        self._document_of = np.fromiter((places[each.document] for each in chunks), np.int32, len(chunks))

    def search(
        self,
        text: str,
        embedding: Embedding | None,
        documents: Collection[str],
        limit: int,
        *,
        least: float = LEAST,
        texts: Sequence[str] | None = None,
    ) -> list[ChunkMatch]:
        """The best of these documents' chunks, best first; documents with nothing in common are left out.

        With the chunks' `texts` they are ranked once more: see diversity.
        """
        if not len(self._lengths):
            return []
        wanted = np.fromiter((each in documents for each in self._documents), bool, len(self._documents))
        scores = np.where(wanted[self._document_of], self._scores(text, embedding), 0.0)
        best = _best(scores, limit * REACH if texts else limit, max(least, LEAST))
        found = [ChunkMatch(int(number), float(scores[number])) for number in best]
        return found if texts is None else _spread(found, texts, limit)

    def _scores(self, text: str, embedding: Embedding | None) -> Array:
        asked = list(dict.fromkeys(significant(words_of(text))))
        known = self._vocabulary
        words = self._fit([known.of_stem(word) for word in asked], self._norms)
        parts = list(dict.fromkeys(gram for word in asked for gram in grams(word)))
        pieces = self._fit([known.of_gram(gram) for gram in parts], self._gram_norms)
        if embedding is None or not self._known.any():
            return (WORDS + MEANING) * words + GRAMS * pieces
        likeness = np.zeros(len(self._lengths), np.float32)
        vector = np.frombuffer(embedding.vector, "<f4")
        likeness[self._known] = np.clip(np.einsum("ij,j->i", self._rows, vector), 0, 1)
        return WORDS * words + GRAMS * pieces + MEANING * likeness

    def _take(self, known: "ChunkIndex", kept: Sequence[int]) -> None:
        renumbered, numbers = np.full(len(known._lengths), -1), np.asarray(kept, np.intp)
        renumbered[numbers] = np.arange(len(numbers))
        self._vocabulary = known._vocabulary.copy()
        self._postings = known._postings.keeping(renumbered)
        self._lengths[: len(kept)] = known._lengths[numbers]
        self._gram_lengths[: len(kept)] = known._gram_lengths[numbers]

    def _add(self, number: int, text: str) -> None:
        counts = Counter(map(self._vocabulary.number, significant(words_of(text))))
        self._postings.add(number, counts)
        self._lengths[number] = sum(counts.values())
        self._gram_lengths[number] = sum(count * self._vocabulary.gram_counts[word] for word, count in counts.items())

    def _fit(self, terms: Sequence[Sequence[int]], norms: Array) -> Array:
        """BM25 as a fraction of its maximum: a word that no chunk contains counts as missing."""
        count, fitting = len(norms), np.zeros(len(norms), np.float32)
        most = 0.0
        for words, times in Counter(map(tuple, terms)).items():  # many n-grams are in the same words
            passages, frequencies = self._occurrences(words)
            rarity = times * float(np.log(1 + (count - len(passages) + 0.5) / (len(passages) + 0.5)))
            fitting[passages] += rarity * (_SATURATION + 1) * frequencies / (frequencies + norms[passages])
            most += rarity * (_SATURATION + 1)
        return fitting / most if most else fitting

    def _occurrences(self, words: Sequence[int]) -> tuple[Array, Array]:
        """The chunks that contain any of the words, each once, with the number of occurrences."""
        found = self._postings.find(np.asarray(words, np.int64))
        if len(words) < 2:
            return found.passages, found.counts
        frequencies = np.bincount(found.passages, weights=found.counts)
        passages = np.flatnonzero(frequencies)
        return passages, frequencies[passages].astype(np.float32)


def _norms(lengths: Array) -> Array:
    """The length normalisation of BM25 for each chunk."""
    mean = max(float(lengths.mean()), 1e-9) if len(lengths) else 1.0
    return (_SATURATION * (1 - _LENGTH + _LENGTH * lengths / mean)).astype(np.float32)


def _best(scores: Array, limit: int, least: float) -> Array:
    """The indices of the best scores of at least `least`, best first; ties in order."""
    if len(scores) > limit:
        least = max(least, float(np.partition(scores, -limit)[-limit]))
    good = np.flatnonzero(scores >= least)
    return good[np.argsort(-scores[good], kind="stable")][:limit]


def _vectors(embeddings: Sequence[Embedding | None], model: str | None) -> tuple[Array, Array]:
    """Which chunks have a vector of the model, and these vectors."""
    vectors = [each.vector for each in embeddings if each is not None and each.model == model]
    known = np.fromiter((each is not None and each.model == model for each in embeddings), bool, len(embeddings))
    return known, np.frombuffer(b"".join(vectors), "<f4").reshape(len(vectors), -1) if vectors else np.zeros((0, 0))


def _spread(found: Sequence[ChunkMatch], texts: Sequence[str], limit: int) -> list[ChunkMatch]:
    likeness = likeness_of([frozenset(significant(words_of(texts[each.number]))) for each in found])
    return [found[place] for place in diverse([each.score for each in found], likeness, limit)]

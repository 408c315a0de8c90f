"""The search index of one owner's memories, by words and vectors.

A score is the sum of the fraction of the query's words that a memory contains, weighted by rarity (0 to 1, half of it
for whole words and half for their trigrams), and the cosine of the vectors. Of equal scores the latest comes first.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from math import log1p
from typing import Any

import numpy as np

from recuerdo.core.memories import Embedding, Memory, MemoryHit, MemoryQuery
from recuerdo.core.words import words_of
from recuerdo.searching.columns import grown

_GRAM = 3
_SMALL = 500
"""Up to this many memories, texts are scanned, because building an index takes longer than many scans."""

_FIRST_ROWS = 64
_DIGITS = 6
"""Scores that are equal to this many digits are ties."""

_BYTES_EACH = 3_000
"""The approximate size of a memory without its vector."""

_BYTES_EMPTY = 2_000
"""The approximate size of an empty index, as most new users have."""

Array = np.ndarray[Any, Any]
Postings = dict[str, "array[int]"]
Places = Sequence[int] | Array


class MemoryIndex:
    """All memories of one owner, including ended and waiting ones; a query filters them."""

    def __init__(self, model: str | None) -> None:
        self._model = model
        self._places: dict[str, int] = {}
        self._memories: list[Memory | None] = []
        self._texts: list[str] | None = []
        self._words: Postings = {}
        self._grams: Postings = {}
        self._vectors = np.zeros((0, 0), "<f4")
        self._unembedded: dict[str, None] = {}
        self._refreshed: dict[str, Memory] = {}

    def __len__(self) -> int:
        return len(self._places)

    @property
    def size(self) -> int:
        """The approximate size in bytes."""
        return _BYTES_EMPTY + len(self._memories) * _BYTES_EACH + self._vectors.nbytes

    @property
    def is_sparse(self) -> bool:
        """Whether most entries are of deleted or changed memories, so that a new index is better."""
        return len(self._memories) > 2 * len(self._places) + 1000

    def put(self, memory: Memory, embedding: Embedding | None = None) -> None:
        """Add or replace a memory. It keeps its vector if its text is unchanged."""
        place = self._places.get(memory.id)
        old = self._memories[place] if place is not None else None
        if place is not None and old is not None and old.text == memory.text:
            self._memories[place] = memory
        else:
            self.remove(memory.id)
            self._places[memory.id] = len(self._memories)
            self._memories.append(memory)
            self._take_in(set(words_of(memory.text)))
            if self._model is not None:
                self._unembedded[memory.id] = None
        if memory.refresh is not None:
            self._refreshed[memory.id] = memory
        if embedding is not None:
            self.learn(memory.id, embedding)

    def remove(self, memory_id: str) -> None:
        """Remove the memory, if present."""
        place = self._places.pop(memory_id, None)
        if place is not None:
            self._memories[place] = None
            if self._texts is not None:
                self._texts[place] = ""
            if place < len(self._vectors):
                self._vectors[place] = 0
        self._unembedded.pop(memory_id, None)
        self._refreshed.pop(memory_id, None)

    def learn(self, memory_id: str, embedding: Embedding) -> None:
        """Store the memory's vector, if it is of this index's model."""
        place = self._places.get(memory_id)
        if place is None or embedding.model != self._model:
            return
        vector = np.frombuffer(embedding.vector, "<f4")
        self._grow(place, len(vector))
        self._vectors[place] = vector
        self._unembedded.pop(memory_id, None)

    def unembedded(self, limit: int) -> list[Memory]:
        """Memories without a vector of this model, the most recently added first."""
        ids = [memory_id for _, memory_id in zip(range(limit), reversed(self._unembedded), strict=False)]
        return [memory for each in ids if (memory := self._memories[self._places[each]]) is not None]

    def lapsed(self, now: datetime) -> list[str]:
        """Memories that have expired, unless a use in another process has extended their life."""
        refreshed = self._refreshed.items()
        return [each for each, memory in refreshed if memory.expires_at is not None and memory.expires_at <= now]

    def search(self, text: str, embedding: Embedding | None, limit: int, query: MemoryQuery) -> list[MemoryHit]:
        """The best memories that match the query's filters, best first, with scores above 0."""
        scores = self._scores(text, embedding).round(_DIGITS)
        hits: list[MemoryHit] = []
        order: list[int] = np.argsort(-scores).tolist()
        for place in order:
            score = float(scores[place])
            if score <= 0 or (len(hits) >= limit and score < hits[-1].score):
                break
            memory = self._memories[place]
            if memory is not None and query.matches(memory):
                hits.append(MemoryHit(memory, score))
        return sorted(hits, key=_order)[:limit]

    def _scores(self, text: str, embedding: Embedding | None) -> Array:
        scores = np.zeros(len(self._memories), "<f4")
        asked = set(words_of(text))
        self._add(scores, {word: self._holding(self._words, word, f" {word} ") for word in asked})
        self._add(scores, {gram: self._holding(self._grams, gram, gram) for gram in grams_of(asked)})
        if embedding is not None and embedding.model == self._model and len(self._vectors):
            known = self._vectors[: len(scores)]
            vector = np.frombuffer(embedding.vector, "<f4")
            if known.shape[1] == len(vector):
                scores[: len(known)] += np.einsum("ij,j->i", known, vector)  # BLAS waits for threads on busy machines
        return scores

    def _add(self, scores: Array, holding: Mapping[str, Places]) -> None:
        """Half of the weighted fraction of the terms that each memory contains."""
        count = len(self._places) + 1
        weights = {term: log1p(count / (len(places) + 0.5)) for term, places in holding.items()}
        total = 2 * sum(weights.values())
        for term, weight in weights.items():
            if len(holding[term]):
                scores[holding[term]] += weight / total

    def _holding(self, postings: Postings, term: str, written: str) -> Places:
        """The places of the memories with the term, which appears in this form in a scanned text."""
        if self._texts is not None:
            return [place for place, text in enumerate(self._texts) if written in text]
        return np.frombuffer(postings[term], np.int32) if term in postings else ()

    def _take_in(self, words: set[str]) -> None:
        """Add the words of the last memory. Beyond _SMALL memories, all are indexed."""
        if self._texts is None:
            self._index(len(self._memories) - 1, words)
            return
        self._texts.append(f" {' '.join(words)} ")
        if len(self._texts) > _SMALL:
            for place, text in enumerate(self._texts):
                self._index(place, set(text.split()))
            self._texts = None

    def _index(self, place: int, words: set[str]) -> None:
        for postings, terms in ((self._words, words), (self._grams, grams_of(words))):
            for term in terms:
                if (places := postings.get(term)) is None:
                    places = postings[term] = array("i")
                places.append(place)

    def _grow(self, place: int, dims: int) -> None:
        if self._vectors.shape[1] != dims:
            self._vectors = np.zeros((0, dims), "<f4")
        self._vectors = grown(self._vectors, max(_FIRST_ROWS, place + 1))


def grams_of(words: Iterable[str]) -> set[str]:
    """The trigrams of the words, including boundaries."""
    return {gram for word in words for gram in _grams_of_word(word)}


@lru_cache(50_000)
def _grams_of_word(word: str) -> frozenset[str]:
    bounded = f" {word} "
    return frozenset(bounded[start : start + _GRAM] for start in range(len(bounded) - _GRAM + 1))


def _order(hit: MemoryHit) -> tuple[float, float, str]:
    return -hit.score, -hit.memory.created_at.timestamp(), hit.memory.id

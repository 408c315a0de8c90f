"""The search index of one owner's memories, by words and vectors.

A score is the sum of the fraction of the query's words that a memory contains, weighted by rarity (0 to 1, half of it
for whole words and half for their trigrams), and the cosine of the vectors. Of equal scores the latest comes first.

A query of several sentences, such as the last turns of a talk, is about several things. There the best sentences count
as much as the whole, stop words don't count, and words add at most a little: see docs/explanation/search.md.
numpy is an extra: without it the same sums are computed in plain Python.
"""

import re
import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import cache, lru_cache
from importlib.util import find_spec
from itertools import compress, count, repeat
from math import log1p
from operator import attrgetter, contains, mul
from typing import TYPE_CHECKING, Any, TypeAlias

from recuerdo.core.memories import Embedding, Memory, MemoryHit, MemoryQuery
from recuerdo.core.words import words_of
from recuerdo.searching.lexicon import significant

if TYPE_CHECKING:
    import numpy as np

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

_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|\n+")
_SPEAKER = re.compile(r"^<?\w{1,40}>?:\s+", re.MULTILINE)
_FEWEST_SENTENCES = 4
_MOST_SENTENCES = 16
_BEST_SENTENCES = 2
_WORDS_IN_TALK = 0.12
"""The score that the words of a talk add to the memory that has most of them."""

_LENGTH_IN_TALK = 0.75
"""How much longer memories need more words of a talk: 0 not at all, 1 in proportion."""

Array: TypeAlias = "np.ndarray[Any, Any]"
Postings = dict[str, "array[int]"]
Share = tuple[Sequence[int], float]
"""The places of the memories that have a term, and its share of their scores."""


def sentences_of_talk(text: str) -> list[str]:
    """The latest sentences of a query that has several; none of a shorter one, which counts as a whole."""
    parts = _SENTENCE_END.split(_SPEAKER.sub("", text))
    sentences = [*filter(None, map(str.strip, parts, repeat(" \"'")))]
    return sentences[-_MOST_SENTENCES:] if len(sentences) >= _FEWEST_SENTENCES else []


class MemoryIndex:
    """All memories of one owner, including ended and waiting ones; a query filters them."""

    def __init__(self, model: str | None) -> None:
        self._model = model
        self.places: dict[str, int] = {}
        """Where each memory stands, by its id."""
        self._memories: list[Memory | None] = []
        self._lengths = array("i")
        self._texts: list[str] | None = []
        self._words: Postings = {}
        self._grams: Postings = {}
        self._vectors = NumpyVectors() if _have_numpy() else PlainVectors()
        self._unembedded: dict[str, None] = {}
        self.refreshed: dict[str, Memory] = {}
        """Memories whose lives are extended when they are used."""

    @property
    def size(self) -> int:
        """The approximate size in bytes."""
        return _BYTES_EMPTY + len(self._memories) * _BYTES_EACH + self._vectors.size

    @property
    def is_sparse(self) -> bool:
        """Whether most entries are of deleted or changed memories, so that a new index is better."""
        return len(self._memories) > 2 * len(self.places) + 1000

    def put(self, memory: Memory, embedding: Embedding | None = None) -> None:
        """Add or replace a memory. It keeps its vector if its text is unchanged."""
        place = self.places.get(memory.id)
        old = self._memories[place] if place is not None else None
        if place is not None and old is not None and old.text == memory.text:
            self._memories[place] = memory
        else:
            self.remove(memory.id)
            self.places[memory.id] = len(self._memories)
            self._memories.append(memory)
            words = words_of(memory.text)
            self._lengths.append(len(words))
            self._take_in({f" {word} " for word in words})
            if self._model is not None:
                self._unembedded[memory.id] = None
        if memory.refresh is not None:
            self.refreshed[memory.id] = memory
        if embedding is not None:
            self.learn(memory.id, embedding)

    def remove(self, memory_id: str) -> None:
        """Remove the memory, if present."""
        place = self.places.pop(memory_id, None)
        if place is not None:
            self._memories[place] = None
            self._lengths[place] = 0
            if self._texts is not None:
                self._texts[place] = ""
            self._vectors.drop(place)
        self._unembedded.pop(memory_id, None)
        self.refreshed.pop(memory_id, None)

    def learn(self, memory_id: str, embedding: Embedding) -> None:
        """Store the memory's vector, if it is of this index's model."""
        place = self.places.get(memory_id)
        if place is None or embedding.model != self._model:
            return
        self._vectors.put(place, embedding.vector)
        self._unembedded.pop(memory_id, None)

    def unembedded(self, limit: int) -> list[Memory]:
        """Memories without a vector of this model, the most recently added first."""
        ids = [memory_id for _, memory_id in zip(range(limit), reversed(self._unembedded), strict=False)]
        return [memory for each in ids if (memory := self._memories[self.places[each]]) is not None]

    def expired_by(self, now: datetime) -> list[str]:
        """Memories that have expired, unless a use in another process has extended their life."""
        refreshed = self.refreshed.items()
        return [each for each, memory in refreshed if memory.expires_at is not None and memory.expires_at <= now]

    def search(
        self, text: str, embedding: Embedding | None, query: MemoryQuery, sentences: Sequence[Embedding] = ()
    ) -> list[MemoryHit]:
        """The best memories that match the query's filters, best first, with scores above 0.

        `embedding` is the whole text's, `sentences` are those of `sentences_of_talk`.
        """
        is_known = embedding is not None and embedding.model == self._model
        vectors = [*map(attrgetter("vector"), (embedding, *sentences))] if is_known else []
        said, lengths = words_of(text), None
        if sentences_of_talk(text):
            said, lengths = significant(said), self._lengths
        hits: list[MemoryHit] = []
        for place, score in self._vectors.scores(vectors, self._shares(said), len(self._memories), lengths):
            if score <= 0 or (len(hits) >= query.limit and score < hits[-1].score):
                break
            memory = self._memories[place]
            if memory is not None and query.matches(memory):
                hits.append(MemoryHit(memory, score))
        hits.sort(key=attrgetter("memory.id"))
        hits.sort(key=attrgetter("score", "memory.created_at"), reverse=True)
        return hits[: query.limit]

    def _shares(self, said: Iterable[str]) -> list[Share]:
        """Return the shares of the query's words and trigrams in the scores: half a point each, rare ones more."""
        words = {*map(" {} ".format, said)}
        shares: list[Share] = []
        for postings, terms in ((self._words, words), (self._grams, set[str]().union(*map(_grams_of, words)))):
            having: list[Sequence[int]] = []
            weights: list[float] = []
            for term in terms:
                if self._texts is None:
                    places: Sequence[int] = postings.get(term, ())
                else:
                    places = [*compress(count(), map(contains, self._texts, repeat(term)))]
                having.append(places)
                weights.append(log1p((len(self.places) + 1) / (len(places) + 0.5)))
            total = 2 * sum(weights)
            for places, weight in zip(having, weights, strict=True):
                shares.append((places, weight / total))
        return shares

    def _take_in(self, words: set[str]) -> None:
        """Add the words of the last memory. Beyond _SMALL memories, all are indexed."""
        if self._texts is None:
            self._index(len(self._memories) - 1, words)
            return
        self._texts.append("".join(words))
        if len(self._texts) > _SMALL:
            for place, text in enumerate(self._texts):
                self._index(place, {f" {word} " for word in text.split()})
            self._texts = None

    def _index(self, place: int, words: set[str]) -> None:
        for postings, terms in ((self._words, words), (self._grams, set[str]().union(*map(_grams_of, words)))):
            for term in terms:
                if (places := postings.get(term)) is None:
                    places = postings[term] = array("i")
                places.append(place)


class PlainVectors:
    """Unit vectors by place, given as little-endian 32-bit floats, in plain Python."""

    def __init__(self) -> None:
        self._rows: dict[int, array[float]] = {}

    @property
    def size(self) -> int:
        """The size in bytes."""
        return sum(row.itemsize * len(row) for row in self._rows.values())

    def put(self, place: int, vector: bytes) -> None:
        """Keep the vector of a place."""
        self._rows[place] = _floats(vector)

    def drop(self, place: int) -> None:
        """Drop the vector of a place, if it has one."""
        self._rows.pop(place, None)

    def scores(
        self, vectors: Sequence[bytes], shares: Iterable[Share], count: int, lengths: Sequence[int] | None = None
    ) -> Iterator[tuple[int, float]]:
        """The first `count` places with their scores, the highest first: the cosine with the vector, and the shares.

        Of several vectors the first is the whole query's, the others are its sentences'. `lengths`, the number of words
        of each place, are given for the shares of a talk.
        """
        scores = [0.0] * count
        for places, weight in shares:
            for place in places:
                scores[place] += weight
        if lengths is not None:
            mean = sum(lengths) / max(1, sum(map(bool, lengths)))
            scores = [each / _norm(length / mean) for each, length in zip(scores, lengths, strict=True)]
            scores = [_WORDS_IN_TALK * each / (max(scores) or 1) for each in scores]
        asked = [*map(_floats, vectors)]
        for place, row in self._rows.items():
            if asked and len(row) == len(asked[0]):
                whole, *parts = (sum(map(mul, row, numbers)) for numbers in asked)
                best = sorted(parts or [whole])[-_BEST_SENTENCES:]
                scores[place] += (whole + sum(best) / len(best)) / 2
        rounded = [round(score, _DIGITS) for score in scores]
        return ((place, rounded[place]) for place in sorted(range(count), key=rounded.__getitem__, reverse=True))


class NumpyVectors:
    """PlainVectors, by means of numpy."""

    def __init__(self) -> None:
        import numpy as np

        self._rows: Array = np.zeros((0, 0), "<f4")

    @property
    def size(self) -> int:
        """The size in bytes."""
        return self._rows.nbytes

    def put(self, place: int, vector: bytes) -> None:
        """Keep the vector of a place."""
        import numpy as np

        from recuerdo.searching.postings import grown

        numbers = np.frombuffer(vector, "<f4")
        rows = self._rows if self._rows.shape[1] == len(numbers) else np.zeros((0, len(numbers)), "<f4")
        self._rows = grown(rows, max(_FIRST_ROWS, place + 1))
        self._rows[place] = numbers

    def drop(self, place: int) -> None:
        """Drop the vector of a place, if it has one."""
        if place < len(self._rows):
            self._rows[place] = 0

    def scores(
        self, vectors: Sequence[bytes], shares: Iterable[Share], count: int, lengths: Sequence[int] | None = None
    ) -> Iterator[tuple[int, float]]:
        """See PlainVectors.scores."""
        import numpy as np

        scores, known = np.zeros(count, "<f4"), self._rows[:count]
        for places, weight in shares:
            if len(places):
                scores[np.asarray(places)] += weight
        if lengths is not None and count:
            numbers = np.asarray(lengths, "<f4")
            scores /= _norm(numbers / max(1.0, float(numbers.sum()) / max(1, np.count_nonzero(numbers))))
            scores *= _WORDS_IN_TALK / (float(scores.max()) or 1)
        if vectors and len(known) and 4 * known.shape[1] == len(vectors[0]):
            asked = np.stack([np.frombuffer(vector, "<f4") for vector in vectors])
            cosines = np.einsum("ij,kj->ki", known, asked)  # BLAS waits for threads on busy machines
            best = np.sort(cosines[1:] if len(asked) > 1 else cosines, axis=0)[-_BEST_SENTENCES:]
            scores[: len(known)] += (cosines[0] + best.mean(0)) / 2
        rounded = scores.round(_DIGITS)
        order = np.argsort(-rounded)
        return zip(order.tolist(), rounded[order].tolist(), strict=True)


@cache
def _have_numpy() -> bool:
    return find_spec("numpy") is not None


def _floats(vector: bytes) -> "array[float]":
    numbers = array("f", vector)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _norm(length: Any) -> Any:
    """Return the divisor for the words of a memory of this length, 1 being the mean."""
    return 1 - _LENGTH_IN_TALK + _LENGTH_IN_TALK * length


@lru_cache(50_000)
def _grams_of(word: str) -> frozenset[str]:
    """The trigrams of a word that is written with a space on either side."""
    return frozenset(word[start : start + _GRAM] for start in range(len(word) - _GRAM + 1))

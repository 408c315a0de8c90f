"""The passages' vectors: a short one's averaged with its neighbours', a long one's by parts."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from recuerdo.searching.passages import Neighbours
from recuerdo.searching.postings import Column, grown

Array = np.ndarray[Any, Any]

WEIGHTS = (0.4, 0.2)
"""The weight of a neighbour's vector, by distance. A vector includes the passage before it, so it reaches farther."""

_NOISE = 1e-6
_AT_A_TIME = 4_096
"""The number of passages averaged at a time, which bounds the temporary memory."""


class Vectors:
    """Vectors of one model by passage number; missing ones are 0, and so are those of passages that have parts."""

    def __init__(self) -> None:
        self._own: Array = np.zeros((0, 0), np.float16)
        self._averages: Array = np.zeros((0, 0), np.float32)
        self._known: Array = np.zeros(0, bool)
        self._hidden: Array = np.zeros(0, bool)
        self._is_averaged: Array = np.zeros(0, bool)
        self._parts = Column(np.float32, 0)
        self._part_of = Column(np.int64)

    def put(self, passages: Mapping[int, Array]) -> None:
        """The passages' vectors by number: a row for each part."""
        width = next(iter(passages.values())).shape[1]
        if self._own.shape[1] != width:
            self._own, self._averages = (each[:0].reshape(0, width) for each in (self._own, self._averages))
            self._parts, self._part_of = Column(np.float32, width), Column(np.int64)
        whole = [number for number, rows in passages.items() if len(rows) == 1]
        self._grow(max(passages) + 1)
        self._known[list(passages)] = True
        if whole:
            self._own[whole] = np.concatenate([passages[number] for number in whole])
            self._is_averaged[whole] = False
        for number, rows in passages.items():
            if len(rows) > 1:
                self._parts.add(*rows)
                self._part_of.add(*[number] * len(rows))

    def keeping(self, numbers: Array) -> "Vectors":
        """The vectors of these passages, renumbered in order."""
        kept, stay = Vectors(), numbers[numbers < len(self._own)]
        kept._own, kept._known = self._own[stay], self._known[stay]
        kept._averages = np.zeros(kept._own.shape, np.float32)
        renumbered = np.full(len(self._own), -1)
        renumbered[stay] = np.arange(len(stay))
        parts = renumbered[self._part_of.all]
        kept._parts, kept._part_of = self._parts.at(parts >= 0), Column(np.int64, rows=parts[parts >= 0])
        return kept

    def likeness(self, vector: bytes, neighbours: Neighbours, hidden: Array) -> Array | None:
        """How much nearer than the others each passage is to this vector, in standard deviations, and in the
        neighbours' order. `hidden` is by number. Of a long passage the nearest part counts.

        Raw cosines mean something else with every model; this way one weight does for all. None without vectors.
        """
        if not self._known.any():
            return None
        self._average(neighbours, hidden)
        asked, averages = np.frombuffer(vector, "<f4"), self._averages[: len(hidden)]
        cosines: Array = np.einsum("ij,j->i", averages, asked)  # no BLAS: see Vocabulary
        part_of = self._part_of.all
        if len(part_of):
            cosines[part_of] = -1
            np.maximum.at(cosines, part_of, np.einsum("ij,j->i", self._parts.all, asked))
        cosines = cosines[neighbours.order]
        speaks = (self._known[: len(hidden)] & ~hidden)[neighbours.order].astype(np.float32)
        is_known = neighbours.spread(speaks, WEIGHTS) > 0
        cosines[~is_known] = cosines[is_known].mean() if is_known.any() else 0
        return deviations(cosines)

    def _average(self, neighbours: Neighbours, hidden: Array) -> None:
        """Update the averages of new, hidden and shown passages and of their neighbours."""
        self._grow(len(hidden))
        changed = np.flatnonzero(~self._is_averaged[: len(hidden)] | (self._hidden[: len(hidden)] != hidden))
        self._hidden[: len(hidden)], self._is_averaged[: len(hidden)] = hidden, True
        reach = range(-len(WEIGHTS), len(WEIGHTS) + 1)
        stale = np.unique([neighbours.beside(changed, distance)[0] for distance in reach])
        for start in range(0, len(stale), _AT_A_TIME):
            numbers = stale[start : start + _AT_A_TIME]
            spread = self._spread(numbers, neighbours)
            self._averages[numbers] = spread / np.maximum(np.linalg.norm(spread, axis=1, keepdims=True), 1e-9)

    def _spread(self, numbers: Array, neighbours: Neighbours) -> Array:
        total = self._own[numbers].astype(np.float32)
        total[self._hidden[numbers]] = 0
        for distance, weight in enumerate(WEIGHTS, 1):
            for others, is_near in (neighbours.beside(numbers, -distance), neighbours.beside(numbers, distance)):
                total += (is_near & ~self._hidden[others])[:, None] * np.float32(weight) * self._own[others]
        return total

    def _grow(self, passages: int) -> None:
        self._own, self._averages = grown(self._own, passages), grown(self._averages, passages)
        self._known, self._hidden = grown(self._known, passages), grown(self._hidden, passages)
        self._is_averaged = grown(self._is_averaged, passages)


def deviations(values: Array) -> Array:
    """The distance of each value from the mean, in standard deviations. Rounding differences are ignored."""
    deviation = values.std()
    differ = deviation > _NOISE * np.abs(values).max(initial=1)
    return (values - values.mean()) / deviation if differ else np.zeros_like(values)


def rows_of(vectors: Sequence[bytes]) -> Array:
    """Vectors as the rows of a matrix, from little-endian 32-bit floats."""
    return np.frombuffer(b"".join(vectors), "<f4").reshape(len(vectors), -1)


def kept(rows: Array) -> bytes:
    """A passage's vectors as they are stored: their number, and 16-bit floats, which are precise enough."""
    return len(rows).to_bytes(2, "little") + rows.astype("<f2").tobytes()


def parts_kept(stored: bytes) -> Array:
    """The rows of what `kept` made."""
    return np.frombuffer(stored, "<f2", offset=2).reshape(int.from_bytes(stored[:2], "little"), -1)

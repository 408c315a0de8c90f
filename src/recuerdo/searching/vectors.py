"""The passages' vectors, averaged with their neighbours'."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from recuerdo.searching.columns import grown
from recuerdo.searching.neighbours import Neighbours

Array = np.ndarray[Any, Any]

WEIGHTS = (0.4, 0.2)
"""The weight of a neighbour's vector, by distance. A vector includes the passage before it, so it reaches farther."""

_NOISE = 1e-6
_AT_A_TIME = 4_096
"""The number of passages averaged at a time, which bounds the temporary memory."""


class Vectors:
    """Vectors of one model by passage number; missing ones are 0."""

    def __init__(self) -> None:
        self._own: Array = np.zeros((0, 0), np.float16)
        self._averages: Array = np.zeros((0, 0), np.float32)
        self._known: Array = np.zeros(0, bool)
        self._hidden: Array = np.zeros(0, bool)
        self._is_averaged: Array = np.zeros(0, bool)

    def put(self, numbers: Sequence[int], rows: Array) -> None:
        """The passages' vectors, one per row."""
        if self._own.shape[1] != rows.shape[1]:
            self._own, self._averages = (each[:0].reshape(0, rows.shape[1]) for each in (self._own, self._averages))
        self._grow(max(numbers) + 1)
        self._own[numbers] = rows
        self._known[numbers] = True
        self._is_averaged[numbers] = False

    def keeping(self, numbers: Array) -> "Vectors":
        """The vectors of these passages, renumbered in order."""
        kept, stay = Vectors(), numbers[numbers < len(self._own)]
        kept._own, kept._known = self._own[stay], self._known[stay]
        kept._averages = np.zeros(kept._own.shape, np.float32)
        return kept

    def likeness(self, vector: bytes, neighbours: Neighbours, hidden: Array) -> Array | None:
        """How much nearer than the others each passage is to this vector, in standard deviations, and in the
        neighbours' order. `hidden` is by number.

        Raw cosines mean something else with every model; this way one weight does for all. None without vectors.
        """
        if not self._known.any():
            return None
        self._average(neighbours, hidden)
        averages, order = self._averages[: len(hidden)], neighbours.order
        cosines: Array = np.einsum("ij,j->i", averages, np.frombuffer(vector, "<f4"))[order]  # no BLAS: see Vocabulary
        speaks = (self._known[: len(hidden)] & ~hidden)[order].astype(np.float32)
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


def rows_of(vectors: Sequence[bytes], *, half: bool = False) -> Array:
    """Vectors as the rows of a matrix, from little-endian 32-bit floats, or 16-bit ones as `halved` writes them."""
    return np.frombuffer(b"".join(vectors), "<f2" if half else "<f4").reshape(len(vectors), -1)


def halved(vector: bytes) -> bytes:
    """The vector as it is stored: 16-bit floats are precise enough."""
    return np.frombuffer(vector, "<f4").astype("<f2").tobytes()

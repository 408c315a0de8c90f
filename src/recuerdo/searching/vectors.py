"""What passages mean: their vectors, averaged over their neighbours'."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from recuerdo.searching.neighbours import Neighbours

Array = np.ndarray[Any, Any]

WEIGHTS = (0.4, 0.2)
"""What a neighbour's vector counts, by distance. It was made with the passage before, so that it reaches farther."""


class Vectors:
    """Vectors of one model, by the passages' numbers; those that are not there yet are 0."""

    def __init__(self) -> None:
        self._own: Array = np.zeros((0, 0), np.float16)
        self._known: Array = np.zeros(0, bool)
        self._averages: Array | None = None
        self._neighbours: Neighbours | None = None
        """Those that the averages were made for: whenever passages come, go or are hidden they are others."""

    def put(self, numbers: Sequence[int], rows: Array) -> None:
        """The passages' vectors, one a row."""
        self._grow(max(numbers) + 1, rows.shape[1])
        self._own[numbers] = rows
        self._known[numbers] = True
        self._averages = None

    def keeping(self, numbers: Array) -> "Vectors":
        """The vectors of these passages, which get their places as their numbers."""
        kept, stay = Vectors(), numbers[numbers < len(self._own)]
        kept._own, kept._known = self._own[stay], self._known[stay]
        return kept

    def likeness(self, vector: bytes, neighbours: Neighbours, hidden: Array) -> Array | None:
        """How much nearer than the others each passage is to this vector, in standard deviations.

        Raw cosines mean something else with every model; this way one weight does for all. None without vectors.
        """
        averages = self._averaged(neighbours, hidden)
        if averages is None:
            return None
        cosines: Array = np.einsum("ij,j->i", averages, np.frombuffer(vector, "<f4"))  # no BLAS: see Vocabulary.near
        known = cosines[np.any(averages[:, :1] != 0, axis=1)]
        if len(known) < len(cosines):
            cosines = np.where(np.any(averages[:, :1] != 0, axis=1), cosines, known.mean() if len(known) else 0)
        return deviations(cosines)

    def _averaged(self, neighbours: Neighbours, hidden: Array) -> Array | None:
        if not self._known.any():
            return None
        if self._averages is None or self._neighbours is not neighbours:
            self._neighbours = neighbours
            self._grow(len(neighbours.order), self._own.shape[1])
            own = self._own[neighbours.order].astype(np.float32)
            own[hidden] = 0
            spread = neighbours.spread(own, WEIGHTS)
            self._averages = spread / np.maximum(np.linalg.norm(spread, axis=1, keepdims=True), 1e-9)
        return self._averages

    def _grow(self, passages: int, dimensions: int) -> None:
        if len(self._own) >= passages and self._own.shape[1] == dimensions:
            return
        own, known = np.zeros((passages, dimensions), np.float16), np.zeros(passages, bool)
        if self._own.shape[1] == dimensions:
            own[: len(self._own)], known[: len(self._known)] = self._own, self._known
        self._own, self._known = own, known


def deviations(values: Array) -> Array:
    """How much greater than the mean each value is, in standard deviations."""
    deviation = values.std()
    return (values - values.mean()) / deviation if deviation > 0 else np.zeros_like(values)


def rows_of(vectors: Sequence[bytes], *, half: bool = False) -> Array:
    """Vectors as the rows of a matrix: little-endian floats of 32 bits, or of 16 as `halved` writes them."""
    return np.frombuffer(b"".join(vectors), "<f2" if half else "<f4").reshape(len(vectors), -1)


def halved(vector: bytes) -> bytes:
    """The vector as it is kept: 16-bit floats do as well, in half the room."""
    return np.frombuffer(vector, "<f4").astype("<f2").tobytes()

"""The vectors of a namespace in memory, as of one snapshot of the database. It needs numpy, an extra."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

_SURE = 1e-4
"""By how much a score must differ from another for that to be no matter of rounding, twice over."""

_SPARE = 5
"""Items that are looked at beside those that are wanted, because some may be gone."""

_LARGEST_SHARE = 4
"""Of the items a quarter at most is worth looking at one by one."""

Array = np.ndarray[Any, Any]


class Nearest(NamedTuple):
    """Items that may be the nearest; all others had a score below `floor`."""

    namespaces: list[str]
    keys: list[str]
    floor: float

    def holds(self, least: float) -> bool:
        """Whether nothing else of the copy can have as good a score as the least of those that were found."""
        return least >= self.floor + _SURE / 2


class CopiedVectors:
    """Vectors in the order of their items, of which each may have several.

    `sent` is what pgvector sends of them, one behind the other: how many numbers, two bytes of nothing, and the numbers
    with their highest bytes first.
    """

    def __init__(self, known: str, namespaces: Sequence[str], keys: Sequence[str], sent: bytes, dims: int) -> None:
        self.known = known
        """The snapshot: whatever it does not see may be missing."""
        places = list(zip(namespaces, keys, strict=True))
        self._starts = [number for number, place in enumerate(places) if not number or place != places[number - 1]]
        self._places = [places[start] for start in self._starts]
        self._vectors = np.frombuffer(sent, ">f4").reshape(-1, dims + 1)[:, 1:].astype("<f4")

    def __len__(self) -> int:
        return len(self._vectors)

    def nearest(self, vector: bytes, wanted: int) -> Nearest | None:
        """The items nearest to the vector, as many as are wanted and some more; None when that is too many."""
        scores = np.einsum("ij,j->i", self._vectors, np.frombuffer(vector, "<f4"))  # BLAS waits for its threads
        if len(self._starts) < len(scores):
            scores = np.maximum.reduceat(scores, self._starts)
        last = len(scores) - wanted - _SPARE
        if last < 0:
            return None
        floor = float(np.partition(scores, last)[last]) - _SURE
        chosen = np.flatnonzero(scores >= floor)
        if len(chosen) * _LARGEST_SHARE > len(scores):
            return None
        places = [self._places[number] for number in chosen.tolist()]
        return Nearest([namespace for namespace, _ in places], [key for _, key in places], floor)

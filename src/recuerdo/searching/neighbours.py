"""The neighbours of each passage: up to three before and three after it in the same sitting."""

from collections.abc import Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

PAUSE = 4 * 3600.0
"""Seconds without a message after which the next one starts a new sitting."""


class Neighbours:
    """The order of passages, thread by thread, and the starts of sittings."""

    def __init__(self, threads: Array, times: Array) -> None:
        """The threads and times of the passages, in the order of their threads."""
        self.order: Array = np.argsort(threads, kind="stable")
        self.position: Array = np.empty(len(self.order), np.intp)
        self.position[self.order] = np.arange(len(self.order))
        thread, time = threads[self.order], times[self.order]
        begins = (thread[1:] != thread[:-1]) | (time[1:] - time[:-1] > PAUSE)
        self.sittings: Array = np.concatenate([[0], np.cumsum(begins)]) if len(thread) else np.zeros(0, np.intp)

    def spread(self, values: Array, weights: Sequence[float], join: np.ufunc = np.add) -> Array:
        """Each passage's row and, weighted by distance, its neighbours' rows; all in the neighbours' order.

        Rows are added, or joined in another way: by np.maximum the greatest of each column counts.
        """
        total = values.copy()
        for distance, weight in enumerate(weights, 1):
            near = weight * self._same(distance, values.ndim)
            join(total[distance:], near * values[:-distance], out=total[distance:])
            join(total[:-distance], near * values[distance:], out=total[:-distance])
        return total

    def beside(self, numbers: Array, distance: int) -> tuple[Array, Array]:
        """The passages at this offset, and whether they are neighbours."""
        places = self.position[numbers]
        others = np.clip(places + distance, 0, len(self.order) - 1)
        return self.order[others], (others == places + distance) & (self.sittings[others] == self.sittings[places])

    def before(self, values: Array) -> Array:
        """The value of each passage's predecessor, 0 if there is none."""
        shifted = np.zeros_like(values)
        shifted[1:] = self._same(1, values.ndim) * values[:-1]
        return shifted

    def best_of_sitting(self, values: Array, count: int) -> Array:
        """For each passage the mean of the `count` greatest values of its sitting (missing ones count as 0)."""
        if not len(values):
            return values
        order = np.lexsort((-values, self.sittings))
        starts: Array = np.searchsorted(self.sittings, np.arange(int(self.sittings[-1]) + 1))
        sizes = np.diff(np.append(starts, len(values)))
        rank = np.arange(len(values)) - np.repeat(starts, sizes)
        kept = np.where(rank < count, values[order], 0)
        means = np.add.reduceat(kept, starts) / np.minimum(sizes, count)
        return means[self.sittings]

    def _same(self, distance: int, dimensions: int) -> Array:
        same = (self.sittings[distance:] == self.sittings[:-distance]).astype(np.float32)
        return same if dimensions == 1 else same[:, None]

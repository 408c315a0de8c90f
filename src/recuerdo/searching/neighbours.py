"""Talks: runs of short passages in a thread, which speak for each other up to three places away."""

from collections.abc import Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

PAUSE = 4 * 3600.0
"""Seconds without a message after which the next one starts a new talk."""


class Neighbours:
    """The order of passages, thread by thread, and the starts of talks.

    A long passage is a talk of its own: it says enough to be found alone, and would drown what stands beside it.
    """

    def __init__(self, threads: Array, times: Array, is_long: Array) -> None:
        """The threads, times and lengths of the passages, in the order of their threads."""
        self.order: Array = np.argsort(threads, kind="stable")
        self.position: Array = np.empty(len(self.order), np.intp)
        self.position[self.order] = np.arange(len(self.order))
        thread, time, alone = threads[self.order], times[self.order], is_long[self.order]
        self._follows: Array = (thread[1:] == thread[:-1]) & (time[1:] - time[:-1] <= PAUSE)
        begins = ~self._follows | alone[1:] | alone[:-1]
        self.talks: Array = np.concatenate([[0], np.cumsum(begins)]) if len(thread) else np.zeros(0, np.intp)

    def spread(self, values: Array, weights: Sequence[float], join: np.ufunc = np.add) -> Array:
        """Each passage's row and, weighted by distance, its neighbours' rows; all in the neighbours' order.

        Rows are added, or joined in another way: by np.maximum the greatest of each column counts.
        """
        total = values.copy()
        for distance, weight in enumerate(weights, 1):
            near = weight * (self.talks[distance:] == self.talks[:-distance]).astype(np.float32)
            near = near if values.ndim == 1 else near[:, None]
            join(total[distance:], near * values[:-distance], out=total[distance:])
            join(total[:-distance], near * values[distance:], out=total[:-distance])
        return total

    def beside(self, numbers: Array, distance: int) -> tuple[Array, Array]:
        """The passages at this offset, and whether they are neighbours."""
        places = self.position[numbers]
        others = np.clip(places + distance, 0, len(self.order) - 1)
        return self.order[others], (others == places + distance) & (self.talks[others] == self.talks[places])

    def before(self, values: Array) -> Array:
        """The value of the passage before each one, 0 where there is none or a pause in between."""
        shifted = np.zeros_like(values)
        shifted[1:] = self._follows * values[:-1]
        return shifted

    def behind(self, values: Array) -> Array:
        """The value of the passage behind each one, 0 where there is none or a pause in between."""
        shifted = np.zeros_like(values)
        shifted[:-1] = self._follows * values[1:]
        return shifted

    def sizes(self) -> Array:
        """The number of passages in each one's talk."""
        return np.bincount(self.talks)[self.talks] if len(self.talks) else self.talks

    def best_of_talk(self, values: Array, count: int) -> Array:
        """For each passage the mean of the `count` greatest values of its talk (missing ones count as 0)."""
        if not len(values):
            return values
        order = np.lexsort((-values, self.talks))
        starts: Array = np.searchsorted(self.talks, np.arange(int(self.talks[-1]) + 1))
        sizes = np.diff(np.append(starts, len(values)))
        rank = np.arange(len(values)) - np.repeat(starts, sizes)
        kept = np.where(rank < count, values[order], 0)
        means = np.add.reduceat(kept, starts) / np.minimum(sizes, count)
        return means[self.talks]

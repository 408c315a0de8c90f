"""Arrays that grow: what comes one by one costs little, and so does looking at all of it in between."""

from collections.abc import Iterable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


class Column:
    """Numbers, or rows of `width` numbers, in the order in which they came."""

    def __init__(self, dtype: Any, *width: int, rows: Array | None = None) -> None:
        self._rows: Array = np.zeros((0, *width), dtype) if rows is None else rows
        self._count = len(self._rows)
        self._coming: list[Any] = []

    def add(self, value: Any) -> None:
        """One more."""
        self._coming.append(value)

    def extend(self, values: Iterable[Any]) -> None:
        """Some more."""
        self._coming.extend(values)

    @property
    def all(self) -> Array:
        """Everything that came so far."""
        if self._coming:
            self._take(np.asarray(self._coming, self._rows.dtype))
            self._coming = []
        return self._rows[: self._count]

    def at(self, chosen: Array) -> "Column":
        """A column of these alone: by their numbers, or by a truth for each."""
        return Column(self._rows.dtype, rows=self.all[chosen])

    def _take(self, rows: Array) -> None:
        before, self._count = self._count, self._count + len(rows)
        self._rows = grown(self._rows, self._count)
        self._rows[before : self._count] = rows


def grown(rows: Array, count: int) -> Array:
    """The array with room for so many rows, and for some more when it has to grow: what is new is 0."""
    if len(rows) >= count:
        return rows
    larger = np.zeros((max(count, len(rows) * 5 // 4), *rows.shape[1:]), rows.dtype)
    larger[: len(rows)] = rows
    return larger

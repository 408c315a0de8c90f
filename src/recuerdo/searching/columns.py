"""Growing arrays, with cheap appends and a cheap view of everything so far."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


class Column:
    """Numbers, or rows of `width` numbers, in order of arrival."""

    def __init__(self, dtype: Any, *width: int, rows: Array | None = None) -> None:
        self._rows: Array = np.zeros((0, *width), dtype) if rows is None else rows
        self._count = len(self._rows)
        self._coming: list[Any] = []

    def add(self, *values: Any) -> None:
        """Append these."""
        self._coming += values

    @property
    def all(self) -> Array:
        """All values so far."""
        if self._coming:
            before, self._count = self._count, self._count + len(self._coming)
            self._rows = grown(self._rows, self._count)
            self._rows[before : self._count] = np.asarray(self._coming, self._rows.dtype)
            self._coming = []
        return self._rows[: self._count]

    def at(self, chosen: Array) -> "Column":
        """A column of a selection, by indices or by a boolean mask."""
        return Column(self._rows.dtype, rows=self.all[chosen])


def grown(rows: Array, count: int) -> Array:
    """The array with capacity for this many rows, zero-filled, and with some spare if it must grow."""
    if len(rows) >= count:
        return rows
    larger = np.zeros((max(count, len(rows) * 5 // 4), *rows.shape[1:]), rows.dtype)
    larger[: len(rows)] = rows
    return larger

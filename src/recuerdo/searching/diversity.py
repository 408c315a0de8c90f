"""Ranking once more, so that a hit which repeats a better one makes room for another.

Maximal marginal relevance (Carbonell and Goldstein, 1998): the next hit is the one whose score, less its likeness to
those that are taken already, is greatest.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

RELEVANCE = 0.5
"""What the score counts; the rest counts against likeness."""

REACH = 4
"""How many times as many hits are looked at as are wanted."""


def diverse(scores: Sequence[float], likeness: Array, limit: int) -> list[int]:
    """The places of the hits that are taken, in that order. `likeness` of each to each is from 0 to 1."""
    left, taken = list(range(len(scores))), list[int]()
    while left and len(taken) < limit:
        best = max(left, key=lambda place: _worth(scores[place], likeness[place, taken]))
        left.remove(best)
        taken.append(best)
    return taken


def _worth(score: float, alike: Array) -> float:
    return RELEVANCE * score - (1 - RELEVANCE) * float(alike.max(initial=0.0))


def likeness_of(texts: Sequence[frozenset[str]]) -> Array:
    """How many of their words texts have in common, as a part of those of both (Jaccard)."""
    return np.array([[len(one & other) / max(1, len(one | other)) for other in texts] for one in texts])

"""Re-ranking for diversity, which demotes hits that repeat better ones.

Maximal marginal relevance (Carbonell and Goldstein, 1998): the next hit is the one with the greatest score minus its
similarity to the hits selected before.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

RELEVANCE = 0.5
"""The weight of the score; the rest weighs against similarity."""

REACH = 4
"""How many candidates are considered for each requested hit."""


def diverse(scores: Sequence[float], likeness: Array, limit: int) -> list[int]:
    """The indices of the selected hits, in order. `likeness` is the pairwise similarity, 0 to 1."""
    left, taken = list(range(len(scores))), list[int]()
    while left and len(taken) < limit:
        best = max(left, key=lambda place: _worth(scores[place], likeness[place, taken]))
        left.remove(best)
        taken.append(best)
    return taken


def _worth(score: float, alike: Array) -> float:
    return RELEVANCE * score - (1 - RELEVANCE) * float(alike.max(initial=0.0))


def likeness_of(texts: Sequence[frozenset[str]]) -> Array:
    """The Jaccard similarity of the texts' words."""
    return np.array([[len(one & other) / max(1, len(one | other)) for other in texts] for one in texts])

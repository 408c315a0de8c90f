"""The optimiser of all networks here: Adam (Kingma and Ba, 2015)."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


class Adam:
    """The moments of the gradients of some weights; `decay` is that of the second moment, for one step."""

    def __init__(self, weights: Iterable[Array], decay: float) -> None:
        self._first = [np.zeros_like(each) for each in weights]
        self._second = [np.zeros_like(each) for each in self._first]
        self._decay = decay
        self.steps = 0

    def directions(self, gradients: Iterable[Array]) -> Iterator[Array]:
        """Take one step: the directions in which to move the weights, in their order."""
        self.steps += 1
        for first, second, gradient in zip(self._first, self._second, gradients, strict=True):
            first += 0.1 * (gradient - first)
            second += self._decay * (gradient**2 - second)
            mean, spread = first / (1 - 0.9**self.steps), second / (1 - (1 - self._decay) ** self.steps)
            yield mean / (np.sqrt(spread) + 1e-8)
